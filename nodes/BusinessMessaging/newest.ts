/** What the process remembers from run to run is bounded: the oldest is forgotten first. */

/** Sets an entry as the newest one. */
export function setNewest<K, V>(entries: Map<K, V>, key: K, value: V, most: number): void {
	entries.delete(key);
	entries.set(key, value);
	keepNewest(entries, most);
}

/** Forgets the oldest beyond a number. */
export function keepNewest<K>(
	entries: Pick<Set<K>, 'size' | 'keys' | 'delete'>,
	most: number,
): void {
	for (const oldest of entries.keys()) {
		if (entries.size <= most) return;
		entries.delete(oldest);
	}
}
