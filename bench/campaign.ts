/** `npm run bench:campaign`: compares our node with what people use today, on a real n8n. Takes about 20 minutes. */
import sortBy from 'lodash/sortBy';
import { printTable } from '../tools/cli';
import { Environment } from '../tools/environment';
import type { N8nServer } from '../tools/n8n/server';
import { type Rate, type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { measure, type Measurement, type Sender } from './senders';

export const usage = `Usage: npm run bench:campaign -- [--json FILE] [--quick]
Sends campaigns from a real n8n to a service that limits the rate, to one that does not, and by plans of several sizes. Needs Linux.
--quick checks in about three minutes that everything works; its figures are too small to compare.`;

/** The documented limit of 1,000 requests per minute, six times as fast, and a campaign that exceeds it. */
const full = {
	messages: 3000,
	rate: { requests: 1000, windowMs: 10_000 },
	/** How long the service takes to respond, ms. */
	latencyMs: 50,
	/** Response times and plans (requests a minute) of which it is measured how much of a plan is used. */
	latencies: [20, 100, 300, 1_000],
	plans: [1_000, 5_000, 20_000],
};
type Settings = typeof full;

const quick: Settings = {
	...full,
	messages: 600,
	rate: { requests: 200, windowMs: 4000 },
	latencies: [300],
	plans: [5_000],
};

/** Runs all, and prints it. */
export async function run(isQuick: boolean) {
	const settings = isQuick ? quick : full;
	const environment = await Environment.open();
	const senders = await environment.withN8ns(
		1,
		async ([n8n]) => await compareSenders(n8n, settings),
	);
	printTable(senders.cost);
	printTable(senders.rows);
	console.log(`  ${senders.derivation}\n`);
	const grid = await environment.withN8ns(1, async ([n8n]) => await measurePlans(n8n, settings));
	printTable(grid);
	return { figures: { ...senders, grid }, faults: [] };
}

/** All senders at a service with a rate limit. Each campaign has a separate service, as our node remembers its requests to one. */
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
 * The shortest possible time for the campaign: the full speed is that of the fastest sender without a limit. The same runs show what
 * a sender needs for a message.
 */
async function findBest(n8n: N8nServer, { messages, rate, latencyMs }: Settings) {
	const fullWindows = Math.ceil(messages / rate.requests) - 1;
	const rest = messages - fullWindows * rate.requests;
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	const cost: Array<Measurement & { sender: Sender; messages: number }> = [];
	await SandboxProcess.during({ latencyMs }, async (unlimited) => {
		// First whole campaigns, so that the heap has grown before the others.
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

/** How much of each plan our node uses with its default settings, each with a separate service. */
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
	// Some more than the plan allows in a minute: the first of them shows when the service takes more.
	const order = { sender: 'business-messaging', messages: rate.requests * 1.05, rate } as const;
	const { lost, doubled, tooManyRequests } = await measure(n8n, service, order);
	const times = sortBy((await service.sent()).map(({ createdAt }) => Date.parse(createdAt)));
	const perSecond = (rate.requests / (times[rate.requests] - times[0])) * 1000;
	const ratio = perSecond / (rate.requests / 60);
	return { perSecond, ratio, lost, doubled, tooManyRequests };
}
