/** The trigger on a real n8n: what starts an execution, and what it leaves at the service. */
import { randomUUID } from 'node:crypto';

import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { readExample } from '../../playground/exampleWorkflows';
import { outputOf } from '../../playground/n8nClient';
import type { Execution, WorkflowFile } from '../../playground/n8nClient';
import { waitFor } from '../../playground/waitFor';
import type { Delivery } from '../../sandbox/deliveries';
import { useN8n } from './support/n8n';

const n8n = useN8n();
const trigger = 'When a customer writes';
const anna = '+15550001111';

const webhooks = () => n8n.sandbox.state.webhooks;
const write = (from: string, text: string) => n8n.sandbox.state.traffic.receive({ from, text });

beforeEach(() => n8n.sandbox.reset());
afterEach(async () => {
	for (const { id, active } of await n8n.client.listWorkflows()) if (active) await n8n.client.deactivate(id);
});

function workflowOf(parameters: INodeParameters = {}): WorkflowFile {
	const node = {
		id: '1',
		name: trigger,
		type: 'n8n-nodes-business-messaging.businessMessagingTrigger',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
		credentials: { businessMessagingApi: n8n.playground.credential },
		webhookId: randomUUID(),
	};
	return { name: 'Trigger', nodes: [node], connections: {} };
}

async function make(active: boolean, file = workflowOf()): Promise<string> {
	const { id } = await n8n.client.createWorkflow(file);
	if (active) await n8n.client.activate(id);
	return id;
}

async function settled(deliveries: Delivery[]): Promise<void> {
	const isSettled = async () => deliveries.every(({ state }) => state !== 'pending');
	await waitFor(isSettled, { what: 'n8n to answer the deliveries', limit: 60_000, interval: 20 });
	expect(deliveries.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual(deliveries.map(() => [200]));
}

/** The executions of a workflow, oldest first, once there are as many as expected and all have ended. */
async function executions(workflowId: string, count: number): Promise<Execution[]> {
	const ended = async () => {
		const list = await n8n.client.listExecutions(workflowId);
		return list.length >= count && list.every(({ status }) => status === 'success' || status === 'error') && list;
	};
	const list = await waitFor(ended, { what: `${count} executions`, limit: 60_000 });
	return await Promise.all(list.reverse().map(async ({ id }) => await n8n.client.getExecution(id)));
}

test("a customer's message starts one execution, a receipt that was not chosen none", async () => {
	const id = await make(true);
	const first = write(anna, 'Hello');
	await settled(first.deliveries);
	const receipt = { id: 'msg_1', to: anna, status: 'read' };
	await settled([n8n.sandbox.state.deliveries.deliver(webhooks().all[0], 'message.read', receipt)]);
	const last = write(anna, 'Are you there?');
	await settled(last.deliveries);

	const [one, two, ...others] = await executions(id, 2);
	expect(others).toEqual([]);
	expect([one, two].map(({ mode, status }) => [mode, status])).toEqual([['webhook', 'success'], ['webhook', 'success']]);
	const event = ({ message }: typeof first) => ({ event: 'message.received', from: anna, text: message.text, messageId: message.id, time: message.createdAt });
	expect([one, two].map((execution) => outputOf(execution, trigger).map(({ json }) => json))).toEqual([[event(first)], [event(last)]]);
});

test('50 times on and off among webhooks of others: none is left over, none of the others is touched', async () => {
	const id = await make(true);
	const [{ url }] = webhooks().all;
	await n8n.client.deactivate(id);
	const { origin, pathname } = new URL(url);
	const lookAlikes = [`${pathname}s`, pathname.slice(0, -1), `${pathname}/more`, pathname.replace('/webhook/', '/webhook-test/'), '/webhook/another/webhook'];
	const foreign = [...lookAlikes.map((path) => `${origin}${path}`), ...range(15).map((n) => `https://example.com/hook/${n}`)];
	for (const address of foreign) webhooks().create({ url: address, events: ['message.received'] });
	const others = structuredClone(webhooks().all);
	expect(others).toHaveLength(20);

	for (const round of range(50)) {
		await n8n.client.activate(id);
		expect([round, webhooks().all.slice(0, -1)]).toEqual([round, others]);
		expect(new URL(webhooks().all[20].url).pathname).toBe(pathname);
		await n8n.client.deactivate(id);
		expect([round, webhooks().all]).toEqual([round, others]);
	}
});

test('the test URL and the production URL work side by side', async () => {
	const id = await make(true);
	await n8n.client.run(id, trigger);
	expect(webhooks().all.map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual(['webhook', 'webhook-test']);
	const both = write(anna, 'Is this a test?');
	await settled(both.deliveries);
	await waitFor(async () => webhooks().all.length === 1, { what: 'the test URL to be removed', limit: 30_000 });
	const one = write(anna, 'And now?');
	expect(one.deliveries).toHaveLength(1);
	await settled(one.deliveries);

	const started = (await executions(id, 3)).map((execution) => [execution.mode, outputOf(execution, trigger)[0].json.text]);
	expect(started.sort()).toEqual([
		['manual', 'Is this a test?'],
		['webhook', 'And now?'],
		['webhook', 'Is this a test?'],
	]);
});

test('the auto-reply answers everybody who writes once, also when the service delivers a message again', async () => {
	const file = readExample('auto-reply', n8n.playground.credential);
	const textOf = (node: string) => file.nodes.find(({ name }) => name === node)?.parameters.text;
	const id = await make(true, file);
	const questions = { 'Tell me more': 'Tell more', 'No, thanks': 'Say goodbye', 'When do you open?': 'Promise an answer' };
	const written = Object.entries(questions).flatMap(([text, node], kind) =>
		range(4).map((n) => ({ ...write(`+1555000${kind}00${n}`, text), answer: textOf(node) })),
	);
	const deliveries = written.flatMap((one) => one.deliveries);
	await settled(deliveries);
	await settled(deliveries.slice(0, 3).map(({ event, data }) => n8n.sandbox.state.deliveries.deliver(webhooks().all[0], event, data)));
	expect(await executions(id, written.length)).toHaveLength(written.length);

	const replies = n8n.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
	expect(countBy(replies, ({ phone, text }) => `${phone}: ${text}`)).toEqual(
		Object.fromEntries(written.map(({ message, answer }) => [`${message.phone}: ${String(answer)}`, 1])),
	);
});
