/** Controls that only a sandbox has, under `/_sandbox`: without a key, for callers on this machine. */
import type { FastifyInstance } from 'fastify';
import { filter } from 'lodash';
import { z } from 'zod';

import { phoneSchema } from '../nodes/BusinessMessaging/api/endpoints';
import { refuseForeignPages, refuseOthers } from './auth';
import { parse } from './errorResponses';
import type { FaultOrder } from './faults';
import { changeableSchema } from './options';
import { mountChats } from './phone';
import type { State } from './state';

const inboundSchema = z
	.object({
		from: phoneSchema,
		text: z.string().optional(),
		isPicture: z.boolean().optional(),
		name: z.string().optional(),
		quotes: z.string().optional(),
	})
	.strict()
	.refine(({ text, isPicture }) => isPicture || text !== undefined, {
		path: ['text'],
		message: 'is missing',
	});
const lastSchema = z.object({ last: z.coerce.number().int().min(0).optional() });
const messagesQuerySchema = z.object({
	direction: z.enum(['inbound', 'outbound']).optional(),
});

/** The controls, as the start of the sandbox prints them. */
export const controlWords = {
	'POST /_sandbox/inbound':
		'a customer writes, or sends a picture: { from, text | isPicture, name?, quotes? }',
	'POST /_sandbox/faults':
		'faults to come: { endpoint?, status?, delayMs?, reset?, brokenJson?, count?, … }',
	'GET /_sandbox/faults': 'the ordered faults, and how many calls each has hit',
	'DELETE /_sandbox/faults': 'takes all faults back',
	'GET /_sandbox/options': 'the options as they are now',
	'PATCH /_sandbox/options':
		'changes some until the next reset: { webhookSecret?, recognizesIdempotencyKeys?, textWindowMs?, latencyMs?, failingNumbers?, unreadNumbers?, hidesNumbers? }',
	'GET /_sandbox/messages': 'messages of both directions: ?direction=',
	'GET /_sandbox/deliveries': 'deliveries to webhooks: ?last=',
	'GET /_sandbox/webhooks': 'the registered webhooks',
	'GET /_sandbox/requests': 'counters per endpoint, and the newest requests: ?last=',
	'POST /_sandbox/reset': 'back to the start',
};

/** Mounts the controls. */
export function mountControls(
	app: FastifyInstance,
	stateNow: () => State,
	reset: () => void,
): void {
	const mount = async (controls: FastifyInstance) => {
		controls.addHook('onRequest', refuseOthers);
		controls.addHook('onRequest', refuseForeignPages);
		controls.post('/inbound', async ({ body }) =>
			stateNow().traffic.receive(parse(inboundSchema, body)),
		);
		controls.post('/faults', async ({ body }) => stateNow().faults.add(body as FaultOrder));
		controls.get('/faults', async () => ({ data: stateNow().faults.all }));
		controls.delete('/faults', async () => {
			stateNow().faults.remove();
			return {};
		});
		controls.get('/options', async () => stateNow().settings);
		controls.patch('/options', async ({ body }) =>
			Object.assign(stateNow().settings, parse(changeableSchema, body)),
		);
		controls.post('/reset', async () => {
			reset();
			return {};
		});
		controls.get('/messages', async ({ query }) => {
			return { data: filter(stateNow().messages.all, parse(messagesQuerySchema, query)) };
		});
		controls.get('/deliveries', async ({ query }) => {
			return { data: stateNow().deliveries.log.last(parse(lastSchema, query).last) };
		});
		controls.get('/webhooks', async () => ({ data: stateNow().webhooks.all }));
		controls.get('/requests', async ({ query }) => {
			const { last = 0 } = parse(lastSchema, query);
			const { requests } = stateNow();
			return { endpoints: requests.counters, data: requests.last(last) };
		});
		mountChats(controls, stateNow);
	};
	void app.register(mount, { prefix: '/_sandbox' });
}
