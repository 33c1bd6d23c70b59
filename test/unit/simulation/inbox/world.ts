/**
 * n8n, its processes and the service in virtual time, around the real protocol of Send and Wait. Calls take random times, may fail,
 * and their processes may be killed in between; n8n reads, changes and writes back what it stores as a whole. The same schedule and
 * seed always give the same course.
 */
import { pull } from 'lodash';

import { Asker, type AskerPorts } from '../../../../nodes/BusinessMessaging/inbox/asker';
import {
	type Late,
	type Person,
	type Run,
	type RunState,
	type Verdict,
	graceMs,
} from '../../../../nodes/BusinessMessaging/inbox/core';
import { Keeper } from '../../../../nodes/BusinessMessaging/inbox/keeper';
import { DeliveryNames } from '../../../../nodes/BusinessMessaging/inbox/messageNames';
import { OtherTrigger } from '../../../../nodes/BusinessMessaging/inbox/otherTrigger';
import type {
	CallResult,
	Request,
	Responded,
} from '../../../../nodes/BusinessMessaging/inbox/protocol';
import { handOverOf } from '../../../../nodes/BusinessMessaging/inbox/core';
import {
	type Action,
	DeliveryUnderWay,
	type Execution,
	type Schedule,
	type Trigger,
	type Written,
	arrivalOf,
	contentOf,
	questionOf,
} from './parts';
import { type Life, VirtualTime, newLife } from './time';

/** n8n's address. */
const root = 'https://n8n.test/';
/** The service delivers again after these times, ms, and then gives up. */
const retriesMs = [
	2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 240_000, 480_000, 960_000,
];
const serviceTimeoutMs = 10_000;
const callTimeoutMs = 10_000;
/** When n8n notices that the worker of an execution was killed, and when it deletes this execution, ms after that. */
const [recoveryMs, keepMs] = [30_000, 300_000];
/** How often the main process calls the inbox. */
const wakeMs = 30_000;
/** How long after the last action everything is over, ms, and when n8n is started again. */
const quietMs = 800_000;
const restartMs = 2_400_000;

type Asking = Extract<Action, { is: 'ask' }>;

/** A process of n8n, with what it has in memory. */
interface Process {
	life: Life;
	isUp: boolean;
	keepers: Map<string, Keeper>;
	others: Map<string, { trigger: OtherTrigger; names: DeliveryNames }>;
}

const fresh = () => ({ life: newLife(), keepers: new Map(), others: new Map() });
export const phoneOf = (person: number) => `+1555000100${person}`;

/** A schedule in n8n and the service. */
export class World extends VirtualTime {
	readonly log: string[] = [];
	readonly triggers: Trigger[] = [];
	readonly processes: Process[] = [];
	readonly executions: Execution[] = [];
	readonly written: Written[] = [];
	readonly warnings: string[] = [];
	/** When processes were killed; when older copies were read, and written back; when proxies responded. */
	readonly kills: Array<{ at: number; process: number }> = [];
	readonly olderCopies: Array<{ url: string; from: number; to: number }> = [];
	/** When triggers were removed at the service, or registered there. */
	readonly publications: number[] = [];
	/** When the inbox was not registered at the service. */
	readonly absences: Array<{ from: number; to: number }> = [];
	/** When triggers could not be called. */
	readonly unpublished: Array<{ url: string; from: number; to: number }> = [];
	private pages: Array<{ of: 'runs' | 'triggers'; until: number }> = [];
	private made = 0;
	private loops = 0;

	constructor(
		readonly schedule: Schedule,
		private readonly traces = false,
	) {
		super(schedule.seed, schedule.setting.trouble);
		const { setting } = schedule;
		for (let n = 0; n < setting.processes; n++) this.processes.push({ isUp: true, ...fresh() });
		for (let n = 0; n < setting.triggers; n++) {
			const isThere = !schedule.actions.some((one) => this.isNewTrigger(one, n));
			this.triggers.push({
				...{ url: `${root}webhook/trigger-${n}/webhook`, isInbox: n === 0 },
				// Published after the inbox or before it, a trigger knows where it is.
				stored: JSON.stringify(n > 0 && isThere ? { other: this.triggers[0].url } : {}),
				...{ starting: [], started: [], late: [], registeredAt: 0 },
				...{ isPublished: isThere, isRegistered: isThere },
			});
		}
	}

	/** Carries out a schedule, until nothing happens any more. */
	async run(): Promise<void> {
		for (const action of this.schedule.actions)
			this.at(this.begin + action.at * 1_000, this.ever, () => this.act(action));
		const last = Math.max(0, ...this.schedule.actions.map(({ at }) => at)) * 1_000;
		this.at(this.begin + last + 40_000, this.ever, () => this.calm());
		void this.keepAwake(this.triggers[0]);
		// Long after everything, n8n is started again, and the service delivers again what can be recognized.
		this.at(this.begin + last + restartMs, this.ever, () => this.repeatAll());
		while (await this.step()) if (this.steps > 200_000) throw new Error('It never ends');
	}

	/** Whether anything can still happen: the simulation ends long after the last action. */
	private get isAwake(): boolean {
		const last = Math.max(0, ...this.schedule.actions.map(({ at }) => at)) * 1_000;
		const sinceMs = this.now - this.begin - last;
		return sinceMs < quietMs || (sinceMs > restartMs && sinceMs < restartMs + 120_000);
	}

	/** The inbox. */
	get inbox(): Trigger {
		return this.triggers[0];
	}

	/** The first trigger is never new. */
	private isNewTrigger(action: Action, index: number): boolean {
		const isNew = action.is === 'publish' && action.isNew;
		return isNew && index > 0 && action.trigger % this.schedule.setting.triggers === index;
	}

	private calm(): void {
		this.isCalm = true;
		for (const process of this.processes) process.isUp = true;
		for (const trigger of this.triggers) void this.start(trigger);
	}

	private repeatAll(): void {
		for (const process of this.processes) {
			this.end(process.life);
			Object.assign(process, fresh());
		}
		for (const message of this.written.filter(({ isCertain }) => isCertain))
			for (const trigger of this.triggers)
				if (message.outcomes.has(trigger.url)) void this.deliver(trigger, message);
		void this.keepAwake(this.inbox);
	}

	/** Whether a request does not arrive, or its response. */
	private isLost(): boolean {
		return !this.isCalm && this.random() * 500 < this.schedule.setting.trouble;
	}

	/** Whether n8n's database fails when n8n starts a workflow. */
	private isFailing(): boolean {
		return !this.isCalm && this.random() * 200 < this.schedule.setting.trouble;
	}

	private note(text: () => string): void {
		if (this.traces) this.log.push(`${((this.now - this.begin) / 1000).toFixed(2)} s  ${text()}`);
	}

	private act(action: Action): void {
		const { setting } = this.schedule;
		this.note(() => JSON.stringify(action));
		if (action.is === 'ask') this.ask(action);
		if (action.is === 'write') this.write(action);
		if (action.is === 'kill') this.kill(action.process % setting.processes, action.down * 1_000);
		if (action.is === 'killAsker') this.killAsker(this.executions[action.run]);
		if (action.is === 'stop') this.stop(this.executions[action.run]);
		if (action.is === 'page')
			this.pages.push({ of: action.of, until: this.now + action.lasts * 1_000 });
		const trigger = this.triggers[('trigger' in action ? action.trigger : 0) % setting.triggers];
		if (action.is === 'olderCopy') void this.writeBack(trigger, action.after * 1_000);
		if (action.is === 'publish') void this.publish(trigger, action);
	}

	private hasPage(of: 'runs' | 'triggers'): boolean {
		return !this.isCalm && this.pages.some((page) => page.of === of && this.now < page.until);
	}

	private end(life: Life): void {
		life.isOver = true;
		for (const tell of life.onEnd) tell();
	}

	private kill(index: number, downMs: number): void {
		const process = this.processes[index];
		if (!process.isUp || this.isCalm) return;
		this.kills.push({ at: this.now, process: index });
		this.end(process.life);
		Object.assign(process, { isUp: false, ...fresh() });
		this.at(this.now + downMs, this.ever, () => {
			process.isUp = true;
			for (const trigger of this.triggers)
				if (this.processOf(trigger) === process) void this.start(trigger);
		});
	}

	private killAsker(execution?: Execution): void {
		if (execution?.state !== 'asking') return;
		Object.assign(execution, { state: 'dead', diedAt: this.now });
		this.end(execution.life);
	}

	private stop(execution?: Execution): void {
		if (execution?.state !== 'waiting') return;
		execution.state = 'over';
		execution.isStopped = true;
	}

	/** An execution of the trigger's workflow that changes static data writes back the copy with which it began. */
	private async writeBack(trigger: Trigger, afterMs: number): Promise<void> {
		const { stored } = trigger;
		const from = this.now;
		// If n8n is one process, it is killed together with the execution.
		await this.after(afterMs, this.mainLife);
		trigger.stored = stored;
		this.olderCopies.push({ url: trigger.url, from, to: this.now });
		this.note(() => `older copy of ${trigger.url} written back`);
	}

	/** The main process publishes the workflow again. At the end, it writes back what it has read. */
	private async publish(
		trigger: Trigger,
		{ gone, takes, isRemoved }: Extract<Action, { is: 'publish' }>,
	): Promise<void> {
		trigger.isPublished = false;
		const unpublished = { url: trigger.url, from: this.now, to: Infinity };
		this.unpublished.push(unpublished);
		if (isRemoved) trigger.isRegistered = false;
		if (isRemoved && trigger.isInbox) this.absences.push({ from: this.now, to: Infinity });
		this.publications.push(this.now);
		await this.after(gone * 1_000, this.ever);
		trigger.isPublished = true;
		unpublished.to = this.now;
		const { stored } = trigger;
		const copy = { url: trigger.url, from: this.now, to: Infinity };
		this.olderCopies.push(copy);
		await this.after(takes * 1_000, this.ever);
		trigger.stored = stored;
		copy.to = this.now;
		// The list of webhooks is read to register the trigger.
		if (!trigger.isInbox && this.inbox.isRegistered)
			trigger.stored = JSON.stringify({ ...JSON.parse(stored), other: this.inbox.url });
		if (trigger.isInbox) await this.showOthers(trigger);
		if (!trigger.isRegistered) trigger.registeredAt = this.now;
		if (trigger.isInbox)
			for (const absence of this.absences) absence.to = Math.min(absence.to, this.now);
		this.publications.push(this.now);
		trigger.isRegistered = true;
		this.note(() => `${trigger.url} published again`);
		void this.keepAwake(trigger);
	}

	/** When it is published, the inbox says where it is. */
	private async showOthers({ url: inbox }: Trigger): Promise<void> {
		const { callTrigger } = this.calls(this.ever);
		for (const { url, isRegistered, isInbox } of this.triggers)
			if (isRegistered && !isInbox) await callTrigger(url, { is: 'look', inbox });
	}

	/** n8n starts: a registration that somebody has removed is made again, and the inbox wakes. */
	private async start(trigger: Trigger): Promise<void> {
		if (this.processes.length === 1) await this.keepAwake(trigger);
		else await this.calls(this.ever).callTrigger(trigger.url, { is: 'wake' });
	}

	/** The life of the process that publishes workflows and carries out executions; in queue mode, it is never killed. */
	private get mainLife(): Life {
		return this.processes.length === 1 ? this.processes[0].life : this.ever;
	}

	/** The main process calls the inbox again and again. If it is the only process, it may be killed. */
	private async keepAwake(trigger: Trigger): Promise<void> {
		if (!trigger.isInbox) return;
		const loop = ++this.loops;
		const life = this.mainLife;
		const { callTrigger, pause } = this.calls(life);
		while (loop === this.loops && trigger.isPublished && this.isAwake) {
			const result = await callTrigger(trigger.url, { is: 'wake' });
			await pause(typeof result === 'object' ? wakeMs : 1_000);
		}
	}

	private calls(life: Life) {
		return {
			now: () => Math.floor(this.now),
			pause: async (ms: number) => await this.after(Math.max(0, ms), life),
			callTrigger: async (url: string, request: Request) => await this.call(life, url, request),
		};
	}

	/** The process that takes the requests to a trigger. */
	processOf(trigger: Trigger): Process {
		return this.processes[this.triggers.indexOf(trigger) % this.processes.length];
	}

	/** A request over n8n's public URL. @returns undefined without a response in time */
	private async request<T>(
		life: Life,
		url: string,
		timeoutMs: number,
		handle: (trigger: Trigger, process: Process, delivery: DeliveryUnderWay) => Promise<T>,
	): Promise<T | 'gone' | undefined> {
		const trigger = this.triggers.find((one) => one.url === url);
		await this.after(this.latency(), life);
		if (this.isLost() || this.hasPage('triggers')) return undefined;
		if (!trigger?.isPublished) return 'gone';
		const process = this.processOf(trigger);
		if (!process.isUp) return undefined;
		const { life: server } = process;
		return await new Promise((resolve) => {
			let isWaiting = true;
			const delivery = new DeliveryUnderWay(trigger.registeredAt);
			const finish = (result: T | undefined) => {
				if (!isWaiting) return;
				isWaiting = false;
				timer.isOver = true;
				server.onEnd.delete(reset);
				life.onEnd.delete(leave);
				this.at(this.now, life, () => resolve(result));
			};
			const reset = () => finish(undefined);
			server.onEnd.add(reset);
			const timer = newLife();
			const leave = () => (isWaiting = false);
			if (life !== this.ever) life.onEnd.add(leave);
			// A response that comes too late does not reach anybody.
			this.at(this.now + timeoutMs, timer, () => {
				delivery.end('lost');
				finish(undefined);
			});
			void (async () => {
				delivery.read(trigger.stored);
				const result = await handle(trigger, process, delivery);
				await this.after(this.latency(), server);
				// n8n stores an execution before anything else. If that fails, n8n has done nothing.
				if (delivery.starts.length > 0 && this.isFailing()) {
					await this.after(this.latency(), server);
					delivery.end('failed');
					delivery.finish(false);
					return finish(undefined);
				}
				for (const start of delivery.starts) start();
				if (delivery.writes && (!delivery.forgets || this.random() < 0.5))
					trigger.stored = delivery.written();
				await this.after(1 + this.random() * 5, server);
				const isRefused = (result as unknown) === 503;
				delivery.finish(!isRefused);
				if (!isWaiting || this.isLost()) {
					delivery.end('lost');
					return finish(undefined);
				}
				delivery.end(isRefused ? 'failed' : 'received');
				finish(result);
			})();
		});
	}

	private keeperOf(trigger: Trigger, process: Process): Keeper {
		const known = process.keepers.get(trigger.url);
		if (known) return known;
		const { life } = process;
		const keeper = new Keeper(
			trigger.url,
			{
				...this.calls(life),
				seal: (text) => text,
				unseal: (text) => text,
				callRun: async (run, isHandOver) => await this.callRun(life, run, isHandOver),
				repeat: async (run, person, key) => await this.repeat(life, run, person, key),
				warn: (message) => void this.warnings.push(message),
			},
			`p${++this.made}`,
		);
		process.keepers.set(trigger.url, keeper);
		return keeper;
	}

	private otherOf(trigger: Trigger, process: Process) {
		const { other } = JSON.parse(trigger.stored) as { other?: string };
		const opened = process.others.get(trigger.url) ?? this.newOther(trigger, process);
		if (opened.trigger.inbox === undefined && other !== undefined) opened.trigger.look(other);
		return opened;
	}

	private newOther(trigger: Trigger, process: Process) {
		const { life } = process;
		const ports = {
			...this.calls(life),
			isManual: false,
			listInbox: async () => {
				await this.after(this.latency(), life);
				if (this.isLost()) throw new Error('The list is not known');
				return this.inbox.isRegistered ? this.inbox.url : undefined;
			},
			warn: (message: string) => void this.warnings.push(message),
		};
		const made = {
			trigger: new OtherTrigger(ports),
			names: new DeliveryNames(`p${++this.made}`),
		};
		process.others.set(trigger.url, made);
		return made;
	}

	private async call(life: Life, url: string, request: Request): Promise<CallResult> {
		return await this.request(life, url, callTimeoutMs, async (trigger, process, delivery) => {
			if (request.is === 'look') {
				const { trigger: other } = this.otherOf(trigger, process);
				other.look(request.inbox);
				delivery.note(other.inbox);
				return { inbox: 'no' as const };
			}
			const keeper = this.keeperOf(trigger, process);
			keeper.load(delivery);
			const { late, response } = await keeper.respond(delivery, request, trigger.isInbox);
			if (late) this.startLate(trigger, delivery, late);
			if (request.is !== 'wake')
				this.note(
					() =>
						`${request.is}: ${JSON.stringify(response)}${request.is === 'what' ? JSON.stringify(request.messages.map((m) => [m.arrival.key, m.arrival.messageId, m.name])) : ''}`,
				);
			return response;
		});
	}

	private startLate(
		trigger: Trigger,
		delivery: DeliveryUnderWay,
		late: NonNullable<Responded['late']>,
	): void {
		delivery.forgets = true;
		delivery.starts.push(() => {
			for (const { message } of late as Late[])
				trigger.late.push({ id: message.messageId ?? '', at: this.now });
			this.note(() => `late: ${late.map(({ message }) => message.messageId).join(' ')}`);
		});
	}

	/** A call of the URL that resumes an execution. */
	private async callRun(life: Life, run: Run, isHandOver: boolean): Promise<RunState> {
		const handed = handOverOf(run);
		await this.after(this.latency(), life);
		if (this.hasPage('runs')) return 'unknown';
		const execution = this.executions.find(({ url }) => url === run.url);
		if (!execution) return 'gone';
		const { state } = execution;
		let result = this.stateOf(execution);
		if (state === 'waiting' && isHandOver) {
			const messages = [...handed.people.values()].flatMap((person) => person.messages);
			execution.output.push(...messages.map(({ messageId = '' }) => messageId));
			execution.state = 'over';
			execution.acceptedAt = this.now;
			result = 'accepted';
			this.note(() => `run ${run.id} got ${execution.output.join(' ')}`);
		}
		await this.after(this.latency(), life);
		return this.isLost() ? 'unknown' : result;
	}

	private stateOf({ state, isStopped, diedAt }: Execution): RunState {
		if (state === 'waiting') return 'waiting';
		if (isStopped) return 'stopped';
		if (state === 'asking' || this.now < diedAt + recoveryMs) return 'running';
		const { keepsExecutions } = this.schedule.setting;
		// n8n has stored nothing of an execution that was killed before it waited.
		if (state === 'dead' && (keepsExecutions || this.now < diedAt + keepMs)) return 'running';
		if (!keepsExecutions) return 'gone';
		return state === 'failed' ? 'stopped' : 'finished';
	}

	private async repeat(life: Life, run: Run, { to }: Person, key: string): Promise<boolean> {
		await this.after(this.latency(), life);
		if (this.schedule.setting.refusesRepetitions) return false;
		const execution = this.executions.find(({ id }) => id === run.id);
		const keys = execution?.repeated.get(to) ?? new Set<string>();
		execution?.repeated.set(to, keys.add(key));
		const isThis = (one: Written) =>
			one.isCertain ? one.id === key : key.startsWith(`${contentOf(one)}~`);
		for (const message of this.written.filter(isThis)) message.repeatedAt ??= this.now;
		return true;
	}

	private write({ person, text, isCertain, quotes }: Extract<Action, { is: 'write' }>): void {
		const quoted = quotes === undefined ? undefined : `q ${quotes} ${phoneOf(person)}`;
		const message: Written = {
			...{ id: `m${this.written.length}`, phone: phoneOf(person), text, isCertain },
			...{ at: this.now, outcomes: new Map(), quoted, hasLostResponse: false, handledAt: 0 },
		};
		this.written.push(message);
		for (const trigger of this.triggers.filter((one) => one.isRegistered))
			void this.deliver(trigger, message);
	}

	private async deliver(trigger: Trigger, message: Written): Promise<void> {
		const { outcomes } = message;
		if (!outcomes.has(trigger.url)) outcomes.set(trigger.url, { is: 'pending', at: this.now });
		const { registeredAt } = trigger;
		for (const pauseMs of [0, ...retriesMs]) {
			await this.after(pauseMs, this.ever);
			// The service delivers nothing more to a registration that was removed.
			if (trigger.registeredAt !== registeredAt || !trigger.isRegistered) {
				if (outcomes.get(trigger.url)?.is === 'pending') outcomes.delete(trigger.url);
				return;
			}
			let isHandled = false;
			const status = await this.request(
				this.ever,
				trigger.url,
				serviceTimeoutMs,
				async (_, process, delivery) => {
					isHandled = true;
					return await this.receive(trigger, process, delivery, message);
				},
			);
			if (status === 200) return;
			message.hasLostResponse ||= isHandled && status !== 503;
		}
		outcomes.set(trigger.url, { is: 'givenUp', at: this.now });
	}

	private wants({ url }: Trigger, { text }: Written): boolean {
		return !url.includes('trigger-2') || text === 'STOP';
	}

	private async receive(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		message: Written,
	): Promise<number> {
		const { id, isCertain, outcomes } = message;
		if (!this.wants(trigger, message)) {
			outcomes.delete(trigger.url);
			return 200;
		}
		// The trigger recognizes an event that has started its workflow.
		if (isCertain && trigger.started.includes(id)) return 200;
		if (isCertain && trigger.starting.includes(id)) return 503;
		message.handledAt = this.now;
		const verdict = await this.verdictAt(trigger, process, delivery, message);
		if (!verdict) return 503;
		const { is, startsToo } = verdict;
		this.note(() => `${id} at ${trigger.url.slice(-17, -8)}: ${is}`);
		if (is === 'ordinary' || startsToo) {
			delivery.forgets = true;
			// The trigger remembers the event in the same static data.
			if (trigger.isInbox) delivery.store(this.keeperOf(trigger, process).live);
			trigger.starting.push(id);
			delivery.starts.push(() => {
				if (!trigger.started.includes(id)) trigger.started.push(id);
				if (is === 'ordinary') outcomes.set(trigger.url, { is: 'started', at: this.now });
			});
			const end = () => pull(trigger.starting, id);
			void delivery.hasSucceeded().then(end);
			process.life.onEnd.add(end);
		}
		if (is === 'taken' && outcomes.get(trigger.url)?.is !== 'started')
			outcomes.set(trigger.url, { is: 'taken', at: this.now });
		return 200;
	}

	private async verdictAt(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		message: Written,
	): Promise<Verdict | undefined> {
		const arrival = arrivalOf(message, this.schedule.setting.skew * 1_000, Math.floor(this.now));
		if (trigger.isInbox) {
			const keeper = this.keeperOf(trigger, process);
			keeper.load(delivery);
			const verdicts = await keeper.receive(delivery, [arrival]);
			return verdicts === 'busy' ? undefined : verdicts[0];
		}
		const { trigger: other, names } = this.otherOf(trigger, process);
		const confirmed = delivery.ended.then((end) => end === 'received');
		const delivered = names.begin(arrival, Math.floor(this.now), confirmed);
		const { url, registeredAt } = trigger;
		const verdicts = await other.ask([delivered], { trigger: url, registeredAt });
		delivery.note(other.inbox);
		return verdicts?.[0];
	}

	private ask(action: Asking): void {
		const number = this.executions.length;
		const id = `run-${String(number).padStart(7, '0')}`;
		const execution: Execution = {
			id,
			url: `${root}webhook-waiting/${number + 1}/node?wait=${id}&signature=${'a'.repeat(64)}`,
			...{ state: 'asking', isStopped: false, until: Infinity, startedAt: this.now },
			...{ waitsAt: Infinity, diedAt: -Infinity, acceptedAt: 0, output: [] },
			...{ isEndedByLimit: false, phones: action.people.map(phoneOf) },
			...{ asked: new Map(), repeated: new Map(), life: newLife() },
		};
		this.executions.push(execution);
		void this.carryOut(execution, action, number).catch((error) => {
			if (execution.state !== 'dead') execution.state = 'failed';
			this.note(() => `run ${id} fails: ${String(error)}`);
		});
	}

	private async carryOut(
		execution: Execution,
		{ failing, kind, limit, pace, dies }: Asking,
		number: number,
	): Promise<void> {
		const { life, id, url, phones } = execution;
		const { skew, showsClock } = this.schedule.setting;
		const ports: AskerPorts = {
			...this.calls(life),
			listTriggers: async () => {
				await this.after(this.latency(), life);
				const listed = this.triggers.filter(({ isRegistered }) => isRegistered);
				return {
					inboxes: listed.flatMap((one) => (one.isInbox ? one.url : [])),
					others: listed.flatMap((one) => (one.isInbox ? [] : one.url)),
				};
			},
		};
		const skewMs = showsClock ? skew * 1_000 : null;
		const questions = [questionOf(kind)];
		const asker = new Asker(ports, { id, url, questions, limitMs: limit * 1_000, skewMs });
		await asker.open();
		const people = phones.map(
			(to, item): Person => ({
				...{ item, to, question: 0, since: 0, toldAt: 0, askedMessageId: null },
				...{ messages: [], repeatedAfter: [] },
			}),
		);
		try {
			for (let at = 0; at < people.length; at += 2) {
				await asker.tell(people.slice(at, at + 2));
				for (const person of people.slice(at, at + 2)) {
					await this.after(this.latency() + pace * 1_000, life);
					if (failing.map(phoneOf).includes(person.to)) continue;
					execution.asked.set(person.to, this.now);
					person.askedMessageId = `q ${number} ${person.to}`;
				}
			}
			const asked = people.filter(({ to }) => execution.asked.has(to));
			execution.until = await asker.close(asked, []);
			if (asked.length === 0) {
				execution.state = 'failed';
				return;
			}
		} catch (error) {
			await asker.stop();
			throw error;
		}
		if (dies) this.killAsker(execution);
		await this.after(this.latency(), life);
		execution.state = 'waiting';
		execution.waitsAt = this.now;
		this.note(() => `run ${id} waits`);
		this.at(execution.until + graceMs, this.ever, () => {
			if (execution.state !== 'waiting') return;
			execution.state = 'over';
			execution.isEndedByLimit = true;
			this.note(() => `n8n ends run ${id}`);
		});
	}
}
