/** `npm run bench:campaign`: compares our node with what people use today, on a real n8n. Takes about 25 minutes. */
import range from 'lodash/range';
import sortBy from 'lodash/sortBy';
import sumBy from 'lodash/sumBy';
import { printTable, step } from '../harness/cli';
import { Environment } from '../harness/environment';
import type { N8nServer } from '../harness/n8n/server';
import {
	numbersOf,
	type Rate,
	type SandboxClient,
	SandboxProcess,
	type Traffic,
} from '../harness/sandboxClient';
import { measureReplies } from './campaignReplies';
import { chosenParts } from './chosenParts';
import {
	createCampaign,
	measure,
	type Measurement,
	type Order,
	send,
	type Sender,
} from './campaignRun';

const parts = ['senders', 'processes', 'plans', 'sendOnce', 'reply'];

/** The documented limit of 1,000 requests per minute, but six times as fast, and a campaign that exceeds this limit. */
const full = {
	messages: 3000,
	rate: { requests: 1000, windowMs: 10_000 },
	/** How long the service takes to respond, ms. */
	latencyMs: 50,
	/** Response times, ms, and plans (requests per minute). For each pair, the benchmark measures how much of the plan is used. */
	latencies: [20, 100, 300, 1_000],
	plans: [1_000, 5_000, 20_000],
	/** How many n8n processes share one key. */
	processes: [1, 4],
	/**
	 * Campaigns with Send Once and without it: at the documented plan, and at one that allows more than the node can send.
	 * Both sides run `rounds` times, in alternating order. The best run counts, because disturbances can only make it worse.
	 */
	sendOnce: [
		{ messages: 3_000, rate: { requests: 1_000, windowMs: 60_000 }, rounds: 1, mostRatio: 1.05 },
		{ messages: 3_300, rate: { requests: 3_333, windowMs: 10_000 }, rounds: 3, mostRatio: 1.25 },
	],
	reply: {
		...{ messages: 240, rate: { requests: 60, windowMs: 60_000 }, latencyMs: 50 },
		...{ replies: 3, pauseMs: 5_000, mostRatio: 1.05 },
	},
};
type Settings = typeof full;

const quick: Settings = {
	...full,
	messages: 600,
	rate: { requests: 200, windowMs: 4000 },
	latencies: [300],
	plans: [5_000],
	processes: [1, 2],
	sendOnce: [
		{ messages: 600, rate: { requests: 200, windowMs: 4000 }, rounds: 1, mostRatio: 1.3 },
		{ messages: 600, rate: { requests: 3_333, windowMs: 10_000 }, rounds: 3, mostRatio: 2 },
	],
	reply: {
		...{ messages: 120, rate: { requests: 30, windowMs: 10_000 }, latencyMs: 50 },
		...{ replies: 2, pauseMs: 1_000, mostRatio: 1.3 },
	},
};

/** How much longer than the best possible time our node may take at most, as a factor; and the least share of a plan that it must use. */
const bounds = { ratio: 1.15, share: 0.95 };
const quickBounds = { ratio: 1.5, share: 0.85 };

export const usage = `Usage: npm run bench:campaign -- [--json FILE] [--quick] [--only PART,…]
Sends campaigns from a real n8n to a service that limits the rate, to one that does not, from several processes with one key, and by plans of
several sizes; with Send Once beside without; and with replies to single people meanwhile. Needs Linux.
Fails if our node loses or doubles a message, takes more than ${bounds.ratio} times the best possible time, or uses less than ${bounds.share} of a plan;
if Send Once takes more than 1.05 times the time without it, or 1.25 times where the plan allows more than the node can send; and if a reply
during a campaign waits longer than until the window of the rate has room, or such a campaign takes more than 1.05 times the best possible time.
--quick checks in about three minutes that everything works; its figures are too small to compare. --only measures some parts:
${parts.join(', ')}. Processes are compared with the best possible time, which the senders show.`;

/** The result of our node. */
type Outcome = Pick<Traffic, 'lost' | 'doubled'> & {
	ratioToBest?: number;
	shareOfPlan?: number;
	latencyMs?: number;
	perMinute?: number;
};

/** Runs all parts or some of them, and prints the results. */
export async function run(isQuick: boolean, only?: string) {
	const settings = isQuick ? quick : full;
	const chosen = chosenParts(parts, only);
	const environment = await Environment.open();
	const figures: Record<string, object[] | number | string> = {};
	const faults: string[] = [];
	if (chosen.includes('senders') || chosen.includes('processes')) {
		const compare = async ([n8n]: N8nServer[]) => await compareSenders(n8n, settings);
		const senders = await environment.withN8ns(1, compare);
		printTable(senders.cost);
		printTable(senders.rows);
		console.log(`  ${senders.derivation}\n`);
		Object.assign(figures, senders);
		faults.push(...faultsOf(senders.rows.slice(0, 1), isQuick));
		if (chosen.includes('processes')) {
			const shared = await compareProcesses(environment, settings, senders.best);
			figures.shared = shared;
			printTable(shared);
			faults.push(...faultsOf(shared, isQuick));
		}
	}
	if (chosen.includes('plans')) {
		const measureAll = async ([n8n]: N8nServer[]) => await measurePlans(n8n, settings);
		const grid = await environment.withN8ns(1, measureAll);
		figures.grid = grid;
		printTable(grid);
		faults.push(...faultsOf(grid, isQuick));
	}
	if (chosen.includes('sendOnce')) {
		const measureAll = async ([n8n]: N8nServer[]) => await compareSendOnce(n8n, settings);
		const rows = await environment.withN8ns(1, measureAll);
		figures.sendOnce = rows;
		printTable(rows);
		for (const { perMinute, lost, doubled, ratio, mostRatio } of rows) {
			const what = `Send Once at ${perMinute} a minute`;
			if (lost + doubled > 0)
				faults.push(`${what}: ${lost} messages were lost, ${doubled} doubled.`);
			if (ratio > mostRatio) faults.push(`${what}: ${ratio.toFixed(2)} times the time without it.`);
		}
	}
	if (chosen.includes('reply')) {
		const measureAll = async ([n8n]: N8nServer[]) => await measureReplies(n8n, settings.reply);
		const { row, faults: found } = await environment.withN8ns(1, measureAll);
		figures.reply = [row];
		printTable([row]);
		faults.push(...found);
	}
	return { figures, faults };
}

/** What is wrong with the results, one sentence each. */
function faultsOf(rows: Outcome[], isQuick: boolean): string[] {
	const { ratio, share } = isQuick ? quickBounds : bounds;
	return rows.flatMap(({ lost, doubled, ratioToBest = 1, shareOfPlan = 1, ...row }) => {
		const faults = [];
		if (lost + doubled > 0) faults.push(`${lost} messages were lost, ${doubled} doubled.`);
		if (ratioToBest > ratio) faults.push(`${ratioToBest.toFixed(2)} times the best possible time.`);
		if (shareOfPlan < share) faults.push(`${shareOfPlan.toFixed(2)} of the plan were used.`);
		const what = row.perMinute ? `${row.perMinute} a minute at ${row.latencyMs} ms` : 'our node';
		return faults.map((fault) => `${what}: ${fault}`);
	});
}

/**
 * Compares all senders at a service with a rate limit. Each campaign has a separate service, because our node remembers
 * its requests to a service.
 */
async function compareSenders(n8n: N8nServer, settings: Settings) {
	const { messages, rate, latencyMs } = settings;
	const { best, ...fullSpeed } = await findBest(n8n, settings);
	const rows = [];
	for (const sender of ['business-messaging', 'http-request', 'http-request-batched'] as const) {
		const work = async (service: SandboxClient) =>
			await measure(n8n, service, { sender, messages, rate });
		const measured = await SandboxProcess.during({ rate, latencyMs }, work);
		rows.push({ sender, messages, ...measured, ratioToBest: measured.seconds / best });
	}
	return { best, ...fullSpeed, rows };
}

/**
 * Finds the shortest possible time for the campaign: the full speed is the speed of the fastest sender without a limit.
 * The same runs show what each sender needs for one message.
 */
async function findBest(n8n: N8nServer, { messages, rate, latencyMs }: Settings) {
	const fullWindows = Math.ceil(messages / rate.requests) - 1;
	const rest = messages - fullWindows * rate.requests;
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	const cost: Array<Measurement & { sender: Sender; messages: number }> = [];
	await SandboxProcess.during({ latencyMs }, async (unlimited) => {
		// Whole campaigns come first, so that the heap has already grown before the smaller ones.
		for (const count of [messages, rest, rest, rest])
			for (const sender of candidates)
				cost.push({
					...{ sender, messages: count },
					...(await measure(n8n, unlimited, { sender, messages: count })),
				});
	});
	const runs = cost.slice(candidates.length).map(({ seconds }) => seconds);
	const last = Math.min(...runs);
	const windowSeconds = rate.windowMs / 1000;
	const best = fullWindows * windowSeconds + last;
	const derivation =
		`Any ${windowSeconds} s hold at most ${rate.requests} of the ${messages} messages, so message ${fullWindows * rate.requests + 1} cannot go out before ` +
		`${fullWindows} × ${windowSeconds} s; it and the rest, ${rest} messages, take ${last.toFixed(2)} s at full speed ` +
		`(the fastest of ${runs.length} runs without a limit, at the same ${latencyMs} ms). Best possible: ${best.toFixed(2)} s.`;
	return { best, derivation, cost };
}

/** Our node alone, and in several n8n processes that share one key and send a part of the campaign each. */
async function compareProcesses(environment: Environment, settings: Settings, best: number) {
	const { messages, rate, latencyMs } = settings;
	const rows = [];
	for (const processes of settings.processes) {
		const share = async (n8ns: N8nServer[]) => {
			await warmUp(n8ns, settings);
			const work = async (service: SandboxClient) => await sendShared(n8ns, service, settings);
			return await SandboxProcess.during({ rate, latencyMs }, work);
		};
		const measured = await environment.withN8ns(processes, share);
		rows.push({ processes, messages, ...measured, ratioToBest: measured.seconds / best });
	}
	return rows;
}

/** Lets each n8n send its share once without a limit: the senders that showed the best possible time were warm, too. */
async function warmUp(n8ns: N8nServer[], { messages, latencyMs }: Settings): Promise<void> {
	const order: Order = { sender: 'business-messaging', messages: messages / n8ns.length };
	await SandboxProcess.during({ latencyMs }, async (unlimited) => {
		const sendOnce = async (n8n: N8nServer) =>
			await send(n8n, await createCampaign(n8n, unlimited, order));
		await step(`${messages} messages to warm up`, async () => {
			await Promise.all(n8ns.map(sendOnce));
		});
	});
}

/** @returns the time from the start of the first sending node to the end of the last one, and what arrived */
async function sendShared(n8ns: N8nServer[], service: SandboxClient, settings: Settings) {
	const { messages, rate } = settings;
	const sender = 'business-messaging';
	const count = messages / n8ns.length;
	const prepare = async (n8n: N8nServer, index: number) =>
		await createCampaign(n8n, service, { sender, from: index * count, messages: count, rate });
	const ids = await Promise.all(n8ns.map(prepare));
	await service.reset();
	const title = `${messages} messages by ${n8ns.length} processes`;
	const parts = await step(
		title,
		async () => await Promise.all(n8ns.map(async (n8n, index) => await send(n8n, ids[index]))),
	);
	const ends = parts.map(({ startedAt, seconds }) => startedAt + 1000 * seconds);
	const start = Math.min(...parts.map(({ startedAt }) => startedAt));
	const traffic = await service.traffic(numbersOf({ from: 0, count: messages }));
	return { seconds: (Math.max(...ends) - start) / 1000, ...traffic };
}

/** Measures how much of each plan our node uses with its default settings; each plan has a separate service. */
async function measurePlans(n8n: N8nServer, { latencies, plans }: Settings) {
	const cells = [];
	for (const latencyMs of latencies) {
		for (const perMinute of plans) {
			const rate = { requests: perMinute, windowMs: 60_000 };
			const work = async (service: SandboxClient) => await measurePlan(n8n, service, rate);
			const measured = await SandboxProcess.during({ rate, latencyMs }, work);
			cells.push({ latencyMs, perMinute, ...measured });
		}
	}
	return cells;
}

async function measurePlan(n8n: N8nServer, service: SandboxClient, rate: Rate) {
	// A few more messages than the plan allows in a minute: the first of the additional ones shows when the service accepts more.
	const order = { sender: 'business-messaging', messages: rate.requests * 1.05, rate } as const;
	const { lost, doubled, tooManyRequests } = await measure(n8n, service, order);
	const times = sortBy((await service.sent()).map(({ createdAt }) => Date.parse(createdAt)));
	const perSecond = (rate.requests / (times[rate.requests] - times[0])) * 1000;
	const shareOfPlan = perSecond / (rate.requests / 60);
	return { perSecond, shareOfPlan, lost, doubled, tooManyRequests };
}

/** Campaigns with Send Once, beside the same campaigns without it. */
async function compareSendOnce(n8n: N8nServer, { latencyMs, sendOnce }: Settings) {
	const rows = [];
	for (const { messages, rate, rounds, mostRatio } of sendOnce) {
		const all = { without: [] as Measurement[], with: [] as Measurement[] };
		for (const round of range(rounds)) {
			const name = `${rate.requests} in ${rate.windowMs} ms, ${round}`;
			const sides =
				round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
			for (const side of sides) {
				const campaign = side === 'with' ? name : undefined;
				const order = { sender: 'business-messaging', messages, rate, campaign } as const;
				const work = async (service: SandboxClient) => await measure(n8n, service, order);
				all[side].push(await SandboxProcess.during({ rate, latencyMs }, work));
			}
		}
		const [seconds, withoutSeconds] = [all.with, all.without].map((measured) =>
			Math.min(...measured.map((one) => one.seconds)),
		);
		rows.push({
			...{ perMinute: (rate.requests / rate.windowMs) * 60_000, messages, seconds, withoutSeconds },
			...{ ratio: seconds / withoutSeconds, mostRatio },
			...{ lost: sumBy(all.with, 'lost'), doubled: sumBy(all.with, 'doubled') },
		});
	}
	return rows;
}
