/** Send Once and the Frequency Cap on a real n8n with its own data tables: who gets a message, and what the table says. */
import path from 'node:path';

import { countBy, differenceBy, map, partition, pick, range } from 'lodash';
import type { IConnections, INodeParameters } from 'n8n-workflow';

import { startModel } from '../../../harness/editor/model';
import { hasEnded, outputOf } from '../../../harness/n8n/client';
import {
	createTable,
	deleteRows,
	deleteTable,
	findTable,
	readTable,
	updateTable,
} from '../../../harness/n8n/dataTables';
import { sqlite } from '../../../harness/n8n/database';
import { manualTrigger, tested, useN8n, workflowOf } from '../../../harness/useN8n';
import { ACTION, listNodes, node, to, workflow } from '../../../harness/n8n/workflow';
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
	// A claim that another execution has won is deleted, or becomes notSent if it was the last row of the table.
	const { notSent, ...others } = countBy(await rows(), 'status');
	expect(others).toEqual({ sent: 400 });
	expect(notSent ?? 0).toBeLessThan(40);
}, 400_000);

test('n8n is killed in the middle of 600 people: the next run sends to the others, and reports those that may have got it', async () => {
	await n8n.fault({ endpoint: 'sendText', match: '+15550000300', delayMs: 5_000 });
	await n8n.start(fileOf(people(600)));
	await until('half of the messages', () => n8n.outbound.length > 300, { limit: 120_000 });
	await n8n.crash();
	// A claim and its result have the same key; n8n may be killed between writing the result and removing the claim.
	const [claims, results] = partition(await rows(), ({ status }) => status === 'sending');
	const underWay = differenceBy(claims, results, 'idempotencyKey').length;
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

test('a row that is deleted or set to notSent is sent again, and no other one', async () => {
	await send(people(4));
	await deleteRows(n8n.client, table, ['phone', people(4)[1].phone]);
	await updateTable(n8n.client, table, ['phone', people(4)[2].phone], { status: 'notSent' });
	await updateTable(n8n.client, table, ['phone', people(4)[3].phone], { status: 'failed?' });
	expect(await send(people(4))).toEqual({ alreadySent: 2, sent: 2 });
	expect(received()).toEqual([1, 2, 2, 1]);
});

test('Execute step, after the whole workflow: everybody is skipped', async () => {
	const file = { ...fileOf(people(3)), pinData: {} }; // as the editor saves it
	const { id } = await n8n.client.call<{ id: string }>('POST', '/rest/workflows', file);
	const whole = await n8n.runToEnd(id, manualTrigger);
	const runData = pick(whole.data.resultData.runData, [manualTrigger, 'List', 'Items']);
	const destinationNode = { nodeName: tested, mode: 'inclusive' };
	const step = { runData, destinationNode, dirtyNodeNames: [] };
	const path = `/rest/workflows/${id}/run`;
	const { executionId } = await n8n.client.call<{ executionId: string }>('POST', path, step);
	const partial = await n8n.client.waitForExecution(executionId);
	expect(map(outputOf(partial, tested), 'json.reason')).toEqual(Array(3).fill('alreadySent'));
	expect(received()).toEqual(onceEach(3));
	expect(await rows()).toHaveLength(3);
});

/** The action node of the campaign. */
const action = (more: INodeParameters = {}, type = ACTION) => {
	const credentials = { businessMessagingApi: n8n.playground.credential };
	return node(tested, type, 1, { ...sale, ...more }, { credentials });
};
const start = () => node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1);

test('a loop of single items, with a person twice in the list', async () => {
	const list = listNodes(JSON.stringify([...people(3), ...people(1)]));
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: 1 });
	const connections: IConnections = {
		...{ [manualTrigger]: to(['List']), List: to(['Items']), Items: to(['Loop']) },
		Loop: { main: [[], [{ node: tested, type: 'main', index: 0 }]] },
		[tested]: to(['Loop']),
	};
	const file = workflow('Loop', [start(), ...list, loop, action()], connections);
	const { id } = await n8n.client.createWorkflow(file);
	const output = outputOf(await n8n.runToEnd(id, manualTrigger), tested);
	expect(map(output, 'json.reason')).toEqual([null, null, null, 'alreadySent']);
	expect(received()).toEqual(onceEach(3));
	expect(await rows()).toHaveLength(3);
});

test('a sub-workflow that is called for each item: a person who is twice in the list gets one message', async () => {
	const called = node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, {
		inputSource: 'passthrough',
	});
	const child = await n8n.publish(workflow('Child', [called, action()]));
	const workflowId = { __rl: true, mode: 'id', value: child };
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, { workflowId, mode: 'each' });
	const list = listNodes(JSON.stringify([...people(2), ...people(1)]));
	const { id } = await n8n.client.createWorkflow(workflow('Parent', [start(), ...list, call]));
	for (const [sent, skipped] of [
		[2, 1],
		[0, 3],
	]) {
		const output = outputOf(await n8n.runToEnd(id, manualTrigger), 'Call');
		const counts = countBy(map(output, 'json.sendStatus'));
		expect(counts).toEqual({ ...(sent && { sent }), skipped });
	}
	expect(received()).toEqual(onceEach(2));
});

test('a tool of an AI agent: the second call sends nothing, and the agent reads why', async () => {
	const model = await startModel({ Text: 'Hi' });
	const standIn = { model: { __rl: true, mode: 'id', value: 'stand-in' } };
	const credentials = { openAiApi: await model.credentialFor(n8n.client) };
	const question = { promptType: 'define', text: 'Write', options: { enableStreaming: false } };
	const text = "={{ $fromAI('Text', '', 'string') }}";
	const file = workflow(
		'Agent',
		[
			start(),
			node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, question),
			node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, standIn, { credentials }),
			action({ to: people(1)[0].phone, text }, `${ACTION}Tool`),
		],
		{
			[manualTrigger]: to(['Agent']),
			Model: to(['Agent'], 'ai_languageModel'),
			[tested]: to(['Agent'], 'ai_tool'),
		},
	);
	const { id } = await n8n.client.createWorkflow(file);
	const said: string[] = [];
	for (let time = 0; time < 2; time++)
		said.push(JSON.stringify(outputOf(await n8n.runToEnd(id, manualTrigger), 'Agent')));
	await model.close();
	expect(said).toEqual([
		expect.stringContaining('messageId'),
		expect.stringContaining('alreadySent'),
	]);
	expect(received()).toEqual([1]);
	expect(await rows()).toMatchObject([
		{ status: 'sent', execution: expect.stringMatching(/^\d+ [\da-f]{4}$/) },
	]);
});

test('an evaluation sends nothing, and writes nothing', async () => {
	const dataset = 'People to evaluate';
	await createTable(n8n.client, dataset, people(2));
	const { id: value = '' } = (await findTable(n8n.client, dataset)) ?? {};
	const source = { source: 'dataTable', dataTableId: { __rl: true, mode: 'id', value } };
	const metrics = { assignments: [{ id: '1', name: 'good', value: 1, type: 'number' }] };
	const metric = { operation: 'setMetrics', metric: 'customMetrics', metrics };
	const file = workflow('Evaluation', [
		node('Dataset', 'n8n-nodes-base.evaluationTrigger', 4.7, source),
		action(),
		node('Metrics', 'n8n-nodes-base.evaluation', 4.7, metric),
	]);
	const { id } = await n8n.client.createWorkflow(file);
	await n8n.client.call('POST', `/rest/workflows/${id}/test-runs/new`, {});
	const isOver = async () => {
		const path = `/rest/workflows/${id}/test-runs`;
		const [run] = await n8n.client.call<Array<{ status: string }>>('GET', path);
		return ['completed', 'error'].includes(run?.status) && run;
	};
	expect(await until('the evaluation', isOver, { limit: 120_000 })).toMatchObject({
		status: 'completed',
	});
	const executions = await n8n.client.listAllExecutions(id);
	expect(map(executions, 'mode')).toContain('evaluation');
	expect(n8n.outbound).toEqual([]);
	expect(await findTable(n8n.client, table)).toBeUndefined();
});

test('a workflow in a shared project has the log of this project', async () => {
	const { client, playground, sandbox } = n8n;
	// n8n creates shared projects only with a license, so this one is written into its database.
	const { install } = playground.n8n;
	const database = sqlite(install, path.join(n8n.folder, '.n8n', 'database.sqlite'));
	const [{ id: user }] = (await database.run('SELECT id FROM user')) as Array<{ id: string }>;
	const projectId = 'sharedProject001';
	const project = 'INSERT INTO project (id, name, type, creatorId) VALUES (?, ?, ?, ?)';
	await database.run(project, [projectId, 'Marketing', 'team', user]);
	const member = 'INSERT INTO project_relation (projectId, userId, role) VALUES (?, ?, ?)';
	await database.run(member, [projectId, user, 'project:admin']);
	const data = { apiKey: sandbox.key, baseUrl: sandbox.url };
	const own = { name: 'Service of marketing', type: 'businessMessagingApi', data, projectId };
	const { id, name } = await client.call<{ id: string; name: string }>(
		...(['POST', '/rest/credentials', own] as const),
	);
	const file = fileOf(people(3));
	for (const one of file.nodes)
		if (one.name === tested) one.credentials = { businessMessagingApi: { id, name } };

	expect(await send(people(2))).toEqual({ sent: 2 });
	const stored = await client.call<{ id: string }>('POST', '/rest/workflows', {
		...file,
		projectId,
	});
	for (const reason of [null, 'alreadySent']) {
		const output = outputOf(await n8n.runToEnd(stored.id, manualTrigger), tested);
		expect(map(output, 'json.reason')).toEqual(Array(3).fill(reason));
	}
	const tables = `/rest/projects/${projectId}/data-tables`;
	const list = await client.call<{ data: Array<{ id: string; name: string }> }>('GET', tables);
	expect(map(list.data, 'name')).toEqual([table]);
	const rowsOfProject = `${tables}/${list.data[0].id}/rows?take=250`;
	expect((await client.call<{ data: object[] }>('GET', rowsOfProject)).data).toHaveLength(3);
	expect(await rows()).toHaveLength(2);
});
