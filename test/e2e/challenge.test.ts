/** The trigger on a real n8n, at a service that asks an address before it registers it, and that delivers in batches. */
import { randomUUID } from 'node:crypto';

import { outputOf } from '../../tools/n8n/client';
import { waitFor } from '../../tools/waitFor';
import { valuesOf, type Choice } from '../../sandbox/variants';
import { useN8n } from './support/n8n';

const n8n = useN8n();
const name = 'When a customer writes';
const forms = valuesOf('webhook-challenge').slice(1);

/** Has the sandbox be another service from now on. */
function play(variants: Partial<Choice>): void {
	Object.assign(n8n.sandbox.state.settings.variants, variants);
}

async function activate(): Promise<string> {
	const node = {
		id: '1',
		name,
		type: 'n8n-nodes-business-messaging.businessMessagingTrigger',
		typeVersion: 1.1,
		position: [0, 0] as [number, number],
		parameters: {},
		credentials: { businessMessagingApi: n8n.playground.credential },
		webhookId: randomUUID(),
	};
	const { id } = await n8n.client.createWorkflow({ name, nodes: [node], connections: {} });
	await n8n.client.activate(id);
	return id;
}

test.each(forms)('a workflow is activated at a service that asks with %s', async (form) => {
	play({ 'webhook-challenge': form });
	const id = await activate();
	expect(n8n.sandbox.state.webhooks.all).toHaveLength(1);
	await n8n.client.deactivate(id);
	expect(n8n.sandbox.state.webhooks.all).toEqual([]);
});

test('a batch starts one execution, without what came before', async () => {
	play({ 'webhook-challenge': 'none', 'event-batch': 'array' });
	const id = await activate();
	const { traffic } = n8n.sandbox.state;
	for (const text of ['One', 'Two']) {
		const { deliveries } = traffic.receive({ from: '+15550001111', text });
		await waitFor(async () => deliveries.every(({ state }) => state === 'delivered'), {
			what: 'n8n to answer',
			limit: 60_000,
		});
	}
	const ended = async () => {
		const list = await n8n.client.listExecutions(id);
		return list.length >= 2 && list.every(({ status }) => status === 'success') && list;
	};
	const list = await waitFor(ended, { what: 'two executions', limit: 60_000 });
	const all = await Promise.all(
		list.reverse().map(async (execution) => await n8n.client.getExecution(execution.id)),
	);
	// The second delivery brings the first message once more, which starts nothing again.
	expect(all.map((execution) => outputOf(execution, name).map(({ json }) => json.text))).toEqual([
		['One'],
		['Two'],
	]);
	await n8n.client.deactivate(id);
});
