/**
 * A trigger as the inbox, in one process: how it responds to the service, to Send and Wait, and to other triggers.
 * README.md has the whole picture.
 */
import { difference, sortBy, uniq } from 'lodash';

import { BoundedMap } from '../boundedMap';
import {
	type Arrival,
	type Asked,
	type Message,
	type Person,
	type Run,
	hasKey,
	isPast,
	keysOf,
	lateMessages,
	leaseMs,
	mergeRun,
	withoutTexts,
} from './core';
import { HandOver } from './handOver';
import { Known, entriesOf } from './known';
import type {
	CallResult,
	Calls,
	Delivery,
	InboxPorts,
	TriggerRequest,
	TriggerResponse,
	Verdict,
} from './ports';
import { Recognition } from './recognition';
import { fromRecord, toRecord } from './records';

/** The maximum number of people whose replies are expected, over all runs. */
const maxOpen = 50_000;
/**
 * How long the owner may be unpublished or accept no calls, ms, e.g. while its workflow is published again. After that,
 * messages to its runs count as ordinary.
 */
const maxGoneMs = 60_000;
/**
 * A trigger that was just published asks the others which questions are open. The others also tell it after each of
 * these pauses, ms. The first time is at once, because n8n stores the response to the trigger only when the workflow is
 * published; the later times, because n8n may have written back what a delivery had read before.
 */
const teachAgainMs = [0, 10_000, 30_000];
/**
 * After these pauses, ms, a trigger that was just published looks whether n8n has written back what it had read before.
 * It also tells the other triggers about its open questions. A trigger that was published in the meantime does not know
 * about them.
 */
const lookAgainMs = [3_000, 10_000];
/** How often a trigger that was just published asks another one that does not respond. */
const maxAttempts = 3;
/** Tolerance if the service's clock is not known, ms: a message may seem older than it is by this much. */
const clockToleranceMs = 60_000;

/** A message that came too late for its run. */
export interface Late {
	run: Run;
	person: Person;
	message: Message;
}

/** The inbox of a trigger. */
export class Inbox {
	readonly known: Known;
	private readonly recognition: Recognition;
	/** Late messages with which a workflow is being started or was started. */
	private readonly starting = new BoundedMap<string, 'underWay' | 'started'>({ maxSize: 10_000 });
	private readonly goneSince = new Map<string, number>();

	/** @param own URL of the trigger without its secret */
	constructor(own: string, ports: InboxPorts) {
		this.known = new Known(own, ports);
		this.recognition = new Recognition(this.known);
		const handOver = new HandOver(this.known);
		this.known.onChange = (run) => handOver.schedule(run);
		this.known.onForget = (id) => {
			handOver.forget(id);
			this.recognition.forget(id);
		};
	}

	/** Whether the sender of a message was asked, or the message was a reply. */
	concerns(message: Arrival): boolean {
		return this.recognition.concerns(message);
	}

	/**
	 * Decides what the messages of a delivery are. Replies are kept, and n8n stores them before the delivery gets its
	 * response.
	 *
	 * @param hasOthers whether the delivery has other events, which may start a workflow
	 * @returns a verdict for each message; `busy` if a verdict is not known or could not be stored: then the service has
	 * to deliver again
	 */
	async consume(
		delivery: Delivery,
		messages: Arrival[],
		hasOthers = false,
	): Promise<Verdict[] | 'busy'> {
		const verdicts: Verdict[] = [];
		for (const message of messages) {
			const verdict = await this.receive(delivery, message);
			if (verdict.is === 'busy') return 'busy';
			verdicts.push(verdict);
		}
		const isStarting =
			hasOthers || verdicts.some(({ is, startsToo }) => is === 'ordinary' || startsToo);
		if (verdicts.some(({ isNew }) => isNew)) await this.known.persist(delivery, isStarting);
		return verdicts;
	}

	private async receive(delivery: Delivery, arrival: Arrival): Promise<Verdict> {
		const local = arrival.isCertain ? arrival.key : this.recognition.localName(delivery, arrival);
		const key = this.recognition.keyOf(arrival, this.known.own, local);
		const { own, runs, ports } = this.known;
		this.known.learnSender(arrival);
		const asked = sortBy(runs.to(arrival), ({ person }) => !hasKey(person, key));
		// The owner of the latest question decides first, but nobody decides on a message again, and a reply to an open
		// question does not wait for the owner of one that is over.
		const isFirst = ({ run, person }: Asked) =>
			!this.recognition.hasDecided(key) &&
			(hasKey(person, key) || !run.isWhole || !isPast(run, ports.now()));
		const ranked = [...asked.filter(isFirst), { run: { owner: own } }, ...asked];
		const message = { ...arrival, key: local };
		for (const owner of uniq(ranked.map(({ run }) => run.owner))) {
			const verdict =
				owner === own
					? await this.recognition.decideOwn({ ...arrival, key })
					: this.verdictOf(
							owner,
							await ports.callTrigger(owner, { is: 'message', from: own, message }),
						);
			if (verdict.is === 'taken') this.recognition.remember(key, verdict);
			if (verdict.is !== 'ordinary') return verdict;
		}
		return { is: 'ordinary' };
	}

	/**
	 * The owner's verdict. If the owner is no longer published, receives no messages any more or has another API key,
	 * nobody else can give its runs their replies, so after a while the message is ordinary.
	 */
	private verdictOf(owner: string, result: CallResult): Verdict {
		if (result !== 'gone' && result?.inbox !== 'no') {
			this.goneSince.delete(owner);
			const { is = 'busy', startsToo } = result?.verdict ?? {};
			return { is, startsToo };
		}
		const now = this.known.ports.now();
		const since = this.goneSince.get(owner) ?? now;
		this.goneSince.set(owner, since);
		return { is: now - since > maxGoneMs ? 'ordinary' : 'busy' };
	}

	/** Responds to a call. @param accepts whether the trigger can own questions, only has to know of them, or neither */
	async respond(
		delivery: Delivery,
		request: TriggerRequest,
		accepts: 'yes' | 'member' | 'no' = 'yes',
	): Promise<TriggerResponse & { late?: Late[] }> {
		if (accepts === 'no') return { inbox: 'no' };
		if (request.is === 'late') return this.startLate(delivery, request);
		if ('from' in request) this.known.gone.delete(request.from);
		const response = await this.answer(request, accepts);
		// Comparing everything would take long while thousands of people reply.
		const isStored =
			request.is === 'message' ? !response.verdict?.isNew : this.known.isStored(delivery);
		if (!isStored) await this.known.persist(delivery);
		return response;
	}

	private async answer(
		request: Exclude<TriggerRequest, { is: 'late' }>,
		inbox: 'yes' | 'member',
	): Promise<TriggerResponse> {
		switch (request.is) {
			case 'hello':
				return {
					inbox: this.known.runs.people < maxOpen ? inbox : 'full',
					owner: this.known.owner,
				};
			case 'tell':
				return this.tell(request, inbox);
			case 'message': {
				const { message, from } = request;
				const key = this.recognition.keyOf(message, from, message.key);
				this.known.learnSender(message);
				return { inbox, verdict: await this.recognition.decideOwn({ ...message, key }) };
			}
			case 'learn':
				void this.teachAgain(request.from);
				return { inbox, runs: this.teach(request.from) };
			case 'known':
				for (const [id, record] of request.runs) this.known.mergeText(id, record);
				return { inbox };
			case 'sync':
				return this.takeIn(request);
		}
	}

	/** Adds people who will be asked, or were asked. */
	private tell(
		{ id, run: record, skewMs, without, left = [] }: Extract<TriggerRequest, { is: 'tell' }>,
		inbox: 'yes' | 'member',
	): TriggerResponse {
		const run = fromRecord(id, record, this.known.own);
		if (!run) return { inbox: 'no' };
		if (this.known.isSettled(id)) {
			// The owner may report further replies that came before the run was over.
			if (run.isOver) this.known.retire(run);
			return { inbox, isOver: true };
		}
		const { gone, own } = this.known;
		for (const one of without) if (one !== own) gone.add(one);
		gone.delete(run.owner);
		const { owner } = this.known;
		const earlier = this.known.runs.get(id);
		const isNew = !earlier;
		if (isNew && owner !== undefined && owner !== run.owner && !without.includes(owner))
			return { inbox: 'other', owner };
		if (this.known.runs.people + run.people.size > maxOpen && isNew) return { inbox: 'full' };
		const now = this.known.ports.now();
		const isOwner = run.owner === this.known.own;
		if (isOwner && earlier && isTooEarly(run, earlier))
			return responseOf(this.known.merge({ ...earlier, leaseUntil: now + leaseMs }), inbox);
		const clock = skewMs === null ? now - clockToleranceMs : now + skewMs;
		for (const [item, person] of run.people)
			if (isOwner && !person.isSince && !earlier?.people.get(item)?.since)
				run.people.set(item, { ...person, since: clock });
		// The run has chosen another owner. Merging would keep the first one.
		if (earlier && left.includes(earlier.owner) && keysOf(earlier).length === 0)
			earlier.owner = run.owner;
		const merged = this.known.merge({ ...run, leaseUntil: now + leaseMs });
		if (merged.isOver && !isOwner) this.known.retire(merged);
		return responseOf(merged, inbox);
	}

	/**
	 * What another trigger must know about the open questions. If a run is still asking people, the run tells that trigger
	 * about the people whom it asks later.
	 */
	private teach(from: string): Array<[id: string, record: string]> {
		const open = this.known.runs
			.all()
			.filter((run) => this.known.isOpen(run) && run.owner !== from);
		for (const run of open.filter(({ isWhole, triggers }) => !isWhole && !triggers.includes(from)))
			this.known.merge({ ...run, triggers: [...run.triggers, from] });
		return open.map((run) => [run.id, toRecord(withoutTexts(run), from)]);
	}

	private async teachAgain(from: string): Promise<void> {
		for (const pauseMs of teachAgainMs) {
			await this.known.ports.pause(pauseMs);
			await this.tellKnown(from);
		}
	}

	private async tellKnown(to: string): Promise<void> {
		const runs = this.teach(to);
		if (runs.length > 0) await this.known.ports.callTrigger(to, { is: 'known', runs });
	}

	/** Adds what another process of this trigger knows. */
	private takeIn({
		id,
		run: record,
		others = [],
	}: Extract<TriggerRequest, { is: 'sync' }>): TriggerResponse {
		for (const other of others) void this.tellKnown(other);
		if (id === undefined || record === undefined) return { inbox: 'yes' };
		const merged = this.known.mergeText(id, record);
		if (!merged) return { inbox: 'yes', isSettled: this.known.isSettled(id) };
		const known = toRecord(merged, this.known.own);
		return { inbox: 'yes', ...(known !== record && { runs: [[id, known]] }) };
	}

	/** Starts the workflow with messages that came too late, unless an earlier call has already done so and its response was lost. */
	private startLate(
		delivery: Delivery,
		{ id, run: record, keys }: Extract<TriggerRequest, { is: 'late' }>,
	): TriggerResponse & { late?: Late[] } {
		if (keys.some((key) => this.starting.get(`${id} ${key}`) === 'underWay'))
			return { inbox: 'busy' };
		const run = fromRecord(id, record, this.known.own);
		const left = keys.filter((key) => !this.starting.has(`${id} ${key}`));
		const late = lateOf(run).filter(({ message }) => left.includes(message.key));
		if (late.length === 0) return { inbox: 'yes', isStarted: true };
		const names = late.map(({ message }) => `${id} ${message.key}`);
		for (const name of names) this.starting.set(name, 'underWay');
		void delivery.hasSucceeded().then((isDone) => {
			for (const name of names)
				if (isDone) this.starting.set(name, 'started');
				else this.starting.delete(name);
			// The caller notes this too, but may never get the response.
			if (isDone) this.known.noteStarted(id, left);
		});
		return { inbox: 'yes', isStarted: true, late };
	}
}

/**
 * Whether a run must not ask its new people yet: a trigger that was published meanwhile has not heard of them, so their
 * replies would start its workflow. The response names this trigger, and the run tells it first.
 */
function isTooEarly({ isWhole, people, triggers }: Run, earlier: Run): boolean {
	const isNew = [...people.keys()].some((item) => !earlier.people.has(item));
	return !isWhole && isNew && difference(earlier.triggers, triggers).length > 0;
}

function responseOf({ owner, triggers, isOver }: Run, inbox: TriggerResponse['inbox']) {
	return { inbox, owner, triggers, isOver };
}

function lateOf(run: Run | undefined): Late[] {
	return run ? lateMessages(run).map((one) => ({ run, ...one })) : [];
}

/**
 * What a trigger that was just published has to store: the open questions of which Send and Wait could not tell it.
 * Called once, after the trigger was registered at the service.
 *
 * @param own URL of the trigger, without its secret
 * @param others URLs of the other triggers
 * @param stored what n8n has stored with the trigger
 * @returns undefined if nothing has to be added
 */
export async function learn(
	ports: Omit<InboxPorts, 'callRun' | 'repeat' | 'warn'>,
	own: string,
	others: string[],
	stored: unknown,
): Promise<Record<string, string> | undefined> {
	const request: TriggerRequest = { is: 'learn', from: own };
	const ask = async (url: string, attempt = 1): Promise<CallResult> => {
		const result = await ports.callTrigger(url, request);
		if (result !== undefined || attempt === maxAttempts) return result;
		return await ask(url, attempt + 1);
	};
	const results = await Promise.all(others.map(async (url) => await ask(url)));
	if (stored !== undefined) void lookAgain(ports, own, others);
	const known = Object.fromEntries(entriesOf(stored));
	const news = results.flatMap((result) => (typeof result === 'object' ? (result.runs ?? []) : []));
	if (news.length === 0) return undefined;
	const merged = news.map(([id, record]): [string, string] => {
		const earlier = id in known ? ports.unseal(known[id]) : undefined;
		const runs = [earlier, record].map((one) => fromRecord(id, one, own));
		const [mine, theirs] = runs;
		return [id, ports.seal(mine && theirs ? toRecord(mergeRun(mine, theirs), own) : record)];
	});
	return { ...known, ...Object.fromEntries(merged) };
}

/** A call has the process that takes the trigger's deliveries compare what n8n has stored with what it knows. */
async function lookAgain(ports: Calls, own: string, others: string[]): Promise<void> {
	for (const pauseMs of lookAgainMs) {
		await ports.pause(pauseMs);
		await ports.callTrigger(own, { is: 'sync', others });
	}
}
