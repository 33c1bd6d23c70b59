/** Messages in groups and receipts in batches, on a real n8n: one execution for all, and none lost when n8n is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { countBy, range } from 'lodash';
import type { Delivery } from '../../sandbox/deliveries';
import { cameAtStart, type Execution, startedWith } from '../../tools/n8n/client';
import { until } from '../../tools/until';
import { useN8n, trigger, TriggerWorkflows } from './support/n8n';

const n8n = useN8n();
const workflows = new TriggerWorkflows(n8n);

const people = range(50).map((n) => `+1555000${1000 + n}`);
const grouping = { options: { groupMessages: 3 } };
const batching = {
	events: ['message.sent', 'message.delivered', 'message.read'],
	options: { batchReceipts: true },
};

interface Item {
	from?: string;
	text?: string;
	messageId: string;
	status?: string;
	messages?: Item[];
}
const itemsOf = (executions: Execution[]) =>
	executions
		.flatMap((execution) => startedWith(execution, trigger))
		.map(({ json }) => json as never as Item);
const write = (from: string, text: string) => {
	const { message, deliveries } = n8n.sandbox.state.traffic.receive({ from, text });
	return { id: message.id, delivery: deliveries[0] };
};
/** Three messages of each person, one after the other. */
const writeAll = (texts: string[]) =>
	texts.flatMap((text) => people.map((from) => write(from, text)));
const isDelivered = ({ delivery }: { delivery: Delivery }) => delivery.state === 'delivered';

const untilDelivered = async (sent: Array<{ delivery: Delivery }>) =>
	await until('the service to get all events through', () => sent.every(isDelivered), {
		limit: 180_000,
	});

/** Kills n8n when some are delivered, and starts it again; then waits until all are. */
async function killMeanwhile(
	sent: Array<{ delivery: Delivery }>,
	delivered: number,
): Promise<void> {
	await until('some events to be delivered', () => sent.filter(isDelivered).length >= delivered, {
		interval: 5,
	});
	await n8n.playground.n8n.kill();
	expect(sent.every(isDelivered)).toBe(false);
	await n8n.playground.n8n.start();
	await untilDelivered(sent);
}

/** Each event that n8n has taken on is there; twice only what was delivered again. */
function expectAll(sent: Array<{ key: string; delivery: Delivery }>, started: string[]): void {
	const counts = countBy(started);
	const taken = sent.filter(({ delivery }) => !cameAtStart(delivery));
	expect(taken.filter(({ key }) => !counts[key]).map(({ key }) => key)).toEqual([]);
	const doubled = sent.filter(({ key }) => counts[key] > 1);
	expect(doubled.filter(({ delivery }) => delivery.attempts.length === 1)).toEqual([]);
	expect(Math.max(...Object.values(counts))).toBeLessThanOrEqual(2);
}

beforeEach(() => n8n.sandbox.reset());
afterEach(async () => await workflows.deactivateAll());

test('three messages of each of 50 people at once start one execution for each person', async () => {
	const id = await workflows.make(true, workflows.file(grouping));
	const texts = ['Hi', 'I have a question', 'Are you open today?'];
	const sent = [];
	for (const text of texts) {
		sent.push(...writeAll([text]));
		await sleep(400);
	}
	await untilDelivered(sent);
	const executions = await workflows.executions(id, people.length);
	const items = itemsOf(executions);
	expect(executions).toHaveLength(people.length);
	expect(items.map(({ from }) => from).sort()).toEqual(people);
	for (const { text, messages } of items)
		expect([text, messages?.map((one) => one.text)]).toEqual([texts.join('\n'), texts]);
});

test('messages are grouped also while the editor listens, and only those that Only Run If lets through', async () => {
	const filters = { onlyRunIf: '={{ $json.body.data.text.length > 2 }}' };
	const id = await workflows.make(false, workflows.file({ ...grouping, filters }));
	await n8n.client.run(id, trigger);
	const sent = ['No', 'One', 'Two'].map((text) => write(people[0], text));
	await untilDelivered(sent);
	const items = itemsOf(await workflows.executions(id, 1));
	expect(items.map(({ messages }) => messages?.map(({ text }) => text))).toEqual([['One', 'Two']]);
});

test.each([0, 1, 70])(
	'n8n is killed when %d of 150 messages of 50 people are answered: none is lost',
	async (answered) => {
		const id = await workflows.make(true, workflows.file(grouping));
		const sent = writeAll(['One', 'Two', 'Three']);
		await killMeanwhile(sent, answered);
		const started = itemsOf(await workflows.executions(id, 1)).flatMap(({ messages = [] }) =>
			messages.map(({ messageId }) => messageId),
		);
		expectAll(
			sent.map(({ id: key, delivery }) => ({ key, delivery })),
			started,
		);
	},
);

test.each([0, 1, 150])(
	'n8n is killed when %d of 300 receipts are answered: none is lost, and few executions start',
	async (answered) => {
		const id = await workflows.make(true, workflows.file(batching));
		const [webhook] = n8n.sandbox.state.webhooks.all;
		const sent = range(100).flatMap((n) =>
			['sent', 'delivered', 'read'].map((status) => {
				const data = { id: `msg_${n}`, to: `+1555000${1000 + n}`, status, timestamp: new Date() };
				const delivery = n8n.sandbox.state.deliveries.deliver(webhook, `message.${status}`, data);
				return { key: `msg_${n} ${status}`, delivery };
			}),
		);
		await killMeanwhile(sent, answered);
		const executions = await workflows.executions(id, 1);
		const items = itemsOf(executions);
		expectAll(
			sent,
			items.map(({ messageId, status }) => `${messageId} ${status}`),
		);
		expect(executions.length).toBeLessThan(items.length / 2);
	},
);
