/** Virtual time: what happens at which moment, in an order that a seed decides. */
/** The life of a caller that waits for a result, so that no result comes back to a process that was killed. */
export interface Life {
	isOver: boolean;
	/** Functions that are called when it ends. */
	onEnd: Set<() => void>;
}

/** A life that begins. */
export const newLife = (): Life => ({ isOver: false, onEnd: new Set() });

interface Event {
	at: number;
	order: number;
	life: Life;
	run: () => void;
}

/** Events, the earliest first: a binary heap. */
class Events {
	private readonly heap: Event[] = [];

	push(event: Event): void {
		const { heap } = this;
		let place = heap.push(event) - 1;
		while (place > 0) {
			const parent = (place - 1) >> 1;
			if (!isBefore(event, heap[parent])) break;
			heap[place] = heap[parent];
			place = parent;
		}
		heap[place] = event;
	}

	pop(): Event | undefined {
		const { heap } = this;
		const [first] = heap;
		const last = heap.pop();
		if (!last || heap.length === 0) return first;
		let place = 0;
		for (;;) {
			const left = 2 * place + 1;
			const right = left + 1;
			const child = right < heap.length && isBefore(heap[right], heap[left]) ? right : left;
			if (child >= heap.length || !isBefore(heap[child], last)) break;
			heap[place] = heap[child];
			place = child;
		}
		heap[place] = last;
		return first;
	}
}

function isBefore(one: Event, other: Event): boolean {
	return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Waits until all promises that follow from an event are settled: n8n's timers come after them. */
const settled = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** A generator of numbers that is good enough for schedules (mulberry32). */
function generator(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Time, in which calls take random times. */
export class VirtualTime {
	/** ms since 1970. */
	now = 1_900_000_000_000;
	readonly begin = this.now;
	steps = 0;
	protected readonly random: () => number;
	/** A life that never ends. */
	protected readonly ever = newLife();
	/** Whether calls no longer take long and no longer fail. */
	protected isCalm = false;
	private readonly events = new Events();
	private order = 0;

	/** @param trouble how often a call takes long, of 100 */
	constructor(
		seed: number,
		private readonly trouble: number,
	) {
		this.random = generator(seed);
	}

	/** Runs a function later, unless its life is over then. */
	protected at(time: number, life: Life, run: () => void): void {
		this.events.push({ at: Math.max(time, this.now), order: this.order++, life, run });
	}

	/** Waits. */
	protected async after(ms: number, life: Life): Promise<void> {
		await new Promise<void>((resolve) => this.at(this.now + ms, life, resolve));
	}

	/** How long something takes, ms. */
	protected latency(): number {
		const dice = this.random() * 100;
		if (!this.isCalm && dice < this.trouble) return 1_000 + this.random() * 11_000;
		return 1 + this.random() * 60;
	}

	/** Runs the next event. @returns false if there is none */
	protected async step(): Promise<boolean> {
		const event = this.events.pop();
		if (!event) return false;
		if (event.life.isOver) return true;
		this.now = event.at;
		this.steps++;
		event.run();
		await settled();
		return true;
	}
}
