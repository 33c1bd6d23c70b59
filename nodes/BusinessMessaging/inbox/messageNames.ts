/**
 * Names for messages that nothing identifies, as the specification's own event: two equal texts of a person are two
 * messages, but one message comes to each trigger, and again if its delivery got no response.
 */
import { minBy } from 'lodash';
import { z } from 'zod';

import { BoundedMap } from '../boundedMap';
import { type Arrival, arrivalSchema } from './core';

/** How many different contents are remembered, and how many equal messages of each. */
const maxContents = 5_000;
const maxEqual = 20;
/** Within this time, ms, a service delivers a message again. */
const sameMs = 24 * 3_600_000;
/** The same after a restart of n8n, ms. Later, an equal message counts as another one. */
const sameAfterRestartMs = 60_000;
/** How long a delivery may be under way when its trigger is registered again, ms. */
const slackMs = 30_000;

/** A trigger that receives messages. */
export const sourceSchema = z.object({
	/** URL without a secret. */
	trigger: z.string(),
	/** When it was registered at the service, ms since 1970. It gets no earlier messages. */
	registeredAt: z.number(),
});
export type Source = z.infer<typeof sourceSchema>;

/** A delivery of a message to a trigger. */
export const deliveredSchema = z.object({
	arrival: arrivalSchema,
	/** The same if the service delivers the message again to the same process. */
	name: z.string(),
	/** When it first arrived at the trigger, ms ago: n8n's clocks may differ, and may be put back. */
	ageMs: z.number().nonnegative(),
});
export type Delivered = z.infer<typeof deliveredSchema>;

/** Names of the deliveries to one trigger. */
export class DeliveryNames {
	/** Deliveries whose response was lost, or that were refused: the next equal one is the same message. */
	private readonly unconfirmed = new BoundedMap<string, Array<{ name: string; at: number }>>({
		maxSize: maxContents,
	});
	private count = 0;

	/** @param process differs for each process */
	constructor(private readonly process: string) {}

	/** A delivery of a message. @param confirmed resolves to whether its sender has got 200 */
	begin(arrival: Arrival, now: number, confirmed: Promise<boolean>): Delivered {
		const { key } = arrival;
		const earlier = this.unconfirmed.get(key) ?? [];
		const [again, ...others] = earlier.filter(({ at }) => now - at < sameMs);
		const { name, at } = again ?? { name: `${this.process}.${++this.count}`, at: now };
		this.unconfirmed.set(key, others);
		void confirmed.then((isConfirmed) => {
			if (isConfirmed) return;
			const rest = this.unconfirmed.get(key) ?? [];
			this.unconfirmed.set(key, [...rest, { name, at }].slice(-maxEqual));
		});
		return { arrival, name, ageMs: Math.max(0, now - at) };
	}
}

/** One of several equal messages: when it first came, and the names of its deliveries at the triggers. */
interface Occurrence {
	key: string;
	at: number;
	names: Map<string, string>;
	/** Whether it came before n8n restarted. Then it is not known which other triggers have had it. */
	isRestored?: true;
}

/** The inbox's names of messages. */
export class MessageNames {
	private readonly occurrences = new BoundedMap<string, Occurrence[]>({ maxSize: maxContents });
	private count = 0;

	/** @param own URL of the inbox without its secret */
	constructor(private readonly own: string) {}

	has(content: string): boolean {
		return this.occurrences.has(content);
	}

	/** The name of a message, from the name of its delivery. @param firstAt when it first arrived, ms since 1970 */
	nameOf({ arrival, name }: Delivered, { trigger, registeredAt }: Source, firstAt: number): string {
		const { key: content } = arrival;
		const earlier = this.occurrences.get(content) ?? [];
		const mayBeSame = ({ names, at, isRestored }: Occurrence) => {
			const known = names.get(trigger);
			// The other trigger's process was killed, maybe before the delivery had its response.
			const isAgain = !isRestored && known !== undefined && processOf(known) !== processOf(name);
			const maxMs = isRestored || isAgain ? sameAfterRestartMs : sameMs;
			const isNew = known === undefined || isAgain;
			return isNew && at > registeredAt - slackMs && firstAt - at < maxMs;
		};
		const same =
			earlier.find(({ names }) => names.get(trigger) === name) ??
			minBy(earlier.filter(mayBeSame), ({ at }) => Math.abs(firstAt - at));
		same?.names.set(trigger, name);
		if (same) return same.key;
		const mark = trigger === this.own ? '' : '!';
		const key = `${content}~${firstAt.toString(36)}.${++this.count}${mark}`;
		const first = { key, at: firstAt, names: new Map([[trigger, name]]) };
		this.occurrences.set(content, [...earlier, first].slice(-maxEqual));
		return key;
	}

	/** Adds a message that n8n has stored as a reply. Triggers that did not get it first may not have had it yet. */
	restore(key: string): void {
		const [, content, at, mark] = /^(.+)~(\w+)\.\d+(!?)$/.exec(key) ?? [];
		if (content === undefined) return;
		const earlier = this.occurrences.get(content) ?? [];
		const names = new Map(mark === '' ? [[this.own, '']] : []);
		const one = { key, at: Number.parseInt(at, 36), names, isRestored: true as const };
		this.occurrences.set(content, [...earlier, one].slice(-maxEqual));
	}
}

function processOf(name: string): string {
	return name.split('.')[0];
}
