/** Sends a campaign from a real n8n, with our node or with what people use today, and measures it. */
import omit from 'lodash/omit';
import type { INode, INodeParameters } from 'n8n-workflow';
import { step, UserError } from '../harness/cli';
import type { N8nServer } from '../harness/n8n/server';
import { ACTION, listNodes, node, withCredential, workflow } from '../harness/n8n/workflow';
import {
	FIRST_NUMBER,
	noLimit,
	numbersOf,
	type Rate,
	type SandboxClient,
	type Traffic,
} from '../harness/sandboxClient';
import { until } from '../harness/until';
import { cpuSeconds, forgetPeak, peakMb, pidOf } from './usage';

const START = 'Start';
const SEND = 'Send';
const to = '={{ $json.to }}';
const text = 'Our summer sale starts today.';
const RUN_LIMIT = 15 * 60_000;

/** URL of the service, IDs of n8n's credentials for it, and the name of a campaign with Send Once. */
interface Access {
	url: string;
	campaign?: string;
	ours: string;
	header: string;
}

/** Our node, and what people use today. Each sends the same JSON with the same key to the same numbers. */
const senders = {
	'business-messaging': ({ ours, campaign }: Access) => {
		const once = campaign === undefined ? {} : { sendOnce: true, campaign };
		const parameters = { resource: 'message', operation: 'sendText', to, text, ...once };
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
	const credentials = { httpHeaderAuth: { id: header, name: 'Header' } };
	return node(SEND, 'n8n-nodes-base.httpRequest', 4.5, request, { credentials });
}

export type Sender = keyof typeof senders;

/** A campaign. */
export interface Order {
	sender: Sender;
	/** Index of the first person of the campaign; 0 by default. */
	from?: number;
	messages: number;
	/** The rate limit in our credential; the other senders have none. */
	rate?: Rate;
	/** The name of a campaign with Send Once; without it by default. */
	campaign?: string;
}

/** Result of a campaign. */
export interface Measurement extends Traffic {
	/** Duration of the sending node, as n8n records it. */
	seconds: number;
	/** CPU time and peak memory of n8n's process, from the click until the execution is stored. */
	cpuSeconds: number;
	peakMb: number;
}

/** Sends a campaign, and counts what arrives. @throws UserError if it takes longer than 15 minutes */
export async function measure(
	n8n: N8nServer,
	service: SandboxClient,
	order: Order,
): Promise<Measurement> {
	const id = await createCampaign(n8n, service, order);
	await service.reset();
	const once = order.campaign === undefined ? '' : ', Send Once';
	const title = `${order.sender}, ${order.messages} messages${once}`;
	const used = omit(await step(title, async () => await send(n8n, id)), 'startedAt');
	return { ...(await service.traffic(numbersOf({ from: 0, count: order.messages }))), ...used };
}

/** @returns the ID of the workflow */
export async function createCampaign(
	{ client }: N8nServer,
	service: SandboxClient,
	{ sender, from = 0, messages, rate = noLimit, campaign }: Order,
): Promise<string> {
	const header = { name: 'Authorization', value: `Bearer ${service.key}` };
	const ours = service.credential(rate);
	const access = {
		...{ url: service.url, campaign },
		ours: await client.saveCredential('Service', 'businessMessagingApi', ours),
		header: await client.saveCredential('Header', 'httpHeaderAuth', header),
	};
	const numbers = `={{ Array.from({ length: ${messages} }, (_, index) => ({ to: '+' + (${FIRST_NUMBER + from} + index) })) }}`;
	const file = workflow(`${sender}, ${messages} messages`, [
		node(START, 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(numbers),
		senders[sender](access),
	]);
	return (await client.createWorkflow(file)).id;
}

/** Runs the workflow. */
export async function send(n8n: N8nServer, workflowId: string) {
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
	const startedAt = sending?.startTime;
	if (sending) return { startedAt, seconds: sending.executionTime / 1000, ...used };
	throw new UserError(`The campaign failed before it sent: ${resultData.error?.message}`);
}
