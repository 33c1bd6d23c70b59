/** STOP on a real n8n: a campaign leaves people out whenever they have written it, however the run is started. */
import { countBy, map, pick, range } from 'lodash';

import { type Execution, outputOf } from '../../../harness/n8n/client';
import { deleteTable, findTable, readTable, updateTable } from '../../../harness/n8n/dataTables';
import { manualTrigger, tested, useN8n, workflowOf } from '../../../harness/useN8n';
import { until } from '../../../harness/until';

const n8n = useN8n();
const people = range(8).map((n) => ({ phone: `+1555000100${n}` }));
const phones = map(people, 'phone');
const optOuts = 'Opt-outs';
const log = 'Business Messaging Campaigns';

beforeEach(async () => {
	for (const name of [optOuts, log])
		if (await findTable(n8n.client, name)) await deleteTable(n8n.client, name);
});

/** A campaign as the README has it, as the editor saves it. */
async function createCampaign(campaign: string, messagesPerMinute: number): Promise<string> {
	const sending = { mode: 'preview', sendOnce: true, campaign, options: { messagesPerMinute } };
	const text = { resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Hi' };
	const file = workflowOf(n8n.playground, people, { ...text, ...sending });
	const saved = { ...file, pinData: {} };
	return (await n8n.client.call<{ id: string }>('POST', '/rest/workflows', saved)).id;
}

/** Starts only the step that sends, with the input that an earlier execution has loaded. */
async function executeStep(id: string, loaded: Execution): Promise<string> {
	const runData = pick(loaded.data.resultData.runData, [manualTrigger, 'List', 'Items']);
	const destinationNode = { nodeName: tested, mode: 'inclusive' };
	const step = { runData, destinationNode, dirtyNodeNames: [] };
	const path = `/rest/workflows/${id}/run`;
	const { executionId } = await n8n.client.call<{ executionId: string }>('POST', path, step);
	return executionId;
}

/** Somebody writes STOP. @returns when it is in the table */
async function writeStop(phone: string): Promise<void> {
	n8n.write(phone, 'STOP');
	const isListed = async () =>
		(await findTable(n8n.client, optOuts)) &&
		map(await readTable(n8n.client, optOuts), 'phone').includes(phone);
	await until(`${phone} to be listed`, isListed);
}

const reasonsOf = (execution: Execution) =>
	Object.fromEntries(
		outputOf(execution, tested).map(({ json }) => [json.to, json.reason ?? json.sendStatus]),
	);
const toCustomers = () =>
	countBy(n8n.outbound.filter(({ text }) => text === 'Hi').map(({ phone }) => phone));

test('after a preview, neither who writes STOP before the run nor who writes it in the middle gets anything, although the step reuses its input', async () => {
	await n8n.publish(n8n.example('opt-outs'));
	const id = await createCampaign('sale', 4);
	const preview = await n8n.runToEnd(id, manualTrigger);
	expect(Object.values(reasonsOf(preview))).toEqual(phones.map(() => 'preview'));
	await writeStop(phones[1]);
	await n8n.client.changeNode(id, tested, { mode: 'send' });
	const running = await executeStep(id, preview);
	// The next four wait for a minute.
	await until('four messages', () => Object.keys(toCustomers()).length === 4);
	await writeStop(phones[7]);
	expect(Object.keys(toCustomers())).toHaveLength(4);
	const reasons = reasonsOf(await n8n.client.waitForExecution(running, 120_000));
	const others = phones.filter((_, index) => index !== 1 && index !== 7);
	expect(reasons).toEqual({
		...Object.fromEntries(others.map((phone) => [phone, 'sent'])),
		...{ [phones[1]]: 'optedOut', [phones[7]]: 'optedOut' },
	});
	expect(toCustomers()).toEqual(Object.fromEntries(others.map((phone) => [phone, 1])));
});

test('a table that people have edited counts as well, also after a restart of n8n and for another workflow', async () => {
	await n8n.publish(n8n.example('opt-outs'));
	await writeStop(phones[0]);
	await writeStop(phones[1]);
	await updateTable(n8n.client, optOuts, ['phone', phones[1]], { phone: '1 (555) 000-1002' });
	await n8n.restart();
	const id = await createCampaign('autumn', 60);
	await n8n.client.changeNode(id, tested, { mode: 'send' });
	const reasons = reasonsOf(await n8n.runToEnd(id, manualTrigger));
	expect(pick(reasons, phones.slice(0, 3))).toEqual({
		...{ [phones[0]]: 'optedOut', [phones[1]]: 'sent', [phones[2]]: 'optedOut' },
	});
	expect(Object.keys(toCustomers()).sort()).toEqual(
		phones.filter((_, index) => index !== 0 && index !== 2),
	);
});
