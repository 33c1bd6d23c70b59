/** n8n: its processes, triggers and executions, and the calls between them. */
import type { Person, Run, RunState } from '../../../../nodes/BusinessMessaging/inbox/core';
import { Inbox, type Late } from '../../../../nodes/BusinessMessaging/inbox/inbox';
import type {
	CallResult,
	InboxPorts,
	TriggerRequest,
} from '../../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../../../nodes/BusinessMessaging/inbox/records';
import {
	type Action,
	DeliveryUnderWay,
	type Execution,
	type Schedule,
	type Trigger,
	type Written,
} from './parts';
import { type Life, VirtualTime, newLife } from './time';

/** A process of n8n. */
export interface Process {
	life: Life;
	isUp: boolean;
	inboxes: Map<string, Inbox>;
}

export interface Publication {
	url: string;
	from: number;
	to: number;
	hasLearned: boolean;
}

/** n8n's address. */
export const root = 'https://n8n.test/';
const callTimeoutMs = 10_000;
/** When n8n notices that the worker of an execution was killed, and when it deletes this execution, ms after that. */
const [recoveryMs, keepMs] = [30_000, 300_000];

/** n8n with its processes, triggers and executions. */
export class N8n extends VirtualTime {
	readonly log: string[] = [];
	readonly triggers: Trigger[] = [];
	readonly processes: Process[] = [];
	readonly executions: Execution[] = [];
	readonly written: Written[] = [];
	readonly warnings: string[] = [];
	/** When triggers were being published, and whether the others have responded to them. */
	readonly publications: Publication[] = [];
	/** When processes were killed; when older copies were read, and written back. */
	readonly kills: number[] = [];
	readonly olderCopies: Array<{ from: number; to: number }> = [];
	/** Open runs that n8n has not stored long after an older copy was written back. */
	readonly overwritten: string[] = [];
	private sealed = 0;

	constructor(
		readonly schedule: Schedule,
		private readonly traces = false,
	) {
		super(schedule.seed, schedule.setting.trouble);
		const { setting } = schedule;
		for (let n = 0; n < setting.processes; n++)
			this.processes.push({ life: newLife(), isUp: true, inboxes: new Map() });
		for (let n = 0; n < setting.triggers; n++) {
			const isThere = !schedule.actions.some((one) => this.isNewTrigger(one, n));
			this.triggers.push({
				...{ url: `${root}webhook/trigger-${n}/webhook`, stored: '{}' },
				...{ starting: [], started: [], late: [] },
				...{ isPublished: isThere, isRegistered: isThere },
			});
		}
	}

	/** The first trigger is never new. */
	private isNewTrigger(action: Action, index: number): boolean {
		const isNew = action.is === 'publish' && action.isNew;
		return isNew && index > 0 && action.trigger % this.schedule.setting.triggers === index;
	}

	/** Whether a request does not arrive, or its response. */
	private isLost(): boolean {
		return !this.isCalm && this.random() * 500 < this.schedule.setting.trouble;
	}

	/** Whether n8n's database fails when n8n starts a workflow. */
	private isFailing(): boolean {
		return !this.isCalm && this.random() * 200 < this.schedule.setting.trouble;
	}

	protected note(text: () => string): void {
		if (this.traces) this.log.push(`${((this.now - this.begin) / 1000).toFixed(2)} s  ${text()}`);
	}

	protected listed(except?: Trigger): string[] {
		const listed = this.triggers.filter((one) => one.isRegistered && one !== except);
		return listed.map(({ url }) => url);
	}

	protected calls(life: Life) {
		return {
			now: () => this.now,
			pause: async (ms: number) => await this.after(Math.max(0, ms), life),
			callTrigger: async (url: string, request: TriggerRequest) =>
				await this.call(life, url, request),
		};
	}

	protected seals() {
		return {
			seal: (record: string) => `${String(++this.sealed).padStart(16, '0')}${record}`,
			unseal: (text: string) => text.slice(16),
		};
	}

	/** The process that takes a call, if it is up. */
	protected route(trigger: Trigger): Process {
		const { isRouted } = this.schedule.setting;
		const index = isRouted ? this.triggers.indexOf(trigger) : Math.floor(this.random() * 1_000);
		return this.processes[index % this.processes.length];
	}

	/** A request over n8n's public URL. @returns undefined without a response in time */
	protected async request<T>(
		life: Life,
		url: string,
		timeoutMs: number,
		handle: (trigger: Trigger, process: Process, delivery: DeliveryUnderWay) => Promise<T>,
	): Promise<T | 'gone' | undefined> {
		const trigger = this.triggers.find((one) => one.url === url);
		await this.after(this.latency(), life);
		if (this.isLost()) return undefined;
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

	protected inboxOf(trigger: Trigger, process: Process): Inbox {
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
			repeat: async (run, person, key) => await this.repeat(life, run, person, key),
			warn: (message) => void this.warnings.push(message),
		};
	}

	private async call(life: Life, url: string, request: TriggerRequest): Promise<CallResult> {
		return await this.request(life, url, callTimeoutMs, async (trigger, process, delivery) => {
			const inbox = this.inboxOf(trigger, process);
			inbox.known.load(delivery);
			const { late, ...response } = await inbox.respond(delivery, request);
			if (late) this.startLate(trigger, delivery, late);
			this.note(
				() =>
					`${request.is} ${trigger.url.slice(-17, -8)}: ${JSON.stringify(response).slice(0, 150)}`,
			);
			return response;
		});
	}

	private startLate(trigger: Trigger, delivery: DeliveryUnderWay, late: Late[]): void {
		delivery.forgets = true;
		delivery.starts.push(() => {
			for (const { message } of late)
				trigger.late.push({ id: message.messageId ?? '', at: this.now });
			this.note(() => `late: ${late.map(({ message }) => message.messageId).join(' ')}`);
		});
	}

	/** A call of the URL that resumes an execution. */
	private async callRun(life: Life, run: Run, record?: string): Promise<RunState> {
		await this.after(this.latency(), life);
		const execution = this.executions.find(({ url }) => url === run.url);
		if (!execution) return 'gone';
		const { state } = execution;
		let result = this.stateOf(execution);
		if (state === 'waiting' && record !== undefined) {
			const handed = fromRecord(run.id, record, run.owner);
			const messages = [...(handed?.people.values() ?? [])].flatMap((person) => person.messages);
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
		if (state === 'dead' && (keepsExecutions || this.now < diedAt + keepMs)) return 'broken';
		if (!keepsExecutions) return 'gone';
		return state === 'failed' ? 'stopped' : 'finished';
	}

	private async repeat(life: Life, run: Run, { to }: Person, key: string): Promise<boolean> {
		await this.after(this.latency(), life);
		if (this.schedule.setting.refusesRepetitions) return false;
		const execution = this.executions.find(({ id }) => id === run.id);
		const keys = execution?.repeated.get(to) ?? new Map<string, number>();
		execution?.repeated.set(to, keys.set(key, this.now));
		const isThis = ({ id, phone, isCertain }: Written) =>
			phone === to && (id === key || !isCertain);
		for (const message of this.written.filter(isThis)) message.isRepeatedFor = true;
		return true;
	}
}
