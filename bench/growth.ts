/**
 * `npm run bench:growth`: the data that a shop has after a year, on a real n8n with its default settings. Measures
 * time, memory, and how long n8n's event loop stands still, each beside the same work without that data. Takes about
 * half an hour.
 */
import path from 'node:path';
import range from 'lodash/range';
import { printTable, step, UserError } from '../harness/cli';
import { Environment } from '../harness/environment';
import { sqlite } from '../harness/n8n/database';
import type { N8nServer } from '../harness/n8n/server';
import { SandboxProcess, type SandboxSettings } from '../harness/sandboxClient';
import { chosenParts } from './chosenParts';
import type { Comparison } from './growth/comparison';
import { listComparisons } from './growth/lists';
import { bestOf, measurable, measure, type Measured } from './growth/measure';
import { receivingComparisons } from './growth/receiving';
import { recordingComparisons } from './growth/recording';
import { sendingComparisons } from './growth/sending';
import { BenchEnvironment } from './growth/benchEnvironment';

const comparisons = [
	...sendingComparisons,
	...listComparisons,
	...receivingComparisons,
	...recordingComparisons,
];
const names = comparisons.map(({ name }) => name);

export const usage = `Usage: npm run bench:growth -- [--quick] [--only NAME,…] [--json FILE]
Fails where the time is more than 1.25 times that without, where n8n's event loop stands still for more than 100 ms longer,
or where the double size takes more than twice as long and the same work without does not. Needs Linux.
--quick measures smaller sizes in a few minutes. --only measures some: ${names.join(', ')}.`;

const MAX_RATIO = 1.25;
const MAX_BLOCK_MS = 100;
const MAX_GROWTH = 1.1;
/** The greatest number of measurements of a row. Disturbances can only make a result worse, so a row above its bounds is measured again. */
const MAX_ROUNDS = 6;

/** A result, as in the JSON file. Times for which the event loop stands still are in ms. */
interface Row {
	what: string;
	size: number;
	seconds: number;
	withoutSeconds: number;
	ratio: number;
	longestBlockMs: number;
	withoutBlockMs: number;
	peakMb: number;
}

/** Runs all comparisons or some of them, and prints the results. */
export async function run(isQuick: boolean, only?: string) {
	const chosen = choose(only);
	const environment = await Environment.open();
	const rows: Row[] = [];
	const failed: string[] = [];
	for (const comparison of chosen) {
		const work = async ([n8n]: N8nServer[]) => {
			for (const size of isQuick ? comparison.quickSizes : comparison.sizes)
				rows.push(await compare(environment, n8n, { comparison, size, isQuick }));
		};
		await environment.withN8ns(1, work, measurable).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw error;
			failed.push(`${comparison.name}: ${error.message}`);
		});
	}
	printTable(rows);
	const faults = chosen.flatMap((comparison) =>
		faultsOf(rows.filter(({ what }) => what === comparison.what)),
	);
	return { figures: { rows }, faults: [...failed, ...faults] };
}

function choose(only?: string): Comparison[] {
	const wanted = chosenParts(names, only);
	return comparisons.filter(({ name }) => wanted.includes(name));
}

/** One comparison at one size. */
interface Order {
	comparison: Comparison;
	size: number;
	isQuick: boolean;
}

/** Runs both sides in alternating order. */
async function compare(
	{ install }: Environment,
	n8n: N8nServer,
	{ comparison, size, isQuick }: Order,
): Promise<Row> {
	const { name, what, prepare, service = () => ({}), rounds = 2 } = comparison;
	const settings: SandboxSettings = service(size);
	return await SandboxProcess.during(settings, async (sandbox) => {
		const environment = new BenchEnvironment(n8n, sandbox, databaseOf(install, n8n), settings.rate);
		const title = `${name} ${size}`;
		const sides = await step(
			`${title}: getting ready`,
			async () => await prepare(environment, size, isQuick),
		);
		const took = { with: [] as Measured[], without: [] as Measured[] };
		const runRound = async (round: number) => {
			const order =
				round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
			for (const side of order)
				took[side].push(
					await step(`${title}, ${side}`, async () => await measure(n8n, sides[side])),
				);
		};
		for (const round of range(rounds)) await runRound(round);
		const rowOf = () => toRow(what, size, bestOf(took.with), bestOf(took.without));
		const isFixed = rounds === 1;
		for (let round = rounds; !isFixed && round < MAX_ROUNDS; round++) {
			if (boundFaults(rowOf()).length === 0) break;
			await runRound(round);
		}
		return rowOf();
	});
}

const toRow = (what: string, size: number, best: Measured, bare: Measured): Row => ({
	...{ what, size, seconds: best.seconds, withoutSeconds: bare.seconds },
	ratio: best.seconds / bare.seconds,
	...{ longestBlockMs: best.blockMs, withoutBlockMs: bare.blockMs, peakMb: best.peakMb },
});

const databaseOf = (install: Environment['install'], { place }: N8nServer) =>
	sqlite(install, path.join(place.userFolder, '.n8n', 'database.sqlite'));

/** What is wrong with the results, one sentence each. @param rows the rows of one comparison, the smallest first */
function faultsOf(rows: Row[]): string[] {
	return rows.flatMap((row, index) => [...boundFaults(row), ...growthFaults(row, rows[index - 1])]);
}

function boundFaults({ what, size, ...row }: Row): string[] {
	const addedMs = row.longestBlockMs - row.withoutBlockMs;
	const faults = [];
	if (row.ratio > MAX_RATIO) faults.push(`${row.ratio.toFixed(2)} times the time.`);
	if (addedMs > MAX_BLOCK_MS) faults.push(`n8n stood still for ${Math.round(addedMs)} ms more.`);
	return faults.map((fault) => `${size}: ${what}: ${fault}`);
}

/**
 * The fault if a row grows faster than its size. If the same work without the feature grows as fast, n8n and the
 * machine are the reason, e.g. a new connection for each request.
 */
function growthFaults(row: Row, smaller: Row | undefined): string[] {
	if (!smaller || smaller.size === 0) return [];
	const times = row.size / smaller.size;
	const growth = row.seconds / smaller.seconds / times;
	const bareGrowth = row.withoutSeconds / smaller.withoutSeconds / times;
	if (growth <= MAX_GROWTH * Math.max(1, bareGrowth)) return [];
	const bare = `the same work without grows ${bareGrowth.toFixed(2)} times as fast`;
	return [
		`${row.size}: ${row.what}: grows ${growth.toFixed(2)} times as fast as the size, ${bare}.`,
	];
}
