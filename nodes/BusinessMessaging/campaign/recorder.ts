/**
 * Records receipts, replies and opt-outs in the rows of the campaign log. Several processes may do this at the same
 * time: each change says what has certainly happened. docs/adr/0016-recording.md
 */
import {
	compact,
	difference,
	groupBy,
	mapValues,
	maxBy,
	noop,
	omit,
	partition,
	pick,
	uniq,
} from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { withLock } from '../mutex';
import type { CampaignEvent, EventKind } from './events';
import { type CampaignMessage, isSent, isUncertain, toMessage, toMessages } from './messages';
import type { CampaignTables, RowValues, Table } from './tables';

/** What was recorded of an event. */
export interface Recorded {
	/** The message that it is about. */
	message?: CampaignMessage;
	/** Whether something was written that was not known. */
	isNew: boolean;
}

/** What a run needs to record: its access to the table, two clocks (ms) and pauses. */
export interface RecorderRun {
	table: Table;
	isOwn: CampaignTables['isOwn'];
	/** Whether a message was certainly sent without the log. */
	isOther: (messageId: string) => boolean;
	now: () => number;
	elapsed: () => number;
	pause: (ms: number) => Promise<unknown>;
	/** Called often during long work, so that n8n can serve others. */
	yieldNow: () => Promise<void>;
	/** Whether the next run of a campaign sends a message again that failed after it was sent. */
	sendsAgain: boolean;
}

const dayMs = 86_400_000;
/** Receipts of older messages are not recorded, ms. */
const maxReceiptAgeMs = 30 * dayMs;
/** A reply or an opt-out belongs to the latest message that is at most this old, ms. */
const maxReplyAgeMs = 7 * dayMs;
/** A receipt may arrive this long before the row of its message, ms. */
const maxWaitMs = 10_000;
/**
 * So long after an event was recorded in a claim, its row is looked at again, ms: a result that was being written at that
 * moment takes the place of the claim.
 */
const confirmMs = 5_000;
/** A receipt settles an uncertain message that is at most this old, ms. */
const maxSettleAgeMs = dayMs;
const pauseMs = 1_000;
/** The next look begins so many IDs before the end of the last one: rows may become visible late, and people delete rows. */
const overlap = 500;
/** After so many failed rounds in a row, the events of a run have failed. */
const maxFailures = 3;
/** Of a person, so many of the latest rows are looked at. */
const maxRows = 20;

interface Waiting {
	event: CampaignEvent;
	since: number;
	sendsAgain: boolean;
	/** The claim in which it was recorded, and when, ms of a clock that nobody changes. */
	inClaim?: { id: number; at: number };
	result?: Recorded;
}

/**
 * Knows where the rows of an account's recent messages are, and records events in rounds that all runs of the process
 * share. Only IDs are remembered, because the log may have 300,000 rows; what is there is read again in each round.
 */
export class Recorder {
	private readonly byMessageId = new Map<string, number>();
	private readonly byPerson = new Map<string, number[]>();
	/** A row of each day, the oldest first: to forget those before it. */
	private marks: Array<Pick<CampaignMessage, 'id' | 'createdAt'>> = [];
	/** The last ID that was read; undefined before the first look. */
	private last?: number;
	/** When the last row was made that was read, ms. */
	private newestAt = -Infinity;
	private waiting: Waiting[] = [];

	/** Records events, also those of other runs that wait at the same time. @throws Error after several failed rounds */
	async record(run: RecorderRun, events: CampaignEvent[]): Promise<Recorded[]> {
		const since = run.elapsed();
		const { sendsAgain } = run;
		const own = events.map((event): Waiting => ({ event, since, sendsAgain }));
		const isOpen = () => own.some(({ result }) => !result);
		this.waiting.push(...own);
		try {
			for (let failures = 0; isOpen(); ) {
				const round = async () => isOpen() && (await this.round(run));
				const failure = await withLock(this, round).then(noop, asError);
				failures = failure ? failures + 1 : 0;
				if (failure && failures >= maxFailures) throw failure;
				if (isOpen()) await run.pause(pauseMs);
			}
			return own.map(({ result }) => result!);
		} finally {
			this.waiting = this.waiting.filter((one) => !own.includes(one));
		}
	}

	/** @throws Error; then all events of the round stay open */
	private async round(run: RecorderRun): Promise<void> {
		const open = this.waiting.filter(({ result }) => !result);
		await this.look(run);
		const places = open.map(({ event }) => this.placesOf(event));
		const rows = (await run.table.rowsWith(uniq(places.flatMap(({ ids }) => ids)))).filter(
			run.isOwn,
		);
		const messages = new Map(rows.map(toMessage).map((one) => [one.id, one]));
		const counting = new Set(toMessages(rows).map(({ id }) => id));
		// One time for the whole round, so that rows with the same change share an update.
		const now = run.now();
		const changes = new Map<number, RowValues>();
		const results = new Map<Waiting, Recorded>();
		for (const [index, one] of open.entries()) {
			const { event } = one;
			const { ids, messageId: wanted } = places[index];
			const [found, gone] = partition(ids, (id) => messages.has(id));
			const all = found.map((id) => messages.get(id)!);
			// A row that is gone was deleted, or its result has taken its place since the look.
			if (gone.length > 0 || all.some((row) => row.messageId !== (wanted ?? row.messageId))) {
				this.forgetPlaces(event, gone);
				continue;
			}
			const theirs = all.filter(({ id, person }) => counting.has(id) && person === event.person);
			const known =
				event.messageId === ''
					? latestOf(theirs, now)
					: all.find(({ messageId }) => messageId === event.messageId);
			const isCertain = known !== undefined && event.messageId !== '';
			if (!isCertain && this.mayCome(one, theirs, run)) continue;
			const message =
				known ?? (run.isOther(event.messageId) ? undefined : settle(event, theirs, now));
			const values = message && changeOf(event, message, one.sendsAgain, now);
			const isNew = (values ?? one.inClaim) !== undefined;
			if (!this.noteClaim(one, message, values, run)) results.set(one, { message, isNew });
			if (!message || !values) continue;
			// Further events of this round are about the message as it is then.
			messages.set(message.id, changed(message, values));
			changes.set(message.id, { ...changes.get(message.id), ...values });
		}
		await write(run.table, changes);
		for (const [one, result] of results) one.result = result;
	}

	/** The IDs of the rows that an event may be about: of its message, or of all messages to its person. */
	private placesOf({ messageId, person }: CampaignEvent): { ids: number[]; messageId?: string } {
		const known = this.byMessageId.get(messageId);
		if (messageId !== '' && known !== undefined) return { ids: [known], messageId };
		return { ids: (this.byPerson.get(person) ?? []).slice(-maxRows) };
	}

	private forgetPlaces({ messageId, person }: CampaignEvent, gone: number[]): void {
		this.byMessageId.delete(messageId);
		const theirs = this.byPerson.get(person);
		if (theirs) this.byPerson.set(person, difference(theirs, gone));
	}

	/** Whether the row of an event may still be written: a message to its person is a claim that has no result yet. */
	private mayCome({ event, since }: Waiting, theirs: CampaignMessage[], run: RecorderRun): boolean {
		if (run.isOther(event.messageId) || run.elapsed() - since > maxWaitMs) return false;
		if (event.person === '') return this.newestAt > run.now() - 60_000;
		return theirs.some((one) => one.status === 'sending' && isRecent(one, run.now()));
	}

	/** Notes the claim in which an event is recorded. @returns whether a result may still take the place of this claim */
	private noteClaim(
		one: Waiting,
		message: CampaignMessage | undefined,
		values: RowValues | undefined,
		run: RecorderRun,
	): boolean {
		if (values && message?.status === 'sending')
			one.inClaim = { id: message.id, at: run.elapsed() };
		if (!one.inClaim || one.inClaim.id !== message?.id) return false;
		return run.elapsed() - one.inClaim.at < confirmMs;
	}

	/** Reads the rows that are new, the first time those of the last 30 days. */
	private async look({ table, now, isOwn, yieldNow }: RecorderRun): Promise<void> {
		const oldest = now() - maxReceiptAgeMs;
		const parts =
			this.last === undefined
				? table.readAll(Math.max(0, (await firstSince(table, oldest)) - overlap))
				: table.readNewest(Math.max(0, this.last - overlap));
		let last = 0;
		for await (const rows of parts)
			for (const row of rows) {
				if (isOwn(row)) this.add(row, oldest);
				last = Number(row.id);
				await yieldNow();
			}
		this.last = last || undefined; // lower than before if people have deleted the last rows
		this.marks = this.marks.filter(({ id }) => id <= last);
		this.forget(oldest);
	}

	private add(row: IDataObject, oldest: number): void {
		const { id, messageId, person, createdAt } = toMessage(row);
		this.newestAt = createdAt;
		if (createdAt < oldest) return;
		if (createdAt > (this.marks.at(-1)?.createdAt ?? 0) + dayMs) this.marks.push({ id, createdAt });
		if (messageId !== '') this.byMessageId.set(messageId, id);
		const theirs = this.byPerson.get(person) ?? [];
		if (!theirs.includes(id)) this.byPerson.set(person, theirs.concat(id));
	}

	private forget(oldest: number): void {
		const before = this.marks.findLast(({ createdAt }) => createdAt < oldest)?.id;
		if (before === undefined) return;
		this.marks = this.marks.filter(({ id }) => id > before);
		for (const [messageId, id] of this.byMessageId)
			if (id <= before) this.byMessageId.delete(messageId);
		for (const [person, ids] of this.byPerson) {
			const recent = ids.filter((id) => id > before);
			if (recent.length === 0) this.byPerson.delete(person);
			else if (recent.length < ids.length) this.byPerson.set(person, recent);
		}
	}
}

/** Rows with the same change share an update. */
async function write(table: Table, changes: Map<number, RowValues>): Promise<void> {
	const groups = groupBy([...changes], ([, values]) => JSON.stringify(values));
	for (const group of Object.values(groups))
		await table.update(
			group.map(([id]) => id),
			group[0][1],
		);
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** An ID before the first row that was made since this time. IDs are n8n's only index, so it is searched by halves. */
async function firstSince(table: Table, time: number): Promise<number> {
	let [before, after] = [0, Number((await table.last())?.id ?? 0)];
	while (after - before > 2 * overlap) {
		const middle = Math.floor((before + after) / 2);
		const row = await table.first(middle);
		if (row && toMessage(row).createdAt < time) before = Number(row.id);
		else after = middle;
	}
	return before;
}

/** The message to which somebody has replied. */
function latestOf(theirs: CampaignMessage[], now: number): CampaignMessage | undefined {
	const recent = theirs.filter(
		(one) => (isSent(one) || isUncertain(one)) && one.sentAt > now - maxReplyAgeMs,
	);
	return maxBy(recent, 'id');
}

/** Whether a receipt may settle a message of this age. */
const isRecent = ({ createdAt }: CampaignMessage, now: number) => createdAt > now - maxSettleAgeMs;

/** The uncertain message that a receipt of an unknown message proves, if there is exactly one. */
function settle(
	{ messageId }: CampaignEvent,
	theirs: CampaignMessage[],
	now: number,
): CampaignMessage | undefined {
	if (messageId === '') return undefined;
	const uncertain = theirs.filter((one) => isUncertain(one) && isRecent(one, now));
	return uncertain.length === 1 ? uncertain[0] : undefined;
}

/** The column with the time of each kind of event. */
const columns: Partial<Record<EventKind, TimeColumn>> = {
	delivered: 'deliveredAt',
	read: 'readAt',
	failed: 'failedAt',
	replied: 'repliedAt',
	optedOut: 'optedOutAt',
};
type TimeColumn = 'deliveredAt' | 'readAt' | 'failedAt' | 'repliedAt' | 'optedOutAt';

/** The reason in the row of an uncertain message of which a receipt has come. */
const settledReason = 'A receipt shows that it was sent';
/** The same if the receipt says that the message failed. */
const unsureReason = 'May have been sent, then failed. To send it again, delete this row';

/** What an event changes in a row: only what it proves. Undefined if all of it is known. */
function changeOf(
	{ kind, messageId, words }: CampaignEvent,
	message: CampaignMessage,
	sendsAgain: boolean,
	now: number,
): RowValues | undefined {
	const column = columns[kind];
	const values: RowValues = {};
	if (column && message[column] === undefined) values[column] = new Date(now).toISOString();
	if (messageId !== '' && message.messageId === '') values.messageId = messageId;
	const isProof = kind === 'sent' || kind === 'delivered' || kind === 'read';
	const hasArrived = (message.deliveredAt ?? message.readAt) !== undefined;
	const isFreed = message.status === 'notSent' && message.failedAt !== undefined;
	if (kind === 'replied' && column && column in values) values.reply = words;
	if (isProof && isFreed && kind !== 'sent') Object.assign(values, { status: 'sent', reason: '' });
	// The message is only concluded from its receipt, so no failure frees it: the receipt may be of another message.
	const isConcluded = isUncertain(message) || message.reason === settledReason;
	if (messageId !== '' && isUncertain(message))
		Object.assign(values, { status: 'sent', reason: settledReason });
	if (kind === 'failed' && message.failedAt === undefined) {
		const isKept = !sendsAgain || hasArrived || isConcluded;
		const what = isConcluded && !hasArrived ? unsureReason : 'Failed after it was sent';
		values.reason = compact([what, words]).join(': ');
		if (!isKept) values.status = 'notSent';
	}
	return Object.keys(values).length > 0 ? values : undefined;
}

/** What a message is after a change. */
function changed(message: CampaignMessage, values: RowValues): CampaignMessage {
	const times = mapValues(pick(values, Object.values(columns)), (time) =>
		new Date(time as string).getTime(),
	);
	return { ...message, ...(omit(values, Object.keys(times)) as object), ...times };
}
