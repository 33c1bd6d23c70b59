/** What the output of Business Messaging Trigger says about a message of a campaign or its recipient. */
import { isEmpty, omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import { isPhoneKey, samePhoneKey } from '../phone/compare';
import { readErrorMessage } from '../reading/readError';
import { InputError } from '../transport/errors';

/** What is recorded in the row of a message. */
export type EventKind =
	| 'sent'
	| 'delivered'
	| 'read'
	| 'failed'
	| 'replied'
	| 'optedOut'
	| 'optedIn';

/** An event that is recorded. */
export interface CampaignEvent {
	kind: EventKind;
	/** The other person: what all spellings of the phone have in common. Empty if the event does not name one. */
	person: string;
	/** The phone in E.164, as it is written into a table. */
	phone: string;
	/** The ID of our message; empty for what people write. */
	messageId: string;
	/** The words of a reply, or the reason of a failure. */
	words: string;
}

const receipts: Record<string, EventKind> = {
	'message.sent': 'sent',
	'message.delivered': 'delivered',
	'message.read': 'read',
	'message.failed': 'failed',
};
const intents: Record<string, EventKind> = { optOut: 'optedOut', optIn: 'optedIn' };

/** More words of a reply are not recorded, characters. */
const maxWords = 200;
/** Spreadsheets would calculate such a text; a phone number stays as it is. */
const formula = /^(?![+-][\d\s().#/ext-]*$)[=+@\t\r-]/i;

/** Reads an item of the trigger; undefined for an event that is not about messages. @throws InputError for another item */
export function readCampaignEvent(item: IDataObject): CampaignEvent | undefined {
	const name = textOrJson(item.event);
	// In the editor, n8n passes an empty item if the trigger has no event since its last change.
	if (isEmpty(item))
		throw new InputError(
			'There is no event yet',
			"Open the trigger, click 'Execute step' and let an event arrive. Then run this node again.",
		);
	if (name === '' || (item.data !== undefined && item.from === undefined && !item.messageId))
		throw new InputError(
			'The item is not an event',
			"Connect this node to Business Messaging Trigger, and switch on the trigger's 'Simplify'.",
		);
	if (name === 'message.received') {
		const phone = textOrJson(item.from);
		const words = textOrJson(item.text) || textOrJson(item.type) || 'No text';
		const kind = intents[textOrJson(item.intent)] ?? 'replied';
		return { kind, ...personOf(phone), messageId: '', words: asCell(words) };
	}
	const kind = Object.hasOwn(receipts, name) ? receipts[name] : undefined;
	if (!kind) return undefined;
	const own = ['event', 'to', 'from', 'messageId', 'status', 'time', 'text'];
	const words = kind === 'failed' ? (readErrorMessage(omit(item, own)) ?? '') : '';
	const messageId = textOrJson(item.messageId);
	return { kind, ...personOf(textOrJson(item.to)), messageId, words: asCell(words) };
}

function personOf(phone: string): Pick<CampaignEvent, 'person' | 'phone'> {
	const person = samePhoneKey(phone);
	return { person: isPhoneKey(person) ? person : '', phone };
}

function asCell(words: string): string {
	const text = words.trim().slice(0, maxWords);
	return formula.test(text) ? `'${text}` : text;
}
