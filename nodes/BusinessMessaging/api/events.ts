/** What the service delivers to webhooks: the envelope and the kinds of event. */
import { z } from 'zod';

/** The body of every delivery. Source: specification, "Events". */
export const eventEnvelopeSchema = z
	.object({
		event: z.string().min(1).describe('Kind of event'),
		data: z.record(z.string(), z.unknown()).describe('Payload of the event'),
	})
	.passthrough();
export type EventEnvelope = z.infer<typeof eventEnvelopeSchema>;

/** A kind of event that the trigger offers. */
export interface EventKind {
	/** The service's name of the kind, e.g. `message.received`. */
	value: string;
	/** Title Case label. */
	name: string;
	description: string;
	/** Shape of the event's `data`. */
	data: z.AnyZodObject;
}

/** Payload of `message.received`: `from` and `text` are specified, `id` and `time` are assumptions. */
const receivedDataSchema = z
	.object({
		from: z.string().describe('Phone number of the sender'),
		text: z.string().optional().describe('Text of the message'),
		id: z.string().optional(),
		timestamp: z.string().optional(),
	})
	.passthrough();

/** Payload of a delivery receipt. Assumption: `id` is the identifier that the send returned. */
const receiptDataSchema = z
	.object({
		id: z.string().describe('Identifier of the message that was sent'),
		to: z.string().optional(),
		status: z.string().optional(),
		timestamp: z.string().optional(),
	})
	.passthrough();

/** The kinds of event: `message.received` is specified, the names of the delivery receipts are assumptions. */
export const eventKinds: readonly EventKind[] = [
	{
		value: 'message.delivered',
		name: 'Message Delivered',
		description: "A message has reached the recipient's phone",
		data: receiptDataSchema,
	},
	{
		value: 'message.failed',
		name: 'Message Failed',
		description: 'A message could not be delivered',
		data: receiptDataSchema,
	},
	{
		value: 'message.read',
		name: 'Message Read',
		description: 'The recipient has read a message',
		data: receiptDataSchema,
	},
	{
		value: 'message.received',
		name: 'Message Received',
		description: 'A customer has written a message',
		data: receivedDataSchema,
	},
	{
		value: 'message.sent',
		name: 'Message Sent',
		description: 'The service has handed a message to the channel',
		data: receiptDataSchema,
	},
];
