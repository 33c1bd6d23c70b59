/** The senders that are compared. Each sends the same JSON with the same key to the same numbers. */
import type { INode, INodeParameters } from 'n8n-workflow';
import { step, UserError } from '../tools/cli';
import type { N8nServer } from '../tools/n8n/server';
import { ACTION, listNodes, node, withCredential, workflow } from '../tools/n8n/workflow';
import {
	FIRST_NUMBER,
	noLimit,
	numbersOf,
	type Rate,
	type SandboxClient,
	type Traffic,
} from '../tools/sandboxClient';
import { until } from '../tools/until';
import { cpuSeconds, forgetPeak, peakMb, pidOf } from './usage';

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
	'business-messaging': ({ ours }: Access) => {
		const parameters = { resource: 'message', operation: 'sendText', to, text };
		return node(SEND, ACTION, 1, parameters, withCredential(ours));
	},
	'http-request': (access: Access) => httpRequest(access, {}),
	'http-request-batched': (access: Access) =>
		httpRequest(access, { batching: { batch: { batchSize: 50, batchInterval: 1000 } } }),
};

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

/** A campaign. */
interface Order {
	sender: Sender;
	messages: number;
	/** The limit in our credential; the other senders have none. */
	rate?: Rate;
}

/** Result of a campaign. */
export interface Measurement extends Traffic {
	/** Time of the sending node, as n8n records it. */
	seconds: number;
	/** CPU time and peak memory of n8n's process, from the click until the execution is stored. */
	cpuSeconds: number;
	peakMb: number;
}

/** Sends a campaign, and counts what arrives. @throws UserError if it takes longer than 15 minutes */
export async function measure(
	n8n: N8nServer,
	service: SandboxClient,
	{ sender, messages, rate = noLimit }: Order,
): Promise<Measurement> {
	const { client } = n8n;
	const header = { name: 'Authorization', value: `Bearer ${service.key}` };
	const ours = service.credential(rate);
	const access = {
		url: service.url,
		ours: await client.saveCredential('Service', 'businessMessagingApi', ours),
		header: await client.saveCredential('Header', 'httpHeaderAuth', header),
	};
	const numbers = `={{ Array.from({ length: ${messages} }, (_, index) => ({ to: '+' + (${FIRST_NUMBER} + index) })) }}`;
	const file = workflow(`${sender}, ${messages} messages`, [
		node(START, 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(numbers),
		senders[sender](access),
	]);
	const { id } = await client.createWorkflow(file);
	await service.reset();
	const used = await step(file.name, async () => await run(n8n, id));
	return { ...(await service.traffic(numbersOf({ from: 0, count: messages }))), ...used };
}

/** Runs the workflow. */
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
	if (sending) return { seconds: sending.executionTime / 1000, ...used };
	throw new UserError(`The campaign failed before it sent: ${resultData.error?.message}`);
}
