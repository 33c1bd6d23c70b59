import { clamp } from 'lodash';

const maxTimerMs = 2 ** 31 - 1;

/** A map with a maximum size and age, for everything that the process keeps between executions. The oldest entries go first. */
export class BoundedMap<K, V> {
	private readonly entries = new Map<K, { value: V; setAt: number }>();
	private isWaiting = false;

	/** @param bounds maximum number of entries, and their maximum age, ms (30 days by default) */
	constructor(private readonly bounds: { maxSize: number; maxAgeMs?: number }) {}

	get size(): number {
		this.forgetOld();
		return this.entries.size;
	}

	get(key: K): V | undefined {
		this.forgetOld();
		return this.entries.get(key)?.value;
	}

	has(key: K): boolean {
		this.forgetOld();
		return this.entries.has(key);
	}

	/** The entry of a key; creates a missing one. Using an entry makes it the newest. */
	getOrSet(key: K, make: () => V): V {
		const value = this.has(key) ? (this.get(key) as V) : make();
		this.set(key, value);
		return value;
	}

	set(key: K, value: V): void {
		this.entries.delete(key);
		this.entries.set(key, { value, setAt: performance.now() });
		this.forgetOld();
		this.forgetLater();
	}

	delete(key: K): void {
		this.entries.delete(key);
	}

	/** All entries, from the oldest to the newest. */
	all(): Array<[key: K, value: V]> {
		this.forgetOld();
		return [...this.entries].map(([key, { value }]) => [key, value]);
	}

	/** Lets entries go when they are too old, also if nobody uses the map again. The signal's timer does not keep the process alive. */
	private forgetLater(): void {
		const [oldest] = this.entries.values();
		if (this.isWaiting || !oldest) return;
		this.isWaiting = true;
		const waitMs = oldest.setAt + this.maxAgeMs - performance.now();
		const signal = AbortSignal.timeout(Math.ceil(clamp(waitMs, 0, maxTimerMs)));
		signal.addEventListener('abort', () => {
			this.isWaiting = false;
			this.forgetOld();
			this.forgetLater();
		});
	}

	private get maxAgeMs(): number {
		return this.bounds.maxAgeMs ?? 30 * 24 * 3_600_000;
	}

	/** The map is sorted from the oldest entry to the newest, so the loop ends at the first entry that stays. */
	private forgetOld(): void {
		const { maxSize } = this.bounds;
		const oldest = performance.now() - this.maxAgeMs;
		for (const [key, { setAt }] of this.entries) {
			if (this.entries.size <= maxSize && setAt > oldest) return;
			this.entries.delete(key);
		}
	}
}
