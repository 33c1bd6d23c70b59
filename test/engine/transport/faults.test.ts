/**
 * Every fault of the service with every kind of call: which calls are repeated, which failures are reported; and for
 * all combinations, that nothing is lost, nothing happens twice, and no failure stays unreported.
 */
import { createRequire } from 'node:module';
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import type { FaultOrder } from '../../../sandbox/faults';
import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 3 });
/** The timeout for faults that delay a response, seconds. With other faults, a busy machine may take as long as it needs. */
const timeLimit = 2;
const lateMs = timeLimit * 1_000 + 400;

interface Call {
	endpoint: EndpointName;
	parameters: INodeParameters;
	/** How often the call has taken effect. */
	effects: () => number;
}

/** A message, an update and a removal. */
function callsTo(contactId: INodeParameters, webhookId: INodeParameters): Call[] {
	const { contacts, webhooks } = service.sandbox.state;
	const update = { contactId, updateFields: { name: 'Changed' } };
	return [
		{ endpoint: 'sendText', parameters: sendText, effects: () => service.sent().length },
		{
			endpoint: 'updateContact',
			parameters: { resource: 'contact', operation: 'update', ...update },
			effects: () => Number(contacts.all[0].name === 'Changed'),
		},
		{
			endpoint: 'deleteWebhook',
			parameters: { resource: 'webhook', operation: 'delete', webhookId },
			effects: () => 1 - webhooks.all.length,
		},
	];
}

/** What happens to a call that a fault affects once: it is repeated, it fails with an error, or it succeeds. */
type Fate = 'repeated' | 'mayHaveBeenSent' | 'notSent' | 'fine';

interface Row {
	fault: FaultOrder;
	/**
	 * The expected result of each kind of call. A message must not be sent twice; updates and removals may. The response
	 * to a removal has no body.
	 */
	fates: [send: Fate, update: Fate, remove: Fate];
	/** Whether the service has carried out the call to which it responded with the fault. */
	isDone?: boolean;
}

const limited: Row['fates'] = ['repeated', 'repeated', 'repeated'];
const failed: Row['fates'] = ['mayHaveBeenSent', 'repeated', 'repeated'];
const unreadable: Row['fates'] = ['mayHaveBeenSent', 'repeated', 'fine'];
const refused: Row['fates'] = ['notSent', 'notSent', 'notSent'];
const page = '<html><h1>Bad Gateway</h1></html>';
const revoked = { status: 401, body: { message: 'Key revoked' } };

test.each<[string, Row]>([
	[
		'429 with Retry-After',
		{ fault: { status: 429, headers: { 'retry-after': '1' } }, fates: limited },
	],
	['429 without Retry-After', { fault: { status: 429 }, fates: limited }],
	["502 with a proxy's page", { fault: { status: 502, body: page }, fates: failed }],
	[
		'503 after the request took effect',
		{ fault: { status: 503, processed: true }, fates: failed, isDone: true },
	],
	['no response in time', { fault: { delayMs: lateMs }, fates: failed, isDone: true }],
	[
		'connection reset before the request was read',
		{ fault: { reset: 'beforeRead' }, fates: failed },
	],
	[
		'connection reset after the request was read',
		{ fault: { reset: 'afterRead' }, fates: failed, isDone: true },
	],
	['broken JSON', { fault: { brokenJson: true }, fates: unreadable, isDone: true }],
	['a slow body', { fault: { slowBodyMs: lateMs + 1_100 }, fates: unreadable, isDone: true }],
	['401 in the middle of a run', { fault: revoked, fates: refused }],
])('%s', async (_, { fault, fates, isDone = false }) => {
	const { id } = service.sandbox.state.webhooks.create({ url: 'https://example.com/hook' });
	const calls = callsTo(locator(service.sandbox.state.contacts.all[0].id), locator(id));
	const timeout = fault.delayMs || fault.slowBodyMs ? timeLimit : 30;
	const outcomes = calls.map(async ({ endpoint, parameters, effects }) => {
		service.fault({ ...fault, endpoint });
		const { outputs } = await service.run({
			parameters: { ...parameters, options: { timeout } },
			onError: 'continueRegularOutput',
		});
		const { error, details = {} } = (outputs[0][0]?.json ?? {}) as {
			error?: string;
			details?: Record<string, string>;
		};
		const fate = details.sendStatus ?? (service.calls(endpoint) > 1 ? 'repeated' : 'fine');
		if (error) expect(error).toMatch(/^The (service|connection|response)/);
		if (error) expect(details.description).toMatch(/\w/);
		return { endpoint, fate, calls: service.calls(endpoint), effects: effects() };
	});
	const expected = calls.map(({ endpoint }, index) => {
		const fate = fates[index];
		const hasEffect = fate === 'repeated' || fate === 'fine' || isDone;
		return { endpoint, fate, calls: fate === 'repeated' ? 2 : 1, effects: hasEffect ? 1 : 0 };
	});
	expect(await Promise.all(outcomes)).toEqual(expected);
});

describe("n8n's SSRF protection, which allows no requests to internal addresses,", () => {
	const requireOfN8n = createRequire(require.resolve('n8n-core'));
	const { SsrfProtectionConfig } = requireOfN8n('@n8n/config') as { SsrfProtectionConfig: unknown };
	const { Container } = requireOfN8n('@n8n/di') as {
		Container: { get: (type: unknown) => { enabled: boolean } };
	};
	const protection = Container.get(SsrfProtectionConfig);
	beforeEach(() => void (protection.enabled = true));
	afterEach(() => void (protection.enabled = false));

	test.each(['127.0.0.1', 'localhost'])(
		'blocks a call to %s: nothing was sent, and the error says how to allow it',
		async (host) => {
			const baseUrl = service.url.replace('127.0.0.1', host);
			const message = `n8n's SSRF protection blocks requests to ${new URL(baseUrl).host}`;
			const credentials = service.credentials({ baseUrl });
			for (const { parameters } of callsTo(locator('1'), locator('1'))) {
				const { outputs } = await service.run({
					...{ parameters, credentials },
					onError: 'continueRegularOutput',
				});
				expect(outputs[0][0].json).toMatchObject({
					error: expect.stringContaining(message),
					details: {
						description: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES'),
						sendStatus: 'notSent',
					},
				});
			}
			const result = await service.engine.testCredential(credentials);
			expect(result).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
			expect(service.requests()).toEqual([]);
		},
	);
});
