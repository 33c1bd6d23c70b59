/** `npm run bench:campaign`: compares our node with what people use today, on a real n8n. Takes about 25 minutes. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import { printTable, readFlags, runMain } from '../tools/cli';
import { Environment } from '../tools/environment';
import type { N8nServer } from '../tools/n8n/server';
import { noLimit, type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { fullGrid, measureGrid, quickGrid } from './grid';
import { measure, type Measurement, type Sender } from './senders';

const USAGE = `Usage: npm run bench:campaign -- [--json FILE] [--quick]
Sends campaigns from a real n8n to a service that limits the rate, to one that does not, and by plans of several sizes. Needs Linux.
--quick checks in about three minutes that everything works; its figures are too small to compare.`;

/** The documented limit of 1,000 requests per minute, six times as fast, and a campaign that exceeds it. */
const full = {
	messages: 3000,
	/** Requests that the service allows in a sliding window, the length of that window, and the response time (ms). */
	allowance: 1000,
	windowMs: 10_000,
	latencyMs: 50,
	/** How many n8n processes share one key in the last measurement. */
	processes: 4,
	/** Sizes of the campaigns that measure the cost per message. */
	costMessages: [1000, 10_000],
	/** How often each case is measured. The median counts, or the fastest run for the full speed. */
	rounds: 3,
};
type Settings = typeof full;

const quick: Settings = {
	...full,
	messages: 600,
	allowance: 200,
	windowMs: 4000,
	processes: 2,
	costMessages: [200, 1000],
	rounds: 1,
};

/** Result of one sender at a service with a rate limit. */
interface Row extends Measurement {
	sender: Sender;
	processes: number;
	messages: number;
}

/** What a sender needs for a campaign without a rate limit; medians over all rounds. */
interface Cost {
	sender: Sender;
	messages: number;
	/** Messages per second while the sending node runs. */
	perSecond: number;
	/** CPU time and peak memory of n8n's process, from the click until the execution is stored. */
	cpuSeconds: number;
	peakMb: number;
}

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const settings = flags.quick ? quick : full;
	const environment = await Environment.open([path.join(__dirname, 'oneByOne')]);
	const { best, derivation, rows } = await measureRows(environment, settings);
	printTable(rows);
	console.log(`  ${derivation}\n`);
	const cost = await measureCost(environment, settings);
	printTable(cost);
	console.log(growthOf(cost).join('\n'));
	const grid = await measureGrid(environment, flags.quick ? quickGrid : fullGrid);
	printTable(grid);
	const figures = { best, derivation, rows, cost, grid };
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
});

/** All senders at a service with a rate limit, our node also with several n8n processes that share one key. */
async function measureRows(environment: Environment, settings: Settings) {
	const { allowance: requests, windowMs, latencyMs, messages, processes } = settings;
	const rate = { requests, windowMs };
	const limited = await SandboxProcess.start({ rate, latencyMs });
	const unlimited = await SandboxProcess.start({ latencyMs });
	const send = async (n8ns: N8nServer[], sender: Sender): Promise<Row> => {
		const measured = await measure(n8ns, limited, { sender, messages, rate });
		return { sender, processes: n8ns.length, messages, ...measured };
	};
	// Our node remembers the requests of an earlier campaign, so each campaign needs a fresh n8n.
	const ours = async (count: number) =>
		await environment.withN8ns(count, async (n8ns) => {
			await warmUp(n8ns, unlimited, 'business-messaging', messages);
			return await send(n8ns, 'business-messaging');
		});
	try {
		const others: Row[] = [];
		const best = await environment.withN8ns(1, async (n8ns) => {
			const found = await findBest(n8ns, unlimited, settings);
			for (const sender of ['http-request', 'http-request-batched', 'one-by-one'] as const)
				others.push(await send(n8ns, sender));
			return found;
		});
		const rounds = [];
		while (rounds.length < settings.rounds) rounds.push(await ours(1));
		const rows = [medianOf(rounds), ...others, await ours(processes)];
		return {
			best: best.seconds,
			derivation: best.derivation,
			rows: rows.map((row) => ({ ...row, ratioToBest: row.seconds / best.seconds })),
		};
	} finally {
		await Promise.all([limited.stop(), unlimited.stop()]);
	}
}

async function warmUp(n8ns: N8nServer[], service: SandboxClient, sender: Sender, messages: number) {
	await measure(n8ns, service, { sender, messages, rate: noLimit });
}

/** The median round by duration, with the highest counts of errors of all rounds. */
function medianOf(rounds: Row[]): Row {
	const worst = (of: 'lost' | 'doubled' | 'tooManyRequests') =>
		Math.max(...rounds.map((round) => round[of]));
	return {
		...sortBy(rounds, 'seconds')[Math.floor(rounds.length / 2)],
		lost: worst('lost'),
		doubled: worst('doubled'),
		tooManyRequests: worst('tooManyRequests'),
	};
}

/** The shortest possible time for the campaign. The full speed is that of the fastest sender without a limit. */
async function findBest(n8ns: N8nServer[], unlimited: SandboxClient, settings: Settings) {
	const { messages, allowance, windowMs, latencyMs, rounds } = settings;
	const fullWindows = Math.ceil(messages / allowance) - 1;
	const rest = messages - fullWindows * allowance;
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	// With a whole campaign, so that the heap has grown before the measurement.
	for (const sender of candidates) await warmUp(n8ns, unlimited, sender, messages);
	const runs: number[] = [];
	for (let round = 0; round < rounds; round++) {
		for (const sender of candidates) {
			const order = { sender, messages: rest, rate: noLimit };
			runs.push((await measure(n8ns, unlimited, order)).seconds);
		}
	}
	const last = Math.min(...runs);
	const seconds = (fullWindows * windowMs) / 1000 + last;
	return {
		seconds,
		derivation:
			`Any ${windowMs / 1000} s hold at most ${allowance} of the ${messages} messages, so message ${fullWindows * allowance + 1} cannot go out before ` +
			`${fullWindows} × ${windowMs / 1000} s; it and the rest, ${rest} messages, take ${last.toFixed(2)} s at full speed ` +
			`(the fastest of ${runs.length} runs without a limit, at the same ${latencyMs} ms). Best possible: ${seconds.toFixed(2)} s.`,
	};
}

/**
 * The cost of a message without a rate limit: our node and the HTTP Request node in turn. Each measurement has a fresh n8n,
 * because a heap that has grown stays large. The heap is limited to what Node.js would use on a machine with 1.5 GB, because
 * otherwise garbage collection waits until memory is scarce, and the peak says nothing.
 */
async function measureCost(
	environment: Environment,
	{ costMessages, rounds }: Settings,
): Promise<Cost[]> {
	const compared: Sender[] = ['business-messaging', 'http-request'];
	const cases = compared.flatMap((sender) =>
		costMessages.map((messages) => ({ sender, messages, measured: [] as Measurement[] })),
	);
	const smallHeap = { NODE_OPTIONS: '--max-old-space-size=768' };
	await SandboxProcess.during({}, async (service) => {
		for (let round = 1; round <= rounds; round++) {
			for (const { sender, messages, measured } of sortBy(cases, 'messages')) {
				const work = async (n8ns: N8nServer[]) => {
					await warmUp(n8ns, service, sender, 100);
					return await measure(n8ns, service, { sender, messages, rate: noLimit });
				};
				measured.push(await environment.withN8ns(1, work, smallHeap));
			}
		}
	});
	return cases.map(({ sender, messages, measured }) => ({
		sender,
		messages,
		perSecond: messages / median(measured.map(({ seconds }) => seconds)),
		cpuSeconds: median(measured.map((one) => one.cpuSeconds)),
		peakMb: median(measured.map((one) => one.peakMb)),
	}));
}

function median(values: number[]): number {
	return sortBy(values)[Math.floor(values.length / 2)];
}

/** How much more memory a larger campaign needs. */
function growthOf(costs: Cost[]): string[] {
	return Object.entries(groupBy(costs, 'sender')).map(([sender, [least, most]]) => {
		const growth = (most.peakMb - least.peakMb) / ((most.messages - least.messages) / 1000);
		return `  ${sender}: ${growth.toFixed(1)} MB more for every 1,000 messages more`;
	});
}
