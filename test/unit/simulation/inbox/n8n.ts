/** n8n's processes, triggers and requests, in virtual time; n8n reads, changes and writes back what it stores as a whole. */
import { CallReader } from '../../../../nodes/BusinessMessaging/inbox/calls';
import type { Keeper } from '../../../../nodes/BusinessMessaging/inbox/keeper';
import type { DeliveryNames } from '../../../../nodes/BusinessMessaging/inbox/messageNames';
import type { OtherTrigger } from '../../../../nodes/BusinessMessaging/inbox/otherTrigger';
import type { Calls } from '../../../../nodes/BusinessMessaging/inbox/protocol';
import {
	type Action,
	DeliveryUnderWay,
	type Noted,
	type Schedule,
	type Stored,
	type Trigger,
	type Workflow,
	setStored,
	storedOf,
} from './parts';
import { isIdle } from '../../../../nodes/BusinessMessaging/inbox/store';
import { type Life, VirtualTime, newLife } from './time';

/** n8n's address. */
export const root = 'https://n8n.test/';
/** How often the main process calls the inbox. */
const wakeMs = 30_000;
/** How long after the last action everything is over, ms, and when n8n is started again. */
const quietMs = 800_000;
export const restartMs = 2_400_000;

/** A process of n8n, with what it has in memory. */
export interface Process {
	life: Life;
	isUp: boolean;
	keepers: Map<string, Keeper>;
	others: Map<string, { trigger: OtherTrigger; names: DeliveryNames; noted: Noted }>;
	/** Opens the calls of our nodes. */
	reader: CallReader;
	/** The API key with which its inbox is encrypted. */
	keyId?: string;
}

/** n8n. */
export abstract class N8n extends VirtualTime {
	readonly log: string[] = [];
	readonly triggers: Trigger[] = [];
	readonly processes: Process[] = [];
	/** When the inbox could not read questions, because the API key was changed. */
	readonly unreadable: number[] = [];
	private keyChanges = 0;
	/** When n8n's clock was put back. */
	readonly putBacks: number[] = [];
	/** When processes were killed; when older copies were read, and written back. */
	readonly kills: Array<{ at: number; process: number }> = [];
	readonly olderCopies: Array<{ url: string; from: number; to: number }> = [];
	/** When triggers were removed at the service, or registered there. */
	readonly publications: number[] = [];
	/** When the inbox was not registered at the service. */
	readonly absences: Array<{ from: number; to: number }> = [];
	/** From the goodbye of the inbox to the other triggers until it was unpublished. */
	readonly goodbyes: Array<{ from: number; to: number }> = [];
	/** When triggers could not be called. */
	readonly unpublished: Array<{ url: string; from: number; to: number }> = [];
	/** What a proxy responds for, and until when. */
	protected readonly pages: Array<{ of: 'runs' | 'triggers'; until: number }> = [];
	private loops = 0;
	/** The API key of all nodes, and n8n's clock minus the real time, ms. */
	protected keyId = 'key 0';
	protected clockMs = 0;

	constructor(
		readonly schedule: Schedule,
		private readonly traces = false,
	) {
		super(schedule.seed, schedule.setting.trouble);
		const { setting } = schedule;
		for (let n = 0; n < setting.processes; n++)
			this.processes.push({ isUp: true, ...this.fresh() });
		for (let n = 0; n < setting.triggers; n++) {
			const shares = n === 1 && setting.sharesWorkflow;
			const isThere = shares || !schedule.actions.some((one) => this.isNewTrigger(one, n));
			const isManual = n > 0 && n === setting.manual;
			const trigger: Trigger = {
				...{ url: `${root}webhook/trigger-${n}/webhook`, isInbox: n === 0, isManual },
				workflow: shares ? this.inbox.workflow : { triggers: [], stored: '{}' },
				...{ starting: [], started: [], late: [], registeredAt: 0, since: 0 },
				...{ isPublished: isThere, isRegistered: isThere, wasPublished: isThere },
			};
			trigger.workflow.triggers.push(trigger);
			this.triggers.push(trigger);
			// Published after the inbox or before it, a trigger knows where it is.
			if (n > 0 && isThere && !isManual)
				setStored(trigger, { other: { url: this.inbox.url, at: 1 } });
		}
	}

	/** What n8n's clock shows, ms since 1970. */
	protected wall(): number {
		return Math.floor(this.now + this.clockMs);
	}

	protected putBack(ms: number): void {
		this.clockMs -= ms;
		this.putBacks.push(this.now);
	}

	protected changeKey(): void {
		this.keyId = `key ${++this.keyChanges}`;
	}

	/** A process that has just started. */
	protected fresh() {
		const start = this.now;
		const reader = new CallReader({
			now: () => this.wall(),
			startedAt: () => start + this.clockMs,
		});
		return { life: newLife(), keepers: new Map(), others: new Map(), reader, keyId: undefined };
	}

	/** Calls that begin in a process or an execution. */
	protected abstract calls(life: Life, keyId?: string): Calls;

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

	/** Whether a request does not arrive, or its response. */
	protected isLost(): boolean {
		return !this.isCalm && this.random() * 500 < this.schedule.setting.trouble;
	}

	/** Whether n8n's database fails when n8n starts a workflow. */
	private isFailing(): boolean {
		return !this.isCalm && this.random() * 200 < this.schedule.setting.trouble;
	}

	protected note(text: () => string): void {
		if (this.traces) this.log.push(`${((this.now - this.begin) / 1000).toFixed(2)} s  ${text()}`);
	}

	protected hasPage(of: 'runs' | 'triggers'): boolean {
		return !this.isCalm && this.pages.some((page) => page.of === of && this.now < page.until);
	}

	protected end(life: Life): void {
		life.isOver = true;
		for (const tell of life.onEnd) tell();
	}

	protected kill(index: number, downMs: number): void {
		const process = this.processes[index];
		if (!process.isUp || this.isCalm) return;
		this.kills.push({ at: this.now, process: index });
		this.end(process.life);
		Object.assign(process, { isUp: false, ...this.fresh() });
		this.at(this.now + downMs, this.ever, () => {
			process.isUp = true;
			for (const trigger of this.triggers)
				if (this.processOf(trigger) === process) void this.start(trigger);
		});
	}

	/** An execution of the trigger's workflow that changes static data writes back the copy with which it began. */
	protected async writeBack({ workflow, wasPublished }: Trigger, afterMs: number): Promise<void> {
		const { stored } = workflow;
		if (!wasPublished) return;
		const from = this.now;
		// If n8n is one process, it is killed together with the execution.
		await this.after(afterMs, this.mainLife);
		workflow.stored = stored;
		this.noteCopy(workflow, from);
	}

	/** An older copy of all that n8n stores of a workflow was written back. */
	private noteCopy({ triggers }: Workflow, from: number): void {
		for (const { url } of triggers) {
			this.olderCopies.push({ url, from, to: this.now });
			this.note(() => `older copy of ${url} written back`);
		}
	}

	/** The main process publishes the workflow again. At the end, it writes back what it has read. */
	protected async publish(
		{ workflow }: Trigger,
		{ gone, takes, isRemoved }: Extract<Action, { is: 'publish' }>,
	): Promise<void> {
		const { triggers } = workflow;
		const inbox = triggers.find(({ isInbox }) => isInbox);
		const goodbye = { from: this.now, to: Infinity };
		if (inbox && isIdle(storedOf(inbox).inbox, this.wall())) {
			this.goodbyes.push(goodbye);
			await this.tellOthers(inbox, 'bye');
		}
		goodbye.to = this.now;
		const unpublished = triggers.map(({ url }) => ({ url, from: this.now, to: Infinity }));
		this.unpublished.push(...unpublished);
		for (const trigger of triggers) {
			trigger.isPublished = false;
			if (isRemoved && !trigger.isManual) trigger.isRegistered = false;
		}
		if (isRemoved && inbox) this.absences.push({ from: this.now, to: Infinity });
		this.publications.push(this.now);
		await this.after(gone * 1_000, this.ever);
		for (const trigger of triggers)
			Object.assign(trigger, { isPublished: true, wasPublished: true });
		for (const one of unpublished) one.to = this.now;
		const { stored } = workflow;
		const copies = triggers.map(({ url }) => ({ url, from: this.now, to: Infinity }));
		this.olderCopies.push(...copies);
		await this.after(takes * 1_000, this.ever);
		workflow.stored = stored;
		for (const copy of copies) copy.to = this.now;
		for (const trigger of triggers) await this.register(trigger);
		this.publications.push(this.now);
		if (inbox) void this.keepAwake(inbox);
	}

	private async register(trigger: Trigger): Promise<void> {
		const { isInbox, isManual } = trigger;
		// The list of webhooks is read to register the trigger.
		if (!isInbox && !isManual && this.inbox.isRegistered)
			setStored(trigger, { other: this.noted() });
		if (isInbox) await this.tellOthers(trigger, 'look');
		if (!trigger.isRegistered)
			Object.assign(trigger, { registeredAt: this.now, since: this.wall() });
		if (isInbox) for (const absence of this.absences) absence.to = Math.min(absence.to, this.now);
		trigger.isRegistered = true;
		this.note(() => `${trigger.url} published again`);
	}

	/** When it is published, the inbox says where it is; if nothing is open when it is unpublished, it says goodbye. */
	private async tellOthers({ url: inbox }: Trigger, is: 'look' | 'bye'): Promise<void> {
		const calls = this.calls(this.ever);
		for (const url of this.others) await calls.callTrigger(url, { is, inbox });
	}

	/** The URLs of other triggers in the service's list. Nobody knows those that are registered by hand. */
	protected get others(): string[] {
		return this.triggers.flatMap(({ url, isInbox, isManual, isRegistered }) =>
			isRegistered && !isInbox && !isManual ? url : [],
		);
	}

	/** When n8n starts, a trigger that has lost where the inbox is reads the list of webhooks. */
	protected noteInbox(trigger: Trigger): void {
		const { isInbox, isManual, isPublished } = trigger;
		const isLost = !isInbox && !isManual && isPublished && !storedOf(trigger).other;
		if (isLost && this.inbox.isRegistered) setStored(trigger, { other: this.noted() });
	}

	private noted(): Noted {
		return { url: this.inbox.url, at: this.wall() };
	}

	/** n8n starts: a registration that somebody has removed is made again, and the inbox wakes. */
	protected async start(trigger: Trigger): Promise<void> {
		this.noteInbox(trigger);
		if (this.processes.length === 1) await this.keepAwake(trigger);
		else await this.calls(this.ever).callTrigger(trigger.url, { is: 'wake' });
	}

	/** The life of the process that publishes workflows and carries out executions; in queue mode, it is never killed. */
	private get mainLife(): Life {
		return this.processes.length === 1 ? this.processes[0].life : this.ever;
	}

	/** The main process calls the inbox again and again. If it is the only process, it may be killed. */
	protected async keepAwake(trigger: Trigger): Promise<void> {
		if (!trigger.isInbox) return;
		const loop = ++this.loops;
		const life = this.mainLife;
		const calls = this.calls(life);
		while (loop === this.loops && trigger.isPublished && this.isAwake) {
			const result = await calls.callTrigger(trigger.url, { is: 'wake' });
			await calls.pause(typeof result === 'object' ? wakeMs : 1_000);
		}
	}

	/** n8n writes what it stores of a workflow as a whole: as it had read it, with what this process knows. */
	private write({ workflow }: Trigger, process: Process, delivery: DeliveryUnderWay): void {
		const known = workflow.triggers.flatMap(({ url }): Array<[string, Stored]> => {
			const inbox = process.keepers.get(url)?.live;
			const other = process.others.get(url)?.noted;
			if (inbox) return [[url, { inbox: inbox as unknown as Record<string, string> }]];
			return other && other.at > 0 ? [[url, { other }]] : [];
		});
		workflow.stored = delivery.written(Object.fromEntries(known));
		// Of a trigger that this process does not know, an older copy is written back.
		const unknown = workflow.triggers.filter(({ url }) => !known.some(([one]) => one === url));
		for (const { url } of unknown)
			this.olderCopies.push({ url, from: delivery.begin, to: this.now });
	}

	/** The process that takes the requests to a trigger. */
	processOf(trigger: Trigger): Process {
		return this.processes[this.triggers.indexOf(trigger) % this.processes.length];
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
		if (this.isLost() || this.hasPage('triggers')) return undefined;
		if (!trigger?.isPublished) return 'gone';
		const process = this.processOf(trigger);
		if (!process.isUp) return undefined;
		const { life: server } = process;
		return await new Promise((resolve) => {
			let isWaiting = true;
			const delivery = new DeliveryUnderWay(trigger, this.now);
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
					this.write(trigger, process, delivery);
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
}
