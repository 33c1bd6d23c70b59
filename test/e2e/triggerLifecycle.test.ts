/** The trigger's registration on a real n8n, while the service fails at random and n8n starts anew. */
import { range } from 'lodash';

import type { N8nServer } from '../../tools/n8n/server';
import { startN8n } from '../../tools/n8n/server';
import { waitFor } from '../../tools/waitFor';
import type { FaultOrder } from '../../sandbox/faults';
import { numbers } from '../trigger/support';
import { useN8n } from './support/n8n';
import { TriggerWorkflows, foreignWebhooks } from './support/trigger';

const n8n = useN8n();
const workflows = new TriggerWorkflows(n8n);
const registered = () => n8n.sandbox.state.webhooks.all;

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Switched on and off side by side, to be done in time: n8n waits seconds before it tries again what failed. */
const workflowCount = 8;
const rounds = 25;

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

beforeEach(() => n8n.sandbox.reset());

test(`${workflowCount * rounds} times on and off while the service fails: none is left over, none of others touched (TEST_SEED=${seed})`, async () => {
	const random = numbers(seed);
	const ids = await Promise.all(range(workflowCount).map(async () => await workflows.make(false)));
	await n8n.client.activate(ids[0]);
	const others = foreignWebhooks(n8n, registered()[0].url);
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

/** n8n on the same folder and port, but with its older way of switching workflows on. */
async function startWithoutPublicationService(): Promise<N8nServer> {
	const { place, install } = n8n.playground.n8n;
	return await startN8n({
		userFolder: place.userFolder,
		port: place.port,
		install,
		env: { N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'false' },
	});
}

test("a registration that was deleted at the service comes back with n8n's next start, where n8n asks its triggers then", async () => {
	await workflows.make(true);
	const [{ url }] = registered();
	await n8n.playground.n8n.stop();
	n8n.sandbox.state.webhooks.delete(registered()[0].id);
	const server = await startWithoutPublicationService();
	try {
		await waitFor(async () => registered().length === 1, {
			what: 'the trigger to register again',
			limit: 60_000,
		});
		expect(registered()[0].url).toBe(url);
	} finally {
		await server.stop();
		await n8n.playground.n8n.start();
	}
});

test('n8n as it is takes deliveries after a start, and a deleted registration comes back when the workflow is switched off and on', async () => {
	const id = await workflows.make(true);
	await n8n.playground.n8n.stop();
	await n8n.playground.n8n.start();
	await workflows.settled(
		n8n.sandbox.state.traffic.receive({ from: '+15550001111', text: 'Hello' }).deliveries,
	);
	expect(await workflows.executions(id, 1)).toHaveLength(1);
	const [{ url }] = registered();
	n8n.sandbox.state.webhooks.delete(registered()[0].id);
	await n8n.client.deactivate(id);
	await n8n.client.activate(id);
	expect(registered().map((webhook) => webhook.url)).toEqual([url]);
});
