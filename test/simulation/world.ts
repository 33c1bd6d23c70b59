/**
 * n8n, its processes and the service in virtual time, around the real protocol of Send and Wait. Calls take random times, may fail,
 * and their processes may be killed in between; n8n reads, changes and writes back what it stores as a whole. The same schedule and
 * seed always give the same course.
 */
import { Asker, type AskerPorts } from '../../nodes/BusinessMessaging/inbox/asker';
import type { Arrival, Person, Question, Run, RunState } from '../../nodes/BusinessMessaging/inbox/core';
import { endsAt } from '../../nodes/BusinessMessaging/inbox/core';
import { Inbox, type Late, learn } from '../../nodes/BusinessMessaging/inbox/inbox';
import type {
	CallResult,
	Delivery,
	InboxPorts,
	TriggerRequest,
} from '../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../nodes/BusinessMessaging/inbox/records';

/** How n8n runs. */
export interface Setting {
	processes: number;
	/** Whether each trigger's URL leads to one process. Without, any process takes any call. */
	isRouted: boolean;
	triggers: number;
	/** Whether the service refuses to repeat questions. */
	refusesRepetitions: boolean;
	/** How often a call takes long or fails, of 100. */
	trouble: number;
}

/** What happens, at a time in seconds. */
export type Action = { at: number } & (
	| { is: 'ask'; people: number[]; kind: Kind; limit: number }
	| { is: 'write'; person: number; text: string; isCertain: boolean }
	| { is: 'kill'; process: number; down: number }
	| { is: 'killAsker'; run: number }
	| { is: 'stop'; run: number }
	| { is: 'olderCopy'; trigger: number; after: number }
	| { is: 'publish'; trigger: number; gone: number; takes: number }
);
export type Kind = 'freeText' | 'approval' | 'grouped';

/** A schedule. */
export interface Schedule {
	setting: Setting;
	seed: number;
	actions: Action[];
}

/** Who waits for a result, so that nothing comes back to a process that was killed. */
interface Life {
	isOver: boolean;
	/** What is told to callers if it ends. */
	onEnd: Set<() => void>;
}

interface Process {
	life: Life;
	isUp: boolean;
	inboxes: Map<string, Inbox>;
}

interface Trigger {
	url: string;
	isPublished: boolean;
	isRegistered: boolean;
	stored: string;
	/** Messages with which its workflow has started, and with which it has started late. */
	started: string[];
	late: string[];
}

/** An execution of Send and Wait. */
export interface Execution {
	id: string;
	url: string;
	state: 'asking' | 'waiting' | 'over' | 'dead' | 'failed';
	isStopped: boolean;
	until: number;
	/** When each person was asked. */
	asked: Map<string, number>;
	output: string[];
	/** Whether n8n itself has ended the wait. */
	isEndedByLimit: boolean;
	life: Life;
}

/** A message that somebody wrote. */
export interface Written {
	id: string;
	phone: string;
	text: string;
	at: number;
	isCertain: boolean;
	/** Whether the question was repeated after it. */
	isRepeatedFor: boolean;
	/** What each trigger has made of it. */
	outcomes: Map<string, 'started' | 'taken' | 'pending' | 'givenUp'>;
}

interface Event {
	at: number;
	order: number;
	life: Life;
	run: () => void;
}

const newLife = (): Life => ({ isOver: false, onEnd: new Set() });
const root = 'https://n8n.test/';
/** The service delivers again after these times, ms, and then gives up. */
const retriesMs = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 240_000, 480_000, 960_000];
const serviceTimeoutMs = 10_000;
const callTimeoutMs = 10_000;
/** Enough for all promises that follow from one event. */
const ticks = 40;

export const phoneOf = (person: number) => `+1555000100${person}`;

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

export class World {
	now = 1_900_000_000_000;
	readonly begin = this.now;
	steps = 0;
	readonly log: string[] = [];
	readonly triggers: Trigger[] = [];
	readonly processes: Process[] = [];
	readonly executions: Execution[] = [];
	readonly written: Written[] = [];
	readonly warnings: string[] = [];
	private events: Event[] = [];
	private order = 0;
	private sealed = 0;
	private readonly random: () => number;
	private readonly ever = newLife();
	private isCalm = false;

	constructor(
		readonly schedule: Schedule,
		private readonly traces = false,
	) {
		const { setting, seed } = schedule;
		this.random = generator(seed);
		for (let n = 0; n < setting.processes; n++)
			this.processes.push({ life: newLife(), isUp: true, inboxes: new Map() });
		for (let n = 0; n < setting.triggers; n++)
			this.triggers.push({
				url: `${root}webhook/trigger-${n}/webhook`,
				...{ isPublished: true, isRegistered: true, stored: '{}', started: [], late: [] },
			});
	}

	note(text: string): void {
		if (this.traces) this.log.push(`${((this.now - this.begin) / 1000).toFixed(2)} s  ${text}`);
	}

	// ---------- time ----------

	private at(time: number, life: Life, run: () => void): void {
		this.events.push({ at: Math.max(time, this.now), order: this.order++, life, run });
	}

	private async after(ms: number, life: Life): Promise<void> {
		await new Promise<void>((resolve) => this.at(this.now + ms, life, resolve));
	}

	/** How long something takes, ms. */
	private latency(): number {
		const dice = this.random() * 100;
		if (!this.isCalm && dice < this.schedule.setting.trouble) return 1_000 + this.random() * 11_000;
		return 1 + this.random() * 60;
	}

	private async step(): Promise<boolean> {
		let next = -1;
		const { events } = this;
		for (let n = 0; n < events.length; n++)
			if (
				next < 0 ||
				events[n].at < events[next].at ||
				(events[n].at === events[next].at && events[n].order < events[next].order)
			)
				next = n;
		if (next < 0) return false;
		const [event] = events.splice(next, 1);
		if (event.life.isOver) return true;
		this.now = event.at;
		this.steps++;
		event.run();
		for (let tick = 0; tick < ticks; tick++) await null;
		return true;
	}

	/** Carries out a schedule, until nothing happens any more. */
	async run(): Promise<void> {
		for (const action of this.schedule.actions)
			this.at(this.begin + action.at * 1_000, this.ever, () => this.act(action));
		const last = Math.max(0, ...this.schedule.actions.map(({ at }) => at)) * 1_000;
		this.at(this.begin + last + 40_000, this.ever, () => this.calm());
		// Any event brings the state back into the memory of processes that were killed.
		for (const ms of [60_000, 600_000, 7_200_000])
			this.at(this.begin + last + ms, this.ever, () => this.write('x', 'Hello', true));
		while (await this.step()) if (this.steps > 200_000) throw new Error('It never ends');
	}

	private calm(): void {
		this.isCalm = true;
		for (const process of this.processes) process.isUp = true;
	}

	private act(action: Action): void {
		const { setting } = this.schedule;
		this.note(JSON.stringify(action));
		if (action.is === 'ask') this.ask(action.people.map(phoneOf), action.kind, action.limit);
		if (action.is === 'write') this.write(phoneOf(action.person), action.text, action.isCertain);
		if (action.is === 'kill') this.kill(action.process % setting.processes, action.down * 1_000);
		if (action.is === 'killAsker') this.killAsker(this.executions[action.run]);
		if (action.is === 'stop') this.stop(this.executions[action.run]);
		const trigger = this.triggers[('trigger' in action ? action.trigger : 0) % setting.triggers];
		if (action.is === 'olderCopy') void this.writeBack(trigger, action.after * 1_000);
		if (action.is === 'publish')
			void this.publish(trigger, action.gone * 1_000, action.takes * 1_000);
	}

	// ---------- faults ----------

	private end(life: Life): void {
		life.isOver = true;
		for (const tell of life.onEnd) tell();
	}

	private kill(index: number, downMs: number): void {
		const process = this.processes[index];
		if (!process.isUp || this.isCalm) return;
		this.end(process.life);
		Object.assign(process, { life: newLife(), isUp: false, inboxes: new Map() });
		this.at(this.now + downMs, this.ever, () => (process.isUp = true));
	}

	private killAsker(execution?: Execution): void {
		if (execution?.state !== 'asking') return;
		execution.state = 'dead';
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
		await this.after(afterMs, this.ever);
		trigger.stored = stored;
		this.note(`older copy of ${trigger.url} written back`);
	}

	/** The main process publishes the workflow again. It receives no deliveries. */
	private async publish(trigger: Trigger, goneMs: number, takesMs: number): Promise<void> {
		trigger.isPublished = false;
		await this.after(goneMs, this.ever);
		trigger.isPublished = true;
		const stored = JSON.parse(trigger.stored) as Record<string, unknown>;
		await this.after(takesMs / 2, this.ever);
		trigger.isRegistered = true;
		const ports = { ...this.calls(this.ever), ...this.seals() };
		const learned = await learn(ports, trigger.url, this.listed(trigger), stored.inbox);
		await this.after(takesMs / 2, this.ever);
		trigger.stored = JSON.stringify(learned ? { ...stored, inbox: learned } : stored);
		this.note(`${trigger.url} published again`);
	}

	private listed(except?: Trigger): string[] {
		const listed = this.triggers.filter((one) => one.isRegistered && one !== except);
		return listed.map(({ url }) => url);
	}

	// ---------- n8n: calls and deliveries ----------

	private calls(life: Life) {
		return {
			now: () => this.now,
			pause: async (ms: number) => await this.after(Math.max(0, ms), life),
			callTrigger: async (url: string, request: TriggerRequest) =>
				await this.call(life, url, request),
		};
	}

	private seals() {
		return {
			seal: (record: string) => `${String(++this.sealed).padStart(16, '0')}${record}`,
			unseal: (text: string) => text.slice(16),
		};
	}

	/** The process that takes a call, if it is up. */
	private route(trigger: Trigger): Process {
		const { isRouted } = this.schedule.setting;
		const index = isRouted ? this.triggers.indexOf(trigger) : Math.floor(this.random() * 1_000);
		return this.processes[index % this.processes.length];
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
		if (!trigger?.isPublished) return 'gone';
		const process = this.route(trigger);
		if (!process.isUp) return undefined;
		const { life: server } = process;
		return await new Promise((resolve) => {
			let isWaiting = true;
			const delivery = new DeliveryUnderWay();
			const finish = (result: T | undefined) => {
				if (!isWaiting) return;
				isWaiting = false;
				timer.isOver = true;
				server.onEnd.delete(reset);
				this.at(this.now, life, () => resolve(result));
			};
			const reset = () => finish(undefined);
			server.onEnd.add(reset);
			const timer = newLife();
			if (life !== this.ever) life.onEnd.add(() => (isWaiting = false));
			// A response that comes too late does not reach anybody.
			this.at(this.now + timeoutMs, timer, () => {
				delivery.end(false);
				finish(undefined);
			});
			void (async () => {
				delivery.read(trigger.stored);
				const result = await handle(trigger, process, delivery);
				await this.after(this.latency(), server);
				if (delivery.live && (!delivery.forgets || this.random() < 0.5))
					trigger.stored = delivery.written();
				await this.after(1 + this.random() * 5, server);
				delivery.end(isWaiting);
				finish(result);
			})();
		});
	}

	private inboxOf(trigger: Trigger, process: Process): Inbox {
		const known = process.inboxes.get(trigger.url);
		if (known) return known;
		const inbox = new Inbox(trigger.url, this.inboxPorts(process.life));
		process.inboxes.set(trigger.url, inbox);
		return inbox;
	}

	private inboxPorts(life: Life): InboxPorts {
		return {
			...this.calls(life),
			...this.seals(),
			callRun: async (run, record) => await this.callRun(life, run, record),
			repeat: async (_run, person, key) => await this.repeat(life, person, key),
			warn: (message) => void this.warnings.push(message),
		};
	}

	private async call(life: Life, url: string, request: TriggerRequest): Promise<CallResult> {
		return await this.request(life, url, callTimeoutMs, async (trigger, process, delivery) => {
			const inbox = this.inboxOf(trigger, process);
			inbox.load(delivery);
			const { late, ...response } = await inbox.respond(delivery, request);
			if (late) this.startLate(trigger, delivery, late);
			this.note(`${request.is} ${trigger.url.slice(-17, -8)}: ${JSON.stringify(response).slice(0, 150)}`);
			return response;
		});
	}

	private startLate(trigger: Trigger, delivery: DeliveryUnderWay, late: Late[]): void {
		delivery.forgets = true;
		for (const { message } of late) trigger.late.push(message.messageId ?? '');
		this.note(`late: ${late.map(({ message }) => message.messageId)}`);
	}

	/** A call of the URL that resumes an execution. */
	private async callRun(life: Life, run: Run, record?: string): Promise<RunState> {
		await this.after(this.latency(), life);
		const execution = this.executions.find(({ url }) => url === run.url);
		if (!execution) return 'over';
		const { state, isStopped } = execution;
		let result: RunState = state === 'asking' || state === 'dead' ? 'running' : 'over';
		if (isStopped) result = 'stopped';
		if (state === 'waiting') result = 'waiting';
		if (state === 'waiting' && record !== undefined) {
			const handed = fromRecord(run.id, JSON.parse(record), run.owner);
			const messages = [...(handed?.people.values() ?? [])].flatMap((person) => person.messages);
			execution.output.push(...messages.map(({ messageId = '' }) => messageId));
			execution.state = 'over';
			result = 'accepted';
			this.note(`run ${run.id} got ${execution.output}`);
		}
		await this.after(this.latency(), life);
		const isLost = !this.isCalm && this.random() * 100 < this.schedule.setting.trouble / 4;
		return isLost ? 'unknown' : result;
	}

	private async repeat(life: Life, { to }: Person, key: string): Promise<boolean> {
		await this.after(this.latency(), life);
		if (this.schedule.setting.refusesRepetitions) return false;
		const isThis = ({ id, phone, isCertain }: Written) => phone === to && (id === key || !isCertain);
		for (const message of this.written.filter(isThis)) message.isRepeatedFor = true;
		return true;
	}

	// ---------- the service ----------

	private write(phone: string, text: string, isCertain: boolean): void {
		const message: Written = {
			id: `m${this.written.length}`,
			...{ phone, text, isCertain, at: this.now, isRepeatedFor: false, outcomes: new Map() },
		};
		this.written.push(message);
		for (const trigger of this.triggers.filter((one) => one.isRegistered))
			void this.deliver(trigger, message);
	}

	private async deliver(trigger: Trigger, message: Written): Promise<void> {
		message.outcomes.set(trigger.url, 'pending');
		for (const pauseMs of [0, ...retriesMs]) {
			await this.after(pauseMs, this.ever);
			const status = await this.request(
				this.ever,
				trigger.url,
				serviceTimeoutMs,
				async (_, process, delivery) => await this.receive(trigger, process, delivery, message),
			);
			if (status === 200) return;
		}
		message.outcomes.set(trigger.url, 'givenUp');
	}

	private async receive(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		message: Written,
	): Promise<number> {
		const inbox = this.inboxOf(trigger, process);
		inbox.load(delivery);
		// The trigger recognizes an event that has started its workflow.
		const isDuplicate = message.isCertain && trigger.started.includes(message.id);
		if (isDuplicate) return 200;
		const arrival = arrivalOf(message);
		const verdicts = await inbox.consume(delivery, [arrival]);
		if (verdicts === 'busy') return 503;
		const [{ is, startsToo }] = verdicts;
		this.note(`${message.id} at ${trigger.url.slice(-17, -8)}: ${is}`);
		if (is === 'ordinary' || startsToo) {
			delivery.forgets = true;
			if (!trigger.started.includes(message.id)) trigger.started.push(message.id);
		}
		if (message.outcomes.get(trigger.url) !== 'started')
			message.outcomes.set(trigger.url, is === 'taken' ? 'taken' : 'started');
		return 200;
	}

	// ---------- Send and Wait ----------

	private ask(phones: string[], kind: Kind, limitSeconds: number): void {
		const id = `run-${String(this.executions.length).padStart(7, '0')}`;
		const execution: Execution = {
			id,
			url: `${root}webhook-waiting/${this.executions.length + 1}/node?wait=${id}&signature=${'a'.repeat(64)}`,
			...{ state: 'asking', isStopped: false, until: Infinity, output: [], isEndedByLimit: false },
			...{ asked: new Map(), life: newLife() },
		};
		this.executions.push(execution);
		void this.carryOut(execution, phones, kind, limitSeconds).catch((error) => {
			execution.state = 'failed';
			this.note(`run ${id} fails: ${String(error)}`);
		});
	}

	private async carryOut(
		execution: Execution,
		phones: string[],
		kind: Kind,
		limitSeconds: number,
	): Promise<void> {
		const { life, id, url } = execution;
		const ports: AskerPorts = {
			...this.calls(life),
			listTriggers: async () => {
				await this.after(this.latency(), life);
				return this.listed();
			},
		};
		const limitMs = limitSeconds * 1_000;
		const asker = new Asker(ports, { id, url, questions: [questionOf(kind)], limitMs, skewMs: 0 });
		if (!(await asker.open())) throw new Error('no trigger');
		const people = phones.map((to, item): Person => ({
			...{ item, to, question: 0, since: 0, askedMessageId: null, messages: [], repeatedAfter: [] },
		}));
		try {
			for (let at = 0; at < people.length; at += 2) {
				await asker.tell(people.slice(at, at + 2));
				for (const { to } of people.slice(at, at + 2)) {
					await this.after(this.latency(), life);
					execution.asked.set(to, this.now);
				}
			}
			execution.until = await asker.close(people, []);
		} catch (error) {
			await asker.stop();
			throw error;
		}
		await this.after(this.latency(), life);
		execution.state = 'waiting';
		this.note(`run ${id} waits`);
		const end = endsAt({ until: execution.until });
		this.at(end, this.ever, () => {
			if (execution.state !== 'waiting') return;
			execution.state = 'over';
			execution.isEndedByLimit = true;
			this.note(`n8n ends run ${id}`);
		});
	}
}

/** A delivery while n8n carries it out: what it had read, and what it writes back. */
class DeliveryUnderWay implements Delivery {
	stored: unknown;
	live?: { toJSON(): unknown };
	/** n8n forgets changes if the delivery starts the workflow. */
	forgets = false;
	end!: (isReceived: boolean) => void;
	readonly ended = new Promise<boolean>((resolve) => (this.end = resolve));
	private column: Record<string, unknown> = {};

	read(column: string): void {
		this.column = JSON.parse(column) as Record<string, unknown>;
		this.stored = this.column.inbox;
	}

	store(live: { toJSON(): unknown }): void {
		this.live = live;
	}

	written(): string {
		return JSON.stringify({ ...this.column, inbox: this.live });
	}
}

function arrivalOf({ id, phone, text, at, isCertain }: Written): Arrival {
	return {
		...{ key: isCertain ? id : `u${phone}${text}`, text, messageId: id },
		respondedAt: new Date(at).toISOString(),
		...{ phone, time: isCertain ? at : Number.NaN, isOptOut: text === 'STOP', isCertain },
	};
}

function questionOf(kind: Kind): Question {
	return {
		...{ choices: [], yesWords: ['yes'], noWords: ['no'], isDayFirst: true },
		kind: kind === 'approval' ? 'approval' : 'freeText',
		groupMs: kind === 'grouped' ? 8_000 : 0,
		...{ repeats: 1, repeatText: '', givesUnanswered: true, asked: 'Tuesday?' },
	};
}
