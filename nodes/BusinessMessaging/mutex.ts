/** For each key, the end of its last task. (n8n itself depends on p-limit only since 2.20.) */
const ends = new Map<unknown, Promise<unknown>>();

/** Runs tasks with the same key one after the other within this process. A failed task does not stop the next one. */
export async function withLock<T>(key: unknown, task: () => Promise<T>): Promise<T> {
	const result = (ends.get(key) ?? Promise.resolve()).then(task, task);
	ends.set(key, result);
	try {
		return await result;
	} finally {
		if (ends.get(key) === result) ends.delete(key);
	}
}
