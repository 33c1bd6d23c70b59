/**
 * Decides what a message means for the questions that a trigger owns. The rules are in core.ts; this module asks n8n
 * and the service what the rules need to know.
 */
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import {
	type Arrival,
	type Asked,
	type Decision,
	type Person,
	type Run,
	addRepetition,
	addReply,
	decide,
	hasDied,
	startsWorkflowsToo,
} from './core';
import type { Known } from './known';
import type { Delivery, Verdict } from './ports';

/** The shortest time between two calls that ask a run whether it still waits, ms: n8n does not report when a user stops an execution. */
const pollPauseMs = 5_000;
/** Two equal messages that nothing identifies count as one if they reach two triggers within this time, ms. */
export const sameMomentMs = 120_000;
/** The greatest number of equal messages that are told apart. */
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
	/** The decisions of this process; they also apply to the copies that other triggers get. */
	private readonly decided = new BoundedMap<string, Verdict>({ maxSize: 10_000 });
	/** Messages that nothing identifies: `local` for this trigger, `occurrences` for all triggers. */
	private readonly local = new BoundedMap<string, { key: string; isLost: boolean }>({
		maxSize: 1_000,
	});
	private readonly occurrences = new BoundedMap<string, Occurrence[]>({ maxSize: 1_000 });
	private readonly polledAt = new Map<string, number>();
	private counter = 0;
	private readonly name = `recognition ${++made}`;

	constructor(private readonly known: Known) {}

	/** Whether the sender of a message was asked, or the message was a reply. */
	concerns(message: Arrival): boolean {
		const { runs } = this.known;
		const { key } = message;
		return runs.asks(message) || this.known.isSettled(key) || this.occurrences.has(key);
	}

	/**
	 * A name for a message that nothing identifies. An equal message is the same one only if the response to the first
	 * delivery may have been lost: then the service delivers again.
	 */
	localName(delivery: Delivery, { key }: Arrival): string {
		const known = this.local.get(key);
		const one = known?.isLost ? known : { key: `${key}~${++this.counter}`, isLost: false };
		one.isLost = false;
		this.local.set(key, one);
		void delivery.ended.then((end) => (one.isLost = end !== 'received'));
		return one.key;
	}

	/** The owner's name for a message. A message that nothing identifies comes to each trigger once, at about the same moment. */
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

	/** Decides what a message means for the questions that this trigger owns. Messages of one person are decided one after the other. */
	async decideOwn(message: Arrival): Promise<Verdict> {
		return await withLock(`${this.name} ${message.phone}`, async () => {
			if (this.known.isSettled(message.key)) return { is: 'taken', startsToo: message.isOptOut };
			const earlier = this.decided.get(message.key);
			if (earlier) return earlier;
			const verdict = await this.judge(message);
			if (verdict.is !== 'busy') this.decided.set(message.key, verdict);
			return verdict;
		});
	}

	/** Whether a message was decided before. */
	hasDecided(key: string): boolean {
		return this.known.isSettled(key) || this.decided.get(key) !== undefined;
	}

	/** Remembers what another owner has decided about a forwarded message. */
	remember(key: string, verdict: Verdict): void {
		this.decided.set(key, verdict);
	}

	private async judge(message: Arrival): Promise<Verdict> {
		let isRefused = false;
		for (;;) {
			const decision = this.decideNow(message);
			if (decision.is === 'ordinary') {
				// Why it is ordinary must be stored before a workflow starts with it, e.g. an earlier reply, or the end of a run.
				// Otherwise, after a crash, the next process would take the message for the reply.
				const isStored = await this.known.ensureStored(
					this.askedOwn(message).map(({ run }) => run),
				);
				return { is: isStored ? 'ordinary' : 'busy' };
			}
			const verdict: Verdict = { is: 'taken', startsToo: startsWorkflowsToo(decision, message) };
			if (decision.is === 'copy') return verdict;
			const { run } = decision;
			if (this.needsPoll(run)) {
				await this.poll(run); // then decide again, because the state may have changed
			} else if (decision.is === 'reply' || isRefused) {
				const isAccepted = decision.is === 'reply' && decision.isAccepted;
				addReply(decision, message, isAccepted, this.known.ports.now());
				this.known.changed(run);
				return { ...verdict, isNew: true };
			} else if (await this.known.ports.repeat(run, decision.person, message.key)) {
				if (this.repeated(decision, message)) return { ...verdict, isNew: true };
				// Meanwhile the run has found that it did not ask this person, so the message counts for another question.
			} else {
				isRefused = true; // the question cannot be repeated, so this message is the reply although it does not fit
			}
		}
	}

	private decideNow(message: Arrival): Decision {
		return decide(this.askedOwn(message), message, this.known.ports.now());
	}

	/** The questions to the sender of a message that this trigger owns. */
	private askedOwn(message: Arrival): Asked[] {
		return this.known.runs.to(message).filter(({ run }) => run.owner === this.known.own);
	}

	/** Records that a question was repeated. @returns whether the run still asks the person */
	private repeated({ run, person }: { run: Run; person: Person }, message: Arrival): boolean {
		const now = this.known.runs.get(run.id);
		const asked = now?.people.get(person.item);
		if (!now || !asked || asked.isNotAsked) return false;
		addRepetition({ run: now, person: asked }, message);
		this.known.changed(now);
		return true;
	}

	/** Whether to ask if a run still waits. As long as the run still asks people, n8n only says that it is running. */
	private needsPoll({ id, isWhole }: Run): boolean {
		return isWhole && this.known.ports.now() - (this.polledAt.get(id) ?? -Infinity) >= pollPauseMs;
	}

	/** Asks a run whether it still waits, once for all messages of the same moment. */
	private async poll(run: Run): Promise<void> {
		await withLock(`${this.name} ${run.id}`, async () => {
			if (!this.needsPoll(run)) return;
			const state = await this.known.ports.callRun(run);
			const now = this.known.runs.get(run.id);
			if (!now) return;
			this.polledAt.set(run.id, this.known.ports.now());
			if (!hasDied(now, state, this.known.ports.now()) || now.isOver || now.handing) return;
			now.isOver = true;
			this.known.changed(now);
		});
	}

	/** Forgets when a run was last asked whether it still waits. */
	forget(id: string): void {
		this.polledAt.delete(id);
	}
}
