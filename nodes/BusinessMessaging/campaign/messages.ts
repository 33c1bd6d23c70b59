/** The messages of campaigns, read from the rows of the campaign log. */
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { samePhoneKey } from '../phone/compare';
import { yieldToN8n } from '../yieldToN8n';

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
/**
 * Whether the service has accepted the message at some time, also if it could not deliver it. Of a message with another
 * result, only a receipt shows that: people also write for other reasons.
 */
export const wasSent = (one: CampaignMessage) =>
	isSent(one) || [one.failedAt, one.deliveredAt, one.readAt].some(Boolean);
/** Whether its status leaves open if the message was sent. */
export const isUncertain = ({ status }: { status: string }) =>
	status === 'sending' || status === 'mayHaveBeenSent';
/** Whether it is not known if the message was sent. */
export const mayHaveBeenSent = (one: CampaignMessage) => isUncertain(one) && !wasSent(one);

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

/** Messages from rows: rows with one key are one message. */
export class MessageRows {
	private readonly byKey = new Map<string, CampaignMessage>();

	get messages(): CampaignMessage[] {
		return [...this.byKey.values()];
	}

	add(row: IDataObject): void {
		const key = textOrJson(row.idempotencyKey) || `row ${textOrJson(row.id)}`;
		const message = toMessage(row);
		const known = this.byKey.get(key);
		if (!known || weightOf(message) > weightOf(known)) this.byKey.set(key, message);
	}
}

/** The messages in a few rows. */
export function toMessages(rows: IDataObject[]): CampaignMessage[] {
	const found = new MessageRows();
	for (const row of rows) found.add(row);
	return found.messages;
}

/** Of each person of a campaign the message that counts: one that was sent, else the latest attempt. */
export async function onePerPerson(messages: CampaignMessage[]): Promise<CampaignMessage[]> {
	const people = new Map<string, CampaignMessage>();
	const yieldNow = yieldToN8n();
	const rankOf = (one: CampaignMessage) => weightOf(one) * 1e9 + one.id;
	for (const message of messages) {
		const name = `${message.campaign}\n${message.person}`;
		const known = people.get(name);
		if (!known || rankOf(message) > rankOf(known)) people.set(name, message);
		await yieldNow();
	}
	return [...people.values()];
}
