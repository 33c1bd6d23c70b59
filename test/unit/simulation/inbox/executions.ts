/** Executions of Send and Wait at n8n, in virtual time. */
import { Asker, type AskerPorts } from '../../../../nodes/BusinessMessaging/inbox/asker';
import {
	type Person,
	type Run,
	type RunState,
	graceMs,
	handOverOf,
} from '../../../../nodes/BusinessMessaging/inbox/core';
import {
	CallReader,
	openResponse,
	runCallSchema,
	runResponseSchema,
	sealCall,
} from '../../../../nodes/BusinessMessaging/inbox/calls';
import type { Repetition } from '../../../../nodes/BusinessMessaging/inbox/protocol';
import { fromRecord, toRecord } from '../../../../nodes/BusinessMessaging/inbox/records';
import { N8n, root } from './n8n';
import { type Action, type Execution, type Written, contentOf, questionOf } from './parts';
import { type Life, newLife } from './time';

/** When n8n notices that the worker of an execution was killed, and when it deletes this execution, ms after that. */
const [recoveryMs, keepMs] = [30_000, 300_000];

type Asking = Extract<Action, { is: 'ask' }>;

export const phoneOf = (person: number) => `+1555000100${person}`;

/** n8n with executions. */
export abstract class Executions extends N8n {
	readonly executions: Execution[] = [];
	readonly written: Written[] = [];
	/** Opens calls to executions. */
	private readonly runReader = new CallReader({ now: () => this.wall(), startedAt: () => 0 });

	protected ask(action: Asking): void {
		const number = this.executions.length;
		const id = `run-${String(number).padStart(7, '0')}`;
		const execution: Execution = {
			id,
			url: `${root}webhook-waiting/${number + 1}/node?wait=${id}&signature=${'a'.repeat(64)}`,
			...{ state: 'asking', isStopped: false, until: Infinity, startedAt: this.now },
			...{
				waitsAt: Infinity,
				diedAt: -Infinity,
				acceptedAt: 0,
				isAcceptedUnheard: false,
				output: [],
				keys: [],
			},
			...{ isEndedByLimit: false, phones: action.people.map(phoneOf) },
			...{ kind: action.kind, failing: action.failing.map(phoneOf) },
			...{ asked: new Map(), questions: new Map(), repeated: new Map(), life: newLife() },
		};
		this.executions.push(execution);
		void this.carryOut(execution, action, number).catch((error) => {
			if (execution.state !== 'dead') execution.state = 'failed';
			execution.failure = String(error);
			this.note(() => `run ${id} fails: ${execution.failure}`);
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
			...this.calls(life, this.keyId),
			listTriggers: async () => {
				await this.after(this.latency(), life);
				const { isRegistered, url: inbox } = this.inbox;
				return { inboxes: isRegistered ? [inbox] : [], others: this.others };
			},
		};
		const skewMs = showsClock ? skew * 1_000 - this.clockMs : null;
		const questions = [questionOf(kind)];
		const asking = { id, url, workflow: 'Ask', questions, limitMs: limit * 1_000, skewMs };
		const asker = new Asker(ports, asking);
		await asker.open();
		const people = phones.map(
			(to, item): Person => ({
				...{ item, to, question: 0, since: 0, toldAt: 0, askedMessageId: null },
				...{ messages: [], misfits: [] },
			}),
		);
		let until = Infinity;
		try {
			for (let at = 0; at < people.length; at += 2) {
				await asker.tell(people.slice(at, at + 2));
				for (const person of people.slice(at, at + 2)) {
					await this.after(this.latency() + pace * 1_000, life);
					const { to, item } = person;
					if (failing.map(phoneOf).includes(to)) continue;
					execution.asked.set(to, this.now);
					execution.questions.set(to, `q ${number} ${to}`);
					people[item] = { ...person, askedMessageId: `q ${number} ${to}` };
				}
			}
			const asked = people.filter(({ to }) => execution.asked.has(to));
			until = await asker.close(asked);
			execution.until = until - this.clockMs;
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
		this.endAt(execution, until + graceMs);
	}

	/** n8n itself ends a wait when its clock shows a time. */
	private endAt(execution: Execution, until: number): void {
		this.at(until - this.clockMs, this.ever, () => {
			if (execution.state !== 'waiting') return;
			if (this.wall() < Math.floor(until)) return this.endAt(execution, until);
			execution.state = 'over';
			execution.isEndedByLimit = true;
			this.note(() => `n8n ends run ${execution.id}`);
		});
	}

	protected killAsker(execution?: Execution): void {
		if (execution?.state !== 'asking') return;
		Object.assign(execution, { state: 'dead', diedAt: this.now });
		this.end(execution.life);
	}

	protected stop(execution?: Execution): void {
		if (execution?.state !== 'waiting') return;
		execution.state = 'over';
		execution.isStopped = true;
	}

	/** A call of the URL that resumes an execution. */
	protected async callRun(life: Life, run: Run, isHandOver: boolean): Promise<RunState> {
		const { keyId } = this;
		const own = this.inbox.url;
		const record = isHandOver ? toRecord(handOverOf(run), own) : undefined;
		const { once, body } = sealCall(keyId, run.id, { own, record }, this.wall());
		const sent = JSON.stringify(body);
		await this.after(this.latency(), life);
		if (this.hasPage('runs')) return 'unknown';
		const execution = this.executions.find(({ url }) => url === run.url);
		if (!execution) return 'gone';
		const { state } = execution;
		let result = this.stateOf(execution);
		const call = this.runReader.open(this.keyId, run.id, JSON.parse(sent), runCallSchema);
		if (!call || call === 'notNow') return 'unknown';
		const handed = fromRecord(run.id, call.content.record, call.content.own);
		if (state === 'waiting' && handed) {
			const messages = [...handed.people.values()].flatMap((person) => person.messages);
			execution.output.push(...messages.map(({ messageId = '' }) => messageId));
			execution.keys.push(...messages.map(({ key }) => key));
			execution.state = 'over';
			execution.acceptedAt = this.now;
			result = 'accepted';
			this.note(() => `run ${run.id} got ${execution.output.join(' ')}`);
		}
		await this.after(this.latency(), life);
		const isLost = this.isLost();
		if (result === 'accepted') execution.isAcceptedUnheard = isLost;
		if (isLost) return 'unknown';
		if (result !== 'accepted' && result !== 'waiting') return result; // n8n's own words
		const response = JSON.stringify(call.respond({ state: result }));
		return openResponse(keyId, once, JSON.parse(response), runResponseSchema)?.state ?? 'unknown';
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

	protected async repeat(
		life: Life,
		run: Run,
		{ to }: Person,
		key: string,
	): Promise<Repetition | undefined> {
		await this.after(this.latency(), life);
		if (this.schedule.setting.refusesRepetitions) return undefined;
		const execution = this.executions.find(({ id }) => id === run.id);
		const keys = execution?.repeated.get(to) ?? new Set<string>();
		execution?.repeated.set(to, keys.add(key));
		const isThis = (one: Written) =>
			one.isCertain ? one.id === key : key.startsWith(`${contentOf(one)}~`);
		for (const message of this.written.filter(isThis)) message.repeatedAt ??= this.now;
		return { messageId: `r ${run.id} ${to} ${keys.size}` };
	}
}
