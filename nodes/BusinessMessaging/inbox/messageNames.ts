/**
 * Names for messages that have neither an ID nor a time, as in the specification's own event. Two equal texts of a person
 * are two messages, but a message comes once to each trigger, and again if its delivery got no response. Like core.ts,
 * without n8n, clock or network.
 */
import { BoundedMap } from '../boundedMap';

/** How many different contents are remembered, and how many equal messages of each. */
const maxContents = 5_000;
const maxEqual = 20;
/** Within this time, ms, a service delivers a message again, and to all triggers. */
const sameMs = 24 * 3_600_000;
/** How long a delivery may be under way when its trigger is registered again, ms. */
const slackMs = 30_000;

/** Names of the deliveries of one trigger. */
export class DeliveryNames {
	/** Deliveries whose response was lost, or that were refused: the next equal one is the same message. */
	private readonly unconfirmed = new BoundedMap<string, Array<{ name: string; at: number }>>({
		maxSize: maxContents,
	});
	private count = 0;

	/** @param process differs for each process */
	constructor(private readonly process: string) {}

	/** The name of a delivery. @param confirmed resolves to whether its sender has got 200 */
	begin(content: string, now: number, confirmed: Promise<boolean>): string {
		const earlier = this.unconfirmed.get(content) ?? [];
		const [again, ...others] = earlier.filter(({ at }) => now - at < sameMs);
		const name = again?.name ?? `${this.process}.${++this.count}`;
		this.unconfirmed.set(content, others);
		void confirmed.then((isConfirmed) => {
			if (isConfirmed) return;
			const rest = this.unconfirmed.get(content) ?? [];
			this.unconfirmed.set(content, [...rest, { name, at: now }].slice(-maxEqual));
		});
		return name;
	}
}

/** One of several equal messages: when it first came, and the names of its deliveries at the triggers. */
interface Occurrence {
	key: string;
	at: number;
	names: Map<string, string>;
}

/** The inbox's names of messages. */
export class MessageNames {
	private readonly occurrences = new BoundedMap<string, Occurrence[]>({ maxSize: maxContents });
	private count = 0;

	/** Whether an equal message has come. */
	has(content: string): boolean {
		return this.occurrences.has(content);
	}

	/**
	 * The name of a message, from the name of its delivery at a trigger.
	 *
	 * @param since when the trigger was registered at the service: it gets no earlier messages, ms since 1970
	 */
	nameOf(content: string, trigger: string, delivery: string, now: number, since: number): string {
		const earlier = this.occurrences.get(content) ?? [];
		const same =
			earlier.find(({ names }) => names.get(trigger) === delivery) ??
			earlier.find(
				({ names, at }) => !names.has(trigger) && at > since - slackMs && now - at < sameMs,
			);
		same?.names.set(trigger, delivery);
		if (same) return same.key;
		const key = `${content}~${now.toString(36)}.${++this.count}`;
		const first = { key, at: now, names: new Map([[trigger, delivery]]) };
		this.occurrences.set(content, [...earlier, first].slice(-maxEqual));
		return key;
	}

	/**
	 * Adds a message of which n8n has stored that it was a reply. The other triggers may not have had it yet.
	 *
	 * @param trigger the one that has had it
	 */
	restore(key: string, trigger: string): void {
		const [, content, at] = /^(.+)~(\w+)\.\d+$/.exec(key) ?? [];
		if (content === undefined) return;
		const earlier = this.occurrences.get(content) ?? [];
		const one = { key, at: Number.parseInt(at, 36), names: new Map([[trigger, '']]) };
		this.occurrences.set(content, [...earlier, one].slice(-maxEqual));
	}
}
