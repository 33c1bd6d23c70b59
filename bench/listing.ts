/**
 * `npm run bench:listing`: lists 100,000 contacts with the node and with a bare loop of axios, in every way of paging, each in a
 * process of its own and in turn. Takes some minutes.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { difference, minBy, range, uniq } from 'lodash';

import { UserError } from '../tools/userError';
import { runMain } from '../tools/runMain';
import { SandboxProcess } from '../tools/sandboxProcess';
import { sampleContact } from '../sandbox/state/samples';
import { describeVariants, type Choice } from '../sandbox/variants';
import type { Took } from './listing/client';
import { pageSizeOf, pagingVariants } from './listing/variants';

const mostFurther = 3;
const requestsPerMinute = 1_000;
const mostMemory = 1.5;
const timeLimitMs = 180_000;

/** What one way of paging took; the bare loop knows the service and needs the fewest requests. */
interface Row {
	variant: string;
	contacts: number;
	requests: number;
	/** Null where the service gives no total. */
	fewest: number | null;
	missing: number;
	doubled: number;
	seconds: number;
	/** What the rate limit alone would take. */
	rateSeconds: number;
	peakMb: number;
	bare: { seconds: number; peakMb: number };
}

function forkScript(script: string, args: string[], execArgv: string[] = []): ChildProcess {
	return fork(path.join(__dirname, script), args, {
		execArgv: ['--import', 'tsx', ...execArgv],
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
	});
}

/** Lists once, from a fresh state of the service. */
async function list(
	kind: 'node' | 'bare',
	service: SandboxProcess,
	variants: Partial<Choice>,
	contacts: number,
): Promise<Took & { requests: number }> {
	await service.reset();
	const size = pageSizeOf(variants);
	const child = forkScript(
		'listing/client.ts',
		[kind, service.url, service.key, variants['page-base'] ?? '1', String(size), String(contacts)],
		['--expose-gc'],
	);
	try {
		const [took] = (await once(child, 'message', { signal: AbortSignal.timeout(timeLimitMs) })) as [
			Took,
		];
		return { ...took, requests: (await service.counter('listContacts'))?.calls ?? 0 };
	} finally {
		child.kill();
	}
}

async function measure(variants: Partial<Choice>, contacts: number, rounds: number): Promise<Row> {
	const service = await SandboxProcess.start({ variants, contacts });
	try {
		const node: Array<Took & { requests: number }> = [];
		const bare: Took[] = [];
		for (let round = 0; round < rounds; round++) {
			const turns = [
				async () => node.push(await list('node', service, variants, contacts)),
				async () => bare.push(await list('bare', service, variants, contacts)),
			];
			for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn(); // neither always runs on what the other has left behind
		}
		// The best of all rounds: what disturbs a machine only ever adds.
		const best = (all: Took[]) => ({
			seconds: minBy(all, 'seconds')?.seconds ?? Number.NaN,
			peakMb: minBy(all, 'peakMb')?.peakMb ?? Number.NaN,
		});
		const [{ phones, requests }] = node;
		const gone = variants['list-changes'] === 'removed' ? 1 : 0;
		const stayed = range(gone, contacts).map((index) => sampleContact(index).phone);
		return {
			variant: describeVariants(variants),
			contacts,
			requests,
			rateSeconds: (requests / requestsPerMinute) * 60,
			fewest: saysTotal(variants) ? Math.ceil(contacts / pageSizeOf(variants)) : null,
			missing: difference(stayed, phones).length,
			doubled: phones.length - uniq(phones).length,
			...best(node),
			bare: best(bare),
		};
	} finally {
		await service.stop();
	}
}

function saysTotal(variants: Partial<Choice>): boolean {
	return variants['page-metadata'] !== 'absent' && variants['list-envelope'] !== 'bare';
}

function holds({ requests, fewest, missing, doubled, peakMb, bare }: Row): boolean {
	const isShort = fewest === null || requests <= fewest + mostFurther;
	return missing === 0 && doubled === 0 && isShort && peakMb <= bare.peakMb * mostMemory;
}

function describe(name: string, row: Row): string {
	const { requests, fewest, missing, doubled, seconds, rateSeconds, peakMb, bare } = row;
	const time = `${seconds.toFixed(2)} s (bare ${bare.seconds.toFixed(2)} s, rate limit ${rateSeconds.toFixed(0)} s)`;
	const memory = `${peakMb.toFixed(0)} MB (bare ${bare.peakMb.toFixed(0)} MB)`;
	return `${name.padEnd(24)} ${requests} requests (fewest ${fewest ?? 'unknown'}), ${missing} missing, ${doubled} doubled, ${time}, ${memory}${holds(row) ? '' : '  MISSED'}`;
}

runMain(async () => {
	const { values } = parseArgs({
		options: {
			json: { type: 'string' },
			contacts: { type: 'string', default: '100000' },
			rounds: { type: 'string', default: '2' },
			only: { type: 'string', default: '' },
		},
	});
	const rows: Row[] = [];
	for (const variants of pagingVariants.filter((one) =>
		describeVariants(one).includes(values.only),
	)) {
		const name = describeVariants(variants);
		const row = await measure(variants, Number(values.contacts), Number(values.rounds));
		rows.push(row);
		console.log(describe(name, row));
	}
	if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, 2)}\n`);
	const missed = rows.filter((row) => !holds(row)).map(({ variant }) => variant);
	if (missed.length > 0) throw new UserError(`Missed with ${missed.join(', ')}.`);
});
