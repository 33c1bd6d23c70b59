/**
 * n8n, its executions and the service in virtual time, around the real protocol of Send and Wait. Calls take random times, may fail,
 * and their processes may be killed in between. The same schedule and seed always give the same course.
 */
import { pull } from 'lodash';

import { openResponse, sealCall } from '../../../../nodes/BusinessMessaging/inbox/calls';
import type { Late, Verdict } from '../../../../nodes/BusinessMessaging/inbox/core';
import { Keeper } from '../../../../nodes/BusinessMessaging/inbox/keeper';
import { DeliveryNames } from '../../../../nodes/BusinessMessaging/inbox/messageNames';
import { OtherTrigger } from '../../../../nodes/BusinessMessaging/inbox/otherTrigger';
import {
	type CallResult,
	type InboxResponse,
	type Request,
	inboxResponseSchema,
	requestSchema,
} from '../../../../nodes/BusinessMessaging/inbox/protocol';
import { seal, unseal } from '../../../../nodes/BusinessMessaging/inbox/seal';
import { Executions, phoneOf } from './executions';
import { type Process, restartMs } from './n8n';
import {
	type Action,
	type DeliveryUnderWay,
	type Noted,
	type Trigger,
	type Written,
	type Words,
	arrivalOf,
	storedOf,
} from './parts';
import type { Life } from './time';

/** The service delivers again after these times, ms, and then gives up. */
const retriesMs = [
	2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 120_000, 240_000, 480_000, 960_000,
];
const serviceTimeoutMs = 10_000;
const callTimeoutMs = 10_000;

/** How many processes of n8n there were, in all worlds: no two share a lock. */
let processCount = 0;

/** A schedule in n8n and the service. */
export class World extends Executions {
	readonly warnings: string[] = [];
	/** Calls that end the wait for a person, and when their response came. */
	readonly ends: Array<{ phone: string; at: number; confirmedAt: number }> = [];

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

	private calm(): void {
		this.isCalm = true;
		for (const process of this.processes) process.isUp = true;
		for (const trigger of this.triggers) void this.start(trigger);
	}

	private repeatAll(): void {
		for (const process of this.processes) {
			this.end(process.life);
			Object.assign(process, this.fresh());
		}
		for (const trigger of this.triggers) this.noteInbox(trigger);
		for (const message of this.written.filter(({ isCertain }) => isCertain))
			for (const trigger of this.triggers)
				if (message.outcomes.has(trigger.url)) void this.deliver(trigger, [message]);
		void this.keepAwake(this.inbox);
	}

	private act(action: Action): void {
		const { setting } = this.schedule;
		this.note(() => JSON.stringify(action));
		if (action.is === 'ask') this.ask(action);
		if (action.is === 'write') this.writeAll([action]);
		if (action.is === 'list') this.writeAll(action.messages);
		if (action.is === 'kill') this.kill(action.process % setting.processes, action.down * 1_000);
		if (action.is === 'killAsker') this.killAsker(this.executions[action.run]);
		if (action.is === 'stop') this.stop(this.executions[action.run]);
		if (action.is === 'endWait') void this.endWait(phoneOf(action.person));
		if (action.is === 'edit') this.edit(this.written[action.message]);
		if (action.is === 'putBack') this.putBack(action.by * 1_000);
		if (action.is === 'changeKey') this.changeKey();
		if (action.is === 'page')
			this.pages.push({ of: action.of, until: this.now + action.lasts * 1_000 });
		const trigger = this.triggers[('trigger' in action ? action.trigger : 0) % setting.triggers];
		if (action.is === 'olderCopy') void this.writeBack(trigger, action.after * 1_000);
		if (action.is === 'publish') void this.publish(trigger, action);
	}

	/** Calls use the current key, or one that was read before. */
	protected calls(life: Life, keyId?: string) {
		return {
			now: () => this.wall(),
			pause: async (ms: number) => await this.after(Math.max(0, ms), life),
			callTrigger: async (url: string, request: Request) =>
				await this.call(life, url, request, keyId ?? this.keyId),
		};
	}

	private keeperOf(trigger: Trigger, process: Process): Keeper {
		const known = process.keepers.get(trigger.url);
		if (known && process.keyId !== this.keyId) known.sealAgain();
		process.keyId = this.keyId;
		if (known) return known;
		const { life } = process;
		const keeper = new Keeper(
			trigger.url,
			{
				...this.calls(life),
				seal: (text) => seal(this.keyId, text),
				unseal: (text) => {
					const record = unseal(this.keyId, text);
					if (record === undefined) this.unreadable.push(this.now);
					return record;
				},
				callRun: async (run, isHandOver) => await this.callRun(life, run, isHandOver),
				repeat: async (run, person, { key }) => await this.repeat(life, run, person, key),
				warn: (message) => void this.warnings.push(message),
			},
			`p${++processCount}`,
		);
		process.keepers.set(trigger.url, keeper);
		return keeper;
	}

	/** Another trigger. What was noted last of the inbox counts, in memory or as n8n has stored it. */
	private otherOf(trigger: Trigger, process: Process) {
		const { other: stored } = storedOf(trigger);
		const opened = process.others.get(trigger.url) ?? this.newOther(trigger, process);
		this.notedBy(opened);
		if (stored && stored.at > opened.noted.at) {
			opened.noted = stored;
			if (stored.url !== undefined) opened.trigger.look(stored.url);
			else if (opened.trigger.inbox !== undefined) opened.trigger.forget(opened.trigger.inbox);
		}
		return opened;
	}

	private notedBy(opened: { trigger: OtherTrigger; noted: Noted }): Noted {
		const { inbox: url } = opened.trigger;
		if (url !== opened.noted.url)
			opened.noted = { ...(url !== undefined && { url }), at: this.wall() };
		return opened.noted;
	}

	private newOther(trigger: Trigger, process: Process) {
		const { life } = process;
		const ports = {
			...this.calls(life),
			isManual: trigger.isManual,
			listInbox: async () => {
				await this.after(this.latency(), life);
				if (this.isLost()) throw new Error('The list is not known');
				return this.inbox.isRegistered ? this.inbox.url : undefined;
			},
			warn: (message: string) => void this.warnings.push(message),
		};
		const made = {
			trigger: new OtherTrigger(ports),
			names: new DeliveryNames(`p${++processCount}`),
			noted: { at: 0 } as Noted,
		};
		process.others.set(trigger.url, made);
		return made;
	}

	private async call(
		life: Life,
		url: string,
		request: Request,
		keyId: string,
	): Promise<CallResult> {
		const { once, body } = sealCall(keyId, url, request, this.wall());
		const sent = JSON.stringify(body);
		const result = await this.request(
			life,
			url,
			callTimeoutMs,
			async (trigger, process, delivery) => {
				const call = process.reader.open(this.keyId, url, JSON.parse(sent), requestSchema);
				if (call === 'notNow') return undefined;
				if (!call) return 'refused' as const;
				const response = await this.answer(trigger, process, delivery, call.content);
				this.note(() => `${request.is}: ${JSON.stringify(response)}`);
				return JSON.stringify(call.respond(response));
			},
		);
		if (result === undefined || result === 'gone' || result === 'refused') return result;
		return openResponse(keyId, once, JSON.parse(result), inboxResponseSchema);
	}

	private async answer(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		request: Request,
	): Promise<InboxResponse> {
		if (request.is === 'look' || request.is === 'bye') {
			const other = this.otherOf(trigger, process);
			if (request.is === 'look') other.trigger.look(request.inbox);
			else other.trigger.forget(request.inbox);
			delivery.note(this.notedBy(other));
			return { inbox: 'no' };
		}
		const keeper = this.keeperOf(trigger, process);
		keeper.load(delivery);
		const { late, response } = await keeper.respond(delivery, request, trigger.isInbox);
		if (late) this.startLate(trigger, delivery, late);
		return response;
	}

	private startLate(trigger: Trigger, delivery: DeliveryUnderWay, late: Late[]): void {
		delivery.forgets = true;
		delivery.starts.push(() => {
			for (const { message } of late)
				trigger.late.push({ id: message.messageId ?? '', at: this.now });
			this.note(() => `late: ${late.map(({ message }) => message.messageId).join(' ')}`);
		});
	}

	/** People write, and the service delivers their messages together. */
	private writeAll(all: Words[]): void {
		const messages = all.map((one) => this.written[this.written.push(this.toWritten(one)) - 1]);
		for (const trigger of this.triggers.filter((one) => one.isRegistered))
			void this.deliver(trigger, messages);
	}

	private toWritten({ person, text, isCertain, quotes }: Words): Written {
		const quoted = quotes === undefined ? undefined : `q ${quotes} ${phoneOf(person)}`;
		return {
			...{ id: `m${this.written.length}`, phone: phoneOf(person), text, isCertain },
			...{
				at: this.now,
				clock: this.wall(),
				outcomes: new Map(),
				quoted,
				hasLostResponse: false,
				handledAt: 0,
			},
			...{ starts: [], lostStarts: [] },
		};
	}

	private async endWait(phone: string): Promise<void> {
		const end = { phone, at: this.now, confirmedAt: Infinity };
		this.ends.push(end);
		const request = { is: 'endWait' as const, people: [{ phone }] };
		const response = await this.calls(this.ever).callTrigger(this.inbox.url, request);
		if (typeof response === 'object' && response.ended) end.confirmedAt = this.now;
	}

	private edit(message?: Written): void {
		if (!message?.isCertain) return;
		for (const trigger of this.triggers.filter((one) => one.isRegistered))
			void this.deliver(trigger, [message], 'Blue');
	}

	private async deliver(trigger: Trigger, messages: Written[], edited?: string): Promise<void> {
		for (const { outcomes } of messages)
			if (!outcomes.has(trigger.url)) outcomes.set(trigger.url, { is: 'pending', at: this.now });
		const { registeredAt } = trigger;
		for (const pauseMs of [0, ...retriesMs]) {
			await this.after(pauseMs, this.ever);
			// The service delivers nothing more to a registration that was removed.
			if (trigger.registeredAt !== registeredAt || !trigger.isRegistered) {
				for (const message of messages)
					if (this.isForgotten(trigger, message)) message.outcomes.delete(trigger.url);
				return;
			}
			let isHandled = false;
			const status = await this.request(
				this.ever,
				trigger.url,
				serviceTimeoutMs,
				async (_, process, delivery) => {
					isHandled = true;
					return await this.receive(trigger, process, delivery, messages, edited);
				},
			);
			if (status === 200) return;
			for (const message of messages) message.hasLostResponse ||= isHandled && status !== 503;
		}
		for (const { outcomes } of messages) outcomes.set(trigger.url, { is: 'givenUp', at: this.now });
	}

	/** Whether a trigger knows nothing of a message that had no response: it was not handled, or the process was killed since. */
	private isForgotten({ url }: Trigger, { outcomes, handledAt }: Written): boolean {
		const is = outcomes.get(url)?.is;
		return is === 'pending' || (is === 'taken' && this.kills.some(({ at }) => handledAt <= at));
	}

	private wants({ url }: Trigger, { text }: Written): boolean {
		return !url.includes('trigger-2') || text === 'STOP';
	}

	private async receive(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		all: Written[],
		edited?: string,
	): Promise<number> {
		const isNew = ({ id, isCertain, text }: Written) => {
			// The trigger recognizes an event that has started its workflow, unless it was edited.
			const isSame = isCertain && (edited ?? text) === text;
			return !isSame || !trigger.started.includes(id);
		};
		for (const message of all)
			if (!this.wants(trigger, message)) message.outcomes.delete(trigger.url);
		const messages = all.filter((one) => this.wants(trigger, one) && isNew(one));
		if (messages.some(({ id, isCertain }) => isCertain && !edited && trigger.starting.includes(id)))
			return 503;
		if (messages.length === 0) return 200;
		for (const message of messages) message.handledAt = this.now;
		const read = messages.map((one) => ({ ...one, text: edited ?? one.text }));
		const verdicts = await this.verdictsAt(trigger, process, delivery, read);
		if (!verdicts) return 503;
		for (const [index, message] of messages.entries())
			this.carryOutVerdict(trigger, process, delivery, message, verdicts[index]);
		return 200;
	}

	private carryOutVerdict(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		message: Written,
		{ is, startsToo }: Verdict,
	): void {
		const { id, outcomes } = message;
		this.note(() => `${id} at ${trigger.url.slice(-17, -8)}: ${is}`);
		if (is === 'ordinary' || startsToo) {
			delivery.forgets = true;
			// The trigger remembers the event in the same static data.
			delivery.writes = true;
			trigger.starting.push(id);
			delivery.starts.push(() => {
				message.starts.push(trigger.url);
				void delivery.ended.then((end) => {
					if (end === 'lost') message.lostStarts.push(trigger.url);
				});
				if (!trigger.started.includes(id)) trigger.started.push(id);
				if (is === 'ordinary') outcomes.set(trigger.url, { is: 'started', at: this.now });
			});
			const end = () => pull(trigger.starting, id);
			void delivery.hasSucceeded().then(end);
			process.life.onEnd.add(end);
		}
		if (is === 'taken' && outcomes.get(trigger.url)?.is !== 'started')
			outcomes.set(trigger.url, { is: 'taken', at: this.now });
	}

	private async verdictsAt(
		trigger: Trigger,
		process: Process,
		delivery: DeliveryUnderWay,
		messages: Written[],
	): Promise<Verdict[] | undefined> {
		const arrivals = messages.map((one) => arrivalOf(one, this.schedule.setting.skew * 1_000));
		if (trigger.isInbox) {
			const keeper = this.keeperOf(trigger, process);
			keeper.load(delivery);
			const verdicts = await keeper.receive(delivery, arrivals);
			return verdicts === 'busy' ? undefined : verdicts;
		}
		const opened = this.otherOf(trigger, process);
		const { trigger: other, names } = opened;
		const confirmed = delivery.ended.then((end) => end === 'received');
		const delivered = arrivals.map((one) => names.begin(one, this.wall(), confirmed));
		const { url, since: registeredAt } = trigger;
		const verdicts = await other.ask(delivered, { trigger: url, registeredAt });
		delivery.note(this.notedBy(opened));
		return verdicts;
	}
}
