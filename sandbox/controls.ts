/** What only a sandbox has: controls under `/_sandbox`, without a key, for callers on this machine. */
import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';

import type { FastifyInstance } from 'fastify';
import { filter } from 'lodash';
import { z } from 'zod';

import { phoneSchema } from '../nodes/BusinessMessaging/api/endpoints';
import { refuseOthers } from './auth';
import { invalid, notFound, parse } from './errors';
import { faultSchema } from './faults';
import { mountChats, mountLive } from './phone/data';
import { signingSchema } from './signing';
import type { Changes, State } from './state';
import { receiptStatuses } from './state/messages';

const inboundSchema = z
	.object({ from: phoneSchema, text: z.string(), name: z.string().optional() })
	.strict();
const receiptSchema = z
	.object({ id: z.string(), status: z.enum(receiptStatuses), reason: z.string().optional() })
	.strict();
const testEventSchema = z
	.object({
		event: z.string().min(1).default('message.received'),
		webhookId: z.string().optional(),
		data: z.record(z.string(), z.unknown()).optional(),
	})
	.strict();
const lastSchema = z.object({ last: z.coerce.number().int().min(0).optional() });
const messagesQuerySchema = z.object({
	phone: z.string().optional(),
	direction: z.enum(['inbound', 'outbound']).optional(),
});
const deliveriesQuerySchema = lastSchema.extend({
	webhookId: z.string().optional(),
	event: z.string().optional(),
	state: z.enum(['pending', 'delivered', 'failed', 'cancelled']).optional(),
});

/** What the sandbox's start prints and `GET /_sandbox` answers. */
export const controlWords = {
	'POST /_sandbox/inbound': 'a customer writes: { from, text, name? }',
	'POST /_sandbox/receipts': 'a receipt, at once: { id, status, reason? }',
	'POST /_sandbox/send-test-event': 'an event to the webhooks: { event?, webhookId?, data? }',
	'GET, POST, DELETE /_sandbox/faults':
		'faults to come: { endpoint?, status?, delayMs?, reset?, brokenJson?, count?, … }',
	'PUT, DELETE /_sandbox/signing': 'how deliveries are signed: { scheme, secret, header?, … }',
	'GET /_sandbox/messages': 'messages of both directions: ?phone=&direction=',
	'GET /_sandbox/deliveries': 'deliveries to webhooks: ?webhookId=&event=&state=&last=',
	'GET /_sandbox/webhooks': 'the registered webhooks',
	'GET /_sandbox/chats': 'chats, newest first, then contacts without one: ?search=&limit=',
	'GET /_sandbox/chats/:phone': 'the newest messages of a chat: ?limit=',
	'GET /_sandbox/events': 'what changes, as server-sent events',
	'GET /_sandbox/requests': 'counters per endpoint, and the newest requests: ?last=',
	'POST /_sandbox/reset': 'back to the start',
};

/** Mounts the controls. */
export function mountControls(
	app: FastifyInstance,
	stateNow: () => State,
	changes: EventEmitter<Changes>,
	reset: () => void,
): void {
	void app.register(
		async (controls) => {
			controls.addHook('onRequest', refuseOthers);
			controls.get('/', async () => controlWords);
			mountActions(controls, stateNow);
			mountFaults(controls, stateNow);
			mountSigning(controls, stateNow);
			mountViews(controls, stateNow);
			mountChats(controls, stateNow);
			mountLive(controls, changes);
			controls.post('/reset', async () => {
				reset();
				return { reset: true };
			});
		},
		{ prefix: '/_sandbox' },
	);
}

function mountActions(controls: FastifyInstance, stateNow: () => State): void {
	controls.post('/inbound', async ({ body }, reply) => {
		const { message, deliveries } = stateNow().traffic.receive(parse(inboundSchema, body));
		const { id, phone: from, text, createdAt: timestamp } = message;
		return await reply
			.code(201)
			.send({ id, from, text, timestamp, deliveries: deliveries.map((delivery) => delivery.id) });
	});
	controls.post('/receipts', async ({ body }) => {
		const { id, status, reason } = parse(receiptSchema, body);
		const message = stateNow().messages.get(id);
		if (!message) throw notFound(`There is no message ${id}`, 'id');
		if (message.direction === 'inbound')
			throw invalid('id', 'is a message of a customer; it has no receipts');
		const deliveries = stateNow().traffic.setStatus(message, status, reason);
		return { ...message, deliveries: deliveries.map((delivery) => delivery.id) };
	});
	controls.post('/send-test-event', async ({ body }, reply) => {
		const { event, webhookId, data = sampleDataOf(event) } = parse(testEventSchema, body);
		const { webhooks, deliveries } = stateNow();
		const chosen =
			webhookId === undefined
				? webhooks.wanting(event)
				: webhooks.all.filter(({ id }) => id === webhookId);
		if (webhookId !== undefined && chosen.length === 0)
			throw notFound(`There is no webhook ${webhookId}`, 'webhookId');
		const ids = chosen.map((webhook) => deliveries.deliver(webhook, event, data).id);
		return await reply.code(201).send({ event, data, deliveries: ids });
	});
}

function mountFaults(controls: FastifyInstance, stateNow: () => State): void {
	controls.get('/faults', async () => ({ data: stateNow().faults.all }));
	controls.post('/faults', async ({ body }, reply) => {
		return await reply.code(201).send(stateNow().faults.add(parse(faultSchema, body)));
	});
	controls.delete<{ Params: { id?: string } }>('/faults/:id?', async ({ params }, reply) => {
		stateNow().faults.remove(params.id);
		return await reply.code(204).send();
	});
}

function mountSigning(controls: FastifyInstance, stateNow: () => State): void {
	controls.put('/signing', async ({ body }, reply) => {
		stateNow().deliveries.signing = parse(signingSchema, body);
		return await reply.code(204).send();
	});
	controls.delete('/signing', async (_, reply) => {
		stateNow().deliveries.signing = null;
		return await reply.code(204).send();
	});
}

function mountViews(controls: FastifyInstance, stateNow: () => State): void {
	controls.get('/messages', async ({ query }) => {
		return { data: filter(stateNow().messages.all, parse(messagesQuerySchema, query)) };
	});
	controls.get('/deliveries', async ({ query }) => {
		const { last, ...wanted } = parse(deliveriesQuerySchema, query);
		return { data: filter(stateNow().deliveries.log.last(last), wanted) };
	});
	controls.get('/webhooks', async () => ({ data: stateNow().webhooks.all }));
	controls.get('/requests', async ({ query }) => {
		const { requests } = stateNow();
		return {
			endpoints: requests.counters,
			data: requests.last(parse(lastSchema, query).last ?? 0),
		};
	});
}

/** The `data` of a sample event, new with each call. */
function sampleDataOf(event: string): Record<string, unknown> {
	const own = { id: `msg_test_${randomUUID()}`, timestamp: new Date().toISOString() };
	if (event === 'message.received')
		return { ...own, from: '+15550001234', text: 'Hello, this is a test event' };
	return { ...own, to: '+15550001234', status: event.split('.').at(-1) };
}
