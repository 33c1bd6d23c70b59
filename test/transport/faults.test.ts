/**
 * Every fault of the service × every kind of call: what is repeated, what is reported, and that over the whole matrix
 * nothing is lost, nothing happens twice and nothing passes silently.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../../sandbox/faults';
import { locator, sendText, useService } from '../support/service';

const service = useService({ sampleContacts: 3 });
/** Seconds that the service may take under the faults that hold an answer back; the others have all the time of a busy machine. */
const timeLimit = 2;

interface Call {
	endpoint: EndpointName;
	parameters: (id: string) => INodeParameters;
	/** How often the call has had its effect. */
	effects: () => number;
}

const calls: Record<string, Call> = {
	send: {
		endpoint: 'sendText',
		parameters: () => sendText,
		effects: () => service.sent().length,
	},
	list: {
		endpoint: 'listContacts',
		parameters: () => ({ resource: 'contact', operation: 'getAll', limit: 1 }),
		effects: () => 1,
	},
	create: {
		endpoint: 'createTemplate',
		parameters: () => ({
			resource: 'template',
			operation: 'create',
			name: 'made',
			language: 'en_US',
			specifyContent: 'json',
			componentsJson: '[{"type":"BODY","text":"Hi"}]',
		}),
		effects: () => service.sandbox.state.templates.all.filter(({ name }) => name === 'made').length,
	},
	update: {
		endpoint: 'updateContact',
		parameters: () => ({
			resource: 'contact',
			operation: 'update',
			contactId: locator(firstContact().id),
			updateFields: { name: 'Changed' },
		}),
		effects: () => (firstContact().name === 'Changed' ? 1 : 0),
	},
	delete: {
		endpoint: 'deleteWebhook',
		parameters: (id) => ({ resource: 'webhook', operation: 'delete', webhookId: locator(id) }),
		effects: () => 1 - service.sandbox.state.webhooks.all.length,
	},
};

function firstContact() {
	return service.sandbox.state.contacts.all[0];
}

/** What happens to a call that a fault hits once: it is repeated, fails with an error, or succeeds. */
type Fate = 'repeated' | 'mayHaveBeenSent' | 'notSent' | 'fine';

interface Row {
	fault: FaultOrder;
	/** For send and create, which must not happen twice. */
	once: Fate;
	/** For list, update and delete, which may. */
	any: Fate;
	/** Whether the service has carried out what it answered with the fault. */
	processed?: boolean;
	/** Delete answers without a body. */
	delete?: Fate;
}

const soon = () => Date.now() + 1_000;
const limited = (headers: Record<string, string>): Row => ({
	fault: { status: 429, headers },
	once: 'repeated',
	any: 'repeated',
});
const failed = (fault: FaultOrder, processed = false): Row => ({
	fault,
	once: 'mayHaveBeenSent',
	any: 'repeated',
	processed,
});
const page = '<html><h1>Bad Gateway</h1></html>';
const refusal: FaultOrder = { status: 401, body: { message: 'Key revoked' } };
const lateMs = timeLimit * 1_000 + 400;

const matrix: Record<string, () => Row> = {
	'429 with Retry-After in seconds': () => limited({ 'retry-after': '1' }),
	'429 with Retry-After as a date': () =>
		limited({ 'retry-after': new Date(soon()).toUTCString() }),
	'429 with a Unix time': () => limited({ 'x-ratelimit-reset': String(Math.ceil(soon() / 1_000)) }),
	'429 without a word when': () => limited({}),
	'500': () => failed({ status: 500 }),
	'502 with a page of a proxy': () => failed({ status: 502, body: page }),
	'503 after it was carried out': () => failed({ status: 503, processed: true }, true),
	'no response within the timeout': () => failed({ delayMs: lateMs }, true),
	'reset before the request was read': () => failed({ reset: 'beforeRead' }),
	'reset after the request was read': () => failed({ reset: 'afterRead' }, true),
	'broken JSON': () => ({ ...failed({ brokenJson: true }, true), delete: 'fine' }),
	'a slow body': () => ({ ...failed({ slowBodyMs: lateMs + 1_100 }, true), delete: 'fine' }),
	'401 in mid-run': () => ({ fault: refusal, once: 'notSent', any: 'notSent' }),
};

/** Makes one of the calls under a fault. */
async function outcomeOf(kind: string, fault: FaultOrder, id: string) {
	const { endpoint, parameters, effects } = calls[kind];
	const timeout = fault.delayMs || fault.slowBodyMs ? timeLimit : 30;
	await service.fault({ ...fault, endpoint });
	const { outputs } = await service.run({
		parameters: { ...parameters(id), options: { timeout } },
		onError: 'continueRegularOutput',
	});
	const error = outputs[0][0]?.json.error as
		| { sendStatus: Fate; message: string; description: string }
		| undefined;
	const fate = error?.sendStatus ?? (service.calls(endpoint) > 1 ? 'repeated' : 'fine');
	if (error) expect(error.message).toMatch(/^The (service|connection|response)/);
	if (error) expect(error.description).toMatch(/\w/);
	return { kind, fate, calls: service.calls(endpoint), effects: effects() };
}

test.each(Object.keys(matrix))('%s', async (name) => {
	const { id } = service.sandbox.state.webhooks.create({ url: 'https://example.com/hook' });
	const row = matrix[name]();
	const outcome = await Promise.all(
		Object.keys(calls).map(async (kind) => await outcomeOf(kind, row.fault, id)),
	);
	const expected = Object.keys(calls).map((kind) => {
		const ofMany = kind === 'send' || kind === 'create' ? row.once : row.any;
		const fate = kind === 'delete' ? (row.delete ?? row.any) : ofMany;
		const hasEffect = fate === 'repeated' || fate === 'fine' || row.processed || kind === 'list';
		return { kind, fate, calls: fate === 'repeated' ? 2 : 1, effects: hasEffect ? 1 : 0 };
	});
	expect(outcome).toEqual(expected);
});
