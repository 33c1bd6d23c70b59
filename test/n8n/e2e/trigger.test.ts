/** The trigger on a real n8n: which events start an execution, its registrations at the service, and restarts of n8n. */
import { countBy, range } from 'lodash';
import type { Delivery } from '../../../sandbox/deliveries';
import type { FaultOrder } from '../../../sandbox/faults';
import type { Webhook } from '../../../sandbox/state/webhooks';
import { valuesOf, numbers } from '../../../sandbox/variants';
import { cameAtStart, type Execution, startedWith } from '../../../harness/n8n/client';
import { until } from '../../../harness/until';
import { trigger, useN8n } from '../../../harness/useN8n';
import { node, workflow } from '../../../harness/n8n/workflow';

const n8n = useN8n();
const anna = '+15550001111';
const person = (n: number) => `+1555000${1000 + n}`;

const registered = () => n8n.sandbox.state.webhooks.all;

/** An output item of the trigger, for a message, a group of messages, or a receipt. */
interface Item {
	text?: string;
	messageId: string;
	status?: string;
	messages?: Item[];
}

/** The items with which executions have started, even those that were killed before their first node had any output. */
const itemsOf = (executions: Execution[]) =>
	executions
		.flatMap((execution) => startedWith(execution, trigger))
		.map(({ json }) => json as never as Item);

test('the test URL and the production URL work side by side', async () => {
	const id = await n8n.publish();
	await n8n.client.run(id, trigger);
	expect(registered().map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual([
		'webhook',
		'webhook-test',
	]);
	const both = n8n.write(anna, 'Is this a test?');
	await n8n.untilDelivered(both.deliveries);
	await until('the test URL to be removed', () => registered().length === 1);
	const one = n8n.write(anna, 'And now?');
	expect(one.deliveries).toHaveLength(1);
	await n8n.untilDelivered(one.deliveries);

	const started = (await n8n.executions(id, 3)).map((execution) => [
		execution.mode,
		itemsOf([execution])[0].text,
	]);
	expect(started.sort()).toEqual([
		['manual', 'Is this a test?'],
		['webhook', 'And now?'],
		['webhook', 'Is this a test?'],
	]);
});

/** Three triggers, each with the number of executions that it may start for an event. */
const triggers = [
	{ parameters: {}, executions: 1 },
	{ parameters: { options: { groupMessages: 3 } }, executions: 0.9 },
	{
		parameters: {
			events: ['message.sent', 'message.delivered', 'message.read'],
			options: { batchReceipts: true },
		},
		executions: 0.5,
	},
];

test('n8n is killed while messages arrive, in groups too, and receipts in batches: each starts an execution, only those under way may start two, and what comes again is known', async () => {
	// n8n may need more than ten seconds for so many events at once. Then a service with less patience delivers them again,
	// which takes n8n even longer.
	jest.replaceProperty(n8n.sandbox.state.settings, 'deliveryTimeoutMs', 60_000);
	const ids: string[] = [];
	for (const { parameters } of triggers) ids.push(await n8n.publish(n8n.triggerFile(parameters)));
	const [single, grouped, batched] = registered();
	interface Sent {
		key: string;
		delivery: Delivery;
	}
	const isDelivered = ({ delivery }: Sent) => delivery.state === 'delivered';
	const write = (n: number): Sent[] => {
		const { message, deliveries } = n8n.write(person(n % 30), `Question ${n}`);
		return deliveries.map((delivery) => ({ key: message.id, delivery }));
	};
	const { webhooks, deliveries } = n8n.sandbox.state;
	const receipt = (n: number, status: string): Sent => {
		const data = { id: `msg_${n}`, to: person(n), status, timestamp: new Date() };
		const delivery = deliveries.deliver(batched, `message.${status}`, data);
		return { key: `msg_${n} ${status}`, delivery };
	};

	const first = range(60).flatMap(write);
	const ofGroup = first.filter(({ delivery }) => delivery.webhookId === grouped.id);
	await until('a group to start an execution', () => ofGroup.some(isDelivered), {
		limit: 180_000,
	});
	const answered = first.filter(isDelivered).map(({ delivery }) => delivery);
	const rest = [
		...range(60, 150).flatMap(write),
		...range(100).flatMap((n) => ['sent', 'delivered', 'read'].map((status) => receipt(n, status))),
	];
	// After a crash, n8n may have forgotten what it answered last. So both triggers store more before n8n is killed.
	const hasStored = ({ id }: Webhook) =>
		rest.some((one) => isDelivered(one) && one.delivery.webhookId === id);
	const isUnderWay = () =>
		rest.filter(isDelivered).length >= 20 && [single, grouped].every(hasStored);
	await until('some events to be delivered', isUnderWay, { interval: 5, limit: 180_000 });
	await n8n.playground.n8n.kill();
	expect(rest.every(isDelivered)).toBe(false);
	await n8n.playground.n8n.start();
	const sent = [...first, ...rest];
	const isPending = ({ delivery }: Sent) => delivery.state === 'pending';
	await until('the end of all deliveries', () => !sent.some(isPending), { limit: 300_000 });
	expect(sent.filter((one) => !isDelivered(one)).map(({ delivery }) => delivery)).toEqual([]);
	await n8n.untilDelivered(
		answered.map(({ webhookId, event, data }) =>
			deliveries.deliver(webhooks.get(webhookId)!, event, data),
		),
	);

	for (const [index, id] of ids.entries()) {
		const own = sent.filter(({ delivery }) => delivery.webhookId === registered()[index].id);
		const taken = own.filter(({ delivery }) => !cameAtStart(delivery));
		const read = async () => {
			const executions = await n8n.executions(id, 1);
			const started = itemsOf(executions)
				.flatMap(({ messages, ...item }) => messages ?? [item])
				.map(({ messageId, status }) => [messageId, status].filter(Boolean).join(' '));
			return { executions, started, counts: countBy(started) };
		};
		// n8n stores an execution after it has responded; on a busy machine, seconds later.
		const hasStarted = async () => {
			const { counts } = await read();
			return taken.every(({ key }) => counts[key]);
		};
		// Events that have started no execution are shown below.
		await until('each event to start an execution', hasStarted).catch(() => undefined);
		const { executions, started, counts } = await read();
		expect(executions.length).toBeLessThanOrEqual(triggers[index].executions * started.length);
		expect(taken.filter(({ key }) => !counts[key])).toEqual([]);
		const doubled = own.filter(({ key }) => counts[key] > 1);
		expect(doubled.filter(({ delivery }) => delivery.attempts.length === 1)).toEqual([]);
		expect(Math.max(...Object.values(counts))).toBeLessThanOrEqual(2);
	}
});

/** Registers 20 webhooks of other owners; the first ones have addresses similar to ours. @returns copies of them */
function foreignWebhooks(own: string): Webhook[] {
	const test = own.replace('/webhook/', '/webhook-test/');
	const lookAlikes = [`${own}s`, own.slice(0, -1), `${own}/more`, test, `${own}?token=short`];
	const urls = [...lookAlikes, ...range(15).map((n) => `https://example.com/hook/${n}`)];
	const { webhooks } = n8n.sandbox.state;
	return urls.map((url) => structuredClone(webhooks.create({ url, events: ['message.received'] })));
}

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** The number of workflows that are published and unpublished at the same time. This saves time: n8n waits seconds before it retries. */
const workflowCount = 8;
const rounds = 10;

const failures: Array<Omit<FaultOrder, 'endpoint'>> = [
	...[403, 409, 422, 500].map((status) => ({ status })),
	{ status: 500, processed: true },
	{ status: 429, headers: { 'retry-after': '1' } },
	{ brokenJson: true },
	{ reset: 'beforeRead' },
	{ reset: 'afterRead' },
	{ delayMs: 500 },
];
const endpoints = ['createWebhook', 'deleteWebhook', 'listWebhooks'] as const;

test(`${workflowCount * rounds} times on and off while the service fails: none is left over, none of others touched (TEST_SEED=${seed})`, async () => {
	const { client, sandbox } = n8n;
	const random = numbers(seed);
	const ids: string[] = [];
	for (let n = 0; n < workflowCount; n++) ids.push(await n8n.publish());
	const others = foreignWebhooks(registered()[0].url.split('?')[0]);
	await n8n.unpublishAll();
	expect(registered()).toEqual(others);

	const maybeFail = async () => {
		if (random(3) > 0) return;
		const endpoint = endpoints[random(endpoints.length)];
		const failure = failures[random(failures.length)];
		await n8n.fault({ endpoint, ...failure, skip: random(2), count: 1 + random(2) });
	};
	const onAndOff = async (id: string) => {
		await maybeFail();
		await client.activate(id).catch(() => undefined);
		await maybeFail();
		await client.deactivate(id).catch(() => undefined);
		expect(registered().slice(0, others.length)).toEqual(others);
	};
	const repeatedly = async (id: string) => {
		for (let round = 0; round < rounds; round++) await onAndOff(id);
	};
	await Promise.all(ids.map(repeatedly));
	const hits = sandbox.state.faults.all.reduce((sum, fault) => sum + fault.hits, 0);
	expect(hits).toBeGreaterThan(rounds);

	// Registrations that could not be removed while the service failed are removed when the workflows are next published
	// and unpublished.
	sandbox.state.faults.remove();
	await Promise.all(ids.map(async (id) => await client.activate(id)));
	expect(registered()).toHaveLength(others.length + workflowCount);
	await n8n.unpublishAll();
	expect(registered()).toEqual(others);
});

test('a registration that somebody has removed is restored by unpublishing and publishing, but not by publishing a change of another node', async () => {
	const file = n8n.triggerFile();
	const nodes = [...file.nodes, node('Note', 'n8n-nodes-base.set', 3.4, { options: {} })];
	const id = await n8n.publish(workflow('Trigger and note', nodes));
	n8n.sandbox.state.webhooks.delete(registered()[0].id);
	await n8n.client.changeNode(id, 'Note', { options: { dotNotation: false } });
	await n8n.client.activate(id);
	expect(registered()).toEqual([]);
	await n8n.client.deactivate(id);
	await n8n.client.activate(id);
	expect(registered()).toHaveLength(1);
	await n8n.untilDelivered(n8n.write(anna, 'Hello').deliveries);
});

test('a change of the trigger that could not be registered, because the service failed, is registered by publishing again', async () => {
	const id = await n8n.publish();
	await n8n.client.changeNode(id, trigger, { events: ['message.read'] });
	await n8n.fault({ endpoint: 'listWebhooks', status: 500, count: 1_000 });
	await expect(n8n.client.activate(id)).rejects.toThrow('could not switch the workflow on');
	n8n.sandbox.state.faults.remove();
	await n8n.client.activate(id);
	expect(registered()).toEqual([expect.objectContaining({ events: ['message.read'] })]);
});

test.each(valuesOf('webhook-challenge').slice(1))(
	'a workflow is activated at a service that asks with %s',
	async (form) => {
		const { variants } = n8n.sandbox.state.settings;
		Object.assign(variants, { 'webhook-challenge': form });
		await n8n.publish();
		expect(registered()).toHaveLength(1);
		Object.assign(variants, { 'webhook-challenge': 'none' });
	},
);
