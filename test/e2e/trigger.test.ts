/** The trigger on a real n8n: which events start an execution, its registrations at the service, and restarts of n8n. */
import { countBy, range } from 'lodash';
import type { FaultOrder } from '../../sandbox/faults';
import type { Webhook } from '../../sandbox/state/webhooks';
import { valuesOf, numbers } from '../../sandbox/variants';
import { cameAtStart, type Execution, outputOf } from '../../tools/n8n/client';
import { startN8n } from '../../tools/n8n/server';
import { until } from '../../tools/until';
import { useN8n, trigger, TriggerWorkflows } from './support/n8n';

const n8n = useN8n();
const workflows = new TriggerWorkflows(n8n);
const anna = '+15550001111';

const registered = () => n8n.sandbox.state.webhooks.all;
const write = (from: string, text: string) => n8n.sandbox.state.traffic.receive({ from, text });
const question = (n: number) => write(`+1555000${1000 + n}`, `Question ${n}`);

beforeEach(() => n8n.sandbox.reset());
afterEach(async () => await workflows.deactivateAll());

test('the test URL and the production URL work side by side', async () => {
	const id = await workflows.make(true);
	await n8n.client.run(id, trigger);
	expect(registered().map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual([
		'webhook',
		'webhook-test',
	]);
	const both = write(anna, 'Is this a test?');
	await workflows.settled(both.deliveries);
	await until('the test URL to be removed', () => registered().length === 1);
	const one = write(anna, 'And now?');
	expect(one.deliveries).toHaveLength(1);
	await workflows.settled(one.deliveries);

	const started = (await workflows.executions(id, 3)).map((execution) => [
		execution.mode,
		outputOf(execution, trigger)[0].json.text,
	]);
	expect(started.sort()).toEqual([
		['manual', 'Is this a test?'],
		['webhook', 'And now?'],
		['webhook', 'Is this a test?'],
	]);
});

/** The identifier of the message that has started an execution; one that was killed has no output yet. */
const messageOf = ({ data }: Execution) =>
	String(/"messageId":"([^"]*)"/.exec(JSON.stringify(data))?.[1]);

test('an event that n8n has answered is known after n8n was killed and started again', async () => {
	const id = await workflows.make(true);
	const { deliveries } = n8n.sandbox.state;
	const events = range(10).map((n) => question(n).deliveries[0]);
	await workflows.settled(events);
	// What got its response at the same moment is stored with the next one.
	events.push(question(100).deliveries[0]);
	await workflows.settled(events);
	await workflows.executions(id, 11);
	await n8n.playground.n8n.kill();
	await n8n.playground.n8n.start();
	const repeated = events.map(({ event, data }) =>
		deliveries.deliver(registered()[0], event, data),
	);
	await workflows.settled(repeated);
	expect(countBy(await workflows.executions(id, 11), messageOf)).toEqual(
		countBy(events, ({ data }) => data.id),
	);
});

test('n8n is killed while 100 events arrive: each starts an execution, only those under way may start two', async () => {
	const id = await workflows.make(true);
	const first = range(0, 60).map(question);
	const isDelivered = ({ deliveries: [{ state }] }: (typeof first)[number]) =>
		state === 'delivered';
	await until('some events to be delivered', () => first.filter(isDelivered).length >= 15, {
		interval: 5,
	});
	await n8n.playground.n8n.kill();
	expect(first.every(isDelivered)).toBe(false);
	const events = [...first, ...range(60, 100).map(question)];
	await n8n.playground.n8n.start();
	await until('the service to get all events through', () => events.every(isDelivered), {
		limit: 180_000,
	});

	const taken = events.filter(({ deliveries: [delivery] }) => !cameAtStart(delivery));
	const executions = await workflows.executions(id, taken.length);
	const started = countBy(executions, messageOf);
	const attemptsOf = ({ deliveries: [{ attempts }] }: (typeof first)[number]) => attempts.length;
	expect(
		taken.filter(({ message }) => !started[message.id]).map(({ message }) => message.id),
	).toEqual([]);
	const doubled = events.filter(({ message }) => started[message.id] > 1);
	expect(doubled.filter((event) => attemptsOf(event) === 1)).toEqual([]);
	expect(Math.max(...taken.map(({ message }) => started[message.id]))).toBeLessThanOrEqual(2);

	// What had begun when n8n was killed is listed as crashed, and can be run again.
	const crashed = executions.find(({ status }) => status === 'crashed');
	const again = crashed && (await n8n.client.waitForExecution(await n8n.client.retry(crashed.id)));
	expect(again && [again.status, messageOf(again)]).toEqual(
		crashed && ['success', messageOf(crashed)],
	);
});

/** Puts 20 webhooks of others at the service, among them some whose address looks much like ours. @returns copies of them */
function foreignWebhooks(ownUrl: string): Webhook[] {
	const { origin, pathname } = new URL(ownUrl);
	const lookAlikes = [
		`${pathname}s`,
		pathname.slice(0, -1),
		`${pathname}/more`,
		pathname.replace('/webhook/', '/webhook-test/'),
		'/webhook/another/webhook',
		`${pathname}?token=short`,
	];
	const urls = [
		...lookAlikes.map((path) => `${origin}${path}`),
		...range(14).map((n) => `https://example.com/hook/${n}`),
	];
	return urls.map((url) =>
		structuredClone(n8n.sandbox.state.webhooks.create({ url, events: ['message.received'] })),
	);
}

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Switched on and off side by side, to be done in time: n8n waits seconds before it tries again what failed. */
const workflowCount = 8;
const rounds = 10;

const faults: FaultOrder[] = [
	...[400, 403, 409, 422, 500, 503].map(
		(status): FaultOrder => ({ endpoint: 'createWebhook', status }),
	),
	...[403, 404, 500, 503].map((status): FaultOrder => ({ endpoint: 'deleteWebhook', status })),
	...[403, 500].map((status): FaultOrder => ({ endpoint: 'listWebhooks', status })),
	{ endpoint: 'createWebhook', status: 500, processed: true },
	{ endpoint: 'deleteWebhook', status: 500, processed: true },
	{ endpoint: 'listWebhooks', status: 429, headers: { 'retry-after': '1' } },
	...(['createWebhook', 'deleteWebhook', 'listWebhooks'] as const).flatMap(
		(endpoint): FaultOrder[] => [
			{ endpoint, brokenJson: true },
			{ endpoint, reset: 'beforeRead' },
			{ endpoint, reset: 'afterRead' },
			{ endpoint, delayMs: 500 },
		],
	),
];

test(`${workflowCount * rounds} times on and off while the service fails: none is left over, none of others touched (TEST_SEED=${seed})`, async () => {
	const random = numbers(seed);
	const ids = await Promise.all(range(workflowCount).map(async () => await workflows.make(false)));
	await n8n.client.activate(ids[0]);
	const others = foreignWebhooks(registered()[0].url);
	await n8n.client.deactivate(ids[0]);
	expect(registered()).toEqual(others);

	const maybeFail = async () => {
		if (random(3) === 0)
			await n8n.fault({ ...faults[random(faults.length)], skip: random(2), count: 1 + random(2) });
	};
	const failed = { on: 0, off: 0 };
	const onAndOff = async (id: string) => {
		await maybeFail();
		await n8n.client.activate(id).catch(() => failed.on++);
		await maybeFail();
		await n8n.client.deactivate(id).catch(() => failed.off++);
		expect(
			registered().filter(({ id: known }) => others.some((other) => other.id === known)),
		).toEqual(others);
	};
	await Promise.all(
		ids.map(async (id) => {
			for (let round = 0; round < rounds; round++) await onAndOff(id);
		}),
	);
	expect(n8n.sandbox.state.faults.all.reduce((sum, { hits }) => sum + hits, 0)).toBeGreaterThan(
		rounds,
	);

	// What could not be removed while the service failed goes with the next time on and off.
	n8n.sandbox.state.faults.remove();
	await Promise.all(ids.map(async (id) => await n8n.client.activate(id)));
	expect(registered().slice(0, 20)).toEqual(others);
	expect(registered()).toHaveLength(20 + workflowCount);
	await Promise.all(ids.map(async (id) => await n8n.client.deactivate(id)));
	expect(registered()).toEqual(others);
});

test("a registration that was deleted at the service comes back with n8n's next start, where n8n asks its triggers then", async () => {
	await workflows.make(true);
	const [{ url }] = registered();
	await n8n.playground.n8n.stop();
	n8n.sandbox.state.webhooks.delete(registered()[0].id);
	const { place, install } = n8n.playground.n8n;
	// The same folder and port, but n8n's older way of switching workflows on.
	const env = { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' };
	const server = await startN8n({ ...place, install, env });
	try {
		await until('the trigger to register again', () => registered().length === 1);
		expect(registered()[0].url).toBe(url);
	} finally {
		await server.stop();
		await n8n.playground.n8n.start();
	}
});

test.each(valuesOf('webhook-challenge').slice(1))(
	'a workflow is activated at a service that asks with %s',
	async (form) => {
		const { variants } = n8n.sandbox.state.settings;
		Object.assign(variants, { 'webhook-challenge': form });
		try {
			await workflows.make(true);
			expect(registered()).toHaveLength(1);
		} finally {
			Object.assign(variants, { 'webhook-challenge': 'none' });
		}
	},
);
