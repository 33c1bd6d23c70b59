/** Send and Wait for Response on a real n8n: with the trigger as the inbox, and without one. */
import { countBy, isEqual, pick, range, sortBy } from 'lodash';
import type { INode, INodeParameters } from 'n8n-workflow';

import { type Execution, outputOf } from '../../tools/n8n/client';
import { readTable } from '../../tools/n8n/dataTables';
import { waitFor } from '../../tools/waitFor';
import type { Delivery } from '../../sandbox/deliveries';
import { readExample } from '../../tools/examples';
import { previewOf, readPreview } from '../support/everyOperation';
import { agentWith } from './support/agent';
import { type Model, startModel } from './support/model';
import { manualTrigger, tested, useN8n, workflowOf } from './support/n8n';
import { TriggerWorkflows } from './support/trigger';

const holder = useN8n();
const workflows = new TriggerWorkflows(holder);
const anna = '+15550001001';
const berta = '+15550001002';
const carl = '+15550001003';
const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '={{ $json.phone }}',
	message: '=Would Tuesday suit you, {{ $json.phone }}?',
	limitWaitTime: 60,
	waitTimeUnit: 'minutes',
};

const state = () => holder.playground.sandbox.state;
const client = () => holder.playground.n8n.client;
const outbound = () => state().messages.all.filter(({ direction }) => direction === 'outbound');
const write = (from: string, text: string) => state().traffic.receive({ from, text });

beforeEach(async () => {
	await workflows.deactivateAll();
	holder.playground.sandbox.reset();
});

async function ask(people: string[], parameters: INodeParameters = {}): Promise<string> {
	const file = workflowOf(
		holder.playground,
		people.map((phone) => ({ phone })),
		{ ...question, ...parameters },
	);
	const { id } = await client().createWorkflow(file);
	return await client().run(id, manualTrigger);
}

async function untilWaiting(id: string): Promise<void> {
	await waitFor(async () => (await client().getExecution(id)).status === 'waiting', {
		what: `execution ${id} to wait`,
		limit: 30_000,
		interval: 50,
	});
}

async function startWaiting(people: string[], parameters: INodeParameters = {}): Promise<string> {
	const id = await ask(people, parameters);
	await untilWaiting(id);
	return id;
}

/** Also those that are only removed when the process looks after its waits. */
async function untilNoneIsLeft(): Promise<void> {
	await waitFor(async () => state().webhooks.all.length === 0, {
		what: 'all webhooks to be removed',
		limit: 30_000,
		interval: 50,
	});
}

/** Delivers once more what was delivered, to the webhooks that are still there. */
async function deliverAgain(deliveries: Delivery[]): Promise<void> {
	const { webhooks, deliveries: queue } = state();
	await untilDelivered(deliveries);
	await untilDelivered(
		deliveries.flatMap(({ webhookId, event, data }) => {
			const webhook = webhooks.get(webhookId);
			return webhook ? queue.deliver(webhook, event, data) : [];
		}),
	);
}

async function untilDelivered(deliveries: Delivery[]): Promise<void> {
	await waitFor(async () => deliveries.every(({ state: fate }) => fate !== 'pending'), {
		what: 'messages to be delivered',
		limit: 30_000,
		interval: 50,
	});
}

const json = (execution: Execution) => outputOf(execution, tested).map((item) => item.json);

test('continues with the reply of the person who was asked, and with nobody else’s', async () => {
	const id = await startWaiting([anna]);
	expect(state().webhooks.all).toHaveLength(1);
	expect(state().webhooks.all[0].url).not.toContain(anna.slice(1));
	await untilDelivered(write(berta, 'Yes!').deliveries);
	expect((await client().getExecution(id)).status).toBe('waiting');
	const { message } = write(anna, 'Tuesday is fine');
	const execution = await client().waitForExecution(id);
	expect(execution.status).toBe('success');
	const [asked] = outbound();
	expect(outputOf(execution, tested)).toEqual([
		{
			json: {
				replied: true,
				accepted: true,
				from: anna,
				text: 'Tuesday is fine',
				answer: 'Tuesday is fine',
				messageId: message.id,
				respondedAt: expect.any(String),
				askedMessageId: asked.id,
			},
			pairedItem: { item: 0 },
		},
	]);
	await untilNoneIsLeft();
});

test('finds the answer after n8n was killed and started again', async () => {
	const id = await startWaiting([anna]);
	await holder.playground.n8n.kill();
	await holder.playground.n8n.start();
	write(anna, 'Still here');
	const execution = await client().waitForExecution(id);
	expect(json(execution)).toMatchObject([{ replied: true, text: 'Still here' }]);
	await untilNoneIsLeft();
});

test('removes the webhook of an execution that the user has stopped with the next question', async () => {
	await client().stopExecution(await startWaiting([anna]));
	const id = await startWaiting([berta]);
	await waitFor(async () => state().webhooks.all.length === 1, {
		what: 'the webhook of the stopped execution to be removed',
		limit: 30_000,
		interval: 50,
	});
	write(berta, 'Fine');
	expect(json(await client().waitForExecution(id))).toMatchObject([{ text: 'Fine' }]);
	await untilNoneIsLeft();
});

describe('with a published trigger', () => {
	const texts = async (workflow: string, count: number) =>
		(await workflows.executions(workflow, count)).map(
			(execution) => outputOf(execution, 'When a customer writes')[0].json.text,
		);

	test('several people: everybody’s own answer in the order of the items, and those who did not answer', async () => {
		const inbox = await workflows.make(true);
		const id = await startWaiting([anna, berta, carl], {
			limitWaitTime: 0.25,
			responseType: 'choice',
			choices: 'Small, Large',
		});
		expect(state().webhooks.all).toHaveLength(1);
		await untilDelivered(write(berta, 'huge').deliveries);
		expect(outbound().slice(3)).toMatchObject([
			{ phone: berta, text: expect.stringContaining('1) Small, 2) Large') },
		]);
		await deliverAgain(write(berta, '2').deliveries);
		await untilDelivered(write(anna, 'small!').deliveries);
		const execution = await client().waitForExecution(id);
		expect(outputOf(execution, tested)).toMatchObject([
			{ json: { replied: true, from: anna, answer: 'Small' }, pairedItem: { item: 0 } },
			{ json: { replied: true, from: berta, answer: 'Large', text: '2' }, pairedItem: { item: 1 } },
			{ json: { replied: false, from: carl }, pairedItem: { item: 2 } },
		]);
		expect(readPreview('message', 'sendAndWait')).toEqual({
			...previewOf(outputOf(execution, tested)[0].json),
			version: 1,
		});
		write(anna, 'Thanks');
		expect(await texts(inbox, 1)).toEqual(['Thanks']);
	});

	test('n8n is killed at five moments of five runs: every answer arrives once, nobody is asked twice, nothing else is taken', async () => {
		const inbox = await workflows.make(true);
		const person = (n: number) => `+1555000${2000 + n}`;
		const answer = (n: number) => write(person(n), `from ${n}`).deliveries;
		const pair = async (n: number, more: INodeParameters = {}) =>
			await startWaiting([person(n), person(n + 1)], more);
		const runs = {
			asked: await pair(0),
			halfAnswered: await pair(2),
			allAnswered: await pair(4, { replyOptions: { groupMessages: 20 } }),
			resumed: await pair(6),
			limited: await pair(8, { limitWaitTime: 1 }),
		};
		const first = [write(carl, 'Hello').deliveries, answer(6), answer(7)].flat();
		await untilDelivered(first);
		await client().waitForExecution(runs.resumed);
		const second = [2, 4, 5, 8].flatMap(answer);
		await untilDelivered(second);
		await holder.playground.n8n.kill();
		await holder.playground.n8n.start();
		await deliverAgain([...first, ...second]);
		await untilDelivered([0, 1, 3].flatMap(answer));
		await untilDelivered(write(person(6), 'Thanks').deliveries);
		const replies: unknown[][] = [];
		for (const id of Object.values(runs))
			replies.push(json(await client().waitForExecution(id)).map((one) => one.text ?? null));
		expect(replies).toEqual([
			['from 0', 'from 1'],
			['from 2', 'from 3'],
			['from 4', 'from 5'],
			['from 6', 'from 7'],
			['from 8', null],
		]);
		expect(outbound()).toHaveLength(10);
		expect(await texts(inbox, 2)).toEqual(['Hello', 'Thanks']);
	});

	test('a message to an execution that the user has stopped is an ordinary message', async () => {
		const inbox = await workflows.make(true);
		await client().stopExecution(await startWaiting([anna]));
		write(anna, 'Hello?');
		expect(await texts(inbox, 1)).toEqual(['Hello?']);
	});

	test('an answer never gets an auto-reply, an ordinary message always does', async () => {
		const { id: autoReply } = await client().createWorkflow(
			readExample('auto-reply', holder.playground.credential),
		);
		const { id: inbox } = await client().createWorkflow(
			readExample('inbox', holder.playground.credential),
		);
		for (const workflow of [autoReply, inbox]) await client().activate(workflow);
		const id = await startWaiting([anna]);
		write(berta, 'tell me more');
		write(anna, 'tell me more, please');
		expect(json(await client().waitForExecution(id))).toMatchObject([
			{ text: 'tell me more, please' },
		]);
		expect(await texts(autoReply, 1)).toEqual(['tell me more']);
		expect(
			outbound()
				.slice(1)
				.map(({ phone }) => phone),
		).toEqual([berta]);
	});

	test('a trigger that is switched off and on still knows who was asked', async () => {
		const inbox = await workflows.make(true);
		const id = await startWaiting([anna, berta]);
		await untilDelivered(write(berta, 'two').deliveries);
		await client().deactivate(inbox);
		await holder.playground.n8n.kill();
		await holder.playground.n8n.start();
		await client().activate(inbox);
		await untilDelivered(write(anna, 'one').deliveries);
		expect(json(await client().waitForExecution(id))).toMatchObject([
			{ text: 'one' },
			{ text: 'two' },
		]);
	});
});

test('the survey: many people answer at once, and each answer is kept', async () => {
	const { credential } = holder.playground;
	const count = Number(process.env.SURVEY_PEOPLE ?? 50);
	const phones = range(count).map((n) => `+1555${2_000_000 + n}`);
	for (const phone of phones) state().contacts.create({ phone, segments: ['survey'] });
	const isUnhappy = (phone: string) => Number(phone) % 10 === 0;
	await workflows.make(true, readExample('inbox', credential));
	const survey = readExample('survey', credential);
	const customers = survey.nodes.find(({ name }) => name === 'Get customers') as INode;
	Object.assign(customers.parameters, { limit: count, filters: { segment: 'survey' } });
	const { id: workflow } = await client().createWorkflow(survey);
	const id = await client().run(workflow, 'When clicking ‘Execute workflow’');
	const texts = () => countBy(outbound(), 'phone');
	const answer = async (asked: string[], question: number, textOf: (phone: string) => string) => {
		const isAsked = async () =>
			isEqual(pick(texts(), asked), Object.fromEntries(asked.map((phone) => [phone, question]))) &&
			(await client().getExecution(id)).status === 'waiting';
		await waitFor(isAsked, { what: 'n8n to wait', limit: 5 * 60_000 });
		for (const phone of asked) write(phone, textOf(phone));
	};
	const unhappy = phones.filter(isUnhappy);
	await answer(phones, 1, (phone) => (isUnhappy(phone) ? '1' : '5'));
	await answer(unhappy, 2, (phone) => `Too late for ${phone}`);
	expect((await client().waitForExecution(id, 5 * 60_000)).status).toBe('success');
	const rows = await readTable(client(), 'Survey answers');
	expect(sortBy(rows, 'phone')).toMatchObject(
		phones.map((phone) => ({
			...{ phone, rating: isUnhappy(phone) ? 1 : 5 },
			reason: isUnhappy(phone) ? `Too late for ${phone}` : null,
		})),
	);
	const inAll = Object.fromEntries(phones.map((phone) => [phone, isUnhappy(phone) ? 3 : 2]));
	expect(texts()).toEqual(inAll);
});

describe('an AI agent', () => {
	async function runAgent(model: Model, tools: INode[]): Promise<string> {
		const { id } = await client().createWorkflow(await agentWith(client(), model, tools));
		return await client().run(id, manualTrigger);
	}

	const humanNode = (type: string, parameters: INodeParameters): INode => ({
		id: 'human',
		name: 'Ask Human',
		type: `n8n-nodes-business-messaging.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: { limitWaitTime: 60, waitTimeUnit: 'minutes', to: anna, ...parameters },
		credentials: { businessMessagingApi: holder.playground.credential },
	});

	test('asks a human with its tool, and continues with the reply', async () => {
		const model = await startModel({ Question: 'Which colour?' });
		try {
			const message = "={{ $fromAI('Question', 'What to ask', 'string') }}";
			const id = await runAgent(model, [
				humanNode('businessMessagingTool', {
					resource: 'message',
					operation: 'sendAndWait',
					message,
				}),
			]);
			await untilWaiting(id);
			expect(outbound()).toMatchObject([{ phone: anna, text: 'Which colour?' }]);
			write(anna, 'Dark green');
			const execution = await client().waitForExecution(id);
			expect(outputOf(execution, 'Agent')).toMatchObject([
				{ json: { output: expect.stringContaining('Dark green') } },
			]);
		} finally {
			await model.close();
		}
		await untilNoneIsLeft();
	});

	test.each([
		['Yes', /"?42/],
		['No', /rejected/],
	])('asks a human whether its tool may run: %s', async (answer, told) => {
		const model = await startModel({ toolParameters: { input: '6*7' }, hitlParameters: {} });
		try {
			const calculator: INode = {
				id: 'calculator',
				name: 'Calculator',
				type: '@n8n/n8n-nodes-langchain.toolCalculator',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			};
			const id = await runAgent(model, [
				humanNode('businessMessagingHitlTool', { message: '=May I run {{ $tool.name }}?' }),
				calculator,
			]);
			await untilWaiting(id);
			expect(outbound()).toMatchObject([
				{ phone: anna, text: expect.stringMatching(/^May I run \w+\?$/) },
			]);
			write(anna, answer);
			const execution = await client().waitForExecution(id);
			expect(outputOf(execution, 'Agent')).toMatchObject([
				{ json: { output: expect.stringMatching(told) } },
			]);
		} finally {
			await model.close();
		}
		await untilNoneIsLeft();
	});
});
