/** What a message is to the questions that a trigger owns. core.ts decides; this asks n8n and the service what it needs for that. */
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import {
	type Arrival,
	type Decision,
	type Person,
	type Run,
	addRepetition,
	addReply,
	decide,
	isEnded,
	startsWorkflowsToo,
} from './core';
import type { Known } from './known';
import type { Delivery, Verdict } from './ports';

/** Whether a run still waits is asked at most this often, ms: n8n does not report when a user stops it. */
const pollPauseMs = 5_000;
/** How long two equal messages at two triggers count as one, if nothing identifies them, ms. */
export const sameMomentMs = 120_000;
/** How many equal messages are told apart. */
const maxEqual = 20;

/** An equal message that nothing identifies: when it first came, and its names at the triggers. */
interface Occurrence {
	key: string;
	at: number;
	names: Map<string, string>;
}

let made = 0;

/** Recognizes messages. */
export class Recognition {
	/** What this process has decided, also for the copies that other triggers get. */
	private readonly decided = new BoundedMap<string, Verdict>({ maxSize: 10_000 });
	/** Messages that nothing identifies: at this trigger, and at all of them. */
	private readonly local = new BoundedMap<string, { key: string; isLost: boolean }>({
		maxSize: 1_000,
	});
	private readonly occurrences = new BoundedMap<string, Occurrence[]>({ maxSize: 1_000 });
	private readonly polledAt = new Map<string, number>();
	private counter = 0;
	private readonly name = `recognition ${++made}`;

	constructor(private readonly known: Known) {}

	/** Whether a message comes from somebody who was asked, or was a reply. */
	concerns(message: Arrival): boolean {
		const { runs } = this.known;
		const { key } = message;
		return runs.asks(message) || this.known.isSettled(key) || this.occurrences.has(key);
	}

	/**
	 * A name for a message that nothing identifies. An equal one is the same message only if the service cannot have got the response
	 * to the first one: then it delivers again.
	 */
	localName(delivery: Delivery, { key }: Arrival): string {
		const known = this.local.get(key);
		const one = known?.isLost ? known : { key: `${key}~${++this.counter}`, isLost: false };
		one.isLost = false;
		this.local.set(key, one);
		void delivery.ended.then((end) => (one.isLost = end !== 'received'));
		return one.key;
	}

	/** The name of a message for the owner. One that nothing identifies comes to each trigger once, at about the same moment. */
	keyOf(arrival: Arrival, trigger: string, local: string): string {
		if (arrival.isCertain) return arrival.key;
		const content = local.replace(/~.*/, '');
		const earlier = this.occurrences.get(content) ?? [];
		const now = this.known.ports.now();
		const one =
			earlier.find(({ names }) => names.get(trigger) === local) ??
			earlier.find(({ names, at }) => !names.has(trigger) && now - at < sameMomentMs);
		const key = `${content}~${now.toString(36)}.${++this.counter}`;
		const found = one ?? { key, at: now, names: new Map<string, string>() };
		found.names.set(trigger, local);
		if (!one) this.occurrences.set(content, [...earlier, found].slice(-maxEqual));
		return found.key;
	}

	/** What a message is to the questions that this trigger owns; one after the other for each person. */
	async decideOwn(message: Arrival): Promise<Verdict> {
		return await withLock(`${this.name} ${message.phone}`, async () => {
			if (this.known.isSettled(message.key)) return { is: 'taken', startsToo: message.isOptOut };
			const earlier = this.decided.get(message.key);
			if (earlier) return earlier;
			this.known.learnSender(message);
			const verdict = await this.judge(message);
			this.decided.set(message.key, verdict);
			return verdict;
		});
	}

	/** Remembers what the owner of the questions has decided on a message that was forwarded. */
	remember(key: string, verdict: Verdict): void {
		this.decided.set(key, verdict);
	}

	private async judge(message: Arrival): Promise<Verdict> {
		let isRefused = false;
		for (;;) {
			const decision = this.decideNow(message);
			if (decision.is === 'ordinary') return { is: 'ordinary' };
			const verdict: Verdict = { is: 'taken', startsToo: startsWorkflowsToo(decision, message) };
			if (decision.is === 'copy') return verdict;
			const { run } = decision;
			if (this.needsPoll(run)) {
				await this.poll(run); // then decide again, as anything may have happened
			} else if (decision.is === 'reply' || isRefused) {
				const isAccepted = decision.is === 'reply' && decision.isAccepted;
				addReply(decision, message, isAccepted, this.known.ports.now());
				this.known.changed(run);
				return { ...verdict, isNew: true };
			} else if (await this.known.ports.repeat(run, decision.person, message.key)) {
				this.repeated(decision, message);
				return { ...verdict, isNew: true };
			} else {
				isRefused = true; // the reply is the last one, although it does not fit
			}
		}
	}

	private decideNow(message: Arrival): Decision {
		const own = this.known.runs.to(message).filter(({ run }) => run.owner === this.known.own);
		return decide(own, message, this.known.ports.now());
	}

	private repeated({ run, person }: { run: Run; person: Person }, message: Arrival): void {
		const now = this.known.runs.get(run.id);
		const asked = now?.people.get(person.item);
		if (!now || !asked) return;
		addRepetition({ run: now, person: asked }, message);
		this.known.changed(now);
	}

	/** While it asks, n8n says only that it is running. */
	private needsPoll({ id, isWhole }: Run): boolean {
		return isWhole && this.known.ports.now() - (this.polledAt.get(id) ?? -Infinity) >= pollPauseMs;
	}

	/** One call for all messages of the same moment. */
	private async poll(run: Run): Promise<void> {
		await withLock(`${this.name} ${run.id}`, async () => {
			if (!this.needsPoll(run)) return;
			const state = await this.known.ports.callRun(run);
			const now = this.known.runs.get(run.id);
			if (!now) return;
			this.polledAt.set(run.id, this.known.ports.now());
			if (!isEnded(state) || now.isOver || now.handing) return;
			now.isOver = true;
			this.known.changed(now);
		});
	}

	/** Forgets when a run was asked whether it waits. */
	forget(id: string): void {
		this.polledAt.delete(id);
	}
}
