/** Deliveries of a service with other conventions. */
import { omit } from 'lodash';

import type { Choice } from '.';

/** An event as the sandbox itself has it. */
export interface Envelope {
	event: string;
	data: Record<string, unknown>;
}

/** An event on its way to a webhook. */
export interface OutgoingEvent extends Envelope {
	id: string;
	webhookId: string;
	createdAt: string;
	/** The attempts before this one. */
	attempts: readonly unknown[];
}

const receipt = /^message\.(sent|delivered|read|failed)$/;

/** The names of a receipt's event; those that name it by a status have it in the data. */
function nameReceipt(form: Choice['receipt-names'], status: string): string {
	const capital = `${status[0]?.toUpperCase()}${status.slice(1)}`;
	return {
		dotted: `message.${status}`,
		underscored: `message_${status}`,
		camel: `message${capital}`,
		upper: `MESSAGE_${status.toUpperCase()}`,
		bare: status,
		status: 'message.status',
		update: 'message.updated',
		receipt: 'delivery_receipt',
		nested: 'message.status',
	}[form];
}

/** An event in the words of the service. */
export function describeEvent(choice: Choice, { event, data }: Envelope): Envelope {
	const status = receipt.exec(event)?.[1];
	if (status) return describeReceipt(choice['receipt-names'], status, data);
	return { event, data: 'text' in data ? placeText(choice['event-text'], data) : data };
}

function describeReceipt(
	form: Choice['receipt-names'],
	status: string,
	data: Envelope['data'],
): Envelope {
	const event = nameReceipt(form, status);
	const others = omit(data, 'status');
	if (form === 'nested') return { event, data: { message: { ...others, status } } };
	if (form === 'update') return { event, data: { ...others, status: status.toUpperCase() } };
	const saysStatus = ['dotted', 'status', 'receipt'].includes(form);
	return { event, data: saysStatus ? { ...others, status } : others };
}

function placeText(
	form: Choice['event-text'],
	{ text, id, ...others }: Envelope['data'],
): Envelope['data'] {
	return {
		flat: { id, ...others, text },
		body: { id, ...others, text: { body: text } },
		nested: { ...others, message: { id, type: 'text', text } },
		content: { ...others, message: { id, content: { type: 'text', text } } },
	}[form];
}

/** An event with the fields beside `event` and `data`. */
export function extendEvent(
	choice: Choice,
	event: Envelope,
	{ id, createdAt, attempts }: Pick<OutgoingEvent, 'id' | 'createdAt' | 'attempts'>,
): Envelope {
	const beside = {
		id,
		timestamp: createdAt,
		apiVersion: 'v1',
		accountId: 'acc_sandbox',
		attempt: attempts.length + 1,
	};
	return choice['event-envelope'] === 'extended' ? { ...beside, ...event } : event;
}

/** The body of a delivery; without batches it has the last event alone. */
export function wrapEvents(choice: Choice, events: unknown[]): unknown {
	return { single: events.at(-1), array: events, wrapped: { events } }[choice['event-batch']];
}
