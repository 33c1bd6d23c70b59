/** The senders that are compared. Each sends the same JSON with the same key to the same numbers. */
import sumBy from 'lodash/sumBy';
import type { INode, INodeParameters } from 'n8n-workflow';
import { step, UserError } from '../tools/cli';
import type { N8nServer } from '../tools/n8n/server';
import { ACTION, listNodes, node, withCredential, workflow } from '../tools/n8n/workflow';
import {
	FIRST_NUMBER,
	numbersOf,
	type Part,
	type Rate,
	type SandboxClient,
	type Traffic,
} from '../tools/sandboxClient';
import { until } from '../tools/until';
import { cpuSeconds, forgetPeak, peakMb } from './usage';

const START = 'Start';
const SEND = 'Send';
const to = '={{ $json.to }}';
const text = 'Our summer sale starts today.';
const RUN_LIMIT = 15 * 60_000;

/** URL of the service, and IDs of n8n's credentials for it. */
interface Access {
	url: string;
	ours: string;
	header: string;
}

/** Our node, and what people use today. */
const senders = {
	'business-messaging': (access: Access) => sendText(access, {}),
	'business-messaging-excluding': (access: Access) =>
		sendText(access, { audienceRules: { excludeSegment: 'newsletter' } }),
	'http-request': (access: Access) => httpRequest(access, {}),
	'http-request-batched': (access: Access) =>
		httpRequest(access, { batching: { batch: { batchSize: 50, batchInterval: 1000 } } }),
	'one-by-one': ({ url, header }: Access) =>
		node(
			SEND,
			'n8n-nodes-one-by-one.oneByOne',
			1,
			{ url: `${url}/v1/messages/send`, to, text },
			withHeader(header),
		),
};

function sendText({ ours }: Access, own: INodeParameters): INode {
	const parameters = { resource: 'message', operation: 'sendText', to, text, ...own };
	return node(SEND, ACTION, 1, parameters, withCredential(ours));
}

/** The HTTP Request node with a generic credential, set up to send JSON. */
function httpRequest({ url, header }: Access, options: INodeParameters): INode {
	const parameters = [
		{ name: 'to', value: to },
		{ name: 'text', value: text },
	];
	const request = {
		method: 'POST',
		url: `${url}/v1/messages/send`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpHeaderAuth',
		sendBody: true,
		bodyParameters: { parameters },
		options,
	};
	return node(SEND, 'n8n-nodes-base.httpRequest', 4.5, request, withHeader(header));
}

const withHeader = (id: string) => ({ credentials: { httpHeaderAuth: { id, name: 'Header' } } });

export type Sender = keyof typeof senders;

/** A campaign, of which each n8n sends an equal part. */
export interface Order {
	sender: Sender;
	messages: number;
	/** The limit in our credential; the other senders have none. */
	rate: Rate;
}

/** Result of a campaign. */
export interface Measurement extends Traffic {
	/** From the start of the first sending node to the end of the last one, as n8n records it. */
	seconds: number;
	/** From the click until the execution is stored: CPU time of all n8ns, and peak memory of the largest. */
	cpuSeconds: number;
	peakMb: number;
}

/** Starts the campaign in all n8ns at once, and counts what arrives. @throws UserError if one takes longer than 15 minutes */
export async function measure(
	n8ns: N8nServer[],
	service: SandboxClient,
	order: Order,
): Promise<Measurement> {
	const { sender, messages } = order;
	const count = messages / n8ns.length;
	const prepared = await Promise.all(
		n8ns.map(async (n8n, index) => ({
			n8n,
			id: await prepare(n8n, service, order, { from: index * count, count }),
		})),
	);
	await service.reset();
	let taken = 0;
	const look = async () => (taken = await service.sentCount().catch(() => taken));
	const looking = setInterval(() => void look(), 1000);
	const send = async () =>
		await Promise.all(prepared.map(async ({ n8n, id }) => await run(n8n, id)));
	const by = n8ns.length > 1 ? ` by ${n8ns.length} processes` : '';
	const title = `${sender}, ${messages} messages${by}`;
	const runs = await step(title, send, () => `${taken} sent`).finally(() => clearInterval(looking));
	const ms = Math.max(...runs.map(({ end }) => end)) - Math.min(...runs.map(({ start }) => start));
	return {
		...(await service.traffic(numbersOf({ from: 0, count: messages }))),
		seconds: ms / 1000,
		cpuSeconds: sumBy(runs, 'cpuSeconds'),
		peakMb: Math.max(...runs.map((one) => one.peakMb)),
	};
}

/** Creates the credentials and the workflow: a list of numbers, split into items, and the node that sends. @returns its ID */
async function prepare(
	{ client }: N8nServer,
	service: SandboxClient,
	{ sender, rate }: Order,
	{ from, count }: Part,
): Promise<string> {
	const values = service.credential(rate);
	const header = { name: 'Authorization', value: `Bearer ${service.key}` };
	const access = {
		url: service.url,
		ours: await client.saveCredential('Service', 'businessMessagingApi', values),
		header: await client.saveCredential('Header', 'httpHeaderAuth', header),
	};
	const numbers = `={{ Array.from({ length: ${count} }, (_, index) => ({ to: '+' + (${FIRST_NUMBER + from} + index) })) }}`;
	const file = workflow(`${sender}, ${count} messages`, [
		node(START, 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(numbers),
		senders[sender](access),
	]);
	return (await client.createWorkflow(file)).id;
}

/** Runs the workflow. @returns start and end of the sending node (Unix time in ms), and what n8n used */
async function run(n8n: N8nServer, workflowId: string) {
	const { client } = n8n;
	const pid = pidOf(n8n);
	forgetPeak(pid);
	const before = cpuSeconds(pid);
	const id = await client.run(workflowId, START);
	// Listing executions costs n8n little. The execution itself is read after the measurement.
	const ended = async () => {
		pidOf(n8n);
		// n8n may close a connection that was idle; the next poll opens a new one.
		const [execution] = await client.listExecutions(workflowId, 1).catch(() => []);
		return execution && !['new', 'running'].includes(execution.status);
	};
	await until('a campaign to end', ended, { limit: RUN_LIMIT, interval: 500 });
	const used = { cpuSeconds: cpuSeconds(pid) - before, peakMb: peakMb(pid) };
	const { resultData } = (await client.getExecution(id)).data;
	const [sending] = resultData.runData[SEND] ?? [];
	if (!sending)
		throw new UserError(
			`The campaign's execution failed before it sent: ${resultData.error?.message}`,
		);
	return { start: sending.startTime, end: sending.startTime + sending.executionTime, ...used };
}

/** @throws UserError when n8n has ended */
export function pidOf({ pid, logFile }: N8nServer): number {
	if (pid === undefined) throw new UserError(`n8n has ended (its log: ${logFile}).`);
	return pid;
}
