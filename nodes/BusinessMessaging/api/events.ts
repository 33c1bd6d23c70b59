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

/** The kinds of event that the trigger offers: `message.received` is specified, the others are assumptions. */
export const eventKinds = [
	{
		name: 'Message Received',
		value: 'message.received',
		description: 'A customer has written a message',
	},
	{
		name: 'Outgoing Message Delivered',
		value: 'message.delivered',
		description: "Your message has reached the recipient's phone",
	},
	{
		name: 'Outgoing Message Failed',
		value: 'message.failed',
		description: 'Your message could not be delivered',
	},
	{
		name: 'Outgoing Message Read',
		value: 'message.read',
		description: 'The recipient has read your message',
	},
	{
		name: 'Outgoing Message Sent',
		value: 'message.sent',
		description: 'The service has sent your message',
	},
];
