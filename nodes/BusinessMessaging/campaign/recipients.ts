/** The people of a campaign, for the next message to them. */
import type { IDataObject } from 'n8n-workflow';

import { isPhoneKey, toE164 } from '../phone/compare';
import { mapInTurns } from '../yieldToN8n';
import { type CampaignMessage, mayHaveBeenSent, onePerPerson, wasSent } from './messages';

const isFailed = (one: CampaignMessage) => one.status === 'notSent' || one.failedAt !== undefined;
const hasGotIt = (one: CampaignMessage) =>
	wasSent(one) && !(isFailed(one) && !one.deliveredAt && !one.readAt);

/** A word such as STOP is a reply, but recorded only as that. */
const hasWritten = (one: CampaignMessage) => (one.repliedAt ?? one.optedOutAt) !== undefined;

/** Whom a filter means. A reply shows that somebody has read the message, also if no receipt says so. */
export const filters = {
	all: hasGotIt,
	everybody: () => true,
	failed: (one: CampaignMessage) => isFailed(one) && !one.deliveredAt && !one.readAt,
	mayHaveBeenSent,
	notDelivered: (one: CampaignMessage) =>
		hasGotIt(one) && !one.deliveredAt && !one.readAt && !one.repliedAt,
	notRead: (one: CampaignMessage) => hasGotIt(one) && !one.readAt && !hasWritten(one),
	noReply: (one: CampaignMessage) => hasGotIt(one) && !hasWritten(one),
	optedOut: (one: CampaignMessage) => one.optedOutAt !== undefined,
	readWithoutReply: (one: CampaignMessage) =>
		hasGotIt(one) && Boolean(one.readAt) && !hasWritten(one),
	replied: (one: CampaignMessage) => one.repliedAt !== undefined,
};

/** An item for each person, in the order of the messages. @param sentBefore ms since 1970 */
export async function recipientsOf(
	messages: CampaignMessage[],
	filter: keyof typeof filters,
	sentBefore = Infinity,
): Promise<IDataObject[]> {
	const all = await onePerPerson(messages);
	const people = all.filter((one) => filters[filter](one) && one.sentAt < sentBefore);
	// The latest name, also of another attempt.
	const names = new Map<string, string>();
	await mapInTurns(messages, ({ person, name }) => name && names.set(person, name));
	return await mapInTurns(
		people.sort((one, other) => one.id - other.id),
		(one): IDataObject => ({
			phone: isPhoneKey(toE164(one.phone)) ? toE164(one.phone) : one.phone,
			name: one.name || (names.get(one.person) ?? ''),
			campaign: one.campaign,
			variant: one.variant,
			status: one.status,
			reason: one.reason || null,
			message: one.message,
			messageId: one.messageId || null,
			sentAt: toText(one.sentAt),
			deliveredAt: toText(one.deliveredAt),
			readAt: toText(one.readAt),
			failedAt: toText(one.failedAt),
			repliedAt: toText(one.repliedAt),
			reply: one.reply || null,
			optedOutAt: toText(one.optedOutAt),
		}),
	);
}

const toText = (time: number | undefined) =>
	time === undefined ? null : new Date(time).toISOString();
