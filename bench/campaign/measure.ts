/** One campaign, sent by one or several n8ns, and what it took. */
import sumBy from 'lodash/sumBy';
import type { N8nServer } from '../../tools/n8n/server';
import { UserError } from '../../tools/userError';
import { step } from '../../tools/progress';
import { waitFor } from '../../tools/waitFor';
import { type CredentialIds, type Sender, sending, trigger, workflowOf } from './senders';
import type { Rate, SandboxClient, Traffic } from '../../tools/sandboxClient';
import { numbersOf } from '../../tools/numbers';
import { cpuSeconds, forgetPeak, peakMb } from './usage';

/** Who sends how many messages. */
export interface Order {
	sender: Sender;
	/** In equal parts from all n8ns. */
	messages: number;
	/** How fast the credential lets our node send; nothing paces the others. */
	rate: Rate;
}

/** What one n8n says of its part, and what its process used from the click until the execution was stored. */
interface Run {
	/** When the sending node began and ended, Unix time in ms. */
	start: number;
	end: number;
	cpuSeconds: number;
	/** Greatest resident set, MB. */
	peakMb: number;
	/** Why the execution failed. */
	error?: string;
}

/** What a campaign took. */
export interface Measurement extends Traffic {
	/** From the start of the first sending node to the end of the last one, by n8n's own clock; n8n's start is not in it. */
	seconds: number;
	/** Of all n8ns together. */
	cpuSeconds: number;
	/** Of the n8n with the most. */
	peakMb: number;
	/** Why n8n ended it with an error. */
	error?: string;
}

const RUN_LIMIT = 15 * 60_000;
const POLL_INTERVAL = 500;

/**
 * Has all n8ns send at the same moment, and counts at the service what arrived.
 * @throws UserError when an execution does not end within 15 minutes
 */
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
			id: await prepare(n8n, service, order, index * count, count),
		})),
	);
	await service.reset();
	let taken = 0;
	const counting = setInterval(
		() =>
			void service.sentCount().then(
				(now) => (taken = now),
				() => undefined,
			),
		1000,
	);
	const send = async () =>
		await Promise.all(prepared.map(async ({ n8n, id }) => await run(n8n, id)));
	const title = `${sender}, ${messages} messages${n8ns.length > 1 ? ` by ${n8ns.length} processes` : ''}`;
	const runs = await step(title, send, () => `${taken} sent`).finally(() =>
		clearInterval(counting),
	);
	return {
		...(await service.traffic(numbersOf({ from: 0, count: messages }))),
		seconds:
			(Math.max(...runs.map(({ end }) => end)) - Math.min(...runs.map(({ start }) => start))) /
			1000,
		cpuSeconds: sumBy(runs, 'cpuSeconds'),
		peakMb: Math.max(...runs.map((one) => one.peakMb)),
		error: runs.find(({ error }) => error)?.error,
	};
}

/** Gives n8n the workflow and its credentials; returns the workflow's id. */
async function prepare(
	{ client }: N8nServer,
	service: SandboxClient,
	{ sender, rate }: Order,
	from: number,
	count: number,
): Promise<string> {
	const credentials: CredentialIds = {
		businessMessagingApi: await client.saveCredential(
			'Service',
			'businessMessagingApi',
			service.credential(rate),
		),
		httpHeaderAuth: await client.saveCredential('Header', 'httpHeaderAuth', {
			name: 'Authorization',
			value: `Bearer ${service.key}`,
		}),
	};
	return (
		await client.createWorkflow(workflowOf({ sender, from, count, url: service.url, credentials }))
	).id;
}

async function run(n8n: N8nServer, workflowId: string): Promise<Run> {
	const { client } = n8n;
	const pid = pidOf(n8n);
	forgetPeak(pid);
	const before = cpuSeconds(pid);
	const id = await client.run(workflowId, trigger);
	// The list of executions costs n8n nothing; the execution itself is read when nothing is measured any more.
	const ended = async () => {
		pidOf(n8n);
		// A connection that was idle while n8n was busy may be one that n8n closes: the next look has a new one.
		const [execution] = await client.listExecutions(workflowId, 1).catch(() => []);
		return execution && !['new', 'running'].includes(execution.status);
	};
	await waitFor(ended, { what: 'a campaign to end', limit: RUN_LIMIT, interval: POLL_INTERVAL });
	const used = { cpuSeconds: cpuSeconds(pid) - before, peakMb: peakMb(pid) };
	const { resultData } = (await client.getExecution(id)).data;
	const [node] = resultData.runData[sending] ?? [];
	if (!node)
		throw new UserError(
			`The campaign's execution failed before it sent: ${resultData.error?.message}`,
		);
	return {
		start: node.startTime,
		end: node.startTime + node.executionTime,
		error: resultData.error?.message,
		...used,
	};
}

function pidOf({ pid, logFile }: N8nServer): number {
	if (pid === undefined) throw new UserError(`n8n has ended (its log: ${logFile}).`);
	return pid;
}
