/** `npm run bench:replies`: how long Send and Wait takes when everybody who was asked answers at once. Takes about fifteen minutes. */
import { writeFile } from 'node:fs/promises';
import countBy from 'lodash/countBy';
import pLimit from 'p-limit';
import { printTable, readFlags, runMain, step, UserError } from '../tools/cli';
import { Environment } from '../tools/environment';
import { outputOf } from '../tools/n8n/client';
import type { N8nServer } from '../tools/n8n/server';
import { ACTION, listNodes, node, withCredential, workflow } from '../tools/n8n/workflow';
import { numbersOf, type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { until } from '../tools/until';
import { BURST, post, publishTrigger } from './deliveries';

const USAGE = `Usage: npm run bench:replies -- [--json FILE] [--quick] [--people 1,10]
Asks 1, 10, 100, 1,000 and 5,000 people in one run; all answer at once, 20 deliveries at a time. Beside it the same deliveries, refused by
a filter of the trigger. Fails if an answer was lost, came out twice or started a workflow. --quick stops at 100, --people asks as many.`;

const END_LIMIT = 10 * 60_000;

/** What came of one number of people; the ratio is that of the two times. */
interface Row {
	people: number;
	/** From the first answer until the run goes on. */
	seconds: number;
	/** The same deliveries to a trigger whose filter refuses them. */
	filteredSeconds: number;
	ratio: number;
	lost: number;
	doubled: number;
	registrations: number;
	startedOthers: number;
}

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean', people: 'string' }, USAGE);
	const standard = flags.quick ? [1, 10, 100] : [1, 10, 100, 1_000, 5_000];
	const counts = flags.people?.split(',').map(Number) ?? standard;
	const installed = await Environment.open();
	const rows: Row[] = [];
	for (const people of counts) {
		await SandboxProcess.during({}, async (service) => {
			await installed.withN8ns(1, async ([n8n]) => {
				rows.push(await step(`${people} people`, async () => await measure(n8n, service, people)));
			});
		});
	}
	printTable(rows);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(rows, null, 2)}\n`);
	if (rows.some(({ lost, doubled, startedOthers }) => lost + doubled + startedOthers > 0))
		throw new UserError('Answers were lost, came out twice or started a workflow.');
});

/** The filter first, which warms n8n up. */
async function measure(n8n: N8nServer, service: SandboxClient, people: number): Promise<Row> {
	const values = service.credential();
	const credential = await n8n.client.saveCredential('Service', 'businessMessagingApi', values);
	const numbers = numbersOf({ from: 0, count: people });
	const filtering = await publishTrigger(n8n, service, {
		filters: { senders: '+4917012345678' },
	});
	await deliver(filtering.url, numbersOf({ from: people, count: 50 }));
	const filteredSeconds = await timeOf(async () => await deliver(filtering.url, numbers));
	await n8n.client.deactivate(filtering.workflowId);

	const inbox = await publishTrigger(n8n, service);
	const { execution, asking } = await ask(n8n, credential, numbers);
	const registrations = (await service.look('/webhooks')).length;
	const seconds = await timeOf(async () => {
		await deliver(inbox.url, numbers);
		const goesOn = async () =>
			(await n8n.client.listExecutions(asking, 1)).every(({ status }) => status !== 'waiting');
		await until('the run to go on', goesOn, { limit: END_LIMIT, interval: 20 });
	});
	const ended = await n8n.client.waitForExecution(execution, END_LIMIT);
	const replies = outputOf(ended, 'Ask').filter(({ json }) => json.text === answerOf(json.from));
	const times = countBy(replies, ({ json }) => json.from);
	return {
		people,
		seconds,
		filteredSeconds,
		ratio: seconds / filteredSeconds,
		lost: numbers.filter((number) => !times[number]).length,
		doubled: numbers.filter((number) => times[number] > 1).length,
		registrations,
		startedOthers: (await n8n.client.listAllExecutions(inbox.workflowId)).length,
	};
}

/** Asks, and waits until n8n does. */
async function ask({ client }: N8nServer, credential: string, numbers: string[]) {
	const question = {
		resource: 'message',
		operation: 'sendAndWait',
		to: '={{ $json.phone }}',
		message: 'Would Tuesday suit you?',
	};
	const people = JSON.stringify(numbers.map((phone) => ({ phone })));
	const file = workflow('Ask', [
		node('Start', 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(people),
		node('Ask', ACTION, 1, question, withCredential(credential)),
	]);
	const { id: asking } = await client.createWorkflow(file);
	const execution = await client.run(asking, 'Start');
	const waits = async () =>
		(await client.listExecutions(asking, 1)).some(({ status }) => status === 'waiting');
	await until('the run to wait', waits, { limit: END_LIMIT });
	return { execution, asking };
}

function answerOf(number: unknown): string {
	return `Tuesday suits ${String(number)}`;
}

/** Everybody writes once. @throws UserError when a delivery is not answered with 200 */
async function deliver(url: string, numbers: string[]): Promise<void> {
	const limit = pLimit(BURST);
	const timestamp = new Date().toISOString();
	const write = async (from: string) => {
		const data = { id: `msg_${from}`, from, text: answerOf(from), timestamp };
		await post(url, { event: 'message.received', data });
	};
	await Promise.all(numbers.map(async (number) => await limit(write, number)));
}

async function timeOf(work: () => Promise<void>): Promise<number> {
	const start = performance.now();
	await work();
	return (performance.now() - start) / 1000;
}
