/**
 * What the tests of every operation have in common, whether n8n's engine or a real n8n runs them: three items, the middle
 * one refused by the service, in n8n's three ways to deal with errors.
 */
import { expect } from 'expect';
import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/description';
import type { FaultOrder } from '../../sandbox/faults';
import { welcomeParameters } from './templates';

/** What runs the action node against a sandbox, which is emptied before each test. */
export interface Runner {
	run: (options: RunnerOptions) => Promise<RunnerResult>;
	/** Orders a fault of the sandbox. */
	fault: (order: FaultOrder) => Promise<void>;
}

/** A run of the node on items of its own. */
export interface RunnerOptions {
	parameters: INodeParameters;
	items: Array<Record<string, string | number>>;
	onError?: INode['onError'];
}

/** How it ended. */
export interface RunnerResult {
	status: string;
	error?: { message: string; [key: string]: unknown };
	/** The items of the output and, with `continueErrorOutput`, of the error output. */
	outputs: INodeExecutionData[][];
}

const numbered = [{ n: 1 }, { n: 2 }, { n: 3 }];
const words = 'the operator said no';

/** An operation with parameters that work. */
export interface Case {
	/** Parameters besides resource and operation; `{{ $json.n }}` numbers the items. */
	parameters?: INodeParameters;
	/** The endpoint that refuses the middle item, if it is not the operation's own. */
	fails?: EndpointName;
	/** What a record of the output holds. */
	gives: Record<string, unknown>;
	/** Creates what the operation works on; gives the IDs of three records as items. */
	before?: (runner: Runner) => Promise<Array<{ id: string }>>;
}

const phone = '=+1 (555) 000-100{{ $json.n }}';
const welcome = { to: phone, ...welcomeParameters };
const byId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };

async function createThree(
	runner: Runner,
	parameters: INodeParameters,
): Promise<Array<{ id: string }>> {
	const { outputs, error } = await runner.run({ parameters, items: numbered });
	expect(error).toBeUndefined();
	return outputs[0].map(({ json }) => ({ id: json.id as string }));
}
const contacts = async (runner: Runner) =>
	await createThree(runner, { resource: 'contact', operation: 'create', phone });
const newTemplate = {
	name: '=note_{{ $json.n }}',
	language: 'en_US',
	componentsJson: '[{ "type": "BODY", "text": "Hi {{1}}" }]',
};
const newWebhook = { url: '=https://example.com/hook/{{ $json.n }}', events: ['message.received'] };

/** All operations that do not wait, by resource and value. */
export const everyOperation: Record<string, Case> = {
	'account createToken': { gives: { token: expect.any(String) } },
	'account getCurrent': { gives: { id: expect.anything() } },
	'analytics getAgentStatistics': { gives: { name: 'Demo key', sent: expect.any(Number) } },
	'analytics getCampaignStatistics': {
		before: async (runner) =>
			await createThree(runner, { resource: 'message', operation: 'sendTemplate', ...welcome }),
		gives: { template: 'welcome', sent: expect.any(Number) },
	},
	'analytics getMessageStatistics': { gives: { sent: expect.any(Number) } },
	'contact create': {
		parameters: { phone, name: '=Anna {{ $json.n }}' },
		gives: { phone: expect.stringMatching(/^\+1555000100\d$/) },
	},
	'contact getAll': { parameters: { limit: 1 }, gives: { phone: expect.any(String) } },
	'contact update': {
		before: contacts,
		parameters: { contactId: byId, updateFields: { name: 'Bea' } },
		gives: { name: 'Bea' },
	},
	'contact upsert': {
		parameters: { phone, name: 'Carl' },
		fails: 'createContact',
		gives: { name: 'Carl' },
	},
	'conversation getAll': {
		before: async (runner) =>
			await createThree(runner, {
				resource: 'message',
				operation: 'sendText',
				to: phone,
				text: 'Hi',
			}),
		parameters: { limit: 1 },
		gives: { id: expect.anything() },
	},
	'message sendTemplate': {
		parameters: welcome,
		gives: { messageId: expect.any(String), to: expect.stringMatching(/^\+1555/) },
	},
	'message sendText': {
		parameters: { to: phone, text: 'Hi' },
		gives: { messageId: expect.any(String), to: expect.stringMatching(/^\+1555000100\d$/) },
	},
	'template create': { parameters: newTemplate, gives: { status: 'PENDING' } },
	'template getAll': { parameters: { limit: 1 }, gives: { name: expect.any(String) } },
	'template update': {
		before: async (runner) =>
			await createThree(runner, { resource: 'template', operation: 'create', ...newTemplate }),
		parameters: { templateId: byId, updateFields: { category: 'MARKETING' } },
		gives: { category: 'MARKETING' },
	},
	'webhook create': {
		parameters: newWebhook,
		gives: { url: expect.stringContaining('https://example.com/hook/') },
	},
	'webhook delete': {
		before: async (runner) =>
			await createThree(runner, { resource: 'webhook', operation: 'create', ...newWebhook }),
		parameters: { webhookId: byId },
		gives: { deleted: true },
	},
	'webhook getAll': {
		before: async (runner) =>
			await createThree(runner, { resource: 'webhook', operation: 'create', ...newWebhook }),
		parameters: { limit: 1 },
		gives: { id: expect.anything() },
	},
};

/** Those that wait have tests of their own. */
const atOnce = operations.filter(({ waits }) => !waits);

/**
 * The row of an operation.
 *
 * @throws Error that says where to add it
 */
export function caseOf(resource: string, operation: string): Case {
	const row = everyOperation[`${resource} ${operation}`];
	if (!row)
		throw new Error(
			`Add a row '${resource} ${operation}' to everyOperation in test/support/everyOperation.ts.`,
		);
	return row;
}

/** Declares the tests: four for each operation. */
export function testEveryOperation(runner: Runner): void {
	test('every row of the table is an operation', () => {
		const known = atOnce.map(({ resource, value }) => `${resource} ${value}`);
		expect(Object.keys(everyOperation).filter((name) => !known.includes(name))).toEqual([]);
	});

	describe.each(atOnce)('$resource $value', ({ resource, value, endpoint }) => {
		async function prepare() {
			const { parameters = {}, before } = caseOf(resource, value);
			const ids = (await before?.(runner)) ?? [];
			const items = numbered.map((item, index) => ({ ...item, ...ids[index] }));
			return { parameters: { resource, operation: value, ...parameters }, items };
		}
		async function refuseTheSecondCall() {
			const name =
				caseOf(resource, value).fails ??
				(Object.keys(endpoints) as EndpointName[]).find((key) => endpoints[key] === endpoint);
			await runner.fault({ endpoint: name, skip: 1, status: 422, body: { message: words } });
		}

		test('gives the records of all items, each paired with its own', async () => {
			const { gives } = caseOf(resource, value);
			const { outputs, error } = await runner.run(await prepare());
			expect(error).toBeUndefined();
			expect(outputs[0].map(({ json }) => json)).toEqual(
				[0, 1, 2].map(() => expect.objectContaining(gives)),
			);
			expect(outputs[0].map(({ pairedItem }) => pairedItem)).toEqual(
				[0, 1, 2].map((item) => ({ item })),
			);
		});

		test('stops at the failed item with the words of the service', async () => {
			const options = await prepare();
			await refuseTheSecondCall();
			const { status, error } = await runner.run({
				...options,
				parameters: { ...options.parameters, options: { concurrency: 1 } },
			});
			expect(status).toBe('error');
			expect(error?.message).toBe(`The service refused the request: ${words} (HTTP 422) [item 1]`);
			expect(error).toMatchObject({
				description: expect.stringContaining('Correct the values'),
				context: { itemIndex: 1, sendStatus: 'notSent' },
			});
		});

		test.each(['continueRegularOutput', 'continueErrorOutput'] as const)('%s', async (onError) => {
			const { gives } = caseOf(resource, value);
			const options = await prepare();
			await refuseTheSecondCall();
			const { outputs, error } = await runner.run({
				...options,
				parameters: { ...options.parameters, options: { concurrency: 1 } },
				onError,
			});
			expect(error).toBeUndefined();
			const description = expect.stringContaining('Correct the values');
			const failure = {
				message: `The service refused the request: ${words} (HTTP 422)`,
				description,
				statusCode: 422,
				sendStatus: 'notSent',
			};
			const failed = { json: expect.objectContaining({ error: failure }), pairedItem: { item: 1 } };
			const good = (item: number) => ({
				json: expect.objectContaining(gives),
				pairedItem: { item },
			});
			const shape = (items = outputs[0]) =>
				items.map(({ json, pairedItem }) => ({ json, pairedItem }));
			if (onError === 'continueRegularOutput') {
				expect(shape()).toEqual([good(0), failed, good(2)]);
				return;
			}
			expect(shape()).toEqual([good(0), good(2)]);
			expect(shape(outputs[1])).toEqual([failed]);
			expect(outputs[1][0].json).toMatchObject({ n: 2 });
		});
	});
}
