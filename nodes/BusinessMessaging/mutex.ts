/** The end of the last task of each name. (n8n itself depends on p-limit only since 2.20.) */
const ends = new Map<string, Promise<unknown>>();

/** Runs tasks of one name one after the other within this process, also after one that has failed. */
export async function withLock<T>(name: string, task: () => Promise<T>): Promise<T> {
	const result = (ends.get(name) ?? Promise.resolve()).then(task, task);
	ends.set(name, result);
	try {
		return await result;
	} finally {
		if (ends.get(name) === result) ends.delete(name);
	}
}
