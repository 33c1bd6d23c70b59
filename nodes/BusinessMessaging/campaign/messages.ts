/** The messages of campaigns, read from the rows of the campaign log. */
import { groupBy, maxBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { samePhoneKey } from '../phone/compare';

/** A message of a campaign, and what became of it. Times are in ms since 1970, undefined if it did not happen. */
export interface CampaignMessage {
	/** The ID of the row that counts. */
	id: number;
	campaign: string;
	phone: string;
	/** What all spellings of the phone have in common. */
	person: string;
	name: string;
	status: string;
	reason: string;
	message: string;
	variant: string;
	messageId: string;
	reply: string;
	createdAt: number;
	sentAt: number;
	deliveredAt?: number;
	readAt?: number;
	failedAt?: number;
	repliedAt?: number;
	optedOutAt?: number;
}

/** Which row counts: a crash can leave a claim beside its result, and people may edit both. */
const weights: Record<string, number> = { sending: 0, notSent: 1, mayHaveBeenSent: 2 };
const weightOf = ({ status }: { status: string }) => weights[status] ?? 3;

/** Whether the service has accepted the message. Any word that only people have written counts as sent. */
export const isSent = (message: { status: string }) => weightOf(message) === 3;
/** Whether it is not known if the message was sent. */
export const isUncertain = ({ status }: { status: string }) =>
	status === 'sending' || status === 'mayHaveBeenSent';

/** Reads a row. */
export function toMessage(row: IDataObject): CampaignMessage {
	const text = (name: string) => textOrJson(row[name]).trim();
	const phone = text('phone');
	const createdAt = toTime(row.createdAt) ?? 0;
	return {
		id: Number(row.id),
		campaign: text('campaign'),
		phone,
		person: samePhoneKey(phone),
		name: text('name'),
		status: text('status'),
		reason: text('reason'),
		message: text('message'),
		variant: text('variant'),
		messageId: text('messageId'),
		reply: text('reply'),
		createdAt,
		sentAt: toTime(row.sentAt) ?? createdAt,
		deliveredAt: toTime(row.deliveredAt),
		readAt: toTime(row.readAt),
		failedAt: toTime(row.failedAt),
		repliedAt: toTime(row.repliedAt),
		optedOutAt: toTime(row.optedOutAt),
	};
}

function toTime(value: unknown): number | undefined {
	const time = new Date(value as string).getTime();
	return value && !Number.isNaN(time) ? time : undefined;
}

/** The messages in these rows: rows with one key are one message. */
export function toMessages(rows: IDataObject[]): CampaignMessage[] {
	const groups = groupBy(rows, ({ idempotencyKey, id }) => textOrJson(idempotencyKey) || id);
	return Object.values(groups).map((group) => maxBy(group.map(toMessage), weightOf)!);
}

/** Of each person of a campaign the message that counts: one that was sent, else the latest attempt. */
export function onePerPerson(messages: CampaignMessage[]): CampaignMessage[] {
	const people = groupBy(messages, ({ campaign, person }) => JSON.stringify([campaign, person]));
	return Object.values(people).map((all) => maxBy(all, (one) => weightOf(one) * 1e9 + one.id)!);
}
