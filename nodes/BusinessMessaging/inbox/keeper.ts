/** The inbox in one process: decides on messages, and gives runs their replies. Its memory is the truth (README.md). */
import { BoundedMap } from '../boundedMap';
import { withLock } from '../mutex';
import {
	type Arrival,
	type Arrived,
	type Asked,
	type Run,
	type Verdict,
	decideOn,
	dueAt,
	fateOf,
	isPast,
} from './core';
import { Known } from './known';
import { type Delivered, DeliveryNames, MessageNames, type Source } from './messageNames';
import type { InboxDelivery, KeeperPorts, Request, Responded, InboxResponse } from './protocol';
import { fromRecord } from './records';
import { SteadyClock } from './steadyClock';
import { Store } from './store';

/** The minimum time between two polls of a run, ms. n8n does not report that a user has stopped an execution. */
const pollPauseMs = 5_000;
/** The longest pause, ms. A pause that is no longer needed stays in memory until it ends. */
const maxPauseMs = 600_000;

/** The inbox. */
export class Keeper {
	readonly known = new Known((run) => this.noteChange(run));
	private readonly store: Store;
	private readonly deliveries: DeliveryNames;
	private readonly names: MessageNames;
	/** Decisions, by the keys of messages. */
	private readonly verdicts = new BoundedMap<string, Verdict>({ maxSize: 10_000 });
	private readonly polledAt = new Map<string, number>();
	/** Runs that may have their replies: they were due before a restart of n8n, or a response was lost. */
	private readonly mayHaveGot = new Set<string>();
	/** When each run is handled next, ms since 1970. */
	private readonly timers = new Map<string, number>();
	private readonly handingOver = new Set<string>();
	/** Keys of late replies with which n8n is starting the workflow. */
	private readonly starting = new Set<string>();
	private isStartingLate = false;
	private hasWarnedOfNames = false;
	private readonly clock: SteadyClock;

	/** `own` is the URL of the trigger without its secret; `process` differs for each process. */
	constructor(
		private readonly own: string,
		public ports: KeeperPorts,
		private readonly process: string,
	) {
		this.clock = new SteadyClock(() => this.ports.now());
		this.deliveries = new DeliveryNames(process);
		this.names = new MessageNames(own);
		this.store = new Store(own, process, this.known, () => this.ports);
	}

	/** Reads what n8n has stored with the trigger, once. Later, n8n only has what this process has written. */
	load(delivery: Pick<InboxDelivery, 'stored'>): void {
		const isFirst = this.store.load(delivery, {
			name: (name) => this.names.restore(name),
			run: (run) => this.restore(run),
		});
		if (isFirst) void this.startLate();
	}

	private noteChange(run?: Run): void {
		this.store.noteChange(run);
		if (run) this.schedule(run);
	}

	private restore(run: Run): void {
		const now = this.ports.now();
		this.known.restore({ ...run, heardAt: now });
		if (run.hasWaited && dueAt(run) <= now) this.mayHaveGot.add(run.id);
		for (const { messages, misfits, toldAt } of run.people.values()) {
			this.clock.learn(toldAt);
			for (const { key } of [...messages, ...misfits]) this.names.restore(key);
		}
	}

	sealAgain(): void {
		this.store.sealAgain();
	}

	get live(): { toJSON(): unknown } {
		return this.store.live;
	}

	/**
	 * Decides what the messages of a delivery are. n8n stores replies before the delivery gets its response.
	 * @param hasOthers whether the delivery has other events, which may start a workflow
	 * @returns a verdict for each message; `busy` if one is not known: then the service has to deliver again
	 */
	async receive(
		delivery: InboxDelivery,
		arrivals: Arrival[],
		hasOthers = false,
	): Promise<Verdict[] | 'busy'> {
		const now = this.ports.now();
		const confirmed = delivery.ended.then((end) => end === 'received');
		const messages = arrivals.map((arrival) => this.deliveries.begin(arrival, now, confirmed));
		const from = { trigger: this.own, registeredAt: delivery.since };
		const verdicts = await this.judgeAll(messages, from);
		if (verdicts.some(({ is }) => is === 'busy')) return 'busy';
		if (verdicts.every(({ is }) => is !== 'taken')) return verdicts;
		const startsToo = verdicts.some((one) => one.is !== 'taken' || one.startsToo);
		// When n8n starts a workflow, it may forget that the delivery has changed something.
		if (hasOthers || startsToo) return (await this.store.ensureStored()) ? verdicts : 'busy';
		await this.store.persist(delivery);
		return verdicts;
	}

	/** Whether the sender of a message was asked, or the message was judged before. */
	concerns(message: Arrival): boolean {
		const isKnown = this.verdictOf(message) !== undefined || this.names.has(message.key);
		return isKnown || this.known.runs.asks(message);
	}

	private async judgeAll(messages: Delivered[], from: Source): Promise<Verdict[]> {
		const verdicts: Verdict[] = [];
		for (const one of messages) {
			const { arrival, ageMs } = one;
			const firstAt = this.clock.now() - ageMs;
			if (!arrival.isCertain) this.warnOfNames(arrival);
			const key = arrival.isCertain ? arrival.key : this.names.nameOf(one, from, firstAt);
			verdicts.push(await this.verdictOn({ ...arrival, key, firstAt }));
		}
		return verdicts;
	}

	private warnOfNames(message: Arrival): void {
		if (this.hasWarnedOfNames || !this.known.runs.asks(message)) return;
		this.hasWarnedOfNames = true;
		this.ports.warn(
			'Messages from this service have no ID. After a crash of n8n, a reply that is delivered again may count as a new message.',
		);
	}

	private async verdictOn(message: Arrived): Promise<Verdict> {
		this.known.learnSender(message);
		return await withLock(`keeper ${this.process} ${message.phone}`, async () => {
			const known = this.verdictOf(message) ?? (await this.judge(message));
			if (known.is !== 'busy') this.verdicts.set(message.key, known);
			return known;
		});
	}

	private verdictOf(message: Arrival): Verdict | undefined {
		return this.verdicts.get(message.key) ?? this.known.verdictOf(message);
	}

	private async judge(message: Arrived): Promise<Verdict> {
		// After a poll or a repetition, the state may have changed, so everything is decided again.
		for (let cannotRepeat = false; ; ) {
			const asked = this.known.questionsTo(message);
			const decision = decideOn(asked, message, this.ports.now());
			if (decision.is === 'ordinary') {
				if (decision.isTooOld)
					this.ports.warn(
						`A message is no reply only because its time, ${message.respondedAt}, is before the question. If it was written later, the service sends local times without a time zone, or its clock is wrong.`,
					);
				// If a user has stopped a run of this person, what others have replied to it is late.
				if (asked.length > 0) void this.poll(asked[0].run);
				// Why a message is ordinary, e.g. the end of a run, is stored before a workflow starts with it. Otherwise, after a
				// crash, the next process would take the message for the reply.
				const isStored = asked.length === 0 || (await this.store.ensureStored());
				return { is: isStored ? 'ordinary' : 'busy' };
			}
			if (this.needsPoll(decision.run)) {
				await this.poll(decision.run);
			} else if (decision.is === 'reply') {
				return this.known.addReply(decision, message, decision.isValid, this.ports.now());
			} else if (decision.is === 'optOut') {
				return this.known.addMisfit(decision, message);
			} else if (cannotRepeat) {
				return this.known.addReply(decision, message, false, this.ports.now());
			} else {
				const { run, person } = decision;
				const repetition = await this.ports.repeat(run, person, message);
				const current = this.current(decision);
				if (repetition && current)
					return this.known.addMisfit(current, message, repetition.messageId);
				// Without the repetition, this message is the reply although it is not valid. If the run has found meanwhile that
				// it did not ask this person, or has been given its replies, the message counts for another question, or is ordinary.
				cannotRepeat = !repetition;
			}
		}
	}

	/** The current state of a question; undefined if the run does not ask it any more, or has been given its replies. */
	private current({ run, person }: Asked): Asked | undefined {
		const current = this.known.runs.get(run.id);
		const asked = current?.people.get(person.item);
		if (!current || current.isHandingOver || !asked) return undefined;
		return { run: current, person: asked };
	}

	/** A run that still asks people is not polled: n8n would only say that it is running. */
	private needsPoll({ id, isAsked }: Run): boolean {
		return isAsked && this.ports.now() - (this.polledAt.get(id) ?? -Infinity) >= pollPauseMs;
	}

	/** Asks a run whether it still waits, once for all messages of the same moment. */
	private async poll({ id }: Run): Promise<void> {
		await withLock(`keeper ${this.process} run ${id}`, async () => {
			const run = this.known.runs.get(id);
			if (!run || !this.needsPoll(run)) return;
			const state = await this.ports.callRun(run, false);
			const current = this.known.runs.get(id);
			if (!current) return;
			this.polledAt.set(id, this.ports.now());
			if (state === 'waiting') this.noteWaiting(current);
			if (this.handingOver.has(id)) return;
			const fate = fateOf(current, state, this.mayHaveGot.has(id), this.ports.now());
			if (fate === 'over') this.end(current);
			if (fate === 'got') this.known.settle(current, this.ports.now()); // before n8n restarted
		});
	}

	/** n8n stores this with the next reply or call to the inbox. */
	private noteWaiting(run: Run): void {
		if (run.hasWaited) return;
		run.hasWaited = true;
		this.noteChange(run);
	}

	private end(run: Run): void {
		this.known.end(run, this.ports.now());
		this.forget(run.id);
		void this.startLate();
	}

	private forget(id: string): void {
		this.polledAt.delete(id);
		this.mayHaveGot.delete(id);
		this.timers.delete(id);
		this.store.forget(id);
	}

	/** Responds to a call. @param isInbox whether the trigger takes questions */
	async respond(delivery: InboxDelivery, request: Request, isInbox: boolean): Promise<Responded> {
		if (request.is === 'late') return this.takeLate(delivery);
		if (request.is === 'wake') {
			if (!this.store.isStored(delivery)) await this.store.persist(delivery);
			return { response: { inbox: 'yes' } };
		}
		if (!isInbox) return { response: { inbox: 'no' } };
		if (request.is === 'open') return { response: this.known.openQuestions(request.after) };
		const response: InboxResponse =
			request.is === 'what'
				? { inbox: 'yes', verdicts: await this.judgeAll(request.messages, request.from) }
				: this.answer(request);
		const changesNothing = response.verdicts?.every(({ is }) => is !== 'taken');
		if (!changesNothing) await this.store.persist(delivery);
		return { response };
	}

	private answer(request: Request): InboxResponse {
		if (request.is === 'end') {
			const run = this.known.runs.get(request.id);
			if (run) this.end(run);
		}
		if (request.is === 'endWait') return this.known.endWaits(request.people);
		if (request.is !== 'tell' && request.is !== 'close') return { inbox: 'yes' };
		const { is, id, run: record, skewMs } = request;
		const run = fromRecord(id, record, this.own);
		if (!run) return { inbox: 'no' };
		const now = this.ports.now();
		const since = skewMs === null ? 0 : now + skewMs;
		const told = this.known[is](run, { now, since, toldAt: this.clock.now() });
		if (this.known.late.size > 0) void this.startLate();
		if (told === 'full') return { inbox: 'full' };
		return { inbox: 'yes', isOver: told === 'over' };
	}

	/** The late replies with which a call starts the workflow, unless an earlier call is doing so. */
	private takeLate(delivery: InboxDelivery): Responded {
		const late = [...this.known.late].filter(([key]) => !this.starting.has(key));
		const keys = late.map(([key]) => key);
		if (keys.length === 0) return { response: { inbox: 'yes' } };
		for (const key of keys) this.starting.add(key);
		void delivery.hasSucceeded().then((isDone) => {
			for (const key of keys) this.starting.delete(key);
			if (isDone) this.known.noteStarted(keys, this.ports.now());
		});
		return { response: { inbox: 'yes' }, late: late.map(([, one]) => one) };
	}

	private async startLate(): Promise<void> {
		if (this.isStartingLate) return;
		this.isStartingLate = true;
		for (let attempt = 0; this.known.late.size > 0; attempt++) {
			await this.ports.callTrigger(this.own, { is: 'late' });
			await this.ports.pause(backoffMs(attempt));
		}
		this.isStartingLate = false;
		await this.store.ensureStored();
	}

	private schedule(run: Run): void {
		const due = dueAt(run);
		if ((this.timers.get(run.id) ?? Infinity) <= due) return;
		this.timers.set(run.id, due);
		void this.handleAt(run.id, due);
	}

	private async handleAt(id: string, due: number): Promise<void> {
		do {
			await this.ports.pause(Math.min(Math.max(0, due - this.ports.now()), maxPauseMs));
			if (this.timers.get(id) !== due) return;
		} while (this.ports.now() < due);
		this.timers.delete(id);
		if (this.handingOver.has(id)) return;
		this.handingOver.add(id);
		await this.handOver(id);
		this.handingOver.delete(id);
		const run = this.known.runs.get(id);
		if (run) return this.schedule(run);
		this.forget(id);
		// Until n8n has stored it, a crash would give the replies out again.
		for (let attempt = 0; !(await this.store.ensureStored()) && attempt < 10; attempt++)
			await this.ports.pause(backoffMs(attempt));
	}

	/** Gives a run its replies, until it is certain that the run has them or is over. */
	private async handOver(id: string): Promise<void> {
		for (let attempt = 0; ; attempt++) {
			const run = this.known.runs.get(id);
			const now = this.ports.now();
			if (!run || now < dueAt(run)) return;
			if (isPast(run, now)) return this.end(run);
			const isHandOver = run.hasWaited === true;
			if (isHandOver) run.isHandingOver = true;
			const state = await this.ports.callRun(run, isHandOver);
			const current = this.known.runs.get(id);
			if (!current) return;
			const fate = fateOf(current, state, this.mayHaveGot.has(id), this.ports.now());
			if (fate === 'got') return this.known.settle(current, this.ports.now());
			if (fate === 'over') return this.end(current);
			if (isHandOver && state === 'unknown') this.mayHaveGot.add(id);
			if (state === 'waiting') this.noteWaiting(current);
			else await this.ports.pause(Math.min(backoffMs(attempt), 10_000));
		}
	}
}

/** How long to wait before n8n is called again, ms: the trigger may be unpublished for weeks. */
function backoffMs(attempt: number): number {
	return Math.min(50 * 2 ** attempt, maxPauseMs);
}
