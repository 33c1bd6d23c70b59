/** Messages that are claimed and whose result is not written yet. After a crash, they are uncertain. */
export class UnderWay {
	/** The keys of their claims. */
	private readonly keys = new Set<string>();
	private waiting: Array<() => void> = [];
	/** How many there may be; read again whenever it may have changed. */
	bound: () => number = () => Infinity;

	get isEmpty(): boolean {
		return this.keys.size === 0;
	}

	get isFull(): boolean {
		return this.keys.size >= Math.max(1, this.bound());
	}

	add(key: string): void {
		this.keys.add(key);
	}

	/** A message is no longer under way, so another one may be claimed. */
	free(key: string): void {
		this.keys.delete(key);
		this.admit();
	}

	clear(): void {
		this.keys.clear();
	}

	/** Waits until there may be room. */
	async wait(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	/** Lets all look again whether there is room. */
	admit(): void {
		const { waiting } = this;
		this.waiting = [];
		for (const resolve of waiting) resolve();
	}
}
