/**
 * `npm run bench:growth`: what a shop has after a year, on a real n8n with its default settings: time, memory, and how long n8n's event
 * loop stands still, each beside the same work without what makes it large. Takes about half an hour.
 */
import path from 'node:path';
import range from 'lodash/range';
import { printTable, step, UserError } from '../harness/cli';
import { Environment } from '../harness/environment';
import { sqlite } from '../harness/n8n/database';
import type { N8nServer } from '../harness/n8n/server';
import { node } from '../harness/n8n/workflow';
import { SandboxProcess } from '../harness/sandboxClient';
import type { Comparison } from './growth/comparison';
import { listComparisons } from './growth/lists';
import { bestOf, measurable, measure, type Measured, type Span } from './growth/measure';
import { receivingComparisons } from './growth/receiving';
import { sendingComparisons } from './growth/sending';
import { peopleNodes, Stage } from './growth/stage';

const comparisons = [...sendingComparisons, ...listComparisons, ...receivingComparisons];
const names = comparisons.map(({ name }) => name);

export const usage = `Usage: npm run bench:growth -- [--quick] [--only NAME,…] [--json FILE]
Fails where the time is more than 1.25 times that without, where n8n's event loop stands still for more than 100 ms longer (and what n8n's
own store takes for one call), or where the double size takes more than twice as long. Needs Linux.
--quick measures smaller sizes in a few minutes. --only measures some: ${names.join(', ')}.`;

const MAX_RATIO = 1.25;
const MAX_BLOCK_MS = 100;
const MAX_GROWTH = 1.1;

/** A result, as the JSON file has it. Times of blocks in ms. */
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

/** What one call of n8n's own store takes, with so many entries. */
interface StoreRow {
	entries: number;
	seconds: number;
	longestBlockMs: number;
}

/** Runs all, or some, and prints it. */
export async function run(isQuick: boolean, only?: string) {
	const chosen = choose(only);
	const environment = await Environment.open();
	const rows: Row[] = [];
	const store: StoreRow[] = [];
	const failed: string[] = [];
	for (const comparison of chosen) {
		const work = async ([n8n]: N8nServer[]) => {
			for (const size of isQuick ? comparison.quickSizes : comparison.sizes)
				rows.push(await compare(environment, n8n, comparison, size, isQuick));
			const isNew = comparison.usesStore && store.length === 0;
			if (isNew) store.push(...(await measureStore(environment, n8n, comparison, isQuick)));
		};
		await environment.withN8ns(1, work, measurable).catch((error: unknown) => {
			if (!(error instanceof UserError)) throw error;
			failed.push(`${comparison.name}: ${error.message}`);
		});
	}
	printTable(rows);
	if (store.length > 0) {
		console.log("One call of n8n's own store (Remove Duplicates):");
		printTable(store);
	}
	const faults = chosen.flatMap(({ what, usesStore }) => {
		const own = rows.filter((row) => row.what === what);
		return faultsOf(own, usesStore ? store : []);
	});
	return { figures: { rows, store }, faults: [...failed, ...faults] };
}

function choose(only?: string): Comparison[] {
	if (only === undefined) return comparisons;
	const wanted = only.split(',');
	const unknown = wanted.find((name) => !names.includes(name));
	if (unknown !== undefined)
		throw new UserError(`--only ${unknown} is none of ${names.join(', ')}.`);
	return comparisons.filter(({ name }) => wanted.includes(name));
}

/** Runs both sides in alternating order. */
async function compare(
	{ install }: Environment,
	n8n: N8nServer,
	comparison: Comparison,
	size: number,
	isQuick: boolean,
): Promise<Row> {
	const { name, what, prepare, service = () => ({}), rounds = 2 } = comparison;
	return await SandboxProcess.during(service(size), async (sandbox) => {
		const stage = new Stage(n8n, sandbox, databaseOf(install, n8n));
		const title = `${name} ${size}`;
		const sides = await step(
			`${title}: getting ready`,
			async () => await prepare(stage, size, isQuick),
		);
		const took = { with: [] as Measured[], without: [] as Measured[] };
		for (const round of range(rounds)) {
			const order =
				round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
			for (const side of order)
				took[side].push(
					await step(`${title}, ${side}`, async () => await measure(n8n, sides[side])),
				);
		}
		const [best, bare] = [bestOf(took.with), bestOf(took.without)];
		return {
			...{ what, size, seconds: best.seconds, withoutSeconds: bare.seconds },
			ratio: best.seconds / bare.seconds,
			...{ longestBlockMs: best.blockMs, withoutBlockMs: bare.blockMs, peakMb: best.peakMb },
		};
	});
}

const databaseOf = (install: Environment['install'], { place }: N8nServer) =>
	sqlite(install, path.join(place.userFolder, '.n8n', 'database.sqlite'));

/** n8n's Remove Duplicates node with one item, at each size of the history. */
async function measureStore(
	{ install }: Environment,
	n8n: N8nServer,
	{ sizes, quickSizes }: Comparison,
	isQuick: boolean,
): Promise<StoreRow[]> {
	const rows: StoreRow[] = [];
	const work = async (sandbox: SandboxProcess) => {
		const stage = new Stage(n8n, sandbox, databaseOf(install, n8n));
		for (const entries of isQuick ? quickSizes : sizes) {
			const parameters = {
				operation: 'removeItemsSeenInPreviousExecutions',
				dedupeValue: '={{ $execution.id }}',
				options: { historySize: 200_000 },
			};
			const store = node('Store', 'n8n-nodes-base.removeDuplicates', 2, parameters);
			const id = await stage.create([...peopleNodes('One', { count: 1 }), store]);
			await stage.run(id);
			if (entries > 0) await stage.fillHistory(id, entries);
			const call = async (): Promise<Span> => await stage.run(id);
			const { seconds, blockMs } = bestOf([await measure(n8n, call), await measure(n8n, call)]);
			rows.push({ entries, seconds, longestBlockMs: blockMs });
		}
	};
	await SandboxProcess.during({}, work);
	return rows;
}

/** What must not be, in sentences. @param rows those of one comparison, the smallest first */
function faultsOf(rows: Row[], store: StoreRow[]): string[] {
	return rows.flatMap((row, index) => {
		const { what, size, ratio, seconds, longestBlockMs, withoutBlockMs } = row;
		const own = store.find(({ entries }) => entries === size)?.longestBlockMs ?? 0;
		const smaller = rows[index - 1];
		const growth = smaller?.size > 0 ? seconds / smaller.seconds / (size / smaller.size) : 0;
		const title = `${size}: ${what}`;
		const addedMs = longestBlockMs - withoutBlockMs;
		return [
			ratio > MAX_RATIO && `${title}: ${ratio.toFixed(2)} times the time.`,
			addedMs > MAX_BLOCK_MS + own &&
				`${title}: n8n stood still for ${Math.round(addedMs)} ms more.`,
			growth > MAX_GROWTH && `${title}: grows ${growth.toFixed(2)} times as fast as the size.`,
		].filter((sentence) => sentence !== false);
	});
}
