/** A campaign with Send Once that is interrupted, and run again. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import differenceBy from 'lodash/differenceBy';
import { hasEnded, outputOf } from '../harness/n8n/client';
import { rowsOfTable, sqlite } from '../harness/n8n/database';
import type { N8nServer } from '../harness/n8n/server';
import { numbersOf, type SandboxClient, SandboxProcess } from '../harness/sandboxClient';
import { until } from '../harness/until';
import { createCampaign } from './campaignRun';

/** How long a run may take, ms. */
export const RUN_LIMIT = 15 * 60_000;
/** How long n8n takes to insert a few rows into a data table on a quiet machine, ms. */
const insertMs = 50;

/** What an interrupted campaign has left. */
export interface Ended {
	perMinute: number;
	latencyMs: number;
	/** How many messages the service had then. */
	sent: number;
	/** People of whom nobody knows whether they got the message, and how many of them got it. */
	uncertain: number;
	uncertainGot: number;
	/** What the plan allows within a response and the insertion of a row. */
	least: number;
	/** After the campaign has been run again: people who got two messages, and people without one who are not uncertain. */
	doubled: number;
	lost: number;
}

/** A campaign that is being sent. */
export interface Sending {
	service: SandboxClient;
	workflowId: string;
	execution: string;
}

interface Order {
	n8n: N8nServer;
	perMinute: number;
	/** How long the service takes to respond, ms. */
	latencyMs: number;
	messages: number;
	campaign: string;
	/** The timeout of the workflow in the first run. */
	seconds?: number;
	/** Interrupts the campaign. */
	finish: (sending: Sending) => Promise<void>;
}

/** How many messages the service has got. */
export async function sentSoFar(service: SandboxClient): Promise<number> {
	return (await service.counter('sendText'))?.calls ?? 0;
}

/** Whether an execution has ended. */
export async function hasRun({ client }: N8nServer, workflowId: string, id: string) {
	const list = await client.listExecutions(workflowId, 5).catch(() => []);
	const execution = list.find((one) => one.id === id);
	return execution !== undefined && hasEnded(execution);
}

/** Sends a campaign until it is interrupted, and then to the others. */
export async function interrupt(order: Order): Promise<Ended> {
	const { perMinute, latencyMs } = order;
	const rate = { requests: perMinute, windowMs: 60_000 };
	const work = async (service: SandboxClient) => await sendTwice(service, order);
	return await SandboxProcess.during({ rate, latencyMs }, work);
}

async function sendTwice(service: SandboxClient, order: Order): Promise<Ended> {
	const { n8n, perMinute, latencyMs, messages, campaign, seconds, finish } = order;
	const rate = { requests: perMinute, windowMs: 60_000 };
	const workflowId = await createCampaign(n8n, service, {
		...{ sender: 'business-messaging', messages, rate, campaign },
	});
	if (seconds) await n8n.client.changeSettings(workflowId, { executionTimeout: seconds });
	const execution = await n8n.client.run(workflowId, 'Start');
	await finish({ service, workflowId, execution });
	await delay(latencyMs + 200); // requests under way reach the service
	const received = new Set((await service.sent()).map(({ phone }) => phone));
	const claims = await openClaims(n8n, campaign);
	if (n8n.pid === undefined) await n8n.start();
	if (seconds) await n8n.client.changeSettings(workflowId, { executionTimeout: -1 });
	const uncertain = await runAgain(n8n, workflowId);
	const numbers = numbersOf({ from: 0, count: messages });
	const { doubled } = await service.traffic(numbers);
	const all = new Set((await service.sent()).map(({ phone }) => phone));
	return {
		...{ perMinute, latencyMs, sent: received.size, uncertain: claims.length },
		uncertainGot: claims.filter((phone) => received.has(phone)).length,
		least: Math.ceil((perMinute / 60_000) * (latencyMs + insertMs)),
		doubled,
		lost: numbers.filter((number) => !all.has(number) && !uncertain.has(number)).length,
	};
}

/** The people of a campaign with a claim, and without a result. */
async function openClaims({ install, place }: N8nServer, campaign: string): Promise<string[]> {
	const database = sqlite(install, path.join(place.userFolder, '.n8n', 'database.sqlite'));
	const all = await rowsOfTable(database, 'Business Messaging Campaigns');
	const rows = all.filter((row) => row.campaign === campaign);
	const results = rows.filter(({ status }) => status !== 'sending');
	return differenceBy(rows, results, 'phone').map(({ phone }) => String(phone));
}

/** Runs the campaign again, to its end. @returns people who may have got it */
async function runAgain(n8n: N8nServer, workflowId: string): Promise<Set<unknown>> {
	const id = await n8n.client.run(workflowId, 'Start');
	const isOver = async () => await hasRun(n8n, workflowId, id);
	await until('a campaign to end', isOver, { limit: RUN_LIMIT, interval: 500 });
	const items = outputOf(await n8n.client.getExecution(id), 'Send').map(({ json }) => json);
	return new Set(items.filter(({ reason }) => reason === 'mayHaveBeenSent').map(({ to }) => to));
}
