/** What the campaign log says of receipts, replies and opt-outs, beside what the service has delivered. */
import groupBy from 'lodash/groupBy';
import maxBy from 'lodash/maxBy';
import partition from 'lodash/partition';
import { rowsOfTable } from '../../../harness/n8n/database';
import type { Message } from '../../../sandbox/state/messages';
import { emptyLine, type Line } from './line';
import type { Shop } from './shop';

/** The word with which people opt out. */
export const STOP = 'STOP';
export const isStop = ({ direction, text }: Message) => direction === 'inbound' && text === STOP;

const LOG = 'Business Messaging Campaigns';
/** The reason in a row that a receipt has settled. */
const SETTLED = 'A receipt shows that it was sent';
/** If several rows are about one message, the last of these says what it is. */
const STATUSES = ['sending', 'notSent', 'mayHaveBeenSent', 'sent'];
/** Receipts, and the columns in which they are recorded. */
const columns = { delivered: 'deliveredAt', failed: 'failedAt' } as const;

/** A row of the campaign log. Columns with times are empty if nothing was recorded. */
interface LogRow {
	id: number;
	campaign: string;
	phone: string;
	status: string;
	reason: string | null;
	messageId: string | null;
	idempotencyKey: string | null;
	reply: string | null;
	deliveredAt: unknown;
	failedAt: unknown;
	repliedAt: unknown;
	optedOutAt: unknown;
}

/** The phones in the table of those who have opted out. */
export async function phonesOptedOut({ machine: { database } }: Shop): Promise<string[]> {
	return (await rowsOfTable(database, 'Opt-outs')).map(({ phone }) => String(phone));
}

/** The records of a shop. */
export class RecordTruth {
	private rows: LogRow[] = [];
	private optedOut: string[] = [];

	/** @param isDone whether an execution with an event has ended without an error */
	constructor(
		private readonly shop: Shop,
		private readonly isDone: (name: 'receipts' | 'autoReply', key: string) => boolean,
	) {}

	/** Reads the tables after everything has ended. */
	async read(): Promise<void> {
		const { database } = this.shop.machine;
		const rows = (await rowsOfTable(database, LOG, `execution <> 'past'`)) as unknown as LogRow[];
		const messages = groupBy(rows, ({ idempotencyKey, id }) => idempotencyKey ?? id);
		const weight = ({ status }: LogRow) => STATUSES.indexOf(status);
		this.rows = Object.values(messages).map((same) => maxBy(same, weight)!);
		this.optedOut = await phonesOptedOut(this.shop);
	}

	/** The table, after everything has ended. */
	lines(): Line[] {
		return [this.receiptLine(), this.settledLine(), ...this.wordLines(), this.tableLine()];
	}

	private get messages(): Message[] {
		return this.shop.sandbox.state.messages.all;
	}

	private isRecorded({ id }: Message, status: keyof typeof columns): boolean {
		return this.isDone('receipts', `${id} ${status}`);
	}

	/** Each row has the receipts of its message, and no others. */
	private receiptLine(): Line {
		const line = emptyLine('receipts in the log');
		const byId = new Map(this.messages.map((message) => [message.id, message]));
		for (const row of this.rows) {
			const message = byId.get(row.messageId ?? '');
			if (row.messageId && !isOf(row, message) && row.reason !== SETTLED)
				line.doubled.push(`${describe(row)}: not its message`);
			for (const status of ['delivered', 'failed'] as const) {
				const isInRow = Boolean(row[columns[status]]);
				const has = message?.history.some((step) => step.status === status);
				if (isInRow && !has) line.doubled.push(`${describe(row)}: ${status}`);
				if (!message || !this.isRecorded(message, status)) continue;
				line.wanted++;
				if (isInRow) line.done++;
				else line.lost.push(`${describe(row)}: ${status}`);
			}
		}
		return line;
	}

	/** A message that may have been sent is settled by its receipt, if the person has no other such message. */
	private settledLine(): Line {
		const line = emptyLine('uncertain messages settled');
		const byId = new Map(this.messages.map((message) => [message.id, message]));
		const known = new Set(this.rows.map(({ messageId }) => messageId));
		const campaigns = new Set(this.rows.map(({ campaign }) => campaign));
		const settled = this.rows.filter(({ reason }) => reason === SETTLED);
		for (const row of settled) {
			line.wanted++;
			const message = byId.get(row.messageId ?? '');
			if (isOf(row, message)) line.done++;
			// The log does not know messages without a campaign: their receipts can settle a row, as the decision says.
			else if (message?.phone === row.phone && !campaigns.has(message.text))
				line.uncertain.push(`${describe(row)}: by ${message.text}`);
			else line.doubled.push(`${describe(row)}: by ${JSON.stringify(message)}`);
		}
		const came = this.messages.filter(
			(message) => !known.has(message.id) && this.isRecorded(message, 'delivered'),
		);
		const people = groupBy(
			this.rows.filter(({ status }) => status === 'sending' || status === 'mayHaveBeenSent'),
			'phone',
		);
		for (const rows of Object.values(people))
			for (const row of rows) {
				if (!came.some((message) => isOf(row, message))) continue;
				line.wanted++;
				line[rows.length === 1 ? 'lost' : 'uncertain'].push(describe(row));
			}
		return line;
	}

	/** What people wrote is in the row of the latest message to them before it, or in a later one. */
	private wordLines(): Line[] {
		const replies = emptyLine('replies in the log');
		const optOuts = emptyLine('opt-outs in the log');
		const written = this.messages.filter(({ direction }) => direction === 'inbound');
		const writtenBy = groupBy(written, 'phone');
		const rowsOf = groupBy(this.rows, 'phone');
		const sentAt = new Map(this.messages.map(({ id, createdAt }) => [id, createdAt]));
		for (const row of this.rows) {
			const [stops, others] = partition(writtenBy[row.phone] ?? [], isStop);
			const texts = others.map(({ text }) => text);
			// The trigger groups messages.
			const isReply = row.reply?.split('\n').every((text) => texts.includes(text));
			if (row.repliedAt && !isReply) replies.doubled.push(`${describe(row)}: ${row.reply}`);
			if (row.optedOutAt && stops.length === 0) optOuts.doubled.push(describe(row));
		}
		for (const message of written) {
			if (!this.isDone('autoReply', message.id)) continue;
			const theirs = rowsOf[message.phone] ?? [];
			const isBefore = ({ messageId, status }: LogRow) =>
				status !== 'notSent' && (sentAt.get(messageId ?? '') ?? '9') < message.createdAt;
			const latest = maxBy(theirs.filter(isBefore), 'id');
			if (!latest) continue;
			const [line, column] = isStop(message)
				? ([optOuts, 'optedOutAt'] as const)
				: ([replies, 'repliedAt'] as const);
			line.wanted++;
			const candidates = theirs.filter(({ id }) => id >= latest.id);
			if (candidates.some((row) => row[column])) line.done++;
			else line.lost.push(`${describe(latest)}: ${message.text}`);
		}
		return [replies, optOuts];
	}

	/** Everybody who wrote STOP is in the table, and nobody else. */
	private tableLine(): Line {
		const line = emptyLine('people in the table Opt-outs');
		const stops = this.messages.filter(isStop);
		const phones = new Set(stops.map(({ phone }) => phone));
		line.doubled.push(...this.optedOut.filter((phone) => !phones.has(phone)));
		for (const { id, phone } of stops) {
			if (!this.isDone('autoReply', id)) continue;
			line.wanted++;
			if (this.optedOut.includes(phone)) line.done++;
			else line.lost.push(phone);
		}
		return line;
	}
}

/** Whether a message is that of a row: the text of a campaign is its name. */
function isOf(row: LogRow, message: Message | undefined): boolean {
	const { direction, phone, text } = message ?? {};
	return direction === 'outbound' && phone === row.phone && text === row.campaign;
}

const describe = ({ id, campaign, phone, status }: LogRow) =>
	`row ${id}, ${campaign}, ${phone}, ${status}`;
