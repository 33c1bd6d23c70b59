/** Measures what n8n does while something runs in it: time, memory, and how long its event loop stands still. */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { N8nServer } from '../../harness/n8n/server';
import { until } from '../../harness/until';
import { forgetPeak, peakMb, pidOf } from '../usage';

const ANSWER_LIMIT = 120_000;

/** Added to n8n's environment, so that it can be measured. */
export const measurable: NodeJS.ProcessEnv = {
	NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, 'eventLoop.cjs'))}`,
};

/** The part of a run that is measured, in ms since 1970. */
export interface Span {
	from: number;
	to: number;
}

/** What one run took. */
export interface Measured {
	seconds: number;
	/** The longest time in which n8n's event loop stood still. */
	blockMs: number;
	/** The most memory that n8n's process has held. */
	peakMb: number;
}

/** Measures n8n while something runs in it. */
export async function measure(n8n: N8nServer, run: () => Promise<Span>): Promise<Measured> {
	const pid = pidOf(n8n);
	await blocksOf(n8n);
	forgetPeak(pid);
	const span = await run();
	const peak = peakMb(pid);
	const parts = (await blocksOf(n8n)).map(
		({ from, to }) => Math.min(to, span.to) - Math.max(from, span.from),
	);
	return { seconds: (span.to - span.from) / 1000, blockMs: Math.max(0, ...parts), peakMb: peak };
}

/** When the event loop stood still since the last call of this function. */
async function blocksOf(n8n: N8nServer): Promise<Span[]> {
	const pid = pidOf(n8n);
	const file = path.join(n8n.place.userFolder, `blocks-${pid}.json`);
	await rm(file, { force: true });
	process.kill(pid, 'SIGUSR2');
	const isThere = () => existsSync(file);
	await until('n8n to say when it stood still', isThere, { limit: ANSWER_LIMIT, interval: 20 });
	return JSON.parse(await readFile(file, 'utf8')) as Span[];
}

/** The best of all rounds, because disturbances can only make a result worse. */
export function bestOf(all: Measured[]): Measured {
	const least = (key: keyof Measured) => Math.min(...all.map((one) => one[key]));
	return { seconds: least('seconds'), blockMs: least('blockMs'), peakMb: least('peakMb') };
}
