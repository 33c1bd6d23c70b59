/** Send and Wait for Response on a real n8n: with the trigger as the inbox, and without one. */
import { countBy, isEqual, pick, range, sortBy } from 'lodash';
import type { INode, INodeParameters } from 'n8n-workflow';
import { type Execution, outputOf } from '../../tools/n8n/client';
import { readTable } from '../../tools/n8n/dataTables';
import { until } from '../../tools/until';
import type { Delivery } from '../../sandbox/deliveries';
import { readExample } from '../../tools/examples';
import { manualTrigger, tested, useN8n, workflowOf, TriggerWorkflows } from './support/n8n';

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

const state = () => holder.sandbox.state;
const client = () => holder.client;
const outbound = () => state().messages.all.filter(({ direction }) => direction === 'outbound');
const write = (from: string, text: string) => state().traffic.receive({ from, text });

beforeEach(async () => {
	await workflows.deactivateAll();
	holder.sandbox.reset();
});

/** Asks, and waits until n8n does. @returns the execution's ID */
async function startWaiting(people: string[], parameters: INodeParameters = {}): Promise<string> {
	const file = workflowOf(
		holder.playground,
		people.map((phone) => ({ phone })),
		{ ...question, ...parameters },
	);
	const { id: workflow } = await client().createWorkflow(file);
	const id = await client().run(workflow, manualTrigger);
	await until(
		`execution ${id} to wait`,
		async () => (await client().getExecution(id)).status === 'waiting',
	);
	return id;
}

/** Also those that are only removed when the process looks after its waits. */
async function untilNoneIsLeft(): Promise<void> {
	await until('all webhooks to be removed', () => state().webhooks.all.length === 0);
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
	await until('messages to be delivered', () =>
		deliveries.every(({ state: fate }) => fate !== 'pending'),
	);
}

const json = (execution: Execution) => outputOf(execution, tested).map((item) => item.json);

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
	await until(
		'the webhook of the stopped execution to be removed',
		() => state().webhooks.all.length === 1,
	);
	write(berta, 'Fine');
	expect(json(await client().waitForExecution(id))).toMatchObject([{ text: 'Fine' }]);
	await untilNoneIsLeft();
});

describe('with a published trigger', () => {
	const texts = async (workflow: string, count: number) =>
		(await workflows.executions(workflow, count)).map(
			(execution) => outputOf(execution, 'When a customer writes')[0].json.text,
		);

	test('n8n is killed at five moments of five runs: every reply arrives once, nobody is asked twice, nothing else counts as a reply', async () => {
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
		await until('n8n to wait', isAsked, { limit: 5 * 60_000 });
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
