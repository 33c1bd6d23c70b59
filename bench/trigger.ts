/** `npm run bench:trigger`: what a delivery costs n8n with our trigger and with n8n's own Webhook node. Takes about half an hour. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import chunk from 'lodash/chunk';
import countBy from 'lodash/countBy';
import omit from 'lodash/omit';
import range from 'lodash/range';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import type { INodeParameters } from 'n8n-workflow';
import pLimit from 'p-limit';
import { printTable, readFlags, runMain, step, UserError } from '../tools/cli';
import { Environment } from '../tools/environment';
import { outputOf } from '../tools/n8n/client';
import type { N8nServer } from '../tools/n8n/server';
import { node, workflow } from '../tools/n8n/workflow';
import { type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { until } from '../tools/until';
import { BURST, post, publishTrigger } from './deliveries';
import { pidOf } from './senders';
import { cpuSeconds } from './usage';

const USAGE = `Usage: npm run bench:trigger -- [--json FILE] [--quick]
Delivers 1,000 events, of which 30 % come two or three times, in bursts of 20, to our trigger and to n8n's own Webhook
node in turn; then 300 events that come once. Then three delivery receipts of each of 3,000 messages, 20 at once, to a trigger with
Batch Receipts and to one that refuses them by a filter, in turn, and a tenth of them to one that starts an execution for each.
All with n8n as it is, and with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true. Fails if an event was lost or started two executions.
Needs Linux. --quick is too small to compare.`;

const environments = [
	{ name: 'n8n as it is', env: {} },
	{
		name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	},
];
/** Each receiver gets its deliveries in this number of parts, alternating, so that both have the same n8n and machine. */
const PARTS = 5;
const WARM_UP = 60;
const END_LIMIT = 120_000;
/** The states of each message. */
const RECEIPTS = ['sent', 'delivered', 'read'];
/** Copies that come later do so after this many events: two bursts. */
const LATER = 40;

/** What takes the deliveries: an active workflow, and its address. */
interface Receiver {
	name: string;
	workflowId: string;
	url: string;
}

/** What a receiver made of the deliveries. */
interface Result {
	name: string;
	deliveries: number;
	executions: number;
	/** Events without an execution, and with more than one. */
	lost: number;
	doubled: number;
	/** From the first delivery of a part to the end of its last execution, all parts together; and CPU of n8n's process in that time. */
	seconds: number;
	cpuSeconds: number;
}

/** The same events to our trigger and to n8n's own node. */
interface Comparison {
	environment: string;
	events: number;
	repeated: boolean;
	ours: Result;
	plain: Result;
}

/** Delivery receipts to three triggers: with Batch Receipts, refused by a filter, and with an execution for each, of fewer receipts. */
interface ReceiptComparison {
	environment: string;
	messages: number;
	receipts: number;
	batched: Result;
	filtered: Omit<Result, 'lost' | 'doubled'>;
	single: Result;
	/** The rate of the first by that of the second. */
	ratio: number;
}

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const loads = [
		{ events: flags.quick ? 100 : 1000, repeated: true },
		{ events: flags.quick ? 60 : 300, repeated: false },
	];
	const messages = flags.quick ? 60 : 3000;
	const installed = await Environment.open();
	const comparisons: Comparison[] = [];
	const ofReceipts: ReceiptComparison[] = [];
	await SandboxProcess.during({}, async (service) => {
		for (const { name, env } of environments) {
			const work = async ([n8n]: N8nServer[]) => {
				for (const { events, repeated } of loads)
					comparisons.push(await compare(n8n, service, name, events, repeated));
				ofReceipts.push(await compareReceipts(n8n, service, name, messages));
			};
			await installed.withN8ns(1, work, env);
		}
	});
	comparisons.forEach(printBoth);
	ofReceipts.forEach(printReceipts);
	const all = [...comparisons, ...ofReceipts];
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(all, null, 2)}\n`);
	const ours = [
		...comparisons.map((one) => one.ours),
		...ofReceipts.flatMap(({ batched, single }) => [batched, single]),
	];
	if (ours.some(({ lost, doubled }) => lost + doubled > 0))
		throw new UserError('Events were lost or started two executions.');
});

/** The same deliveries to both receivers in one n8n, in turn. @throws UserError when a delivery is not answered with 200 */
async function compare(
	n8n: N8nServer,
	service: SandboxClient,
	environment: string,
	events: number,
	repeated: boolean,
): Promise<Comparison> {
	const make = async () => [await makeOurs(n8n, service), await makePlain(n8n)];
	const [receivers, warmUps] = [await make(), await make()];
	for (const receiver of warmUps) await deliver(n8n, receiver, deliveriesOf(WARM_UP, false));
	const bodies = deliveriesOf(events, repeated);
	const [ours, plain] = await inTurn(n8n, environment, receivers, bodies, inBursts);
	for (const { workflowId } of [...receivers, ...warmUps]) await n8n.client.deactivate(workflowId);
	return { environment, events, repeated, ours, plain };
}

/** The receipts of the same messages to a trigger that batches them and to one that refuses them, in turn, and some to one that does neither. */
async function compareReceipts(
	n8n: N8nServer,
	service: SandboxClient,
	environment: string,
	messages: number,
): Promise<ReceiptComparison> {
	const make = async (more: INodeParameters) =>
		await makeOurs(n8n, service, { events: RECEIPTS.map((state) => `message.${state}`), ...more });
	const both = [
		await make({ options: { batchReceipts: true } }),
		await make({ filters: { statuses: 'none' } }),
	];
	const one = await make({});
	const bodies = receiptsOf(messages);
	const few = receiptsOf(Math.ceil(messages / 10));
	const [batched, refused] = await inTurn(n8n, environment, both, bodies, atOnce);
	const [single] = await inTurn(n8n, environment, [one], few, atOnce);
	for (const { workflowId } of [...both, one]) await n8n.client.deactivate(workflowId);
	const filtered = omit(refused, 'lost', 'doubled');
	const ratio = filtered.seconds / batched.seconds;
	return { environment, messages, receipts: bodies.length, batched, filtered, single, ratio };
}

/** Delivers the same to several receivers, part by part, in alternating order. */
async function inTurn(
	n8n: N8nServer,
	environment: string,
	receivers: Receiver[],
	bodies: string[],
	order: Order,
): Promise<Result[]> {
	const used = receivers.map((receiver) => ({ receiver, seconds: 0, cpuSeconds: 0 }));
	const parts = chunk(bodies, Math.ceil(bodies.length / PARTS));
	for (const [index, part] of parts.entries()) {
		for (const one of index % 2 === 0 ? used : used.toReversed()) {
			const title = `${environment}: part ${index + 1} of ${parts.length}, ${one.receiver.name}`;
			const work = async () => await deliver(n8n, one.receiver, part, order);
			const { seconds, cpuSeconds } = await step(title, work);
			one.seconds += seconds;
			one.cpuSeconds += cpuSeconds;
		}
	}
	const results: Result[] = [];
	for (const { receiver, ...times } of used) {
		const events = await outcome(n8n, receiver, bodies.map(keyOf));
		results.push({ name: receiver.name, deliveries: bodies.length, ...events, ...times });
	}
	return results;
}

/** Our trigger, alone in a workflow; the service knows what was registered. */
async function makeOurs(
	n8n: N8nServer,
	service: SandboxClient,
	parameters: INodeParameters = {},
): Promise<Receiver> {
	const published = await publishTrigger(n8n, service, parameters);
	return { name: 'Business Messaging Trigger', ...published };
}

/** n8n's own Webhook node, alone in a workflow and with its defaults. */
async function makePlain({ client, url }: N8nServer): Promise<Receiver> {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, options: {} };
	const webhook = node('Trigger', 'n8n-nodes-base.webhook', 2.1, parameters, { webhookId: path });
	const { id: workflowId } = await client.createWorkflow(workflow('Plain', [webhook]));
	await client.activate(workflowId);
	return { name: 'Webhook', workflowId, url: `${url}/webhook/${path}` };
}

/**
 * Bodies of deliveries, the same in every run. Where they are repeated, of each ten events three come again, one of them twice: at
 * the same moment, or two bursts later.
 */
function deliveriesOf(events: number, repeated: boolean): string[] {
	const copies = range(events).flatMap((index) => {
		const kind = repeated ? index % 10 : 9;
		const moments = [index];
		if (kind < 2) moments.push(index + 0.5);
		if (kind === 1 || kind === 2) moments.push(index + LATER);
		return moments.map((moment) => ({ moment, index }));
	});
	return sortBy(copies, 'moment').map(({ index }) =>
		JSON.stringify({
			event: 'message.received',
			data: {
				id: `msg_${index}`,
				from: `+15551${String(100_000 + index)}`,
				text: `Question ${index}`,
				timestamp: '2030-01-31T10:00:00Z',
			},
		}),
	);
}

/** Bodies of the receipts of messages, those of 20 messages state by state. */
function receiptsOf(messages: number): string[] {
	const receipt = (index: number, status: string) =>
		JSON.stringify({
			event: `message.${status}`,
			data: {
				id: `msg_${index}`,
				to: `+15551${String(100_000 + index)}`,
				status,
				timestamp: '2030-01-31T10:00:00Z',
			},
		});
	return chunk(range(messages), BURST).flatMap((some) =>
		RECEIPTS.flatMap((status) => some.map((index) => receipt(index, status))),
	);
}

/** How bodies are posted. */
type Order = (bodies: string[], post: (body: string) => Promise<void>) => Promise<void>;

/** The next burst begins when the last one is answered. */
const inBursts: Order = async (bodies, post) => {
	for (const burst of chunk(bodies, BURST)) await Promise.all(burst.map(post));
};

/** Always as many as there are in a burst, like a service that delivers so many at once. */
const atOnce: Order = async (bodies, post) => {
	const limit = pLimit(BURST);
	await Promise.all(bodies.map(async (body) => await limit(post, body)));
};

/** Delivers; all ends with the last execution. */
async function deliver(
	n8n: N8nServer,
	{ url, workflowId }: Receiver,
	bodies: string[],
	order = inBursts,
) {
	const pid = pidOf(n8n);
	const [start, cpu] = [performance.now(), cpuSeconds(pid)];
	await order(bodies, async (body) => await post(url, body));
	// n8n lists what still runs first.
	const isIdle = async () =>
		(await n8n.client.listExecutions(workflowId, 1)).every(({ status }) => status === 'success');
	await until('the executions to end', isIdle, { limit: END_LIMIT, interval: 50 });
	return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuSeconds(pid) - cpu };
}

/** Names the event of a body. */
function keyOf(body: string): string {
	const { data } = JSON.parse(body) as { data: { id: string; status?: string } };
	return `${data.id} ${data.status ?? ''}`;
}

/** Which events have started an execution, by what the executions hold. @param expected their names */
async function outcome({ client }: N8nServer, { workflowId }: Receiver, expected: string[]) {
	const list = await client.listAllExecutions(workflowId);
	const limit = pLimit(5);
	const eventsOf = async (id: string) =>
		outputOf(await client.getExecution(id), 'Trigger').map(({ json }) => {
			const ours = json as { messageId?: string; status?: string; body?: object };
			return ours.body
				? keyOf(JSON.stringify(ours.body))
				: `${ours.messageId} ${ours.status ?? ''}`;
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

/** Prints the three triggers side by side. */
function printReceipts(comparison: ReceiptComparison): void {
	const { environment, messages, ratio, batched, filtered, single } = comparison;
	const names = ['batched', 'filtered', 'one execution each'];
	const rows = [batched, filtered, single].map((row, index) => ({ ...row, name: names[index] }));
	print(`${environment}: three receipts of each of ${messages} messages, ${BURST} at once`, rows);
	console.log(`Batched: ${ratio.toFixed(2)} of the rate at which a filter refuses them.`);
}

/** Prints both receivers side by side, and what ours is of the other. */
function printBoth({ environment, events, repeated, ours, plain }: Comparison): void {
	const kind = repeated ? '30 % of them two or three times' : 'each once';
	print(`${environment}: ${events} events, ${kind}, in bursts of ${BURST}`, [ours, plain]);
	const [rate, cpu] = [plain.seconds / ours.seconds, ours.cpuSeconds / plain.cpuSeconds];
	console.log(`Rate: ${rate.toFixed(2)} of the Webhook node's; CPU: ${cpu.toFixed(2)} of its.`);
}

function print(title: string, rows: ReceiptComparison['filtered'][]): void {
	console.log(`\n${title}`);
	const perDelivery = rows.map(({ deliveries, seconds, cpuSeconds: cpu }) => ({
		'deliveries/s': deliveries / seconds,
		'CPU ms/delivery': (1000 * cpu) / deliveries,
	}));
	printTable(rows.map((row, index) => ({ ...row, ...perDelivery[index] })));
}
