/** `npm run bench:campaign`: campaigns on a real n8n, ours beside what people use today. Takes about fifteen minutes. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import { printTable, readFlags, runMain } from '../tools/cli';
import { Environment } from '../tools/environment';
import type { N8nServer } from '../tools/n8n/server';
import { noLimit, type SandboxClient, SandboxProcess } from '../tools/sandboxClient';
import { measure, type Measurement, type Sender } from './senders';

const USAGE = `Usage: npm run bench:campaign -- [--json FILE] [--quick]
Sends campaigns from a real n8n to a service that limits the rate, and to one that does not. Needs Linux.
--quick sees in some three minutes whether all works; its figures are too small to compare.`;

/** The documented 1,000 requests per minute, sped up six times, and a campaign that meets it. */
const full = {
	messages: 3000,
	/** Requests that the service allows in any window, the length of that sliding window, and how long each answer takes (ms). */
	allowance: 1000,
	windowMs: 10_000,
	latencyMs: 50,
	/** n8ns that share one key. */
	processes: 4,
	/** Campaigns for the cost per message. */
	costMessages: [1000, 10_000],
	/** How often each is measured. The median counts, of the full speed the fastest. */
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

/** What one sender achieved at the limit. */
interface Row extends Measurement {
	sender: Sender;
	processes: number;
	messages: number;
}

/** What a sender used for so many messages where nothing limits it; medians over all rounds. */
interface Cost {
	sender: Sender;
	messages: number;
	/** By the time of the sending node. */
	perSecond: number;
	/** Of n8n's process, from the click until the execution is stored; and its greatest resident set in that time. */
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
	const figures = { best, derivation, rows, cost };
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
});

/** At a service that limits the rate: the senders that remember nothing with one n8n, ours with fresh ones, alone and several with one key. */
async function measureRows(environment: Environment, settings: Settings) {
	const { allowance: requests, windowMs, latencyMs, messages, processes } = settings;
	const rate = { requests, windowMs };
	const limited = await SandboxProcess.start({ rate, latencyMs });
	const unlimited = await SandboxProcess.start({ latencyMs });
	const send = async (n8ns: N8nServer[], sender: Sender): Promise<Row> => {
		const measured = await measure(n8ns, limited, { sender, messages, rate });
		return { sender, processes: n8ns.length, messages, ...measured };
	};
	// Its limiter remembers a campaign that the service has forgotten, so that each needs an n8n of its own.
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

/** The round in the middle, with the worst that happened in any. */
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

/** The shortest time that any sender could take. The full speed is that of the fastest sender when nothing limits it. */
async function findBest(n8ns: N8nServer[], unlimited: SandboxClient, settings: Settings) {
	const { messages, allowance, windowMs, latencyMs, rounds } = settings;
	const fullWindows = Math.ceil(messages / allowance) - 1;
	const rest = messages - fullWindows * allowance;
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	// As large as the campaign, so that the heap has grown before anything is measured.
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
 * What a message costs where nothing limits the rate and the service answers at once: ours and the HTTP Request node in turn.
 * Every single measurement has an n8n of its own, which has sent a few messages before: a heap that has grown once stays so,
 * and would count for the next one. Node.js lets garbage pile up while the machine has memory to spare, and the peak would
 * say nothing of what is needed, so n8n gets the heap that Node.js would give it on a machine with 1.5 GB.
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
	const sorted = sortBy(values);
	const middle = (sorted.length - 1) / 2;
	return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/** How memory grows with the messages. */
function growthOf(costs: Cost[]): string[] {
	return Object.entries(groupBy(costs, 'sender')).map(([sender, [least, most]]) => {
		const growth = (most.peakMb - least.peakMb) / ((most.messages - least.messages) / 1000);
		return `  ${sender}: ${growth.toFixed(1)} MB more for every 1,000 messages more`;
	});
}
