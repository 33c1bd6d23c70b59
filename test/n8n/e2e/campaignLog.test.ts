/** Send Once and the Frequency Cap on a real n8n with its own data tables: who gets a message, and what the table says. */
import { countBy, map, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { hasEnded, outputOf } from '../../../harness/n8n/client';
import { deleteTable, findTable, readTable } from '../../../harness/n8n/dataTables';
import { tested, useN8n, workflowOf } from '../../../harness/n8n/useN8n';
import { until } from '../../../harness/until';

const n8n = useN8n();
const table = 'Business Messaging Campaigns';
const rows = async () => await readTable(n8n.client, table);

const people = (count: number, first = 0) =>
	range(first, first + count).map((n) => ({ phone: `+1555${String(n).padStart(7, '0')}` }));
const sale: INodeParameters = {
	...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Hi' },
	...{ sendOnce: true, campaign: 'sale' },
};
const fileOf = (items: Array<{ phone: string }>, more: INodeParameters = {}) =>
	workflowOf(n8n.playground, items, { ...sale, ...more });

/** Runs a campaign. @returns the reasons of the skipped items, and `sent` for the others, with their numbers */
async function send(items: Array<{ phone: string }>, more: INodeParameters = {}) {
	const { outputs, error } = await n8n.run({ items, parameters: { ...sale, ...more } });
	expect(error).toBeUndefined();
	return countBy(outputs[0].map(({ json }) => json.reason ?? json.sendStatus));
}
const received = () => Object.values(countBy(map(n8n.outbound, 'phone')));
const onceEach = (count: number) => range(count).map(() => 1);

beforeEach(async () => {
	if (await findTable(n8n.client, table)) await deleteTable(n8n.client, table);
});

test('a second run, also of a copy of the node in another workflow, skips what the first has sent; the table says who got it', async () => {
	expect(await send(people(300))).toEqual({ sent: 300 });
	const all = await rows();
	expect(all).toHaveLength(300);
	expect(all[0]).toMatchObject({
		...{ campaign: 'sale', status: 'sent', message: 'text', reason: '' },
		...{ messageId: expect.stringMatching(/^msg/), execution: expect.stringMatching(/^\d+$/) },
		...{ sentAt: expect.stringMatching(/^20/), deliveredAt: null, reply: null },
	});
	expect(await send(people(310))).toEqual({ alreadySent: 300, sent: 10 });
	expect(received()).toEqual(onceEach(310));
	expect(await rows()).toHaveLength(310);
});

test('three executions with the same people at once: everybody gets one message', async () => {
	const ids = await Promise.all(range(3).map(async () => await n8n.start(fileOf(people(400)))));
	const runs = await Promise.all(
		ids.map(async (id) => await n8n.client.waitForExecution(id, 300_000)),
	);
	expect(map(runs, 'status')).toEqual(['success', 'success', 'success']);
	const outputs = runs.flatMap((run) => outputOf(run, tested).map(({ json }) => json.sendStatus));
	expect(countBy(outputs)).toEqual({ sent: 400, skipped: 800 });
	expect(received()).toEqual(onceEach(400));
	expect(countBy(await rows(), 'status')).toEqual({ sent: 400 });
}, 400_000);

test('n8n is killed in the middle of 600 people: the next run sends to the others, and reports those that may have got it', async () => {
	await n8n.fault({ endpoint: 'sendText', match: '+15550000300', delayMs: 5_000 });
	await n8n.start(fileOf(people(600)));
	await until('half of the messages', () => n8n.outbound.length > 300, { limit: 120_000 });
	await n8n.crash();
	const underWay = (await rows()).filter(({ status }) => status === 'sending').length;
	const result = await send(people(600));
	expect(result.mayHaveBeenSent ?? 0).toBe(underWay);
	expect(received().every((count) => count === 1)).toBe(true);
	expect(n8n.outbound.length + underWay).toBeGreaterThanOrEqual(600);
}, 400_000);

test('after Stop, no claim is left, and the next run sends to the others', async () => {
	await n8n.fault({ endpoint: 'sendText', delayMs: 400, count: 600 });
	const id = await n8n.start(fileOf(people(600), { options: { concurrency: 10 } }));
	await until('some messages', () => n8n.outbound.length > 20, { limit: 120_000 });
	await n8n.client.call('POST', `/rest/executions/${id}/stop`);
	const isIdle = async () => countBy(await rows(), 'status').sending === undefined;
	await until('the claims to be removed', isIdle, { limit: 60_000 });
	expect(hasEnded(await n8n.client.getExecution(id))).toBe(true);
	n8n.sandbox.state.faults.remove();
	await send(people(600));
	expect(received()).toEqual(onceEach(600));
}, 400_000);

test('a Frequency Cap counts over all campaigns of the project', async () => {
	const audienceRules = { frequencyCap: { values: { messages: 2, per: 'month' } } };
	for (const campaign of ['one', 'two'])
		expect(await send(people(20), { campaign })).toEqual({ sent: 20 });
	expect(await send(people(21), { campaign: 'three', audienceRules })).toEqual({
		frequencyCap: 20,
		sent: 1,
	});
	expect(await send(people(1), { sendOnce: false, audienceRules })).toEqual({ frequencyCap: 1 });
});
