/**
 * The action node on a real n8n: every operation, also with a failing item; and campaigns that are interrupted, after
 * which each person still has one message.
 */
import axios from 'axios';
import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../../harness/n8n/client';
import { createTable, findTable, readTable } from '../../../harness/n8n/dataTables';
import { ACTION, node, workflow } from '../../../harness/n8n/workflow';
import { until } from '../../../harness/until';
import { testEveryOperation } from '../../../harness/engine/everyOperation';
import { manualTrigger, tested, useN8n, workflowOf } from '../../../harness/useN8n';

const n8n = useN8n();

testEveryOperation(n8n);

test("n8n's HTTP Request node calls the service with the credential, as Custom API Call tells users to", async () => {
	const types = await n8n.client.nodeTypes();
	const fields = types.find(({ name }) => name === ACTION)?.properties ?? [];
	const choices = fields.flatMap(({ options = [] }) => options.map(({ name }) => name));
	expect(choices).toContain('Custom API Call');
	const { credential, sandbox } = n8n.playground;
	const request = {
		url: `${sandbox.url}/v1/auth/me`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'businessMessagingApi',
	};
	const credentials = { businessMessagingApi: credential };
	const file = workflow('Custom API Call', [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		node(tested, 'n8n-nodes-base.httpRequest', 4.2, request, { credentials }),
	]);
	const execution = await n8n.client.waitForExecution(await n8n.start(file));
	expect(execution.status).toBe('success');
	expect(sandbox.state.requests.last()).toMatchObject([{ url: '/v1/auth/me', status: 200 }]);
});

test.each([
	['evaluationTrigger', 0],
	['manualTrigger', 2],
])('an execution that the %s starts in the editor sends %i messages', async (type, sent) => {
	const phones = ['+15550001111', '+15550002222'];
	const table = `People for the ${type}`;
	await createTable(
		n8n.client,
		table,
		phones.map((phone) => ({ phone })),
	);
	const { id = '' } = (await findTable(n8n.client, table)) ?? {};
	const dataTableId = { __rl: true, mode: 'id', value: id };
	const rows = { source: 'dataTable', dataTableId, resource: 'row', operation: 'get' };
	const text = {
		resource: 'message',
		operation: 'sendText',
		text: 'Hello',
		to: '={{ $json.phone }}',
	};
	const credentials = { businessMessagingApi: n8n.playground.credential };
	const file = workflow(`Started by the ${type}`, [
		type === 'manualTrigger'
			? node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1)
			: node(manualTrigger, `n8n-nodes-base.${type}`, 4.7, rows),
		...(type === 'manualTrigger' ? [node('Rows', 'n8n-nodes-base.dataTable', 1, rows)] : []),
		node(tested, ACTION, 1, text, { credentials }),
	]);
	const { data } = await n8n.client.waitForExecution(await n8n.start(file));
	expect(data.resultData.error).toBeUndefined();
	expect(n8n.outbound.map(({ phone }) => phone)).toEqual(phones.slice(0, sent));
});

describe('a campaign', () => {
	const people = range(1000, 1300).map((n) => ({ n }));
	const oneEach = Object.fromEntries(people.map(({ n }) => [`+1555000${n}`, 1]));
	const received = () => countBy(n8n.outbound, 'phone');

	/** Starts a campaign. @returns the IDs of the workflow and of the execution */
	async function start(own: INodeParameters = {}, { credential } = n8n.playground) {
		const parameters: INodeParameters = {
			...{ resource: 'message', operation: 'sendText', text: 'Sale!' },
			...{ to: '=+1555000{{ $json.n }}', ...own },
		};
		const file = workflowOf({ ...n8n.playground, credential }, people, parameters);
		const { id: workflowId } = await n8n.client.createWorkflow(file);
		return { workflowId, id: await n8n.client.run(workflowId, manualTrigger) };
	}

	/** Uses the Retry button of an execution. Afterwards, everybody has one message. */
	async function retry(id: string): Promise<void> {
		const again = await n8n.client.waitForExecution(await n8n.client.retry(id));
		expect(again.status).toBe('success');
		expect(outputOf(again, tested).map(({ json }) => json.to)).toEqual(Object.keys(oneEach));
		expect(received()).toEqual(oneEach);
	}

	test('that fails in the middle, then the Retry button', async () => {
		await n8n.fault({ endpoint: 'sendText', match: '+15550001150', status: 422 });
		const { id } = await start();
		const failed = await n8n.client.waitForExecution(id);
		expect(failed.status).toBe('error');
		expect(failed.data.resultData.error?.message).toContain('[item 150]');
		await retry(id);
	});

	/** Stops a campaign in the middle. @returns how many messages it has sent */
	async function stop(id: string): Promise<number> {
		await until('some messages', () => n8n.outbound.length > 50, { interval: 5 });
		await n8n.client.stopExecution(id);
		expect((await n8n.client.waitForExecution(id)).status).toBe('canceled');
		const { counters } = n8n.sandbox.state.requests;
		await until('what was under way', () => counters.sendText.open === 0);
		expect(n8n.outbound.length).toBeLessThan(300);
		return n8n.outbound.length;
	}

	test('with Stop in the middle, started in the editor: n8n does not retry it', async () => {
		const { id } = await start({ options: { concurrency: 4 } });
		const sent = await stop(id);
		await expect(n8n.client.retry(id)).rejects.toThrow('cannot be retried');
		expect(n8n.outbound).toHaveLength(sent);
	});

	// n8n 2.41 stores nothing of an execution that was stopped, so no node can know what was sent.
	test('without Send Once, with Stop in the middle of a published workflow: the Retry button would send everything again', async () => {
		const path = 'stopped-campaign';
		const parameters: INodeParameters = {
			...{ resource: 'message', operation: 'sendText', text: 'Sale!' },
			...{ to: '=+1555000{{ $json.n }}', options: { concurrency: 4 } },
		};
		const file = workflow('Stopped campaign', [
			node('Start', 'n8n-nodes-base.webhook', 2, { path, httpMethod: 'POST', options: {} }),
			node('People', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.people' }),
			node(tested, ACTION, 1, parameters, {
				credentials: { businessMessagingApi: n8n.playground.credential },
			}),
		]);
		const workflowId = await n8n.publish(file);
		await axios.post(`${n8n.playground.n8n.url}/webhook/${path}`, { people });
		const { id } = await until(
			'the execution',
			async () => (await n8n.client.listAllExecutions(workflowId)).at(0) ?? false,
		);
		const sent = await stop(id);
		await n8n.client.waitForExecution(await n8n.client.retry(id), 120_000);
		expect(n8n.outbound).toHaveLength(sent + 300);
	});

	test('with Send Once and Stop in the middle, then run again: everybody has one message', async () => {
		const own = { sendOnce: true, campaign: 'stopped sale', options: { concurrency: 4 } };
		const { id, workflowId } = await start(own);
		await stop(id);
		const rows = async () => await readTable(n8n.client, 'Business Messaging Campaigns');
		const isClaim = ({ campaign, status }: Record<string, unknown>) =>
			campaign === 'stopped sale' && status === 'sending';
		await until('all claims to be removed', async () => !(await rows()).some(isClaim));
		const again = await n8n.client.run(workflowId, manualTrigger);
		expect((await n8n.client.waitForExecution(again, 120_000)).status).toBe('success');
		expect(received()).toEqual(oneEach);
	});

	test('with Send Once, during which n8n is killed; then started and run again: nobody gets two', async () => {
		const { url: baseUrl, key: apiKey } = n8n.sandbox;
		const plan = { apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 1_000 };
		const id = await n8n.client.createCredential('Plan', 'businessMessagingApi', plan);
		// No more are under way than this, however slow the machine is.
		const most = 50;
		const { workflowId } = await start(
			{ sendOnce: true, campaign: 'sale' },
			{ ...n8n.playground, credential: { name: 'Plan', id } },
		);
		await until('some messages', () => n8n.outbound.length > 100, { interval: 5 });
		await n8n.playground.n8n.kill();
		expect(n8n.outbound.length).toBeLessThan(300);
		await n8n.playground.n8n.start();
		const again = await n8n.client.run(workflowId, manualTrigger);
		const execution = await n8n.client.waitForExecution(again, 120_000);
		expect(execution.status).toBe('success');
		const reasons = countBy(outputOf(execution, tested), ({ json }) =>
			json.skipped ? json.reason : 'sentNow',
		);
		const { sentNow = 0, alreadySent = 0, mayHaveBeenSent = 0 } = reasons;
		expect(sentNow + alreadySent + mayHaveBeenSent).toBe(300);
		expect(mayHaveBeenSent).toBeLessThanOrEqual(most);
		expect(Object.values(received()).filter((count) => count > 1)).toEqual([]);
		expect(n8n.outbound.length).toBeGreaterThanOrEqual(300 - most);
	});
});
