/** The first part: campaigns at a service that limits the rate, against the best that is possible there. */
import sortBy from 'lodash/sortBy';
import type { N8nServer } from '../../tools/n8n/server';
import { measure, type Measurement } from './measure';
import type { Sender } from './senders';
import type { Environment } from '../../tools/environment';
import { SandboxProcess } from '../../tools/sandboxProcess';
import { noLimit, type SandboxClient } from '../../tools/sandboxClient';
import type { Settings } from './settings';

/** The shortest time that any sender could take. */
export interface Best {
	seconds: number;
	/** Why, in words. */
	derivation: string;
}

/** What one sender achieved. */
export interface Row {
	sender: Sender;
	processes: number;
	messages: number;
	/** From the sending node's start to its end. */
	seconds: number;
	/** Numbers without a message. */
	lost: number;
	/** Numbers with more than one. */
	doubled: number;
	/** Requests answered with 429. */
	tooManyRequests: number;
	ratioToBest: number;
	/** From the first request to the last answer, as the service saw them. */
	wireSeconds: number;
}

type Unrated = Omit<Row, 'ratioToBest'>;

/** Measures the senders that remember nothing with one n8n, and ours with fresh ones: alone, and several that share one key. */
export async function measureRows(
	environment: Environment,
	settings: Settings,
): Promise<{ best: Best; rows: Row[] }> {
	const { allowance: requests, windowMs, latencyMs, messages, processes } = settings;
	const limited = await SandboxProcess.start({ rate: { requests, windowMs }, latencyMs });
	const unlimited = await SandboxProcess.start({ latencyMs });
	try {
		const send = async (n8ns: N8nServer[], sender: Sender) =>
			rowOf(
				sender,
				n8ns.length,
				await measure(n8ns, limited, { sender, messages, rate: { requests, windowMs } }),
				settings,
			);
		const others: Unrated[] = [];
		const best = await environment.withN8ns(1, async (n8ns) => {
			const found = await findBest(environment, n8ns, unlimited, settings);
			for (const sender of ['http-request', 'http-request-batched', 'one-by-one'] as const)
				others.push(await send(n8ns, sender));
			return found;
		});
		// Its limiter remembers a campaign that the service has forgotten, so that each needs an n8n of its own.
		const ours = async (count: number) =>
			await environment.withN8ns(count, async (n8ns) => {
				await warmUp(environment, n8ns, unlimited, 'business-messaging', messages);
				return await send(n8ns, 'business-messaging');
			});
		const rounds: Unrated[] = [];
		while (rounds.length < settings.limitedRounds) rounds.push(await ours(1));
		const rows = [medianOf(rounds), ...others, await ours(processes)];
		return { best, rows: rows.map((row) => ({ ...row, ratioToBest: row.seconds / best.seconds })) };
	} finally {
		await Promise.all([limited.stop(), unlimited.stop()]);
	}
}

/** The round in the middle, with the worst that happened in any. */
function medianOf(rounds: Unrated[]): Unrated {
	const worst = (of: 'lost' | 'doubled' | 'tooManyRequests') =>
		Math.max(...rounds.map((round) => round[of]));
	const middle = sortBy(rounds, 'seconds')[Math.floor(rounds.length / 2)];
	return {
		...middle,
		lost: worst('lost'),
		doubled: worst('doubled'),
		tooManyRequests: worst('tooManyRequests'),
	};
}

/** The full speed is that of the fastest sender when nothing limits it: there is no better one to compare with. */
async function findBest(
	environment: Environment,
	n8ns: N8nServer[],
	unlimited: SandboxClient,
	settings: Settings,
): Promise<Best> {
	const { messages, allowance, windowMs, fullSpeedRounds } = settings;
	const fullWindows = Math.ceil(messages / allowance) - 1;
	const rest = messages - fullWindows * allowance;
	const seconds: number[] = [];
	const candidates: Sender[] = ['business-messaging', 'http-request'];
	// As large as the campaign, so that the heap has grown before anything is measured.
	for (const sender of candidates) await warmUp(environment, n8ns, unlimited, sender, messages);
	for (let round = 0; round < fullSpeedRounds; round++) {
		for (const sender of candidates) {
			seconds.push(
				(await measure(n8ns, unlimited, { sender, messages: rest, rate: noLimit })).seconds,
			);
		}
	}
	const last = Math.min(...seconds);
	const best = (fullWindows * windowMs) / 1000 + last;
	return {
		seconds: best,
		derivation:
			`Any ${windowMs / 1000} s hold at most ${allowance} of the ${messages} messages, so message ${fullWindows * allowance + 1} cannot go out before ` +
			`${fullWindows} × ${windowMs / 1000} s; it and the rest, ${rest} messages, take ${last.toFixed(2)} s at full speed ` +
			`(the fastest of ${seconds.length} runs without a limit, at the same ${settings.latencyMs} ms). Best possible: ${best.toFixed(2)} s.`,
	};
}

async function warmUp(
	environment: Environment,
	n8ns: N8nServer[],
	service: SandboxClient,
	sender: Sender,
	messages: number,
): Promise<void> {
	await measure(n8ns, service, { sender, messages, rate: noLimit });
}

function rowOf(
	sender: Sender,
	processes: number,
	measured: Measurement,
	{ messages }: Settings,
): Unrated {
	const { seconds, lost, doubled, tooManyRequests, wireSeconds } = measured;
	return { sender, processes, messages, seconds, lost, doubled, tooManyRequests, wireSeconds };
}
