/**
 * Every fault of the service × every kind of call: what is repeated, what is reported, and that over the whole matrix
 * nothing is lost, nothing happens twice and nothing passes silently.
 */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../../sandbox/faults';
import { useService } from '../support/service';

const service = useService({ sampleContacts: 3 });
/** Seconds that the service may take under the faults that hold an answer back; the others have all the time of a busy machine. */
const timeLimit = 2;

interface Call {
	endpoint: EndpointName;
	parameters: (id: string) => INodeParameters;
	/** How often the call has had its effect. */
	effects: () => number;
}

const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const phone = '+15550001000';

const calls: Record<string, Call> = {
	send: {
		endpoint: 'sendText',
		parameters: () => ({ resource: 'message', operation: 'sendText', to: phone, text: 'Hi' }),
		effects: () => service.sent().length,
	},
	list: {
		endpoint: 'listConversations',
		parameters: () => ({ resource: 'conversation', operation: 'getAll', limit: 1 }),
		effects: () => 1,
	},
	create: {
		endpoint: 'createTemplate',
		parameters: () => ({
			resource: 'template',
			operation: 'create',
			name: 'made',
			language: 'en_US',
			componentsJson: '[{"type":"BODY","text":"Hi"}]',
		}),
		effects: () => service.sandbox.state.templates.all.filter(({ name }) => name === 'made').length,
	},
	update: {
		endpoint: 'updateContact',
		parameters: () => ({
			resource: 'contact',
			operation: 'update',
			contactId: byId(firstContact().id),
			updateFields: { name: 'Changed' },
		}),
		effects: () => (firstContact().name === 'Changed' ? 1 : 0),
	},
	delete: {
		endpoint: 'deleteWebhook',
		parameters: (id) => ({ resource: 'webhook', operation: 'delete', webhookId: byId(id) }),
		effects: () => 1 - service.sandbox.state.webhooks.all.length,
	},
};

function firstContact() {
	return service.sandbox.state.contacts.all[0];
}

/** What happens to the calls under a fault that hits each of them once. */
type Fate =
	/** The call is made again and succeeds. */
	| 'repeated'
	/** The item fails, and says that it may have happened. */
	| 'mayHaveBeenSent'
	/** The item fails, and says that it certainly did not happen. */
	| 'notSent'
	/** The call succeeds at once. */
	| 'fine';

interface Row {
	fault: FaultOrder;
	/** For send and create, which must not happen twice. */
	once: Fate;
	/** For list, update and delete, which may. */
	any: Fate;
	/** Whether the service has carried out what it answered with the fault. */
	processed: boolean;
	/** Delete answers without a body. */
	delete?: Fate;
}

const soon = () => new Date(Date.now() + 1000).toUTCString();
const unixSoon = () => String(Math.ceil(Date.now() / 1000) + 1);
const limited = (headers: () => Record<string, string>): Row => ({
	get fault() {
		return { status: 429, headers: headers() };
	},
	once: 'repeated',
	any: 'repeated',
	processed: false,
});
const failed = (fault: FaultOrder, processed: boolean): Row => ({
	fault,
	once: 'mayHaveBeenSent',
	any: 'repeated',
	processed,
});

const matrix: Record<string, Row> = {
	'429 with Retry-After in seconds': limited(() => ({ 'retry-after': '1' })),
	'429 with Retry-After as a date': limited(() => ({ 'retry-after': soon() })),
	'429 with X-RateLimit-Reset': limited(() => ({ 'x-ratelimit-reset': unixSoon() })),
	'429 without a word when': limited(() => ({})),
	'500': failed({ status: 500 }, false),
	'502 with a page of a proxy': failed(
		{ status: 502, body: '<html><h1>Bad Gateway</h1></html>' },
		false,
	),
	'503 after it was carried out': failed({ status: 503, processed: true }, true),
	'no response within the timeout': failed({ delayMs: timeLimit * 1000 + 400 }, true),
	'reset before the request was read': failed({ reset: 'beforeRead' }, false),
	'reset after the request was read': failed({ reset: 'afterRead' }, true),
	'broken JSON': { ...failed({ brokenJson: true }, true), delete: 'fine' },
	'a body that takes longer than the timeout': {
		...failed({ slowBodyMs: timeLimit * 1000 + 1500 }, true),
		delete: 'fine',
	},
	'401 in mid-run': {
		fault: { status: 401, body: { message: 'Key revoked' } },
		once: 'notSent',
		any: 'notSent',
		processed: false,
	},
};

test.each(Object.entries(matrix))('%s', async (_name, row) => {
	await service.run({
		parameters: {
			resource: 'webhook',
			operation: 'create',
			url: 'https://example.com/hook',
			events: ['message.received'],
		},
	});
	const { id } = service.sandbox.state.webhooks.all[0];
	const timeout = row.fault.delayMs || row.fault.slowBodyMs ? timeLimit : 30;
	const outcome = await Promise.all(
		Object.entries(calls).map(async ([kind, { endpoint, parameters, effects }]) => {
			await service.fault({ ...row.fault, endpoint });
			const run = await service.run({
				parameters: { ...parameters(id), options: { timeout } },
				onError: 'continueRegularOutput',
			});
			const error = run.outputs[0][0]?.json.error as
				| { sendStatus: Fate; message: string; description: string }
				| undefined;
			const fate = error?.sendStatus ?? (service.calls(endpoint) > 1 ? 'repeated' : 'fine');
			if (error)
				expect([error.message, error.description]).toEqual([
					expect.stringMatching(/^The (service|connection|response)/),
					expect.stringMatching(/\w/),
				]);
			return { kind, fate, calls: service.calls(endpoint), effects: effects() };
		}),
	);
	const expected = Object.keys(calls).map((kind) => {
		const fate =
			kind === 'send' || kind === 'create'
				? row.once
				: kind === 'delete'
					? (row.delete ?? row.any)
					: row.any;
		const hasEffect = fate === 'repeated' || fate === 'fine' || row.processed || kind === 'list';
		return { kind, fate, calls: fate === 'repeated' ? 2 : 1, effects: hasEffect ? 1 : 0 };
	});
	expect(outcome).toEqual(expected);
});
