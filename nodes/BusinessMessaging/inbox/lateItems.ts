/** The items with which the workflow of the inbox starts when replies came too late for their runs. */
import type { IDataObject } from 'n8n-workflow';

import { type IncomingEvent, readIncoming } from '../webhooks/incomingEvent';
import { simplify } from '../webhooks/simpleEvent';
import type { Late } from './core';

/** A late reply as an event, for the filters of the trigger. */
export function toLateEvent({ to, sender, message }: Late): IncomingEvent {
	const { messageId: id, text, respondedAt: timestamp } = message;
	const data = { ...(id !== undefined && { id }), from: to, senderId: sender, text, timestamp };
	return readIncoming({ event: 'message.received', data }, {});
}

/** A late reply as an item. */
export function toLateItem(late: Late, isSimplified: boolean): IDataObject {
	const { asked, askedMessageId, message } = late;
	const { envelope, fields } = toLateEvent(late);
	const shown = isSimplified ? simplify(envelope, fields) : envelope;
	const cut = message.isCut && { textIsCut: true };
	return { ...shown, ...cut, late: true, asked, askedMessageId };
}
