/**
 * The tests of every operation, in n8n's engine or a real n8n: three items, of which the service refuses the second,
 * with n8n's three ways to handle errors.
 */
import { expect } from 'expect';
import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { type EndpointName, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/nodeProperties';
import type { FaultOrder } from '../../sandbox/faults';
import { until } from '../until';
import { type Service, Triggers, received, sendText } from './service';
import { welcomeParameters } from './templates';

/** Runs the action node against a sandbox, which is emptied before each test. */
export interface Runner {
	run: (options: RunnerOptions) => Promise<RunnerResult>;
	fault: (order: FaultOrder) => void | Promise<void>;
}

/** A run of the node with its own input items. */
export interface RunnerOptions {
	parameters: INodeParameters;
	items: Array<Record<string, string | number>>;
	onError?: INode['onError'];
}

/** How a run ended. */
export interface RunnerResult {
	status: string;
	error?: { message: string; [key: string]: unknown };
	/** The items of the output and, with `continueErrorOutput`, of the error output. */
	outputs: INodeExecutionData[][];
}

/** An operation with parameters that work. */
export interface Case {
	/** Parameters besides resource and operation; `{{ $json.n }}` numbers the items. */
	parameters?: INodeParameters;
	/** The row that creates the record that the operation needs; `{{ $json.id }}` is then the ID of this record. */
	needs?: string;
	/** The endpoint that refuses the second item, if it is not the operation's own. */
	fails?: EndpointName;
	/** Fields that a record of the output has. */
	gives: Record<string, unknown>;
}

const phone = '=+1 (555) 000-100{{ $json.n }}';
const toOne = (name: string) => ({ name, value: '1' });
const byId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };

/** All operations that do not wait, by resource and value. */
export const everyOperation: Record<string, Case> = {
	'account createToken': { gives: { token: expect.any(String) } },
	'account getCurrent': { gives: { id: expect.anything() } },
	'analytics getAgentStatistics': { gives: { name: 'Demo key', sent: expect.any(Number) } },
	'analytics getCampaignStatistics': {
		needs: 'message sendTemplate',
		gives: { template: 'welcome', sent: expect.any(Number) },
	},
	'analytics getMessageStatistics': { gives: { sent: expect.any(Number) } },
	'contact create': {
		parameters: { phone, name: '=Anna {{ $json.n }}' },
		gives: { phone: expect.stringMatching(/^\+1555000100\d$/) },
	},
	'contact getAll': { parameters: { limit: 1 }, gives: { phone: expect.any(String) } },
	'contact update': {
		needs: 'contact create',
		parameters: { contactId: byId, updateFields: { name: 'Bea' } },
		gives: { name: 'Bea' },
	},
	'contact upsert': {
		parameters: { phone, name: 'Carl' },
		fails: 'createContact',
		gives: { name: 'Carl' },
	},
	'conversation getAll': {
		needs: 'message sendText',
		// Only one page, because a list that begins with the oldest record is read completely.
		parameters: { queryParameters: { parameter: ['page', 'limit'].map(toOne) } },
		gives: { id: expect.anything() },
	},
	'message sendTemplate': {
		parameters: { to: phone, ...welcomeParameters },
		gives: { messageId: expect.any(String), to: expect.stringMatching(/^\+1555/) },
	},
	'message sendText': {
		parameters: { to: phone, text: 'Hi' },
		gives: { messageId: expect.any(String), to: expect.stringMatching(/^\+1555000100\d$/) },
	},
	'template create': {
		parameters: { name: '=note_{{ $json.n }}', language: 'en_US', body: 'Hi {{1}}' },
		gives: { status: 'PENDING' },
	},
	'template getAll': { parameters: { limit: 1 }, gives: { name: expect.any(String) } },
	'template update': {
		needs: 'template create',
		parameters: { templateId: byId, updateFields: { category: 'MARKETING' } },
		gives: { category: 'MARKETING' },
	},
	'webhook create': {
		parameters: { url: '=https://example.com/hook/{{ $json.n }}', events: ['message.received'] },
		gives: { url: expect.stringContaining('https://example.com/hook/') },
	},
	'webhook delete': {
		needs: 'webhook create',
		parameters: { webhookId: byId },
		gives: { deleted: true },
	},
	'webhook getAll': {
		needs: 'webhook create',
		parameters: { limit: 1 },
		gives: { id: expect.anything() },
	},
};

/** The row of an operation. @throws Error that says where to add it */
export function caseOf(resource: string, operation: string): Case {
	const name = `${resource} ${operation}`;
	if (name in everyOperation) return everyOperation[name];
	throw new Error(`Add a row '${name}' to everyOperation in harness/engine/everyOperation.ts.`);
}

/** All parameters of an operation: those of its row, and those that select the operation. */
export function parametersOf(name: string): INodeParameters {
	const [resource, operation] = name.split(' ');
	return { resource, operation, ...caseOf(resource, operation).parameters };
}

/** The three input items for an operation. Creates the records that it needs. */
export async function itemsFor(runner: Pick<Runner, 'run'>, { needs }: Case) {
	const items = [1, 2, 3].map((n) => ({ n }));
	if (!needs) return items;
	const { outputs, error } = await runner.run({ parameters: parametersOf(needs), items });
	expect(error).toBeUndefined();
	return items.map((item, index) => ({ ...item, id: outputs[0][index].json.id as string }));
}

/** Parameters for outputs that show more fields than the parameters of the tests. */
const telling: Record<string, INodeParameters> = {
	'contact upsert': { phone: '={{ $json.phone }}', name: 'Carl' },
	'template getAll': { limit: 3 },
};

/** One item of the output of an operation that does not wait, from a sandbox with contacts. */
export async function previewedOutput(service: Service, resource: string, value: string) {
	const name = `${resource} ${value}`;
	const [first] = await itemsFor(service, caseOf(resource, value));
	const [{ phone }] = service.sandbox.state.contacts.all;
	const parameters = { ...parametersOf(name), ...telling[name] };
	const { outputs, error } = await service.run({ parameters, items: [{ ...first, phone }] });
	expect(error).toBeUndefined();
	return outputs[0].at(-1)?.json;
}

/** What an operation on what n8n keeps outputs. */
export async function localOutput(service: Service, resource: string, value: string) {
	return resource === 'campaign'
		? await tableOutput(service, resource, value)
		: await inboxOutput(service, resource, value);
}

/** What the operations on questions output while an execution waits for somebody whose reply did not fit. */
async function inboxOutput(service: Service, resource: string, operation: string) {
	const triggers = new Triggers(service);
	const inbox = await triggers.active({ parameters: { keepReplies: true } });
	const to = '+15551000000';
	const message = 'Which day suits you?';
	await service.engine.runUntilWaiting({
		parameters: { resource, operation: 'sendAndWait', to, message, responseType: 'date' },
		credentials: service.credentials(),
	});
	await triggers.deliver(inbox, received({ from: to, text: 'any day' }));
	const { outputs, error } = await service.run({
		parameters: { resource, operation, to },
		baseUrl: new URL(inbox.url).origin,
	});
	expect(error).toBeUndefined();
	await inbox.deactivate();
	return outputs[0][0].json;
}

/** What the operations on tables output after a campaign of one person who has got and read the message. */
async function tableOutput(service: Service, resource: string, value: string) {
	service.engine.tables.reset();
	const run = async (parameters: INodeParameters, item: IDataObject = {}) => {
		const { outputs, error } = await service.run({ parameters, items: [item] });
		expect(error).toBeUndefined();
		return outputs[0][0].json;
	};
	const options = { variant: 'A', personName: 'Anna Schmidt' };
	const campaign = { sendOnce: true, campaign: 'spring-sale', options };
	const { to, messageId } = await run({ ...sendText, ...campaign });
	const receipt = { to, messageId, time: '2030-01-31T10:00:00.000Z' };
	const recorded = { resource, operation: 'recordEvents' };
	await run(recorded, { event: 'message.delivered', ...receipt });
	const read = await run(recorded, { event: 'message.read', ...receipt });
	if (value === 'recordEvents') return read;
	return await run({ resource, operation: value, campaign: 'spring-sale' });
}

/** The item of Send and Wait for Response after a reply. */
export async function repliedOutput(service: Service) {
	await new Triggers(service).active({ parameters: { keepReplies: true } });
	const to = '+15551000000';
	const waiting = await service.engine.runUntilWaiting({
		parameters: { resource: 'message', operation: 'sendAndWait', to, message: 'Tuesday?' },
		credentials: service.credentials(),
	});
	service.sandbox.state.traffic.receive({ from: to, text: 'Yes, please' });
	await until('the answer', async () => waiting.outputs !== undefined);
	return waiting.outputs?.[0][0].json;
}

const words = 'the operator said no';

/** Declares the tests: four for each operation. */
export function testEveryOperation(runner: Runner): void {
	const atOnce = operations.filter(({ waits }) => !waits); // operations that wait have separate tests
	describe.each(atOnce)('$resource $value', ({ resource, value, endpoint }) => {
		async function run(isRefused: boolean, onError?: RunnerOptions['onError']) {
			const row = caseOf(resource, value);
			const items = await itemsFor(runner, row);
			const [own] = Object.entries(endpoints).find(([, entry]) => entry === endpoint)!;
			const name = row.fails ?? (own as EndpointName);
			const fault = { endpoint: name, skip: 1, status: 422, body: { message: words } };
			if (isRefused) await runner.fault(fault);
			const parameters = { ...parametersOf(`${resource} ${value}`), options: { concurrency: 1 } };
			const { outputs, ...rest } = await runner.run({ parameters, items, onError });
			const shown = outputs.map((output) =>
				output.map(({ json, pairedItem }) => ({ json, pairedItem })),
			);
			return { outputs: shown, ...rest };
		}
		const good = (item: number) => ({
			json: expect.objectContaining(caseOf(resource, value).gives),
			pairedItem: { item },
		});
		const message = `The service refused the request: ${words} (HTTP 422)`;
		const description = expect.stringContaining('Correct the values');
		const details = { description, statusCode: 422, sendStatus: 'notSent' };
		const error = { error: message, details };
		const failed = { json: expect.objectContaining(error), pairedItem: { item: 1 } };

		test('gives the records of all items, each paired with its own', async () => {
			const { outputs, error } = await run(false);
			expect(error).toBeUndefined();
			expect(outputs[0]).toEqual([good(0), good(1), good(2)]);
		});

		test('stops at the failed item with the message of the service', async () => {
			const { status, error } = await run(true);
			expect(status).toBe('error');
			const context = { itemIndex: 1, sendStatus: 'notSent' };
			expect(error).toMatchObject({ message: `${message} [item 1]`, description, context });
		});

		test('gives the failed item among the others', async () => {
			const among = await run(true, 'continueRegularOutput');
			expect([among.error, among.outputs[0]]).toEqual([undefined, [good(0), failed, good(2)]]);
		});

		test('gives the failed item in the error output', async () => {
			const { outputs, error } = await run(true, 'continueErrorOutput');
			expect(error).toBeUndefined();
			expect(outputs.slice(0, 2)).toEqual([[good(0), good(2)], [failed]]);
			expect(outputs[1][0].json).toMatchObject({ n: 2 });
		});
	});
}
