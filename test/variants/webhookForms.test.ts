/** Registering a webhook at services that want it in other fields than the specification leaves one to expect. */
import type { FaultOrder } from '../../sandbox/faults';
import { useService } from '../support/service';

const service = useService();
const url = 'https://example.com/hook';
let made = 0;

/** A key under which no form is known yet. */
function newKey(): string {
	return service.sandbox.state.keys.create('Other', `key-for-form-${++made}`).secret;
}

async function register(faults: FaultOrder[], apiKey = newKey()) {
	for (const fault of faults) await service.fault({ endpoint: 'createWebhook', ...fault });
	const parameters = {
		resource: 'webhook',
		operation: 'create',
		url,
		events: ['message.read', 'message.sent'],
	};
	const { outputs, error } = await service.run({
		parameters,
		credentials: service.credentials({ apiKey }),
	});
	const bodies = service.sandbox.state.requests
		.last()
		.filter(({ endpoint }) => endpoint === 'createWebhook')
		.map(({ body }) => body);
	return { output: outputs[0]?.[0]?.json, error, bodies, apiKey };
}
const taken = { status: 201, body: { id: 'w1' } };
const unknown = (words: string, count = 1): FaultOrder => ({
	status: 422,
	body: { message: words },
	count,
});

test('a field that the refusal names is tried next, and kept for the next time', async () => {
	const { output, bodies, apiKey } = await register([unknown('callback_url: is required'), taken]);
	expect(output).toEqual({ id: 'w1' });
	expect(bodies).toEqual([
		{ url, events: ['message.read', 'message.sent'] },
		{ callback_url: url, events: ['message.read', 'message.sent'] },
	]);
	const again = await register([taken], apiKey);
	expect(again.bodies.slice(2)).toEqual([
		{ callback_url: url, events: ['message.read', 'message.sent'] },
	]);
});

test('events are given as a text, then not at all, if the refusal is about them', async () => {
	const { bodies } = await register([
		unknown('events must be a string'),
		unknown('events is not a field'),
		taken,
	]);
	expect(bodies).toEqual([
		{ url, events: ['message.read', 'message.sent'] },
		{ url, events: 'message.read,message.sent' },
		{ url },
	]);
});

test('all forms are tried, and the most telling refusal is shown', async () => {
	const { error, bodies } = await register([
		unknown('unknown field', 7),
		unknown('the address answered with 500'),
		unknown('unknown field', 20),
	]);
	expect(bodies).toHaveLength(18);
	expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(18);
	expect(error?.message).toBe(
		'The service refused the request: the address answered with 500 (HTTP 422) [item 0]',
	);
});

test.each<[string, FaultOrder]>([
	['about the number of webhooks', unknown('You have too many of these')],
	['about the key', { status: 403, body: { message: 'url' } }],
	['that may have been taken', { status: 502, body: { message: 'url' } }],
])('a refusal %s is no reason to try another form', async (_, fault) => {
	const { error, bodies } = await register([fault]);
	expect(error).toBeDefined();
	expect(bodies).toHaveLength(1);
});

test('once a form is known, a refusal that is not about the form alone is believed', async () => {
	const { apiKey } = await register([taken]);
	const { error, bodies } = await register([unknown('url: did not answer the challenge')], apiKey);
	expect(error?.message).toContain('did not answer the challenge');
	expect(bodies).toHaveLength(2);
});
