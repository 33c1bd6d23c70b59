/** The last entries of something that goes on for ever. */
export class BoundedLog<T> {
	private entries: T[] = [];

	/** @param limit number of entries that are kept */
	constructor(private readonly limit: number) {}

	add(entry: T): void {
		this.entries.push(entry);
		// Cut rarely, so that adding stays cheap.
		if (this.entries.length >= 2 * this.limit) this.entries = this.entries.slice(-this.limit);
	}

	/** The newest `count` entries, oldest first. */
	last(count = this.limit): T[] {
		return count > 0 ? this.entries.slice(-Math.min(count, this.limit)) : [];
	}
}
