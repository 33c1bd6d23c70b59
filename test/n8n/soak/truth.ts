/** Compares what should have happened with what did, from the sandbox's log and n8n's executions. */
import countBy from 'lodash/countBy';
import difference from 'lodash/difference';
import maxBy from 'lodash/maxBy';
import partition from 'lodash/partition';
import sumBy from 'lodash/sumBy';
import pLimit from 'p-limit';
import type { Delivery } from '../../../sandbox/deliveries';
import type { Message } from '../../../sandbox/state/messages';
import {
	cameAtStart,
	type Execution,
	hasEnded,
	outputOf,
	startedWith,
} from '../../../harness/n8n/client';
import { emptyLine, type Line } from './line';
import { LogTruth } from './logTruth';
import type { Mailing } from './mailing';
import { RecordTruth, STOP } from './recordTruth';
import { ACTION, OPTED_OUT, patiently, type Shop, START } from './shop';

/** How long after n8n's response an execution may appear, ms. */
const SETTLED_AFTER = 120_000;
/** If n8n stops within this time after its response to an event, the event may start twice, as docs/trigger.md says, ms. */
const LAST_MOMENT = 3_000;
const READ_AT_ONCE = 4;
/** How long n8n may go on with a delivery after the service has given up, e.g. while its database does not respond, ms. */
const AFTERWARDS = 60_000;

/** An event to which n8n has responded with 200, the executions that it has started, and the number of questions that it has answered. */
interface Event {
	deliveries: Delivery[];
	/** The executions by their IDs; an emptied one has ended without the data with which it had started. */
	executions: Map<
		number,
		{ status: string; hasBegun: boolean; beganLate: boolean; isEmptied: boolean }
	>;
	answered: number;
}

/** Records what happens in a shop. */
export class Truth {
	readonly mailings: Mailing[] = [];
	/** Names of contacts by number, as the last sync has saved them. */
	readonly contacts = new Map<string, string>();
	/** People who had opted out before the day. */
	readonly optedOutBefore = new Set<string>();
	/** When processes that receive deliveries were ended, Unix ms. */
	readonly ends: Array<{ from: number; to: number }> = [];
	/** When a process was last started again, Unix ms: until then, n8n may not have stored what it had begun. */
	startedAt = 0;
	/** Deliveries that the service has not completed yet. */
	readonly pending = new Set<Delivery>();
	private readonly events = new Map<string, Event>();
	readonly log: LogTruth;
	/** What the campaign log says of receipts and replies. */
	readonly records: RecordTruth;
	/** The messages with each text to each person. */
	private readonly received = new Map<string, Map<string, Message[]>>();
	private messagesSeen = 0;
	private readonly executionsRead = new Set<number>();
	/** The events with which an execution has started, as they were last read. */
	private readonly keysOfExecutions = new Map<number, string[]>();
	/** When n8n stored executions that it then gave up before they began, without their data, by workflow, Unix ms. */
	private readonly givenUp: Record<string, number[]> = {};
	private readonly readUpTo: Record<string, number> = {};
	private readonly allDeliveries = new Set<Delivery>();

	constructor(private readonly shop: Shop) {
		this.log = new LogTruth(shop);
		this.records = new RecordTruth(shop, (name, key) => this.isDone(name, key));
		shop.sandbox.changes.on('delivery', (delivery) => {
			this.allDeliveries.add(delivery);
			if (delivery.state === 'pending') this.pending.add(delivery);
			else this.pending.delete(delivery);
		});
	}

	/** The slowest response to a delivery, ms. */
	get slowestAnswer(): number {
		const attempts = this.deliveries.flatMap((delivery) => delivery.attempts);
		const answered = attempts.filter(({ status }) => status === 200);
		return maxBy(answered, 'ms')?.ms ?? 0;
	}

	/** Deliveries, newest last. */
	get deliveries(): Delivery[] {
		return [...this.allDeliveries];
	}

	/** Records the result of a question. */
	note(question: Mailing, executions: Execution[]): void {
		question.executions = executions.map(({ id }) => id);
		const isDone = executions.every(({ status }) => status === 'success');
		question.state = isDone ? 'ended' : 'interrupted';
		if (!isDone) return;
		for (const { json } of executions.flatMap((one) => outputOf(one, ACTION))) {
			if (json.error) question.named.add(String(json.to));
			if (json.replied) this.event(`autoReply ${String(json.messageId)}`).answered++;
		}
	}

	/** Checks whether n8n has continued interrupted questions. */
	async lookAgain(): Promise<void> {
		const { client } = this.shop.machine.main;
		for (const question of this.mailings.filter(({ state }) => state === 'interrupted')) {
			const read = question.executions.map(async (id) => await client.getExecution(id));
			this.note(question, await Promise.all(read));
		}
	}

	/** Reads the executions that n8n has started since the last call. Executions of opt-outs that failed are run again, as a person would. */
	async collect(): Promise<void> {
		const limit = pLimit(READ_AT_ONCE);
		for (const name of ['autoReply', 'receipts', 'optOuts']) {
			const { id } = this.shop.places[name];
			const after = this.readUpTo[name] ?? 0;
			const ids = await this.shop.executions(id, after);
			const unread = () => ids.filter((one) => !this.executionsRead.has(one));
			const read = async (one: number) => await limit(async () => await this.read(name, one));
			await Promise.all(unread().map(read));
			this.readUpTo[name] = Math.min(...unread(), Math.max(after, ...ids) + 1) - 1;
		}
	}

	private async read(name: string, id: number): Promise<void> {
		const { client } = this.shop.machine.main;
		const execution = await patiently(async () => await client.getExecution(String(id)));
		const found = execution.mode === 'retry' ? [] : keysOf(name, execution);
		// A minute after a worker was killed, n8n replaces its executions by errors without data.
		const known = this.keysOfExecutions.get(id) ?? [];
		const keys = found.length > 0 ? found : known;
		this.keysOfExecutions.set(id, keys);
		const isEmptied = keys !== found && hasEnded(execution);
		const { status } = execution;
		// If n8n's database fails, an execution may be stored that never begins; after n8n's next start it has crashed.
		const hasOutput = outputOf(execution, START).length > 0;
		const hasBegun = hasEnded(execution) && !isEmptied && (status !== 'crashed' || hasOutput);
		const entry = { status, hasBegun, beganLate: this.beganLate(execution), isEmptied };
		for (const key of keys) this.event(`${name} ${key}`).executions.set(id, entry);
		if (!hasEnded(execution)) return;
		this.executionsRead.add(id);
		if (execution.mode !== 'retry' && keys.length === 0 && status === 'error')
			(this.givenUp[name] ??= []).push(Date.parse(execution.createdAt));
		if (name === 'optOuts' && execution.status !== 'success')
			await patiently(async () => await client.retry(String(id)));
	}

	/** The table, as far as it is certain. @param isFinal whether everything has ended */
	lines(isFinal: boolean): Line[] {
		this.readMessages();
		this.readDeliveries();
		const mailings = (kind: Mailing['kind']) => this.mailings.filter((one) => one.kind === kind);
		return [
			this.mailingLine('campaign messages', mailings('campaign')),
			this.mailingLine('questions', mailings('question')),
			this.previewLine(mailings('preview')),
			this.eventLine("customers' messages", 'autoReply', isFinal),
			this.answerLine(),
			this.eventLine('delivery receipts', 'receipts', isFinal),
			this.eventLine('opt-outs', 'optOuts', isFinal),
			...(isFinal ? [this.optedOutLine(), this.contactLine(), ...this.records.lines()] : []),
		];
	}

	/** Whether an execution with this event has ended without an error. */
	private isDone(name: 'receipts' | 'autoReply', key: string): boolean {
		const executions = this.events.get(`${name} ${key}`)?.executions.values() ?? [];
		return [...executions].some(({ status, hasBegun }) => hasBegun && status === 'success');
	}

	private readMessages(): void {
		const { all } = this.shop.sandbox.state.messages;
		for (const message of all.slice(this.messagesSeen)) {
			const { direction, text, phone } = message;
			if (direction === 'inbound') continue;
			const people = this.received.get(text) ?? new Map<string, Message[]>();
			this.received.set(text, people.set(phone, [...(people.get(phone) ?? []), message]));
		}
		this.messagesSeen = all.length;
	}

	private readDeliveries(): void {
		for (const event of this.events.values()) event.deliveries = [];
		for (const delivery of this.allDeliveries) {
			const name = this.nameOf(delivery);
			if (!name || (name === 'optOuts' && delivery.data.text !== STOP)) continue;
			this.event(`${name} ${keyOf(name, delivery.data)}`).deliveries.push(delivery);
		}
	}

	private nameOf({ url }: Delivery): string | undefined {
		return Object.keys(this.shop.places).find((name) => url.includes(this.shop.places[name].path));
	}

	private event(key: string): Event {
		const event = this.events.get(key) ?? { deliveries: [], executions: new Map(), answered: 0 };
		this.events.set(key, event);
		return event;
	}

	private mailingLine(what: string, mailings: Mailing[]): Line {
		const line = emptyLine(what);
		for (const { text, wanted, either, named, state } of mailings) {
			const received = this.received.get(text) ?? new Map<string, Message[]>();
			for (const [phone, messages] of received) {
				// What has failed is sent again.
				const times = messages.filter(({ status }) => status !== 'failed').length;
				if (times > 1) line.doubled.push(`${phone} has "${text}" ${times} times`);
				if (!wanted.has(phone) && !either.has(phone))
					line.doubled.push(`${phone} has "${text}", but was left out`);
			}
			if (state === 'running') continue;
			const missing = [...wanted].filter((phone) => !received.has(phone));
			line.wanted += wanted.size;
			line.done += wanted.size - missing.length;
			for (const phone of missing) {
				const isNamed = named.has(phone) || state === 'interrupted';
				line[isNamed ? 'uncertain' : 'lost'].push(`${phone} lacks "${text}"`);
			}
		}
		return line;
	}

	private previewLine(mailings: Mailing[]): Line {
		const wanted = sumBy(mailings, ({ wanted: people }) => people.size);
		const done = sumBy(mailings, ({ named }) => named.size);
		const ended = mailings.filter(({ state }) => state === 'ended');
		const short = ended.filter(({ named, wanted: all }) => named.size !== all.size);
		const lost = short.map(
			({ text, named, wanted: all }) => `"${text}": ${named.size} of ${all.size}`,
		);
		const doubled = mailings.map(({ text }) => text).filter((text) => this.received.has(text));
		return { ...emptyLine('previews'), wanted, done, lost, doubled };
	}

	private eventLine(what: string, name: string, isFinal: boolean): Line {
		const line = emptyLine(what);
		const settledAt = Date.now() - SETTLED_AFTER;
		const latest = isFinal ? Infinity : this.startedAt < settledAt ? settledAt : 0;
		for (const [key, event] of this.events) {
			if (!key.startsWith(`${name} `)) continue;
			const executions = [...event.executions.values()];
			const begun = executions.filter(({ hasBegun }) => hasBegun).length;
			const stored = [...event.executions].map(([id, one]) => `${id} ${JSON.stringify(one)}`);
			const what = () => `${key} (${[...event.deliveries.map(describe), ...stored].join('; ')})`;
			const mayBeTwice = this.isNearEnd(event) || executions.some((one) => one.beganLate);
			if (begun + event.answered > 1) line[mayBeTwice ? 'uncertain' : 'doubled'].push(what());
			const delivered = event.deliveries.filter(({ state }) => state === 'delivered');
			if (!delivered.some((delivery) => answeredAt(delivery) < latest)) continue;
			const mayCount = executions.some(({ status }) => !isFinal || status === 'crashed');
			const isDone = begun + event.answered > 0 || mayCount;
			if (!isDone && this.mayBeAwaited(delivered[0], isFinal)) continue;
			line.wanted++;
			if (isDone) line.done++;
			else if (
				delivered.every(cameAtStart) ||
				executions.some((one) => one.isEmptied) ||
				this.mayBeGivenUp(name, event)
			)
				line.uncertain.push(key);
			else line.lost.push(what());
		}
		return line;
	}

	/** Whether a message may be from a person whose run still waits, or has crashed together with the message. */
	private mayBeAwaited({ data }: Delivery, isFinal: boolean): boolean {
		const mailing = this.mailings.find(
			({ kind, wanted }) => kind === 'question' && wanted.has(String(data.from)),
		);
		return mailing?.state === 'interrupted' || (mailing?.state === 'running' && !isFinal);
	}

	/** Whether n8n was receiving an event, or had just responded to it, when it was stopped: then the event may start twice. */
	private isNearEnd({ deliveries }: Event): boolean {
		return deliveries.some(({ attempts }) =>
			attempts.some(({ at, ms }) => {
				const [start, end] = [Date.parse(at), Date.parse(at) + ms];
				return this.ends.some(({ from, to }) => start <= to && end >= from - LAST_MOMENT);
			}),
		);
	}

	/**
	 * Whether n8n may have given up the execution of an event. If n8n's database fails while it checks the credentials of the
	 * workflow, it stores an error without the event, and responds with 200.
	 */
	private mayBeGivenUp(name: string, { deliveries }: Event): boolean {
		const attempts = deliveries.flatMap((delivery) => delivery.attempts);
		return attempts.some(({ at, ms }) => {
			const start = Date.parse(at);
			return this.givenUp[name]?.some((time) => time >= start && time < start + ms + AFTERWARDS);
		});
	}

	/**
	 * Whether n8n stored an execution, could not begin it, and began it when it was started again. Its response was an
	 * error, so the event has started another execution meanwhile.
	 */
	private beganLate({ createdAt, startedAt }: Execution): boolean {
		const [stored, began] = [createdAt, startedAt ?? ''].map(Date.parse);
		return this.ends.some(({ to }) => stored < to && to < began);
	}

	/** The line for replies to questions: done if the run has the reply, doubled if the reply also started a workflow. */
	private answerLine(): Line {
		const line = emptyLine('answers');
		const asked = new Map(
			this.mailings
				.filter(({ kind, state }) => kind === 'question' && state !== 'running')
				.flatMap((mailing) => [...mailing.wanted].map((phone) => [phone, mailing] as const)),
		);
		for (const [key, { deliveries, executions, answered }] of this.events) {
			const [delivery] = deliveries;
			const mailing = asked.get(String(delivery?.data.from));
			if (!mailing || !key.startsWith('autoReply ')) continue;
			line.wanted++;
			if (answered > 0) line.done++;
			else if (executions.size > 0 || mailing.state === 'interrupted') line.uncertain.push(key);
			// Whether the message is lost is counted with the customers' messages: it should have started a workflow or answered a question.
		}
		return line;
	}

	private optedOutLine(): Line {
		const { contacts } = this.shop.sandbox.state;
		const wrote = [...this.allDeliveries].filter(
			(delivery) =>
				this.nameOf(delivery) === 'optOuts' &&
				delivery.data.text === STOP &&
				delivery.state === 'delivered',
		);
		const people = [...new Set(wrote.map(({ data }) => String(data.from)))];
		const isOut = (phone: string) => contacts.findByPhone(phone)?.segments.includes(OPTED_OUT);
		const line = listed('people who opted out', people, (phone) => isOut(phone) === true);
		// n8n has not taken on any message of theirs.
		const isUnknown = (phone: string) =>
			wrote.filter(({ data }) => data.from === phone).every(cameAtStart);
		const [uncertain, lost] = partition(line.lost, isUnknown);
		const all = contacts.all.filter(({ segments }) => segments.includes(OPTED_OUT));
		const phones = all.map(({ phone }) => phone);
		const others = difference(phones, people, [...this.optedOutBefore]);
		const doubled = others.map((phone) => `${phone} has not written STOP`);
		return { ...line, lost, uncertain, doubled };
	}

	private contactLine(): Line {
		const { contacts } = this.shop.sandbox.state;
		const has = (phone: string) => contacts.findByPhone(phone)?.name === this.contacts.get(phone);
		const line = listed('contacts synced', [...this.contacts.keys()], has);
		const times = countBy(contacts.all, 'phone');
		return { ...line, doubled: Object.keys(times).filter((phone) => times[phone] > 1) };
	}
}

function listed(what: string, all: string[], isDone: (one: string) => boolean): Line {
	const lost = all.filter((one) => !isDone(one));
	return { ...emptyLine(what), wanted: all.length, done: all.length - lost.length, lost };
}

function answeredAt({ attempts }: Delivery): number {
	const { at, ms } = attempts[attempts.length - 1];
	return Date.parse(at) + ms;
}

function describe({ data, attempts }: Delivery): string {
	const tries = attempts.map(({ at, status, ms }) => `${at} ${status} ${ms} ms`);
	return `from ${String(data.from ?? data.to)}, ${String(data.text ?? data.status)}, ${tries.join(', ')}`;
}

/** Identifies an event of a kind, by its payload. */
function keyOf(name: string, { id, status }: Record<string, unknown>): string {
	return name === 'receipts' ? `${String(id)} ${String(status)}` : String(id);
}

/** The events that an execution has started with. */
function keysOf(name: string, execution: Execution): string[] {
	// For a node whose output was not stored, n8n's recovery after a crash creates an item.
	const items = startedWith(execution, START)
		.map(({ json }) => json)
		.filter(({ messageId }) => messageId);
	const events = items.flatMap((json) => (json.messages as typeof items | undefined) ?? [json]);
	return events.map(({ messageId, status }) => keyOf(name, { id: messageId, status }));
}
