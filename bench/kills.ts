/**
 * `npm run bench:kills`: what the campaign log is after n8n was killed or stopped in the middle of a campaign, and what
 * Send Once costs for single messages. On a real n8n.
 */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import axios from 'axios';
import differenceBy from 'lodash/differenceBy';
import range from 'lodash/range';
import { printTable, step, UserError } from '../harness/cli';
import { Environment } from '../harness/environment';
import { outputOf } from '../harness/n8n/client';
import { type Database, rowsOfTable, sqlite } from '../harness/n8n/database';
import type { N8nServer } from '../harness/n8n/server';
import { ACTION, node, withCredential, workflow } from '../harness/n8n/workflow';
import { numbersOf, type Rate, type SandboxClient, SandboxProcess } from '../harness/sandboxClient';
import { until } from '../harness/until';
import { createCampaign } from './campaignRun';

const logName = 'Business Messaging Campaigns';
const RUN_LIMIT = 15 * 60_000;
const minute = (requests: number): Rate => ({ requests, windowMs: 60_000 });

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
	/** Single messages, how many a second, and how often both sides are measured. */
	single: { messages: 400, perSecond: 20, rounds: 2 },
};
const quick: typeof full = {
	kills: { messages: 600, plans: [20_000], latencies: [50] },
	places: { kill: [300], stop: [300] },
	single: { messages: 100, perSecond: 10, rounds: 1 },
};

const parts = ['kill', 'stop', 'single'];
/** How many people may be uncertain, as a multiple of the least possible number; and how many may be in any case. */
const mostTimes = 5;
const mostAnyway = 30;
const mostSingleRatio = 1.5;

export const usage = `Usage: npm run bench:kills -- [--json FILE] [--quick] [--only PART,…]
Ends n8n in the middle of campaigns with Send Once, by SIGKILL (kill) and SIGTERM (stop), counts the people of whom nobody knows whether they got
the message, and runs the campaigns again. The least possible number is what the plan allows while the service responds and n8n inserts a row.
Fails if a message is lost or doubled; and after SIGKILL, if more than ${mostTimes} times that number is uncertain, and more than ${mostAnyway} people.
Sends single messages with Send Once beside others without (single): fails above ${mostSingleRatio} times the time. Needs Linux and a quiet machine.
--only measures some parts: ${parts.join(', ')}.`;

/** Runs all parts or some of them, and prints the results. */
export async function run(isQuick: boolean, only = parts.join()) {
	const settings = isQuick ? quick : full;
	const chosen = only.split(',');
	const unknown = chosen.find((name) => !parts.includes(name));
	if (unknown !== undefined)
		throw new UserError(`--only ${unknown} is none of ${parts.join(', ')}.`);
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

/** A campaign that n8n's end has interrupted. */
interface Ended {
	perMinute: number;
	latencyMs: number;
	/** How many messages the service had when n8n ended. */
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

function faultsOf(end: 'kill' | 'stop', row: Ended): string[] {
	const { perMinute, latencyMs, uncertain, least, doubled, lost } = row;
	const what = `${end} at ${perMinute} a minute and ${latencyMs} ms`;
	const most = Math.max(mostAnyway, mostTimes * least);
	return [
		...(lost + doubled > 0 ? [`${what}: ${lost} lost, ${doubled} doubled.`] : []),
		...(uncertain > most ? [`${what}: ${uncertain} uncertain, ${Math.floor(most)} allowed.`] : []),
	];
}

async function endAll(n8n: N8nServer, end: 'kill' | 'stop', settings: Kills): Promise<Ended[]> {
	const { messages, plans, latencies, places } = settings;
	const file = path.join(n8n.place.userFolder, '.n8n', 'database.sqlite');
	const database = sqlite(n8n.install, file);
	const rows: Ended[] = [];
	for (const perMinute of plans)
		for (const latencyMs of latencies)
			for (const place of places) {
				// When the plan is used up, the node waits, and little is under way.
				const after = Math.min(place, perMinute - 100);
				const title = `${end} at ${perMinute} a minute, ${latencyMs} ms, after ${after} messages`;
				const campaign = `${title} ${rows.length}`;
				const one = { perMinute, latencyMs, after, campaign };
				const run = { ...one, messages: Math.min(messages, 1.5 * perMinute) };
				const work = async (service: SandboxClient) =>
					await endOne(n8n, database, service, end, run);
				const during = SandboxProcess.during({ rate: minute(perMinute), latencyMs }, work);
				rows.push(await step(title, async () => await during));
			}
	return rows;
}

interface One {
	messages: number;
	perMinute: number;
	latencyMs: number;
	after: number;
	campaign: string;
}

async function endOne(
	n8n: N8nServer,
	database: Database,
	service: SandboxClient,
	end: 'kill' | 'stop',
	{ messages, perMinute, latencyMs, after, campaign }: One,
): Promise<Ended> {
	const rate = minute(perMinute);
	const order = { sender: 'business-messaging', messages, rate, campaign } as const;
	const id = await createCampaign(n8n, service, order);
	await n8n.client.run(id, 'Start');
	const count = async () => (await service.counter('sendText'))?.calls ?? 0;
	const isReached = async () => (await count()) >= after;
	await until('messages', isReached, { limit: RUN_LIMIT, interval: 50 });
	await (end === 'kill' ? n8n.kill() : n8n.stop());
	await delay(latencyMs + 200); // requests under way reach the service
	const received = new Set((await service.sent()).map(({ phone }) => phone));
	const rows = await rowsOfTable(database, logName);
	const ofCampaign = rows.filter((row) => row.campaign === campaign);
	const results = ofCampaign.filter(({ status }) => status !== 'sending');
	const claims = differenceBy(ofCampaign, results, 'phone');
	await n8n.start();
	const again = await runToEnd(n8n, id);
	const uncertain = new Set(
		outputOf(again, 'Send').flatMap(({ json }) =>
			json.reason === 'mayHaveBeenSent' ? [json.to] : [],
		),
	);
	const numbers = numbersOf({ from: 0, count: messages });
	const { doubled } = await service.traffic(numbers);
	const all = new Set((await service.sent()).map(({ phone }) => phone));
	return {
		...{ perMinute, latencyMs, sent: received.size, uncertain: claims.length },
		uncertainGot: claims.filter(({ phone }) => received.has(String(phone))).length,
		least: Math.ceil((perMinute / 60_000) * (latencyMs + insertMs)),
		doubled,
		lost: numbers.filter((number) => !all.has(number) && !uncertain.has(number)).length,
	};
}

/** How long n8n takes to insert a few rows into a data table on a quiet machine, ms. */
const insertMs = 50;

async function runToEnd({ client }: N8nServer, workflowId: string) {
	const id = await client.run(workflowId, 'Start');
	const isOver = async () => {
		const [execution] = await client.listExecutions(workflowId, 1).catch(() => []);
		return execution?.id === id && !['new', 'running'].includes(execution.status);
	};
	await until('a campaign to end', isOver, { limit: RUN_LIMIT, interval: 500 });
	return await client.getExecution(id);
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
	const areAll = async () => ((await service.counter('sendText'))?.calls ?? 0) >= messages;
	await Promise.all([...posts, until('all messages', areAll, { limit: RUN_LIMIT, interval: 100 })]);
	return (Date.now() - start) / 1000;
}
