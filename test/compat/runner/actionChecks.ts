/** What the action node does in an execution. */
import assert from 'node:assert/strict';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { RunResult } from '../../support/engine';
import type { Check } from './environment';

/** Contacts of the sandbox: more than one page. */
export const contactCount = 1_200;

const phone = '=+1555000100{{ $json.n }}';
const phones = ['+15550001001', '+15550001002', '+15550001003'];
const sendText: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: phone,
	text: '=Hello {{ $json.n }}',
	options: { concurrency: 1 },
};
const secondFails = {
	endpoint: 'sendText',
	skip: 1,
	status: 422,
	body: { message: 'not this one' },
} as const;

const json = (items: INodeExecutionData[] = []) => items.map((item) => item.json);

/** The outputs. @throws the error with which the execution has ended */
function outputsOf({ error, outputs }: RunResult): INodeExecutionData[][] {
	if (error) throw new Error(error.message);
	return outputs;
}

/** The items that came out, each paired with its own. */
function goodOutput(result: RunResult): Array<Record<string, unknown>> {
	const outputs = outputsOf(result);
	assert.deepEqual(
		outputs[0].map(({ pairedItem }) => pairedItem),
		[{ item: 0 }, { item: 1 }, { item: 2 }],
	);
	return json(outputs[0]);
}

/** Checks by name. */
export const actionChecks: Record<string, Check> = {
	'Send Text': async (environment) => {
		assert.deepEqual(
			goodOutput(await environment.run(sendText)).map(({ to }) => to),
			phones,
		);
		assert.deepEqual(
			(await environment.sent()).map(({ phone: to, text }) => [to, text]),
			phones.map((to, index) => [to, `Hello ${index + 1}`]),
		);
	},

	'One item fails: stop': async (environment) => {
		await environment.sandbox.fault(secondFails);
		const { error } = await environment.run(sendText);
		assert.equal(
			error?.message,
			'The service refused the request: not this one (HTTP 422) [item 1]',
		);
		assert.equal(error.context?.itemIndex, 1);
	},

	'One item fails: continue': async (environment) => {
		await environment.sandbox.fault(secondFails);
		const outputs = outputsOf(
			await environment.run(sendText, { onError: 'continueRegularOutput' }),
		);
		const sendStatus = json(outputs[0]).map(
			(item) => (item.error as { sendStatus?: string } | undefined)?.sendStatus,
		);
		assert.deepEqual(sendStatus, [undefined, 'notSent', undefined]);
		assert.equal((await environment.sent()).length, 2);
	},

	'One item fails: error output': async (environment) => {
		await environment.sandbox.fault(secondFails);
		const outputs = outputsOf(await environment.run(sendText, { onError: 'continueErrorOutput' }));
		assert.deepEqual(
			json(outputs[0]).map(({ to }) => to),
			[phones[0], phones[2]],
		);
		assert.deepEqual(
			json(outputs[1]).map(({ n }) => n),
			[2],
		);
	},

	'Retry On Fail, Retry button': async (environment) => {
		await environment.sandbox.fault(secondFails);
		goodOutput(await environment.run(sendText, { retryOnFail: true, maxTries: 2 }));
		assert.equal((await environment.sent()).length, 3, 'Retry On Fail sends only what is unsent');
		await environment.sandbox.reset();
		await environment.sandbox.fault(secondFails);
		const failed = await environment.run(sendText);
		goodOutput(await environment.engine.retry(failed, { credentials: environment.credentials() }));
		assert.equal(
			(await environment.sent()).length,
			3,
			'the Retry button sends only what is unsent',
		);
	},

	'Send Template with PDF': async (environment) => {
		const value = {
			headerPdfUrl: 'https://example.com/brochure.pdf',
			body_1: '=Anna {{ $json.n }}',
			body_2: 'Acme',
		};
		const variables = { mappingMode: 'defineBelow', value, schema: [] };
		const template = { __rl: true, mode: 'name', value: 'welcome' };
		goodOutput(
			await environment.run({
				resource: 'message',
				operation: 'sendTemplate',
				to: phone,
				template,
				language: 'en_US',
				variables,
			}),
		);
		const [first] = await environment.sent();
		assert.ok(
			['Anna 1', 'Acme', 'brochure.pdf'].every((part) => JSON.stringify(first).includes(part)),
			'the variables and the PDF arrive',
		);
	},

	'Send Once': async (environment) => {
		environment.engine.processed.reset();
		const once = { ...sendText, sendOnce: true, campaign: 'sale' };
		goodOutput(await environment.run(once));
		assert.deepEqual(
			goodOutput(await environment.run(once)).map(({ skipped }) => skipped),
			[true, true, true],
		);
		assert.equal((await environment.sent()).length, 3);
	},

	'Send and Wait for Response': async (environment) => {
		const result = await environment.run(
			{ resource: 'message', operation: 'sendAndWait', to: phone, message: 'Tuesday?' },
			{ items: [{ n: 1 }] },
		);
		outputsOf(result);
		assert.ok(result.execution.run.waitTill, 'n8n is told to wait');
		assert.equal((await environment.sent()).length, 1);
		assert.equal((await environment.webhooks()).length, 1);
	},

	'Contacts: Get Many, Return All': async (environment) => {
		const outputs = outputsOf(
			await environment.run(
				{ resource: 'contact', operation: 'getAll', returnAll: true },
				{ items: [{}] },
			),
		);
		assert.equal(new Set(json(outputs[0]).map(({ id }) => id)).size, contactCount);
		assert.equal(outputs[0].length, contactCount);
	},

	'Contacts: Create, Update, Upsert': async (environment) => {
		const created = goodOutput(
			await environment.run({
				resource: 'contact',
				operation: 'create',
				phone,
				name: '=Anna {{ $json.n }}',
			}),
		);
		const contactId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const items = created.map(({ id }) => ({ id: String(id) }));
		const updated = goodOutput(
			await environment.run(
				{ resource: 'contact', operation: 'update', contactId, updateFields: { name: 'Bea' } },
				{ items },
			),
		);
		assert.deepEqual(
			updated.map(({ id, name }) => [id, name]),
			created.map(({ id }) => [id, 'Bea']),
		);
		const upserted = goodOutput(
			await environment.run({ resource: 'contact', operation: 'upsert', phone, name: 'Carl' }),
		);
		assert.deepEqual(
			upserted.map(({ id, name }) => [id, name]),
			created.map(({ id }) => [id, 'Carl']),
		);
	},

	'Webhooks: Create, Get Many, Delete': async (environment) => {
		const parameters = {
			resource: 'webhook',
			operation: 'create',
			url: '=https://example.com/{{ $json.n }}',
			events: ['message.received'],
		};
		const items = goodOutput(await environment.run(parameters)).map(({ id }) => ({
			id: String(id),
		}));
		const outputs = outputsOf(
			await environment.run(
				{ resource: 'webhook', operation: 'getAll', returnAll: true },
				{ items: [{}] },
			),
		);
		assert.equal(outputs[0].length, 3);
		goodOutput(
			await environment.run(
				{
					resource: 'webhook',
					operation: 'delete',
					webhookId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				},
				{ items },
			),
		);
		assert.deepEqual(await environment.webhooks(), []);
	},
};
