/** Registering a webhook at services with other field names than the usual ones. */
import type { FaultOrder } from '../../../sandbox/faults';
import { useService } from '../../../harness/engine/service';

const service = useService();
const url = 'https://example.com/hook';
const events = ['message.read', 'message.sent'];

/** Registers a webhook at a service with these responses. By default, the key is new, so that no form is known. */
async function register(faults: FaultOrder[], key = service.newKey()) {
	for (const fault of faults) service.fault({ endpoint: 'createWebhook', ...fault });
	const { outputs, error } = await service.run({
		parameters: { resource: 'webhook', operation: 'create', url, events },
		credentials: service.credentials(key),
	});
	const requests = service.requests('createWebhook');
	const bodies = requests.map(({ body }) => body);
	const idempotencyKeys = requests.map(({ headers }) => headers['idempotency-key']);
	return { output: outputs[0]?.[0]?.json, error, bodies, key, idempotencyKeys };
}
const taken = { status: 201, body: { id: 'w1' } };
const unknown = (message: string, count = 1): FaultOrder => ({
	status: 422,
	body: { message },
	count,
});
const textOrJson = 'message.read,message.sent';

test.each<[string[], object]>([
	[['callback_url: is required'], { callback_url: url, events }],
	[['events must be a string'], { url, events: textOrJson }],
	[['no "webhook_url"', 'events must be a string'], { webhook_url: url, events: textOrJson }],
])('the field names in the refusals %j are tried next, and remembered', async (words, body) => {
	const { output, bodies, key } = await register([...words.map((one) => unknown(one)), taken]);
	expect(output).toEqual({ id: 'w1' });
	expect([bodies[0], bodies.at(-1)]).toEqual([{ url, events }, body]);
	expect(bodies).toHaveLength(words.length + 1);
	const again = await register([taken], key);
	expect(again.bodies.slice(bodies.length)).toEqual([body]);
});

test.each([
	'events: "message.raed" is not an event of this service',
	'message.sent is not supported',
	'events is not a field',
	'the event is invalid',
	'message.sent must be activated first',
])('a refusal of the events is shown, and nothing is registered for others: %s', async (words) => {
	const { error, bodies, key } = await register([unknown(words)]);
	expect(error?.message).toContain(words);
	expect(bodies).toEqual([{ url, events }]);
	const { output } = await register([], key);
	expect(output).toMatchObject({ url, events });
});

test.each([
	['Unprocessable', 1],
	['Missing field', 3],
	['endpoint, webhook_url, callback_url and webhookUrl are no fields', 3],
	['', 3],
])('after the refusal "%s", %d bodies are tried, each with the events', async (words, count) => {
	const { error, bodies, idempotencyKeys } = await register([unknown(words, 20)]);
	expect(error?.message).toContain('The service refused the request');
	expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(count);
	expect(bodies).toHaveLength(count);
	// With the key of another body, a service would refuse the request, or repeat its refusal.
	expect(new Set(idempotencyKeys).size).toBe(count);
	for (const one of idempotencyKeys) expect(one).toMatch(/^[\w-]{20,}/);
	for (const body of bodies) expect(body).toHaveProperty('events');
});

test.each([
	['unknown field', 'the address is down'],
	['Invalid parameter (is required)', 'Invalid parameter (the address is down)'],
])('after the refusals "%s" and "%s", the error shows the second one', async (form, telling) => {
	const { error } = await register([unknown(form), unknown(telling), unknown(form)]);
	expect(error?.message).toContain(telling);
});

test('after three refusals, the error shows the one that is not about field names', async () => {
	const words = ['unknown field', 'url is missing', 'the address is down'];
	const { error } = await register(words.map((one) => unknown(one)));
	expect(error?.message).toContain('the address is down');
});

test('a service that changes how events are written is understood again', async () => {
	const { key } = await register([unknown('events must be a string'), taken]);
	const { bodies } = await register([unknown('events must be an array'), taken], key);
	expect(bodies.slice(-2)).toEqual([
		{ url, events: textOrJson },
		{ url, events },
	]);
});

test.each<[string, FaultOrder]>([
	['about the number of webhooks', unknown('You have too many of these')],
	['about the key', { status: 403, body: { message: 'missing field url' } }],
	['that may hide a success', { status: 502, body: { message: 'missing field url' } }],
])('after a refusal %s, no other form is tried', async (_, fault) => {
	const { error, bodies } = await register([fault]);
	expect(error).toBeDefined();
	expect(bodies).toHaveLength(1);
});

test('once a form has worked, a refusal that is not only about the form is final', async () => {
	const { key } = await register([taken]);
	const { error, bodies } = await register([unknown('url: did not answer the challenge')], key);
	expect(error?.message).toContain('did not answer the challenge');
	expect(bodies).toHaveLength(2);
});
