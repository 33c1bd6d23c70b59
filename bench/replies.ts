/** `npm run bench:replies`: what replies to Send and Wait cost a real n8n. Takes about half an hour. */
import path from 'node:path';
import countBy from 'lodash/countBy';
import { printTable, step } from '../harness/cli';
import { Environment } from '../harness/environment';
import { outputOf } from '../harness/n8n/client';
import { type Database, sqlite } from '../harness/n8n/database';
import type { N8nServer } from '../harness/n8n/server';
import { ACTION, node, withCredential, workflow } from '../harness/n8n/workflow';
import { tellOpenRuns } from '../harness/openRuns';
import { numbersOf, type SandboxClient, SandboxProcess } from '../harness/sandboxClient';
import { until } from '../harness/until';
import { peopleNodes } from './growth/benchEnvironment';
import { bodyOf, post, publish, trigger } from './trigger';
import { cpuSeconds, pidOf } from './usage';

export const usage = `Usage: npm run bench:replies -- [--json FILE] [--quick] [--people 1,10]
people: asks so many people in one run; all reply, 20 deliveries at once. Beside it the same deliveries, refused by a filter of a trigger:
half of them before and half after the replies. open: one person is asked by so many runs. One delivery after the other, the fastest counts:
of a message that a filter refuses, and of a reply. Beside it the same refused messages at a trigger without open runs. All but ten runs
are not executions: Send and Wait tells the trigger of them in the call that ends its asking. The ten get the replies.
Fails if a reply was lost, came out twice or started a workflow, or if a ratio is above 1.5 (people: from 100 on, to the
refused deliveries; open: the most runs to the fewest, bytes for each run).
--quick measures up to 100 people, and 20 and 100 open runs. --people asks as many people, and leaves out open runs.`;

const MAX_RATIO = 1.5;
/** The least number of people for which the time is checked. With fewer, most of it is the time to continue the run. */
const LEAST_PEOPLE = 100;
const END_LIMIT = 15 * 60_000;
const WARM_UP = 50;
/** How many of the open runs are executions and get a reply. */
const REPLIES = 10;
const OTHERS = 40;

/** A filter that refuses all messages of the benchmark. */
const refusing = trigger({ filters: { intent: 'optOut' } });
/** The same, and the trigger keeps the replies. */
const refusingInbox = trigger({ filters: { intent: 'optOut' }, keepReplies: true });
const question = { resource: 'message', operation: 'sendAndWait', message: 'Will you come?' };

/** The result for one number of people. */
interface PeopleRow {
	people: number;
	/** The time from the first reply until the run continues. */
	seconds: number;
	filteredSeconds: number;
	ratio: number;
	/** The ratio of n8n's CPU times. It is also valid if the machine has other work. */
	cpuRatio: number;
	lost: number;
	doubled: number;
	registrations: number;
	startedOthers: number;
}

/** What one number of open runs costs, all of which ask the same person. */
interface OpenRow {
	runs: number;
	/** The time for a message that is no reply, ms; and the same without any open run. */
	otherMs: number;
	withoutMs: number;
	/** n8n's CPU time for a message that is no reply, ms; and the same without any open run. */
	otherCpuMs: number;
	withoutCpuMs: number;
	/** The time for a reply, ms. */
	replyMs: number;
	/** The size of what n8n stores for the open runs, bytes. */
	bytes: number;
	lost: number;
	doubled: number;
}

/** Runs all parts, and prints the results. */
export async function run(isQuick: boolean, _only?: string, chosen?: string) {
	const counts = isQuick ? [1, 10, 100] : [1, 10, 100, 1_000, 5_000, 10_000];
	const runs = isQuick ? [20, 100] : [100, 500, 2_000];
	const environment = await Environment.open();
	const people: PeopleRow[] = [];
	const open: OpenRow[] = [];
	await within(environment, async (place) => {
		for (const count of chosen?.split(',').map(Number) ?? counts)
			people.push(await step(`${count} people`, async () => await askPeople(place, count)));
		printTable(people);
		if (chosen === undefined) open.push(...(await openRuns(place, runs)));
		printTable(open);
	});
	return { figures: { people, open }, faults: [...faultsOfPeople(people), ...faultsOfOpen(open)] };
}

/** The n8n and the service in which a benchmark runs. */
interface Place {
	n8n: N8nServer;
	service: SandboxClient;
	database: Database;
}

async function within(environment: Environment, work: (place: Place) => Promise<unknown>) {
	await SandboxProcess.during({}, async (service) => {
		await environment.withN8ns(1, async ([n8n]) => {
			const file = path.join(n8n.place.userFolder, '.n8n', 'database.sqlite');
			await work({ n8n, service, database: sqlite(environment.install, file) });
		});
	});
}

async function askPeople(place: Place, people: number): Promise<PeopleRow> {
	const { n8n, service } = place;
	const numbers = numbersOf({ from: 0, count: people });
	const half = Math.ceil(people / 2);
	const before = await refused(place, numbers.slice(0, half));

	const inbox = await publish(n8n, service, trigger({ keepReplies: true }));
	const asking = await createQuestion(place, people);
	const execution = await ask(n8n, asking);
	const registrations = (await service.look('/webhooks')).length;
	const replied = await measure(n8n, async () => {
		await post(inbox.url, repliesOf(numbers));
		await untilWaiting(n8n, asking, 0);
	});
	const ended = await n8n.client.waitForExecution(execution, END_LIMIT);
	const replies = outputOf(ended, 'Ask').filter(({ json }) => json.text === replyOf(json.from));
	const times = countBy(replies, ({ json }) => json.from);
	const startedOthers = (await n8n.client.listAllExecutions(inbox.workflowId)).length;
	await n8n.client.deactivate(inbox.workflowId);

	const after = await refused(place, numbers.slice(half));
	const filtered = before.seconds + after.seconds;
	const filteredCpu = before.cpuSeconds + after.cpuSeconds;
	return {
		people,
		seconds: replied.seconds,
		filteredSeconds: filtered,
		ratio: replied.seconds / filtered,
		cpuRatio: replied.cpuSeconds / filteredCpu,
		lost: numbers.filter((number) => !times[number]).length,
		doubled: numbers.filter((number) => times[number] > 1).length,
		...{ registrations, startedOthers },
	};
}

/** Makes the same deliveries to a trigger whose filter refuses them. */
async function refused({ n8n, service }: Place, numbers: string[]): Promise<Took> {
	const { url, workflowId } = await publish(n8n, service, refusing);
	await post(url, repliesOf(numbersOf({ from: 100_000, count: WARM_UP })));
	const took = await measure(n8n, async () => await post(url, repliesOf(numbers)));
	await n8n.client.deactivate(workflowId);
	return took;
}

/** A workflow that asks this number of people. @returns its ID */
async function createQuestion({ n8n, service }: Place, count: number) {
	const values = service.credential();
	const credential = await n8n.client.saveCredential('Service', 'businessMessagingApi', values);
	const parameters = {
		...question,
		to: '={{ $json.to }}',
		limitWaitTime: 2,
		waitTimeUnit: 'hours',
	};
	const nodes = [
		node('Start', 'n8n-nodes-base.manualTrigger', 1),
		...peopleNodes('People', { count }),
		node('Ask', ACTION, 1, parameters, withCredential(credential)),
	];
	return (await n8n.client.createWorkflow(workflow('Ask', nodes))).id;
}

/** Runs a workflow until it waits. @returns the execution */
async function ask({ client }: N8nServer, workflowId: string): Promise<string> {
	const execution = await client.run(workflowId, 'Start');
	const waits = async () => (await client.listExecutions(workflowId, 1))[0]?.status === 'waiting';
	await until('the run to wait', waits, { limit: END_LIMIT });
	return execution;
}

/** Waits until this number of the latest runs of a workflow wait. */
async function untilWaiting({ client }: N8nServer, workflowId: string, count: number) {
	const isSo = async () => {
		const latest = await client.listExecutions(workflowId, REPLIES);
		return latest.filter(({ status }) => status === 'waiting').length === count;
	};
	await until('a run to go on', isSo, { limit: END_LIMIT, interval: 20 });
}

function replyOf(number: unknown): string {
	return `Tuesday suits ${String(number)}`;
}

/** Deliveries in which each person writes once. */
function repliesOf(numbers: string[]): string[] {
	return numbers.map((from) => messageOf(from, replyOf(from)));
}

let messages = 0;
function messageOf(from: string, text: string): string {
	return bodyOf('received', { id: `msg_${++messages}`, from, text });
}

/** What n8n took for a piece of work. */
interface Took {
	seconds: number;
	cpuSeconds: number;
}

async function measure(n8n: N8nServer, work: () => Promise<unknown>): Promise<Took> {
	const pid = pidOf(n8n);
	const cpu = cpuSeconds(pid);
	const ms = await msOf(work);
	return { seconds: ms / 1000, cpuSeconds: cpuSeconds(pid) - cpu };
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

/** One person who is asked by more and more runs. */
async function openRuns(place: Place, sizes: number[]): Promise<OpenRow[]> {
	const { n8n, service } = place;
	const bare = await publish(n8n, service, refusing);
	const strangers = numbersOf({ from: 1, count: WARM_UP });
	await post(bare.url, repliesOf(strangers));
	const without = await deliverOthers(n8n, bare.url, repliesOf(strangers.slice(0, OTHERS)));
	await n8n.client.deactivate(bare.workflowId);

	const inbox = await publish(n8n, service, refusingInbox);
	const asking = await createQuestion(place, 1);
	const rows: OpenRow[] = [];
	let told = 0;
	for (const runs of sizes) {
		const row = await step(`${runs} open runs`, async () => {
			const more = runs - REPLIES - told;
			told += more;
			return await measureOpen(place, inbox, asking, more);
		});
		rows.push({ runs, withoutMs: without.ms, withoutCpuMs: without.cpuMs, ...row });
	}
	return rows;
}

/** @param more how many runs the trigger gets to know first; then some other runs ask, and get their replies */
async function measureOpen(
	{ n8n, service, database }: Place,
	{ url, workflowId }: { url: string; workflowId: string },
	asking: string,
	more: number,
) {
	const [person, ...others] = numbersOf({ from: 0, count: OTHERS + 1 });
	await tellOpenRuns(url, service.credential(), person, more);
	const executions: string[] = [];
	while (executions.length < REPLIES) executions.push(await ask(n8n, asking));
	const bytes = await storedBytes(database, workflowId);
	const other = await deliverOthers(n8n, url, repliesOf(others));
	const texts = executions.map((execution) => `Yes, of course: ${execution}`);
	const times: number[] = [];
	for (const [index, text] of texts.entries()) {
		times.push(await msOf(() => post(url, [messageOf(person, text)])));
		await untilWaiting(n8n, asking, REPLIES - 1 - index);
	}
	const read = executions.map((execution) => n8n.client.waitForExecution(execution, END_LIMIT));
	const came = (await Promise.all(read)).flatMap((execution) =>
		outputOf(execution, 'Ask').map(({ json }) => json.text as string),
	);
	const counts = countBy(came);
	return {
		...{ otherMs: other.ms, otherCpuMs: other.cpuMs, replyMs: Math.min(...times), bytes },
		lost: texts.filter((text) => !counts[text]).length,
		doubled: texts.filter((text) => counts[text] > 1).length,
	};
}

/** Makes deliveries one after the other. @returns the time of the fastest, and n8n's CPU time for each, ms */
async function deliverOthers(n8n: N8nServer, url: string, bodies: string[]) {
	const pid = pidOf(n8n);
	const cpu = cpuSeconds(pid);
	const times: number[] = [];
	for (const body of bodies) times.push(await msOf(() => post(url, [body])));
	const cpuMs = (1000 * (cpuSeconds(pid) - cpu)) / bodies.length;
	return { ms: Math.min(...times), cpuMs };
}

/** The size of what a trigger stores for open runs. */
async function storedBytes(database: Database, workflowId: string): Promise<number> {
	const query = 'SELECT staticData FROM workflow_entity WHERE id = ?';
	const [{ staticData }] = await database.run(query, [workflowId]);
	const { global } = JSON.parse(String(staticData)) as { global: Record<string, unknown> };
	const [, stored] = Object.entries(global).find(([name]) => name.startsWith('inbox of')) ?? [];
	return Buffer.byteLength(JSON.stringify(stored ?? ''));
}

/** What is wrong with the results, one sentence each. */
function faultsOfPeople(rows: PeopleRow[]): string[] {
	return rows.flatMap(({ people, ratio, lost, doubled, startedOthers, registrations }) => {
		const isSlow = people >= LEAST_PEOPLE && ratio > MAX_RATIO;
		const faults = [
			lost > 0 && `${lost} replies were lost`,
			doubled > 0 && `${doubled} replies came out twice`,
			startedOthers > 0 && `${startedOthers} replies started a workflow`,
			registrations > 1 && `${registrations} webhooks were registered`,
			isSlow && `${ratio.toFixed(2)} times the time of refused deliveries`,
		];
		return faults.flatMap((fault) => (fault === false ? [] : [`${people} people: ${fault}.`]));
	});
}

function faultsOfOpen(rows: OpenRow[]): string[] {
	if (rows.length === 0) return [];
	const [fewest, most] = [rows[0], rows[rows.length - 1]];
	const perRun = ({ bytes, runs }: OpenRow) => bytes / runs;
	const ratios = {
		'a message that is no reply': most.otherMs / fewest.otherMs,
		'a reply': most.replyMs / fewest.replyMs,
		'bytes for each run': perRun(most) / perRun(fewest),
	};
	const grown = Object.entries(ratios).filter(([, ratio]) => ratio > MAX_RATIO);
	return [
		...rows.flatMap(({ runs, lost, doubled }) =>
			lost + doubled > 0
				? [`${runs} open runs: ${lost} replies were lost, ${doubled} came out twice.`]
				: [],
		),
		...grown.map(
			([what, ratio]) =>
				`${most.runs} open runs: ${what}: ${ratio.toFixed(2)} times that with ${fewest.runs}.`,
		),
	];
}
