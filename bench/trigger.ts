/** `npm run bench:trigger`: what a delivery costs n8n with our trigger and with n8n's own Webhook node. Takes about half an hour. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import axios from 'axios';
import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import range from 'lodash/range';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import type { INode, INodeParameters } from 'n8n-workflow';
import pLimit from 'p-limit';
import { printTable, step, UserError } from '../harness/cli';
import { Environment } from '../harness/environment';
import { outputOf } from '../harness/n8n/client';
import type { N8nServer } from '../harness/n8n/server';
import { node, TRIGGER, withCredential, workflow } from '../harness/n8n/workflow';
import { numbersOf, type SandboxClient, SandboxProcess } from '../harness/sandboxClient';
import { until } from '../harness/until';
import { cpuSeconds, pidOf } from './usage';

export const usage = `Usage: npm run bench:trigger -- [--json FILE] [--quick]
Delivers 1,000 events, of which 30 % come two or three times, 20 at once, to our trigger and to n8n's own Webhook
node in turn; then 300 events that come once. Then three delivery receipts of each of 240 messages to a trigger with Batch Receipts
and to one that starts an execution for each, in turn. All with n8n as it is, and with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true. Fails if an event was lost or started two executions.
Needs Linux. --quick is too small to compare.`;

const environments: Record<string, NodeJS.ProcessEnv> = {
	'n8n as it is': {},
	'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true': { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
};
/**
 * How many parts the deliveries have. The parts go to the receivers in turn, so that n8n and the machine are in the
 * same state for each.
 */
const PARTS = 5;
/** How many deliveries are under way at once. */
const AT_ONCE = 20;
const WARM_UP = 60;
const END_LIMIT = 120_000;
/** How long a delivery that gets 503 is made again, ms. */
const AGAIN_LIMIT = 120_000;
/** The statuses for which each message has a receipt. */
const RECEIPTS = ['sent', 'delivered', 'read'];
/** After how many events the later copies of an event come. */
const LATER = 40;

/** A function that makes the node that starts a workflow. */
type Receiver = (credential: string) => INode;

export const trigger =
	(parameters: INodeParameters): Receiver =>
	(credential) =>
		node('Trigger', TRIGGER, 1.1, parameters, withCredential(credential));
/** n8n's own Webhook node, with its defaults. */
const webhook: Receiver = () =>
	node('Trigger', 'n8n-nodes-base.webhook', 2.1, { httpMethod: 'POST', options: {} });
const events = RECEIPTS.map((state) => `message.${state}`);
const both = { trigger: trigger({}), webhook };
const batching = {
	batched: trigger({ events, options: { batchReceipts: true } }),
	single: trigger({ events }),
};

/** The deliveries and their receivers; the first receiver is compared with the second. */
interface Comparison {
	title: string;
	bodies: string[];
	receivers: Record<string, Receiver>;
}

function comparisonsOf(many: number, few: number, messages: number): Comparison[] {
	const repeated = `${many} events, 30 % of them two or three times`;
	const receipts = `three receipts of each of ${messages} messages`;
	return [
		{ title: repeated, bodies: deliveriesOf(many, true), receivers: both },
		{ title: `${few} events, each once`, bodies: deliveriesOf(few, false), receivers: both },
		{ title: receipts, bodies: receiptsOf(messages), receivers: batching },
	];
}

/** Runs all comparisons, and prints the results. */
export async function run(isQuick: boolean) {
	const comparisons = isQuick ? comparisonsOf(100, 60, 20) : comparisonsOf(1000, 300, 240);
	const installed = await Environment.open();
	const figures: Array<Awaited<ReturnType<typeof compare>>> = [];
	await SandboxProcess.during({}, async (service) => {
		for (const [environment, env] of Object.entries(environments)) {
			const work = async ([n8n]: N8nServer[]) => {
				for (const comparison of comparisons)
					figures.push(await compare(n8n, service, environment, comparison));
			};
			await installed.withN8ns(1, work, env);
		}
	});
	const results = figures.flatMap(({ rows }) => rows).filter(({ name }) => name !== 'webhook');
	const isWrong = results.some(({ lost, doubled }) => lost + doubled > 0);
	return { figures, faults: isWrong ? ['Events were lost or started two executions.'] : [] };
}

/** Makes the same deliveries to all receivers in one n8n, part by part, in alternating order. Prints the times of all parts together. */
async function compare(
	n8n: N8nServer,
	service: SandboxProcess,
	environment: string,
	{ title, bodies, receivers }: Comparison,
) {
	const used = [];
	for (const [name, receiver] of Object.entries(receivers)) {
		const warmUp = await publish(n8n, service, receiver);
		await deliver(n8n, warmUp, bodies.slice(0, WARM_UP));
		await n8n.client.deactivate(warmUp.workflowId);
		const place = await publish(n8n, service, receiver);
		used.push({ ...place, name, seconds: 0, cpuSeconds: 0 });
	}
	const parts = chunk(bodies, Math.ceil(bodies.length / PARTS));
	for (const [index, part] of parts.entries()) {
		for (const one of index % 2 === 0 ? used : used.toReversed()) {
			const what = `${environment}: ${title}, part ${index + 1} of ${parts.length}, ${one.name}`;
			const took = await step(what, async () => await deliver(n8n, one, part));
			one.seconds += took.seconds;
			one.cpuSeconds += took.cpuSeconds;
		}
	}
	const rows = [];
	for (const { name, workflowId, seconds, cpuSeconds } of used) {
		const events = await outcome(n8n, workflowId, bodies.map(keyOf));
		const cpuMs = (1000 * cpuSeconds) / bodies.length;
		const times = { seconds, perSecond: bodies.length / seconds, cpuMsPerDelivery: cpuMs };
		rows.push({ name, deliveries: bodies.length, ...events, ...times });
		await n8n.client.deactivate(workflowId);
	}
	const [one, other] = rows;
	const speed = other.seconds / one.seconds;
	const cpu = one.cpuMsPerDelivery / other.cpuMsPerDelivery;
	console.log(`\n${environment}: ${title}, ${AT_ONCE} at once`);
	printTable(rows);
	console.log(
		`${one.name}: ${speed.toFixed(2)} times the speed and ${cpu.toFixed(2)} times the CPU of ${other.name}.`,
	);
	return { environment, title, rows, speed, cpu };
}

/** A workflow with only this node. @returns its ID, and the URL for deliveries */
export async function publish({ client, url }: N8nServer, service: SandboxClient, make: Receiver) {
	const values = service.credential();
	const start = make(await client.saveCredential('Service', 'businessMessagingApi', values));
	const path = randomUUID();
	start.webhookId = path;
	if (start.type !== TRIGGER) start.parameters.path = path;
	const { id: workflowId } = await client.createWorkflow(workflow('Inbox', [start]));
	await client.activate(workflowId);
	const webhooks = await service.look<{ url: string }>('/webhooks');
	const registered = webhooks.find((one) => one.url.includes(path));
	return { workflowId, url: registered?.url ?? `${url}/webhook/${path}` };
}

const http = axios.create({
	proxy: false,
	timeout: 60_000,
	headers: { 'content-type': 'application/json' },
	validateStatus: () => true,
});

/**
 * Makes several deliveries at a time, and again after 503: n8n responds so while its database is busy.
 *
 * @throws UserError when a delivery gets another response than 200 in the end
 */
export async function post(url: string, bodies: string[]): Promise<void> {
	const limit = pLimit(AT_ONCE);
	// n8n closes idle connections after five seconds, so connections of earlier deliveries may end under a new one.
	const httpAgent = new Agent({ keepAlive: true });
	const one = async (body: string) => {
		const deadline = performance.now() + AGAIN_LIMIT;
		for (;;) {
			const { status, data } = await http.post<unknown>(url, body, { httpAgent });
			if (status === 200) return;
			if (status !== 503 || performance.now() > deadline)
				throw new UserError(`A delivery was answered with ${status}: ${JSON.stringify(data)}`);
			await pause(1_000);
		}
	};
	await Promise.all(bodies.map(async (body) => await limit(one, body)));
	httpAgent.destroy();
}

/**
 * Delivers without the sandbox, which would repeat failed deliveries. Returns when the last execution has ended.
 * @throws UserError when a delivery gets another response than 200
 */
async function deliver(
	n8n: N8nServer,
	{ url, workflowId }: { url: string; workflowId: string },
	bodies: string[],
) {
	const pid = pidOf(n8n);
	const [start, cpu] = [performance.now(), cpuSeconds(pid)];
	await post(url, bodies);
	// n8n lists running executions first.
	const isIdle = async () =>
		(await n8n.client.listExecutions(workflowId, 1)).every(({ status }) => status === 'success');
	await until('the executions to end', isIdle, { limit: END_LIMIT, interval: 50 });
	return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuSeconds(pid) - cpu };
}

/** Which events have started an execution, according to the stored executions. @param expected the names of all events */
async function outcome({ client }: N8nServer, workflowId: string, expected: string[]) {
	const list = await client.listAllExecutions(workflowId);
	const limit = pLimit(5);
	const eventsOf = async (id: string) =>
		outputOf(await client.getExecution(id), 'Trigger').map(({ json }) => {
			const event = json as { messageId?: string; status?: string; body?: object };
			if (event.body) return keyOf(JSON.stringify(event.body));
			return `${event.messageId} ${event.status ?? ''}`;
		});
	const started = list.map(async ({ id }) => await limit(eventsOf, id));
	const counts = countBy((await Promise.all(started)).flat());
	const each = uniq(expected).map((key) => counts[key] ?? 0);
	return {
		executions: list.length,
		lost: each.filter((count) => count === 0).length,
		doubled: each.filter((count) => count > 1).length,
	};
}

/**
 * Bodies of deliveries, the same in every run. With `repeated`, three of each ten events come again, one of these
 * twice: at the same moment, or later.
 */
function deliveriesOf(events: number, repeated: boolean): string[] {
	const copies = range(events).flatMap((index) => {
		const kind = repeated ? index % 10 : 9;
		const moments = [index];
		if (kind < 2) moments.push(index + 0.5);
		if (kind === 1 || kind === 2) moments.push(index + LATER);
		return moments.map((moment) => ({ moment, index }));
	});
	return sortBy(copies, 'moment').map(({ index }) => {
		const [from] = numbersOf({ from: index, count: 1 });
		return bodyOf('received', { id: `msg_${index}`, from, text: `Question ${index}` });
	});
}

/**
 * Bodies of the receipts of messages. For each group of 20 messages, all receipts of one status come before those of
 * the next.
 *
 * @param first number of the first message
 */
export function receiptsOf(messages: number, first = 0): string[] {
	const receipt = (index: number, status: string) => {
		const [to] = numbersOf({ from: index, count: 1 });
		return bodyOf(status, { id: `msg_${index}`, to, status });
	};
	return chunk(range(first, first + messages), AT_ONCE).flatMap((some) =>
		RECEIPTS.flatMap((status) => some.map((index) => receipt(index, status))),
	);
}

export function bodyOf(event: string, data: object): string {
	const timestamp = '2030-01-31T10:00:00Z';
	return JSON.stringify({ event: `message.${event}`, data: { ...data, timestamp } });
}

/** The name of the event in a body. */
function keyOf(body: string): string {
	const { data } = JSON.parse(body) as { data: { id: string; status?: string } };
	return `${data.id} ${data.status ?? ''}`;
}
