/** Campaigns on a real n8n: interrupted in every way, and still one message each. */
import { readFile } from 'node:fs/promises';

import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../../tools/n8n/client';
import { until } from '../../tools/until';
import { manualTrigger, tested, useN8n, workflowOf } from './support/n8n';

const holder = useN8n();
const parameters: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '=+1555000{{ $json.n }}',
	text: 'Sale!',
};
const people = range(1000, 1300).map((n) => ({ n }));
const oneEach = Object.fromEntries(people.map(({ n }) => [`+1555000${n}`, 1]));

const outbound = () =>
	holder.sandbox.state.messages.all.filter(({ direction }) => direction === 'outbound');
const received = () => countBy(outbound(), 'phone');
beforeEach(() => holder.sandbox.reset());

async function start(settings = {}, extra: INodeParameters = {}, workflowSettings = {}) {
	const { client } = holder.playground.n8n;
	const file = workflowOf(holder.playground, people, { ...parameters, ...extra }, settings);
	const workflow = await client.createWorkflow({
		...file,
		settings: { ...file.settings, ...workflowSettings },
	});
	return { client, id: await client.run(workflow.id, manualTrigger), workflow };
}

test('a campaign that fails in the middle, then the Retry button', async () => {
	await holder.fault({ endpoint: 'sendText', match: '+15550001150', status: 422 });
	const { client, id } = await start();
	const failed = await client.waitForExecution(id);
	expect(failed.status).toBe('error');
	expect(failed.data.resultData.error?.message).toContain('[item 150]');
	const again = await client.waitForExecution(await client.retry(id));
	expect(again.status).toBe('success');
	expect(outputOf(again, tested).map(({ json }) => json.to)).toEqual(Object.keys(oneEach));
	expect(received()).toEqual(oneEach);
});

test('the same with Stop in the middle, then Retry, where n8n saves the progress of executions', async () => {
	const { client, id } = await start(
		{},
		{ options: { concurrency: 4 } },
		{ saveExecutionProgress: true },
	);
	await until('some messages', () => outbound().length > 50, { interval: 5 });
	await client.stopExecution(id);
	const stopped = await client.waitForExecution(id);
	expect(stopped.status).toBe('canceled');
	await until(
		'what was under way',
		() => holder.sandbox.state.requests.counters.sendText.open === 0,
	);
	expect(outbound().length).toBeLessThan(300);
	const again = await client.waitForExecution(await client.retry(id));
	expect(again.status).toBe('success');
	expect(received()).toEqual(oneEach);
});

/** Changes the parameters of the node under test. */
async function change({ id }: { id: string }, own: INodeParameters) {
	const { client } = holder.playground.n8n;
	const workflow = await client.getWorkflow(id);
	const nodes = workflow.nodes.map((one) =>
		one.name === tested ? { ...one, parameters: { ...one.parameters, ...own } } : one,
	);
	await client.call('PATCH', `/rest/workflows/${id}`, { ...workflow, nodes });
}

test('n8n killed in the middle of a Send Once campaign, started and run again: nobody gets two, and what is uncertain or failed later is sent again if the user wants that', async () => {
	const concurrency = 8;
	const { sandbox, n8n } = holder.playground;
	const { client, workflow } = await start(
		{},
		{ sendOnce: true, campaign: 'sale', options: { concurrency } },
	);
	await until('some messages', () => outbound().length > 100, { interval: 5 });
	await n8n.kill();
	const atKill = outbound().length;
	expect(atKill).toBeLessThan(300);
	await n8n.start();
	const again = await client.waitForExecution(
		await client.run(workflow.id, manualTrigger),
		120_000,
	);
	expect(again.status).toBe('success');
	const statuses = countBy(outputOf(again, tested), ({ json }) =>
		json.skipped ? json.reason : 'sent now',
	);
	expect(statuses.mayHaveBeenSent ?? 0).toBeLessThanOrEqual(concurrency);
	expect((statuses.alreadySent ?? 0) + (statuses.mayHaveBeenSent ?? 0) + statuses['sent now']).toBe(
		300,
	);
	expect(
		Object.values(countBy(sandbox.state.messages.all, 'phone')).filter((count) => count > 1),
	).toEqual([]);
	expect(outbound().length).toBeGreaterThanOrEqual(300 - concurrency);
	await change(workflow, {
		options: {
			concurrency,
			ifUncertain: 'sendAgain',
			failedMessage: '={{ $json.n === 1007 ? "msg_1" : null }}',
			keepInputFields: true,
		},
	});
	const last = await client.waitForExecution(await client.run(workflow.id, manualTrigger));
	const uncertain = statuses.mayHaveBeenSent ?? 0;
	expect(countBy(outputOf(last, tested), 'json.sendStatus')).toEqual({
		skipped: 300 - uncertain - 1,
		sent: uncertain + 1,
	});
	expect(outputOf(last, tested).map(({ json }) => json.n)).toEqual(people.map(({ n }) => n));
	expect(Object.keys(received())).toHaveLength(300);
	expect(received()['+15550001007']).toBe(2);
	const log = await readFile(n8n.logFile, 'utf8');
	expect(log).toContain('node "Business Messaging": 300 of 300 messages (0 failed');
	expect(log).not.toContain('+1555000');
});

test('rules, a preview of 1,000, a test and the campaign: the same people, the same texts, the cap in the next run', async () => {
	const { client } = holder.playground.n8n;
	const { contacts } = holder.sandbox.state;
	for (const { n } of people.slice(0, 20))
		contacts.create({ phone: `+1555000${n}`, segments: ['opted-out'] });
	const rules = {
		duplicates: 'sendFirst',
		excludeSegment: 'opted-out',
		excludeNumbers: '+1 (555) 000-1030, 0015550001031',
		frequencyCap: { values: { messages: 1, days: 7 } },
	};
	const text = '=Hello {{ $json.n }}';
	const many = range(1000, 2000).map((n) => ({ n }));
	const file = workflowOf(holder.playground, many, { ...parameters, text, audienceRules: rules });
	const { id } = await client.createWorkflow(file);
	const runIn = async (mode: string, own: INodeParameters = {}) => {
		await change({ id }, { mode, ...own });
		const execution = await client.waitForExecution(await client.run(id, manualTrigger));
		return outputOf(execution, tested).map(({ json }) => json);
	};
	const preview = await runIn('preview');
	await runIn('test', { testNumber: '+15550009999', testMessages: 2 });
	expect(received()).toEqual({ '+15550009999': 2 });
	const sent = await runIn('send');
	const shown = preview.filter(({ sendStatus }) => sendStatus === 'preview');
	expect(shown).toHaveLength(978);
	const texts = Object.fromEntries(
		outbound()
			.slice(2)
			.map(({ phone, text: one }) => [phone, one]),
	);
	expect(Object.fromEntries(shown.map(({ to, text: one }) => [to, one]))).toEqual(texts);
	expect(sent.map(({ reason }) => reason)).toEqual(preview.map(({ reason }) => reason));
	const again = await runIn('send');
	expect(countBy(again, 'reason')).toEqual({ excluded: 22, frequencyCap: 978 });
	expect(outbound()).toHaveLength(980);
});
