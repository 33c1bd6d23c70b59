/**
 * Decides who may get a message, from the rows of the campaign log, which several processes read and write at the same
 * time. Why this needs no locks: docs/adr/0014-campaign-log.md. Needs neither n8n nor a clock.
 */
import { groupBy, maxBy, partition, range, uniq } from 'lodash';

import { lastDigits, sameDigits, samePhoneKey } from '../phone/compare';
import { withLatinDigits } from '../phone/readPhone';
import { isSameAccount, readAccount } from './account';

/** A row of the campaign log, as far as decisions depend on it. */
export interface LogRow {
	id: number;
	/** Empty for a message that has only a Frequency Cap. */
	campaign: string;
	phone: string;
	/** The account of the service; a row without a readable one counts for every account. */
	account: string;
	/** `sending` for a claim, `sent`, `mayHaveBeenSent` or `notSent`; people may have written something else. */
	status: string;
	execution: string;
	/** A claim and the result that replaces it have the same key. Empty in rows that people have added. */
	key: string;
	/** When the message was sent, and when the row was made, ms. */
	sentAt: number;
	createdAt: number;
}

/** What an item asks the log for. */
export interface Wish {
	/** The recipient, E.164. */
	phone: string;
	/** The account that sends. */
	account: string;
	/** The campaign that the person may get once; undefined without Send Once. */
	campaign?: string;
	/** The maximum number of messages since the beginning of a period, ms. */
	cap?: { messages: number; since: number };
}

/** Why the log holds back a message. A killed process leaves its claims; for them, the reason is `mayHaveBeenSent`. */
export type HoldReason = 'alreadySent' | 'mayHaveBeenSent' | 'frequencyCap';

/**
 * Whether a message may be sent; `wait` if only later claims are in the way. Why: docs/adr/0014-campaign-log.md.
 *
 * @param others what is in the log for its recipient, without the row of this message
 * @param claimId the ID of its own claim: other claims come first only if their ID is lower. Without it, all come first
 */
export function decide(
	{ campaign, cap }: Wish,
	others: LogRow[],
	claimId = Infinity,
): HoldReason | 'send' | 'wait' {
	const isEarlier = ({ status, id }: LogRow) => status !== 'sending' || id < claimId;
	const ofCampaign = others.filter((row) => campaign !== undefined && row.campaign === campaign);
	const [earlier, later] = partition(ofCampaign, isEarlier);
	if (earlier.some(({ status }) => !isUncertain(status))) return 'alreadySent';
	if (earlier.length > 0) return 'mayHaveBeenSent';
	const { messages, since } = cap ?? { messages: Infinity, since: 0 };
	const counted = others.filter(({ sentAt }) => sentAt >= since);
	if (counted.filter(isEarlier).length >= messages) return 'frequencyCap';
	return later.length > 0 || counted.length >= messages ? 'wait' : 'send';
}

/** Any other word, also one that people have written, counts as sent, so nobody gets a message twice because of it. */
const isUncertain = (status: string) => status === 'sending' || status === 'mayHaveBeenSent';

/** Which of the rows of one message counts: a crash can leave its claim beside its result, and people may edit both. */
const weights: Record<string, number> = { sending: 0, notSent: 1, mayHaveBeenSent: 2 };
const weightOf = ({ status }: LogRow) => weights[status] ?? 3;

const isReadable = (key: string) => /^\+\d{7,15}$/.test(key);

/** The last digits of everybody whose number this may be. A number that cannot be read may have something after it. */
function digitsOf(phone: string): string[] {
	const key = samePhoneKey(phone);
	if (isReadable(key)) return [lastDigits(key)];
	const digits = withLatinDigits(phone).replace(/\D/g, '');
	const ends = range(Math.min(sameDigits, digits.length), digits.length + 1);
	return uniq(ends.map((end) => digits.slice(Math.max(0, end - sameDigits), end)));
}

/** Claims whose insertion takes longer are dropped, ms. Why: "Late rows" in docs/adr/0014-campaign-log.md. */
export const maxInsertMs = 10_000;
/** Rows that were not visible at the last look are at most this much older than its newest row, ms. */
const overlapMs = 3 * maxInsertMs;

/** What a run knows of the log. */
export class LogView {
	/** The rows by the last digits of their phone. A number that cannot be read is that of everybody with these digits. */
	private readonly byDigits = new Map<string, Map<number, LogRow>>();
	private readonly byId = new Map<number, LogRow>();
	/** Some of the rows in the order of their IDs. */
	private readonly seen: Array<Pick<LogRow, 'id' | 'createdAt'>> = [];
	/** When the newest row was made that was there before the last look, ms. */
	private lookedAt = -Infinity;

	get newest(): Pick<LogRow, 'id' | 'createdAt'> {
		return this.seen.at(-1) ?? { id: 0, createdAt: -Infinity };
	}

	/** From this ID on (exclusive), the next look has to read again. */
	get from(): number {
		const isOld = ({ createdAt }: Pick<LogRow, 'createdAt'>) =>
			createdAt < this.lookedAt - overlapMs;
		return this.seen.findLast(isOld)?.id ?? 0;
	}

	/** Records that there is such a row. */
	see({ id, createdAt }: Pick<LogRow, 'id' | 'createdAt'>): void {
		if (id > this.newest.id) this.seen.push({ id, createdAt });
	}

	/** Ends a look. When it began, the newest row was made at this time, ms; rows made later may be missing. */
	endLook(newestAt: number): void {
		this.lookedAt = newestAt;
		const { from } = this;
		while (this.seen[0]?.id < from) this.seen.shift(); // no later look asks for these
	}

	add(row: LogRow): void {
		this.remove(row.id);
		this.byId.set(row.id, row);
		for (const digits of digitsOf(row.phone)) {
			const rows = this.byDigits.get(digits) ?? new Map<number, LogRow>();
			this.byDigits.set(digits, rows.set(row.id, row));
		}
	}

	remove(id: number): void {
		const row = this.byId.get(id);
		if (row) for (const digits of digitsOf(row.phone)) this.byDigits.get(digits)?.delete(id);
		this.byId.delete(id);
	}

	idsAfter(from: number, condition: (row: LogRow) => boolean): number[] {
		const ids: number[] = [];
		for (const [id, row] of this.byId) if (id > from && condition(row)) ids.push(id);
		return ids;
	}

	/** The messages to a person that were sent or may be sent, without the message with this key. */
	messagesTo({ phone, account }: Wish, exceptKey = ''): LogRow[] {
		return this.messages(phone, exceptKey).filter((row) => isSameAccount(account, row.account));
	}

	/** Whether the person has, or may have, the campaign from another key of the same host. */
	isUnderOtherKey({ phone, account, campaign }: Wish): boolean {
		const host = readAccount(account)?.host;
		return this.messages(phone).some(
			(row) =>
				campaign !== undefined &&
				row.campaign === campaign &&
				!isSameAccount(account, row.account) &&
				readAccount(row.account)?.host === host,
		);
	}

	/**
	 * The rows that a crash has left beside a later row of the same message that counts. A later row is never removed: it
	 * is a result, whose run may be about to remove its own claim.
	 */
	superseded(): LogRow[] {
		const rows = [...this.byId.values()].filter(({ key }) => key !== '');
		const claimed = new Set(rows.filter((row) => weightOf(row) < 2).map(({ key }) => key));
		const groups = groupBy(
			rows.filter(({ key }) => claimed.has(key)),
			'key',
		);
		return Object.values(groups).flatMap((group) => {
			const best = maxBy(group, weightOf)!;
			return group.filter((row) => row.id < best.id && weightOf(row) < 2);
		});
	}

	private messages(phone: string, exceptKey = ''): LogRow[] {
		const rows = [...(this.byDigits.get(lastDigits(phone))?.values() ?? [])];
		const person = samePhoneKey(phone);
		const theirs = rows.filter((row) => {
			const key = samePhoneKey(row.phone);
			return key === person || !isReadable(key);
		});
		const messages = groupBy(theirs, ({ key, id }) => key || id);
		return Object.values(messages)
			.map((same) => maxBy(same, weightOf)!)
			.filter(({ key, status }) => status !== 'notSent' && key !== (exceptKey || null));
	}
}
