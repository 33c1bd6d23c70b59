/**
 * `npm run bench:kills`: what the campaign log is after n8n was killed or stopped in the middle of a campaign, and what
 * Send Once costs for single messages. On a real n8n.
 */
import { setTimeout as delay } from 'node:timers/promises';

import axios from 'axios';
import range from 'lodash/range';
import { printTable, step } from '../harness/cli';
import { Environment } from '../harness/environment';
import type { N8nServer } from '../harness/n8n/server';
import { ACTION, node, withCredential, workflow } from '../harness/n8n/workflow';
import { numbersOf, type SandboxClient, SandboxProcess } from '../harness/sandboxClient';
import { until } from '../harness/until';
import { chosenParts } from './chosenParts';
import { type Ended, type Sending, hasRun, interrupt, RUN_LIMIT, sentSoFar } from './interruption';

/** After which message n8n ends, at these plans (requests a minute) and response times, ms. */
interface Kills {
	messages: number;
	plans: number[];
	latencies: number[];
	places: number[];
}

const full = {
	kills: { messages: 3_000, plans: [1_000, 5_000, 20_000], latencies: [50, 1_000] },
	places: { kill: [700, 2_000], stop: [700] },
	timeout: [
		{ perMinute: 20_000, latencyMs: 1_000, messages: 2_000, seconds: 8 },
		{ perMinute: 5_000, latencyMs: 50, messages: 2_000, seconds: 20 },
	],
	/** Single messages, how many a second, and how often both sides are measured. */
	single: { messages: 400, perSecond: 20, rounds: 2 },
};
const quick: typeof full = {
	kills: { messages: 600, plans: [20_000], latencies: [50] },
	places: { kill: [300], stop: [300] },
	timeout: [{ perMinute: 5_000, latencyMs: 50, messages: 1_000, seconds: 8 }],
	single: { messages: 100, perSecond: 10, rounds: 1 },
};

const parts = ['kill', 'stop', 'timeout', 'single'];
/** How many people may be uncertain, as a multiple of the least possible number; and how many may be in any case. */
const mostTimes = 5;
const mostAnyway = 30;
const mostSingleRatio = 1.5;

export const usage = `Usage: npm run bench:kills -- [--json FILE] [--quick] [--only PART,…]
Ends n8n in the middle of campaigns with Send Once, by SIGKILL (kill), by SIGTERM (stop) or by the timeout of the workflow, counts the people of whom nobody knows whether they got
the message, and runs the campaigns again. The least possible number is what the plan allows while the service responds and n8n inserts a row.
Fails if a message is lost or doubled; if more than ${mostTimes} times that number is uncertain, and more than ${mostAnyway} people; and after a timeout, if anybody is
uncertain who got nothing.
Sends single messages with Send Once beside others without (single): fails above ${mostSingleRatio} times the time. Needs Linux and a quiet machine.
--only measures some parts: ${parts.join(', ')}.`;

/** Runs all parts or some of them, and prints the results. */
export async function run(isQuick: boolean, only?: string) {
	const settings = isQuick ? quick : full;
	const chosen = chosenParts(parts, only);
	const environment = await Environment.open();
	const figures: Record<string, object[]> = {};
	const faults: string[] = [];
	for (const end of ['kill', 'stop'] as const) {
		if (!chosen.includes(end)) continue;
		const kills = { ...settings.kills, places: settings.places[end] };
		const rows = await environment.withN8ns(1, async ([n8n]) => await endAll(n8n, end, kills));
		printTable(rows);
		figures[end] = rows;
		faults.push(...rows.flatMap((row) => faultsOf(end, row)));
	}
	if (chosen.includes('timeout')) {
		const rows = await environment.withN8ns(
			1,
			async ([n8n]) => await timeOut(n8n, settings.timeout),
		);
		printTable(rows);
		figures.timeout = rows;
		faults.push(...rows.flatMap((row) => faultsOf('timeout', row)));
	}
	if (chosen.includes('single')) {
		const row = await environment.withN8ns(1, async ([n8n]) => await single(n8n, settings.single));
		printTable([row]);
		figures.single = [row];
		if (row.lost + row.doubled > 0) faults.push(`${row.lost} lost, ${row.doubled} doubled.`);
		if (row.ratio > mostSingleRatio)
			faults.push(`Single messages: ${row.ratio.toFixed(2)} times the time without Send Once.`);
	}
	return { figures, faults };
}

function faultsOf(end: 'kill' | 'stop' | 'timeout', row: Ended): string[] {
	const { perMinute, latencyMs, uncertain, uncertainGot, least, doubled, lost } = row;
	const what = `${end} at ${perMinute} a minute and ${latencyMs} ms`;
	// Before its timeout, n8n still carries out calls of the table.
	const most = end === 'timeout' ? uncertainGot : Math.max(mostAnyway, mostTimes * least);
	return [
		...(lost + doubled > 0 ? [`${what}: ${lost} lost, ${doubled} doubled.`] : []),
		...(uncertain > most ? [`${what}: ${uncertain} uncertain, ${Math.floor(most)} allowed.`] : []),
	];
}

async function endAll(n8n: N8nServer, end: 'kill' | 'stop', settings: Kills): Promise<Ended[]> {
	const { messages, plans, latencies, places } = settings;
	const rows: Ended[] = [];
	for (const perMinute of plans)
		for (const latencyMs of latencies)
			for (const place of places) {
				// When the plan is used up, the node waits, and little is under way.
				const after = Math.min(place, perMinute - 100);
				const title = `${end} at ${perMinute} a minute, ${latencyMs} ms, after ${after} messages`;
				const campaign = `${title} ${rows.length}`;
				const count = Math.min(messages, 1.5 * perMinute);
				const finish = async ({ service }: Sending) => {
					const isReached = async () => (await sentSoFar(service)) >= after;
					await until('messages', isReached, { limit: RUN_LIMIT, interval: 50 });
					await (end === 'kill' ? n8n.kill() : n8n.stop());
				};
				const one = { n8n, perMinute, latencyMs, messages: count, campaign, finish };
				const during = interrupt(one);
				rows.push(await step(title, async () => await during));
			}
	return rows;
}

/** n8n's own timeout ends campaigns: without a plan that slows them down, so many messages are under way as possible. */
async function timeOut(n8n: N8nServer, settings: (typeof full)['timeout']): Promise<Ended[]> {
	const rows: Ended[] = [];
	for (const { perMinute, latencyMs, messages, seconds } of settings) {
		const title = `timeout of ${seconds} s at ${perMinute} a minute, ${latencyMs} ms`;
		const finish = async ({ workflowId, execution }: Sending) => {
			await until('the timeout', async () => await hasRun(n8n, workflowId, execution), {
				limit: RUN_LIMIT,
				interval: 500,
			});
		};
		const one = { n8n, perMinute, latencyMs, messages, campaign: title, seconds, finish };
		const during = interrupt(one);
		rows.push(await step(title, async () => await during));
	}
	return rows;
}

/** Sends single messages, each by an execution that a webhook starts, with and without Send Once. */
async function single(n8n: N8nServer, settings: (typeof full)['single']) {
	const { messages, perSecond, rounds } = settings;
	const seconds: Record<string, number[]> = { once: [], plain: [] };
	const total = { lost: 0, doubled: 0 };
	for (const round of range(rounds))
		for (const side of ['plain', 'once'] as const)
			await SandboxProcess.during({ latencyMs: 50 }, async (service) => {
				const url = await publishSingle(n8n, service, side === 'once', `${side}${round}`);
				const title = `${messages} single messages, ${side}`;
				const time = async () => await postAll(service, url, messages, perSecond);
				seconds[side].push(await step(title, time));
				const { lost, doubled } = await service.traffic(numbersOf({ from: 0, count: messages }));
				total.lost += lost;
				total.doubled += doubled;
			});
	const [once, plain] = [Math.min(...seconds.once), Math.min(...seconds.plain)];
	return {
		messages,
		perSecond,
		seconds: once,
		withoutSeconds: plain,
		ratio: once / plain,
		...total,
	};
}

/** @returns the URL of the webhook */
async function publishSingle(
	{ client, url }: N8nServer,
	service: SandboxClient,
	isOnce: boolean,
	name: string,
): Promise<string> {
	const own = await client.saveCredential('Service', 'businessMessagingApi', service.credential());
	const once = isOnce ? { sendOnce: true, campaign: `=${name} {{ $json.body.to }}` } : {};
	const message = { resource: 'message', operation: 'sendText', to: '={{ $json.body.to }}' };
	const webhook = { httpMethod: 'POST', path: name, responseMode: 'onReceived', options: {} };
	const file = workflow(name, [
		node('Start', 'n8n-nodes-base.webhook', 2.1, webhook, { webhookId: name }),
		node('Send', ACTION, 1, { ...message, text: 'Your order', ...once }, withCredential(own)),
	]);
	const { id } = await client.createWorkflow(file);
	await client.activate(id);
	return `${url}/webhook/${name}`;
}

/** @returns how long it takes until the service has all messages, seconds */
async function postAll(service: SandboxClient, url: string, messages: number, perSecond: number) {
	const start = Date.now();
	const posts = numbersOf({ from: 0, count: messages }).map(async (to, index) => {
		await delay((index * 1000) / perSecond);
		await axios.post(url, { to }, { proxy: false, timeout: 60_000 });
	});
	const areAll = async () => (await sentSoFar(service)) >= messages;
	await Promise.all([...posts, until('all messages', areAll, { limit: RUN_LIMIT, interval: 100 })]);
	return (Date.now() - start) / 1000;
}
