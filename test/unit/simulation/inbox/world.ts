/**
 * n8n, its processes and the service in virtual time, around the real protocol of Send and Wait. Calls take random times, may fail,
 * and their processes may be killed in between; n8n reads, changes and writes back what it stores as a whole. The same schedule and
 * seed always give the same course.
 */
import { pull } from 'lodash';

import { Asker, type AskerPorts, isSilent } from '../../../../nodes/BusinessMessaging/inbox/asker';
import { type Person, graceMs } from '../../../../nodes/BusinessMessaging/inbox/core';
import { learn } from '../../../../nodes/BusinessMessaging/inbox/inbox';
import type { Calls } from '../../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../../../nodes/BusinessMessaging/inbox/records';
import {
	type DeliveryUnderWay,
	type Action,
	type Execution,
	type Trigger,
	type Written,
	arrivalOf,
	questionOf,
} from './parts';
import { N8n, type Process, root } from './n8n';
import { type Life, newLife } from './time';

/** The service delivers again after these times, ms, and then gives up. */
const retriesMs = [
	2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 240_000, 480_000, 960_000,
];
const serviceTimeoutMs = 10_000;

/** Within this time, ms, what an older copy has overwritten is stored again. */
const storedAgainMs = 720_000;

/** When something happens after all actions, ms: until then, processes that were killed may know nothing. */
export const nextEventMs = 60_000;

type Asking = Extract<Action, { is: 'ask' }>;

const phoneOf = (person: number) => `+1555000100${person}`;

/** A schedule in n8n and the service. */
export class World extends N8n {
	/** Carries out a schedule, until nothing happens any more. */
	async run(): Promise<void> {
		for (const action of this.schedule.actions)
			this.at(this.begin + action.at * 1_000, this.ever, () => this.act(action));
		const last = Math.max(0, ...this.schedule.actions.map(({ at }) => at)) * 1_000;
		this.at(this.begin + last + 40_000, this.ever, () => this.calm());
		// Any event brings the state back into the memory of processes that were killed.
		for (const ms of [nextEventMs, 600_000, 7_200_000])
			this.at(this.begin + last + ms, this.ever, () => this.write('x', 'Hello', true));
		this.at(this.begin + last + 2_400_000, this.ever, () => this.repeatAll());
		while (await this.step()) if (this.steps > 200_000) throw new Error('It never ends');
	}

	private calm(): void {
		this.isCalm = true;
		for (const process of this.processes) process.isUp = true;
	}

	/** Long after everything, n8n is started again, and the service delivers again what can be recognized. */
	private repeatAll(): void {
		for (const process of this.processes) {
			this.end(process.life);
			Object.assign(process, { life: newLife(), inboxes: new Map() });
		}
		for (const message of this.written) message.isLost = !this.isThere(message);
		for (const message of this.written.filter(({ isCertain }) => isCertain))
			for (const trigger of this.triggers)
				if (message.outcomes.has(trigger.url)) void this.deliver(trigger, message);
	}

	private isThere({ id, isRepeatedFor }: Written): boolean {
		const inRun = this.executions.some(({ output }) => output.includes(id));
		const hasStarted = this.triggers.some(
			({ started, late }) => started.includes(id) || late.some((one) => one.id === id),
		);
		return isRepeatedFor || inRun || hasStarted;
	}

	private act(action: Action): void {
		const { setting } = this.schedule;
		this.note(() => JSON.stringify(action));
		if (action.is === 'ask') this.ask(action);
		if (action.is === 'write') this.write(phoneOf(action.person), action.text, action.isCertain);
		if (action.is === 'kill') this.kill(action.process % setting.processes, action.down * 1_000);
		if (action.is === 'killAsker') this.killAsker(this.executions[action.run]);
		if (action.is === 'stop') this.stop(this.executions[action.run]);
		if (action.is === 'cutOff') this.cutOff(action);
		const trigger = this.triggers[('trigger' in action ? action.trigger : 0) % setting.triggers];
		if (action.is === 'olderCopy') void this.writeBack(trigger, action.after * 1_000);
		if (action.is === 'publish') void this.publish(trigger, action);
	}

	private end(life: Life): void {
		life.isOver = true;
		for (const tell of life.onEnd) tell();
	}

	private kill(index: number, downMs: number): void {
		const process = this.processes[index];
		if (!process.isUp || this.isCalm) return;
		this.kills.push(this.now);
		this.end(process.life);
		Object.assign(process, { life: newLife(), isUp: false, inboxes: new Map() });
		this.at(this.now + downMs, this.ever, () => (process.isUp = true));
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

	private cutOff({ run, lasts, from }: Extract<Action, { is: 'cutOff' }>): void {
		const lastsMs = lasts * 1_000;
		this.executions[run]?.cutOffs.push({ from, lastsMs, until: this.now + lastsMs });
	}

	/** An execution of the trigger's workflow that changes static data writes back the copy with which it began. */
	private async writeBack(trigger: Trigger, afterMs: number): Promise<void> {
		const { stored } = trigger;
		const from = this.now;
		await this.after(afterMs, this.ever);
		trigger.stored = stored;
		const copy = { from, to: this.now };
		this.olderCopies.push(copy);
		this.note(() => `older copy of ${trigger.url} written back`);
		const { known } = this.inboxOf(trigger, this.route(trigger));
		const open = known.runs.all().filter((run) => known.isOpen(run));
		await this.after(storedAgainMs, this.route(trigger).life);
		if (this.olderCopies.at(-1) !== copy || !trigger.isPublished) return;
		const { inbox = {} } = JSON.parse(trigger.stored) as { inbox?: object };
		for (const { id } of open) if (known.runs.get(id) && !(id in inbox)) this.overwritten.push(id);
	}

	/** The main process publishes the workflow again. It receives no deliveries. */
	private async publish(
		trigger: Trigger,
		{ gone, takes, isRemoved }: Extract<Action, { is: 'publish' }>,
	): Promise<void> {
		const publishing = { url: trigger.url, from: this.now, to: Infinity, hasLearned: true };
		this.publications.push(publishing);
		trigger.isPublished = false;
		if (isRemoved) trigger.isRegistered = false;
		await this.after(gone * 1_000, this.ever);
		trigger.isPublished = true;
		const stored = JSON.parse(trigger.stored) as Record<string, unknown>;
		await this.after(takes * 500, this.ever);
		trigger.isRegistered = true;
		const silent = new Set<string>();
		const calls = this.calls(this.ever);
		const callTrigger: Calls['callTrigger'] = async (url, request) => {
			const result = await calls.callTrigger(url, request);
			if (result === undefined) silent.add(url);
			else silent.delete(url);
			return result;
		};
		const ports = { ...calls, ...this.seals(), callTrigger };
		const learned = await learn(ports, trigger.url, this.listed(trigger), stored.inbox);
		await this.after(takes * 500, this.ever);
		trigger.stored = JSON.stringify(learned ? { ...stored, inbox: learned } : stored);
		Object.assign(publishing, { to: this.now, hasLearned: silent.size === 0 });
		this.olderCopies.push(publishing);
		this.note(() => `${trigger.url} published again`);
	}

	private write(phone: string, text: string, isCertain: boolean): void {
		const message: Written = {
			id: `m${this.written.length}`,
			...{
				phone,
				text,
				isCertain,
				at: this.now,
				isRepeatedFor: false,
				isLost: false,
				outcomes: new Map(),
			},
		};
		this.written.push(message);
		for (const trigger of this.triggers.filter((one) => one.isRegistered))
			void this.deliver(trigger, message);
	}

	private async deliver(trigger: Trigger, message: Written): Promise<void> {
		if (!message.outcomes.has(trigger.url)) message.outcomes.set(trigger.url, 'pending');
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
		// If the trigger's process is still down, nobody has refused the message.
		if (this.route(trigger).isUp) message.outcomes.set(trigger.url, 'givenUp');
		else message.outcomes.delete(trigger.url);
	}

	private async receive(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		message: Written,
	): Promise<number> {
		const inbox = this.inboxOf(trigger, process);
		inbox.known.load(delivery);
		// The trigger recognizes an event that has started its workflow.
		const { id, isCertain, outcomes } = message;
		if (isCertain && trigger.started.includes(id)) return 200;
		if (isCertain && trigger.starting.includes(id)) return 503;
		const arrival = arrivalOf(message);
		const verdicts = await inbox.consume(delivery, [arrival]);
		if (verdicts === 'busy') return 503;
		const [{ is, startsToo }] = verdicts;
		this.note(() => `${message.id} at ${trigger.url.slice(-17, -8)}: ${is}`);
		if (is === 'ordinary' || startsToo) {
			delivery.forgets = true;
			// The trigger remembers the event in the same static data.
			if (isCertain) inbox.known.keep(delivery);
			trigger.starting.push(id);
			delivery.starts.push(() => {
				if (!trigger.started.includes(id)) trigger.started.push(id);
				if (is === 'ordinary') outcomes.set(trigger.url, 'started');
			});
			const end = () => pull(trigger.starting, id);
			void delivery.hasSucceeded().then(end);
			process.life.onEnd.add(end);
		}
		if (is === 'taken' && outcomes.get(trigger.url) !== 'started')
			outcomes.set(trigger.url, 'taken');
		return 200;
	}

	private ask(action: Asking): void {
		const id = `run-${String(this.executions.length).padStart(7, '0')}`;
		const execution: Execution = {
			id,
			url: `${root}webhook-waiting/${this.executions.length + 1}/node?wait=${id}&signature=${'a'.repeat(64)}`,
			...{
				state: 'asking',
				isStopped: false,
				until: Infinity,
				startedAt: this.now,
				waitsAt: Infinity,
				diedAt: -Infinity,
				calledOwnerAt: [],
				endedAskingAt: Infinity,
				acceptedAt: 0,
				output: [],
				isEndedByLimit: false,
			},
			phones: action.people.map(phoneOf),
			...{ asked: new Map(), repeated: new Map(), cutOffs: [], lostCallsAt: [], life: newLife() },
		};
		this.executions.push(execution);
		void this.carryOut(execution, action).catch((error) => {
			execution.state = 'failed';
			this.note(() => `run ${id} fails: ${String(error)}`);
		});
	}

	private async carryOut(
		execution: Execution,
		{ failing, kind, limit, pace, dies }: Asking,
	): Promise<void> {
		const { life, id, url, phones } = execution;
		const calls = this.calls(life);
		const ports: AskerPorts = {
			...calls,
			callTrigger: async (called, request) => {
				const run = request.is === 'tell' ? fromRecord(id, request.run, called) : undefined;
				// Before there is an owner, it is the trigger that will own the first run. That one is always heard then.
				const owner = run?.owner ?? this.triggers[0].url;
				const to = owner === called ? 'owner' : 'others';
				const isHeard = !execution.cutOffs.some(
					({ from, until }) => from === to && this.now < until,
				);
				if (run && to === 'owner') execution.calledOwnerAt.push(this.now);
				const mayBeCut = run !== undefined || (request.is === 'hello' && to === 'others');
				if (mayBeCut && !isHeard) {
					await this.after(1_000, life);
					return undefined;
				}
				const at = this.now;
				const result = await calls.callTrigger(called, request);
				if (isSilent(result) && to === 'others') execution.lostCallsAt.push(at);
				return result;
			},
			listTriggers: async () => {
				await this.after(this.latency(), life);
				return this.listed();
			},
		};
		const limitMs = limit * 1_000;
		const asker = new Asker(ports, { id, url, questions: [questionOf(kind)], limitMs, skewMs: 0 });
		if (!(await asker.open())) throw new Error('no trigger');
		const people = phones.map(
			(to, item): Person => ({
				...{ item, to, question: 0, since: 0, askedMessageId: null },
				...{ messages: [], repeatedAfter: [] },
			}),
		);
		try {
			for (let at = 0; at < people.length; at += 2) {
				await asker.tell(people.slice(at, at + 2));
				for (const { to } of people.slice(at, at + 2)) {
					await this.after(this.latency() + pace * 1_000, life);
					if (!failing.map(phoneOf).includes(to)) execution.asked.set(to, this.now);
				}
			}
			const asked = people.filter(({ to }) => execution.asked.has(to));
			execution.until = await asker.close(asked, []);
			execution.endedAskingAt = this.now;
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
		const end = execution.until + graceMs;
		this.at(end, this.ever, () => {
			if (execution.state !== 'waiting') return;
			execution.state = 'over';
			execution.isEndedByLimit = true;
			this.note(() => `n8n ends run ${id}`);
		});
	}
}
