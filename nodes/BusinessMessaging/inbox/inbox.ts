/**
 * A trigger as the inbox, in one process: which runs wait for replies, what a message is, and when a run gets its replies.
 * core.ts decides; this does what follows. README.md has the whole picture.
 */
import { union, uniq } from 'lodash';

import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import {
	type Arrival,
	type Decision,
	type Message,
	type Person,
	type Run,
	Runs,
	addRepetition,
	addReply,
	afterHandOver,
	chooseReplies,
	decide,
	dueAt,
	handOverOf,
	isAskerDead,
	isEnded,
	keysOf,
	lateMessages,
	leaseMs,
	mergeRun,
	startsWorkflowsToo,
	withoutTexts,
} from './core';
import type {
	CallResult,
	Delivery,
	InboxPorts,
	TriggerRequest,
	TriggerResponse,
	Verdict,
} from './ports';
import { fromRecord, toRecord } from './records';

/** The maximum number of people whose replies are open, over all runs. */
export const maxOpen = 50_000;
/** How many messages and runs that are settled a trigger recognizes, and for how long, minutes. */
const maxSettled = 10_000;
const maxSettledMinutes = 2 * 24 * 60;
const minuteMs = 60_000;
/** How long another trigger than the owner forwards messages of the people after a run's time limit, ms. */
const forwardMs = 3_600_000;
/** Whether a run still waits is asked at most this often, ms: n8n does not report when a user stops it. */
const pollPauseMs = 5_000;
/** Replies that arrive within this time, ms, are stored together, as storing takes long with thousands of people. */
const gatherMs = 200;
/** How long two equal messages at two triggers count as one, if nothing identifies them, ms. */
const sameMomentMs = 120_000;
/** How long the owner may not be published, e.g. while its workflow is published again, before its messages count as ordinary, ms. */
const maxGoneMs = 60_000;
/** When to look whether n8n still has what was stored, as an execution may write back an older copy, ms after the change before. */
const guardPausesMs = [1_000, 2_000, 4_000, 8_000, 16_000];
/** If the service's clock is not known, a message may seem this much older than it is, ms. */
const clockToleranceMs = 60_000;
/** Characters that tell sealed texts apart: their random beginning. */
const tagLength = 16;

/** A message that came too late for its run. */
export interface Late {
	run: Run;
	person: Person;
	message: Message;
}

/** An equal message that nothing identifies: when it first came, and its names at the triggers. */
interface Occurrence {
	key: string;
	at: number;
	names: Map<string, string>;
}

let inboxes = 0;

/** The inbox of a trigger. */
export class Inbox {
	private readonly runs = new Runs();
	/** Each run as it is stored, if it has not changed since. */
	private readonly texts = new Map<string, string>();
	/** Stored texts whose content is known. */
	private readonly seen = new BoundedMap<string, true>({ maxSize: 20_000 });
	/** Keys of replies and names of runs that are settled, with their time in minutes. */
	private readonly settled = new BoundedMap<string, number>({ maxSize: maxSettled });
	private settledText?: string;
	private loadedSettled?: string;
	/** What this process has decided, also for the copies that other triggers get. */
	private readonly decided = new BoundedMap<string, Verdict>({ maxSize: 10_000 });
	/** Messages that nothing identifies: at this trigger, and at all of them. */
	private readonly local = new BoundedMap<string, { key: string; isLost: boolean }>({
		maxSize: 1_000,
	});
	private readonly occurrences = new BoundedMap<string, Occurrence[]>({ maxSize: 1_000 });
	private readonly polledAt = new Map<string, number>();
	/** When each run is looked at next. */
	private readonly timers = new Map<string, number>();
	private readonly handingOver = new Set<string>();
	/** Late messages with which a workflow is being started, or was. */
	private readonly starting = new BoundedMap<string, 'underWay' | 'started'>({ maxSize: 10_000 });
	private readonly goneSince = new Map<string, number>();
	/** Deliveries that n8n has not answered yet, and the one that stores for those after it. */
	private readonly storing = new Set<Delivery>();
	private gathering?: Delivery;
	private guardStep?: number;
	private counter = 0;
	private readonly name = `inbox ${++inboxes}`;
	/** What n8n stores: the state at the time of storing. */
	private readonly live = { toJSON: () => this.toStored() };

	/** @param own URL of the trigger without its secret */
	constructor(
		private readonly own: string,
		public ports: InboxPorts,
	) {}

	/** Whether anything is known. */
	get isEmpty(): boolean {
		return this.runs.all().length === 0 && this.settled.all().length === 0;
	}

	/** Has all texts encrypted anew. */
	sealAgain(): void {
		this.texts.clear();
	}

	// ---------- storing ----------

	/** Adds what n8n has stored with the trigger. */
	load({ stored }: Pick<Delivery, 'stored'>): void {
		let unreadable = 0;
		for (const [id, text] of entriesOf(stored)) {
			if (id === settledName) this.loadSettled(text);
			else if (this.texts.get(id) !== text && !this.seen.has(tagOf(text))) {
				const record = this.ports.unseal(text);
				if (record === undefined) unreadable++;
				else this.mergeText(id, record, text);
				this.seen.set(tagOf(text), true);
			}
		}
		if (unreadable > 0)
			this.ports.warn(
				`${unreadable} open questions of Send and Wait were stored with another API key and cannot be read. Replies to them start workflows.`,
			);
	}

	private loadSettled(text: string): void {
		if (text === this.settledText || text === this.loadedSettled) return;
		this.loadedSettled = text;
		const now = this.minute();
		for (const entry of text.split(' ')) {
			const [key, minute] = entry.split('.');
			const at = Number.parseInt(minute, 36);
			if (now - at < maxSettledMinutes && !this.settled.has(key)) this.settle(key, at);
		}
		for (const run of this.runs.all()) if (this.settled.has(run.id)) this.forget(run.id);
	}

	private settle(key: string, minute = this.minute()): void {
		this.settled.set(key, minute);
		this.settledText = undefined;
	}

	private minute(): number {
		return Math.floor(this.ports.now() / minuteMs);
	}

	private toStored(): Record<string, string> {
		const runs = this.runs.all().map(({ id }) => [id, this.textOf(id)]);
		if (this.settled.all().length === 0) return Object.fromEntries(runs) as Record<string, string>;
		this.settledText ??= this.settled
			.all()
			.filter(([, at]) => this.minute() - at < maxSettledMinutes)
			.map(([key, at]) => `${key}.${at.toString(36)}`)
			.join(' ');
		return Object.fromEntries([...runs, [settledName, this.settledText]]) as Record<string, string>;
	}

	private textOf(id: string): string {
		const known = this.texts.get(id);
		if (known !== undefined) return known;
		const text = this.ports.seal(toRecord(this.runs.get(id) as Run, this.own));
		this.texts.set(id, text);
		this.seen.set(tagOf(text), true);
		return text;
	}

	/** Whether n8n had stored all that is known when a delivery arrived. */
	isStored({ stored }: Pick<Delivery, 'stored'>): boolean {
		const entries = entriesOf(stored);
		const known = this.toStored();
		return (
			entries.length === Object.keys(known).length &&
			entries.every(([id, text]) => known[id] === text)
		);
	}

	/**
	 * Lets n8n store all that is known: with this delivery, or with another one that is about to do so.
	 *
	 * @returns false if that has failed
	 */
	async persist(delivery: Delivery): Promise<boolean> {
		if (this.gathering) return await this.gathering.ended;
		if (this.storing.size > 0) {
			this.gathering = delivery;
			await this.ports.pause(gatherMs);
			this.gathering = undefined;
		}
		this.storing.add(delivery);
		void delivery.ended.then(() => this.storing.delete(delivery));
		delivery.store(this.live);
		void this.guard();
		return true;
	}

	/** Looks several times whether n8n still has what was stored: an execution may write back an older copy. */
	private async guard(): Promise<void> {
		const isRunning = this.guardStep !== undefined;
		this.guardStep = 0;
		if (isRunning) return;
		for (; this.guardStep < guardPausesMs.length; this.guardStep++) {
			await this.ports.pause(guardPausesMs[this.guardStep]);
			await this.ports.callTrigger(this.own, { is: 'sync' });
		}
		this.guardStep = undefined;
	}

	// ---------- what is known ----------

	private mergeText(id: string, record: string, text?: string): Run | undefined {
		if (this.settled.has(id)) return undefined;
		const run = fromRecord(id, parse(record), this.own);
		if (!run) return undefined;
		const merged = this.merge(run);
		if (text !== undefined && toRecord(merged, this.own) === record) this.texts.set(id, text);
		return merged;
	}

	private merge(run: Run): Run {
		const known = this.runs.get(run.id);
		const merged = known ? mergeRun(known, run) : run;
		this.runs.set(merged);
		this.changed(merged);
		return merged;
	}

	private changed(run: Run): void {
		this.texts.delete(run.id);
		this.schedule(run);
	}

	private forget(id: string): void {
		this.runs.delete(id);
		this.texts.delete(id);
		this.polledAt.delete(id);
		this.timers.delete(id);
	}

	/** Forgets a run, and remembers which messages were replies to it. */
	private retire(run: Run): void {
		for (const key of [...keysOf(run), run.id]) this.settle(key);
		this.forget(run.id);
	}

	/** Who owns open questions. */
	private get owner(): string | undefined {
		const owners = this.runs.all().flatMap((run) => (this.isOpen(run) ? run.owner : []));
		return uniq(owners).sort()[0];
	}

	private isOpen(run: Run): boolean {
		const now = this.ports.now();
		return !run.isOver && now <= run.until && !isAskerDead(run, now);
	}

	// ---------- messages ----------

	/** Whether a message comes from somebody who was asked, or was a reply. */
	concerns({ phone, key }: Pick<Arrival, 'phone' | 'key'>): boolean {
		return this.runs.to(phone).length > 0 || this.settled.has(key) || this.occurrences.has(key);
	}

	/**
	 * What the messages of a delivery are. Replies are kept, and n8n stores them with the delivery.
	 *
	 * @returns `busy` if that is not known, or could not be stored: then the service has to deliver again
	 */
	async consume(delivery: Delivery, messages: Arrival[]): Promise<Verdict[] | 'busy'> {
		const verdicts: Verdict[] = [];
		for (const message of messages) {
			const verdict = await this.receive(delivery, message);
			if (verdict.is === 'busy') return 'busy';
			verdicts.push(verdict);
		}
		const isNew = verdicts.some((verdict) => verdict.isNew);
		return !isNew || (await this.persist(delivery)) ? verdicts : 'busy';
	}

	private async receive(delivery: Delivery, arrival: Arrival): Promise<Verdict> {
		const local = arrival.isCertain ? arrival.key : this.localName(delivery, arrival);
		const own = await this.decideOwn({ ...arrival, key: this.keyOf(arrival, this.own, local) });
		if (own.is !== 'ordinary') return own;
		const owners = uniq(this.runs.to(arrival.phone).map(({ run }) => run.owner));
		for (const owner of owners.filter((one) => one !== this.own)) {
			const message = { ...arrival, key: local };
			const request: TriggerRequest = { is: 'message', from: this.own, message };
			const verdict = this.verdictOf(owner, await this.ports.callTrigger(owner, request));
			if (verdict.is !== 'ordinary') return verdict;
		}
		return own;
	}

	/** If the owner is not published any more, nobody else can give its runs their replies. */
	private verdictOf(owner: string, result: CallResult): Verdict {
		if (result !== 'gone') {
			this.goneSince.delete(owner);
			const { is = 'busy', startsToo } = result?.verdict ?? {};
			return { is, startsToo };
		}
		const now = this.ports.now();
		const since = this.goneSince.get(owner) ?? now;
		this.goneSince.set(owner, since);
		return { is: now - since > maxGoneMs ? 'ordinary' : 'busy' };
	}

	/**
	 * A name for a message that nothing identifies. An equal one is the same message only if the service cannot have got the response
	 * to the first one: then it delivers again.
	 */
	private localName(delivery: Delivery, { key }: Arrival): string {
		const known = this.local.get(key);
		const one = known?.isLost ? known : { key: `${key}~${++this.counter}`, isLost: false };
		one.isLost = false;
		this.local.set(key, one);
		void delivery.ended.then((isReceived) => (one.isLost = !isReceived));
		return one.key;
	}

	/** The name of a message for the owner. One that nothing identifies comes to each trigger once, at about the same moment. */
	private keyOf(arrival: Arrival, trigger: string, local: string): string {
		if (arrival.isCertain) return arrival.key;
		const content = local.replace(/~.*$/, '');
		const earlier = this.occurrences.get(content) ?? [];
		const now = this.ports.now();
		const one =
			earlier.find(({ names }) => names.get(trigger) === local) ??
			earlier.find(({ names, at }) => !names.has(trigger) && now - at < sameMomentMs);
		const key = `${content}~${now.toString(36)}.${++this.counter}`;
		const found = one ?? { key, at: now, names: new Map<string, string>() };
		found.names.set(trigger, local);
		if (!one) this.occurrences.set(content, [...earlier, found].slice(-20));
		return found.key;
	}

	/** What a message is to the questions that this trigger owns; one after the other for each person. */
	private async decideOwn(message: Arrival): Promise<Verdict> {
		return await withLock(`${this.name} ${message.phone}`, async () => {
			if (this.settled.has(message.key)) return { is: 'taken', startsToo: message.isOptOut };
			const earlier = this.decided.get(message.key);
			if (earlier) return earlier;
			const verdict = await this.judge(message);
			this.decided.set(message.key, verdict);
			return verdict;
		});
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
				addReply(decision, message, isAccepted, this.ports.now());
				this.changed(run);
				return { ...verdict, isNew: true };
			} else if (await this.ports.repeat(run, decision.person, message.key)) {
				this.repeated(decision, message);
				return { ...verdict, isNew: true };
			} else {
				isRefused = true; // the reply is the last one, although it does not fit
			}
		}
	}

	private decideNow(message: Arrival): Decision {
		const own = this.runs.to(message.phone).filter(({ run }) => run.owner === this.own);
		return decide(own, message, this.ports.now());
	}

	private repeated({ run, person }: { run: Run; person: Person }, message: Arrival): void {
		const now = this.runs.get(run.id);
		const asked = now?.people.get(person.item);
		if (!now || !asked) return;
		addRepetition({ run: now, person: asked }, message);
		this.changed(now);
	}

	/** While it asks, n8n says only that it is running. */
	private needsPoll({ id, isWhole }: Run): boolean {
		return isWhole && this.ports.now() - (this.polledAt.get(id) ?? -Infinity) >= pollPauseMs;
	}

	private async poll(run: Run): Promise<void> {
		const state = await this.ports.callRun(run);
		this.polledAt.set(run.id, this.ports.now());
		const now = this.runs.get(run.id);
		if (!isEnded(state) || !now || now.isOver || now.handing) return;
		now.isOver = true;
		this.changed(now);
	}

	// ---------- calls of Send and Wait and of other triggers ----------

	/** Responds to a call. @param accepts whether the trigger can own questions, only has to know of them, or neither */
	async respond(
		delivery: Delivery,
		request: TriggerRequest,
		accepts: 'yes' | 'member' | 'no' = 'yes',
	): Promise<TriggerResponse & { late?: Late[] }> {
		if (accepts === 'no') return { inbox: 'no' };
		if (request.is === 'late') return this.startLate(delivery, request);
		const response = await this.answer(request, accepts);
		// To compare everything would take long while thousands of people reply.
		const isStored =
			request.is === 'message' ? !response.verdict?.isNew : this.isStored(delivery);
		return isStored || (await this.persist(delivery)) ? response : { inbox: 'busy' };
	}

	private async answer(
		request: Exclude<TriggerRequest, { is: 'late' }>,
		inbox: 'yes' | 'member',
	): Promise<TriggerResponse> {
		switch (request.is) {
			case 'hello':
				return { inbox: this.runs.people < maxOpen ? inbox : 'full', owner: this.owner };
			case 'tell':
				return this.tell(request, inbox);
			case 'message': {
				const { message, from } = request;
				const key = this.keyOf(message, from, message.key);
				return { inbox, verdict: await this.decideOwn({ ...message, key }) };
			}
			case 'learn':
				return { inbox, runs: this.teach(request.from) };
			case 'sync':
				return this.takeIn(request);
		}
	}

	/** Adds people who will be asked, or were. */
	private tell(
		{ id, run: record, skewMs, without }: Extract<TriggerRequest, { is: 'tell' }>,
		inbox: 'yes' | 'member',
	): TriggerResponse {
		if (this.settled.has(id)) return { inbox, isSettled: true };
		const run = fromRecord(id, parse(record), this.own);
		if (!run) return { inbox: 'no' };
		const { owner } = this;
		const isNew = !this.runs.get(id);
		if (isNew && owner !== undefined && owner !== run.owner && !without.includes(owner))
			return { inbox: 'other', owner };
		if (this.runs.people + run.people.size > maxOpen && isNew) return { inbox: 'full' };
		const now = this.ports.now();
		const isOwner = run.owner === this.own;
		const earlier = this.runs.get(id)?.people;
		const clock = skewMs === null ? now - clockToleranceMs : now + skewMs;
		for (const [item, person] of run.people)
			if (isOwner && !earlier?.get(item)?.since)
				run.people.set(item, { ...person, since: Math.max(person.since, clock) });
		const merged = this.merge({ ...run, leaseUntil: now + leaseMs });
		if (merged.isOver && !isOwner) this.retire(merged);
		return { inbox, owner: merged.owner, triggers: merged.triggers };
	}

	/** Lets a trigger know that was just published. While a run still asks, it is told of everybody who follows. */
	private teach(from: string): Array<[id: string, record: string]> {
		const open = this.runs.all().filter((run) => this.isOpen(run) && run.owner !== from);
		for (const run of open.filter(({ isWhole, triggers }) => !isWhole && !triggers.includes(from)))
			this.merge({ ...run, triggers: [...run.triggers, from] });
		return open.map((run) => [run.id, toRecord(withoutTexts(run), from)]);
	}

	/** Adds what a process of this trigger knows. */
	private takeIn({ id, run: record }: Extract<TriggerRequest, { is: 'sync' }>): TriggerResponse {
		if (id === undefined || record === undefined) return { inbox: 'yes' };
		const merged = this.mergeText(id, record);
		if (!merged) return { inbox: 'yes', isSettled: this.settled.has(id) };
		const known = toRecord(merged, this.own);
		return { inbox: 'yes', ...(known !== record && { runs: [[id, known]] }) };
	}

	/** Starts the workflow with messages that came too late, unless an earlier call has done so and its response was lost. */
	private startLate(
		delivery: Delivery,
		{ id, run: record, keys }: Extract<TriggerRequest, { is: 'late' }>,
	): TriggerResponse & { late?: Late[] } {
		if (keys.some((key) => this.starting.get(`${id} ${key}`) === 'underWay'))
			return { inbox: 'busy' };
		const run = fromRecord(id, parse(record), this.own);
		const left = keys.filter((key) => !this.starting.has(`${id} ${key}`));
		const late = lateOf(run).filter(({ message }) => left.includes(message.key));
		if (late.length === 0) return { inbox: 'yes', isStarted: true };
		const names = late.map(({ message }) => `${id} ${message.key}`);
		for (const name of names) this.starting.set(name, 'underWay');
		void delivery.ended.then((isDone) => {
			for (const name of names)
				if (isDone) this.starting.set(name, 'started');
				else this.starting.delete(name);
		});
		return { inbox: 'yes', isStarted: true, late };
	}

	// ---------- handing over ----------

	/** Makes sure that a run is looked at when it is due. */
	private schedule(run: Run): void {
		const due = run.owner === this.own ? dueAt(run) : run.until + forwardMs;
		if ((this.timers.get(run.id) ?? Infinity) <= due) return;
		this.timers.set(run.id, due);
		void this.wake(run.id, due);
	}

	private async wake(id: string, due: number): Promise<void> {
		await this.ports.pause(due - this.ports.now());
		if (this.timers.get(id) !== due) return;
		this.timers.delete(id);
		const run = this.runs.get(id);
		if (!run) return;
		if (run.owner === this.own) {
			await this.handOver(id);
		} else if (this.ports.now() < run.until + forwardMs) {
			this.schedule(run);
		} else {
			this.forget(id);
			void this.guard();
		}
	}

	/** Gives a run its replies, and starts the workflow with what it cannot get any more. */
	private async handOver(id: string): Promise<void> {
		if (this.handingOver.has(id)) return;
		this.handingOver.add(id);
		let mayHaveGot = this.runs.get(id)?.handing !== undefined;
		for (let attempt = 0; ; attempt++) {
			const run = this.runs.get(id);
			const now = this.ports.now();
			if (!run || run.isOver || isAskerDead(run, now)) break;
			if (now < dueAt(run)) {
				this.handingOver.delete(id);
				this.schedule(run);
				return;
			}
			const chosen = await this.choose(run);
			mayHaveGot ||= chosen?.isEarlier === true;
			if (chosen) {
				const state = await this.ports.callRun(chosen.run, this.handOverRecord(chosen.run));
				const known = this.runs.get(id) ?? chosen.run;
				afterHandOver(known, state, mayHaveGot, this.ports.now());
				mayHaveGot ||= state === 'unknown';
				this.texts.delete(id);
				if (known.isOver) break;
			}
			await this.ports.pause(backoffMs(attempt));
		}
		await this.finish(id);
		this.handingOver.delete(id);
	}

	private handOverRecord(run: Run): string {
		return toRecord(handOverOf(run), this.own);
	}

	/**
	 * Reads what is stored, then stores which replies the run gets, before it gets them.
	 *
	 * @returns undefined if n8n does not respond or something has changed
	 */
	private async choose(run: Run): Promise<{ run: Run; isEarlier: boolean } | undefined> {
		if (!(await this.synchronize(run))) return undefined;
		const current = this.runs.get(run.id);
		if (!current || current.isOver || this.ports.now() < dueAt(current)) return undefined;
		if (current.handing) return { run: current, isEarlier: run.handing === undefined };
		chooseReplies(current);
		this.texts.delete(run.id);
		if (!(await this.synchronize(current))) return undefined;
		const chosen = this.runs.get(run.id);
		return chosen && { run: chosen, isEarlier: false };
	}

	/** Starts the workflow with what a run has not got, stores that it is over, and forgets it. */
	private async finish(id: string): Promise<void> {
		for (let attempt = 0; ; attempt++) {
			const run = this.runs.get(id);
			if (!run) return;
			run.isOver = true;
			this.texts.delete(id);
			if ((await this.startLateOf(run)) && (await this.synchronize(run))) {
				const current = this.runs.get(id);
				if (!current) return;
				if (lateMessages(current).length === 0) {
					this.retire(current);
					void this.report(current);
					return;
				}
			}
			await this.ports.pause(backoffMs(attempt));
		}
	}

	/** @returns whether nothing is left that has to start the workflow */
	private async startLateOf(run: Run): Promise<boolean> {
		const keys = lateMessages(run).map(({ message }) => message.key);
		if (keys.length === 0) return true;
		const record = toRecord(run, this.own);
		const result = await this.ports.callTrigger(this.own, { is: 'late', id: run.id, run: record, keys });
		const isStarted = typeof result === 'object' && result.isStarted === true;
		const current = this.runs.get(run.id);
		if (isStarted && current) current.started = union(current.started, keys);
		return isStarted;
	}

	/**
	 * Stores that a run is settled. Then the other triggers need not ask about messages of its people any more: not at once, as they may
	 * still get copies of its replies that nothing identifies.
	 */
	private async report(run: Run): Promise<void> {
		await this.ports.callTrigger(this.own, { is: 'sync' });
		await this.ports.pause(sameMomentMs);
		const over = withoutTexts(run);
		const others = run.triggers.filter((trigger) => trigger !== this.own);
		await Promise.all(
			others.map(async (trigger) => {
				const record = toRecord(over, trigger);
				const rest = { skewMs: null, without: [] };
				await this.ports.callTrigger(trigger, { is: 'tell', id: run.id, run: record, ...rest });
			}),
		);
	}

	/** Lets the process that takes this trigger's deliveries know a run, and learns what it knows. @returns false without a response */
	private async synchronize(run: Run): Promise<boolean> {
		const record = toRecord(run, this.own);
		const result = await this.ports.callTrigger(this.own, { is: 'sync', id: run.id, run: record });
		if (typeof result !== 'object' || result.inbox !== 'yes') return false;
		for (const [id, known] of result.runs ?? []) this.mergeText(id, known);
		if (result.isSettled) {
			this.settle(run.id);
			this.forget(run.id);
		}
		return true;
	}
}

const settledName = 'settled';

function entriesOf(stored: unknown): Array<[string, string]> {
	const isStored = typeof stored === 'object' && stored !== null;
	return isStored ? (Object.entries(stored) as Array<[string, string]>) : [];
}

function tagOf(text: string): string {
	return text.slice(0, tagLength);
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}

function lateOf(run: Run | undefined): Late[] {
	return run ? lateMessages(run).map((one) => ({ run, ...one })) : [];
}

/**
 * What a trigger stores that was just published: open questions of which Send and Wait could not tell it. Called once, after it was
 * registered at the service.
 *
 * @param own URL of the trigger, without its secret
 * @param others URLs of the other triggers
 * @param stored what n8n has stored with the trigger
 * @returns undefined if nothing is to be added
 */
export async function learn(
	ports: Pick<InboxPorts, 'callTrigger' | 'seal'>,
	own: string,
	others: string[],
	stored: unknown,
): Promise<Record<string, string> | undefined> {
	const request: TriggerRequest = { is: 'learn', from: own };
	const results = await Promise.all(
		others.map(async (url) => await ports.callTrigger(url, request)),
	);
	const known = Object.fromEntries(entriesOf(stored));
	const news = results
		.flatMap((result) => (typeof result === 'object' ? (result.runs ?? []) : []))
		.filter(([id]) => !(id in known));
	if (news.length === 0) return undefined;
	return { ...known, ...Object.fromEntries(news.map(([id, record]) => [id, ports.seal(record)])) };
}

/** How long to wait before n8n is called again, ms. */
function backoffMs(attempt: number): number {
	return Math.min(50 * 2 ** attempt, 10_000);
}
