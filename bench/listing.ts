/** `npm run bench:listing`: compares our node with a simple loop when 100,000 contacts are listed, for every way of paging. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { difference, map, min, uniq } from 'lodash';
import { sampleContact } from '../sandbox/state/samples';
import { type Choice, describeVariants, singleVariants } from '../sandbox/variants';
import { buildIfStale } from '../harness/build';
import { SandboxProcess } from '../harness/sandboxClient';
import type { Took } from './listingClient';

export const usage = `Usage: npm run bench:listing -- [--json FILE] [--quick]
Fails where a contact is missing or doubled, or where it takes too many requests or too much memory. --quick lists 2,000, too few to compare memory.`;
const maxFurther = 3;
/**
 * The greatest memory, as a multiple of the simple loop's memory. Checked only for long lists, because short ones need
 * less than the process itself.
 */
const maxMemory = 1.5;
const comparable = 100_000;
const requestsPerMinute = 1_000;
const timeLimitMs = 180_000;

/** The usual service, and each variant of paging, but not a service without pages. */
const pagingVariants: Array<Partial<Choice>> = [
	{},
	...singleVariants().filter((variant) => /^(page-|last-page|list-)/.test(Object.keys(variant)[0])),
];

/** Lists in each way of paging, and prints the results. */
export async function run(isQuick: boolean) {
	const [contacts, rounds] = isQuick ? [2_000, 1] : [comparable, 2];
	buildIfStale();
	const figures: Row[] = [];
	for (const variants of pagingVariants) {
		const row = await measure(variants, contacts, rounds);
		figures.push(row);
		console.log(describe(row));
	}
	const faults = figures.filter((row) => !holds(row)).map(({ variant }) => `Missed: ${variant}.`);
	return { figures, faults };
}

/** How many contacts a page has at most. */
const pageSize = 100;

/** Resets the service, and lists once in a separate process. */
async function list(
	kind: 'node' | 'bare',
	service: SandboxProcess,
	variants: Partial<Choice>,
	contacts: number,
): Promise<Took & { requests: number }> {
	await service.reset();
	const access = [kind, service.url, service.key, variants['page-base'] ?? '1'];
	const args = [...access, String(pageSize), String(contacts)];
	const child = fork(path.join(__dirname, 'listingClient.ts'), args, {
		execArgv: ['--import', 'tsx', '--expose-gc'],
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
	});
	try {
		const answer = once(child, 'message', { signal: AbortSignal.timeout(timeLimitMs) });
		const [took] = (await answer) as [Took];
		return { ...took, requests: (await service.counter('listContacts'))?.calls ?? 0 };
	} finally {
		child.kill();
	}
}

async function measure(variants: Partial<Choice>, contacts: number, rounds: number) {
	const found = { node: [] as Array<Took & { requests: number }>, bare: [] as Took[] };
	await SandboxProcess.during({ variants, contacts }, async (service) => {
		for (let round = 0; round < rounds; round++) {
			// In alternating order, so that neither benefits from what the other one has left behind.
			const turns = round % 2 === 0 ? (['node', 'bare'] as const) : (['bare', 'node'] as const);
			for (const kind of turns) found[kind].push(await list(kind, service, variants, contacts));
		}
	});
	// The best of all rounds, because disturbances can only add time and memory.
	const best = (all: Took[]) => ({
		seconds: min(map(all, 'seconds')) ?? Number.NaN,
		peakMb: min(map(all, 'peakMb')) ?? Number.NaN,
	});
	const [{ phones, requests }] = found.node;
	const gone = variants['list-changes'] === 'removed' ? 1 : 0;
	const all = Array.from({ length: contacts }, (_, index) => sampleContact(index).phone);
	const { 'page-metadata': metadata = 'flat', 'list-envelope': envelope } = variants;
	const saysTotal = ['flat', 'header'].includes(metadata) && envelope !== 'bare';
	return {
		variant: describeVariants(variants),
		contacts,
		requests,
		/** The time that the rate limit requires for these requests. */
		rateSeconds: (requests / requestsPerMinute) * 60,
		/** The fewest possible requests; null if the service gives no total. */
		fewest: saysTotal ? Math.ceil(contacts / pageSize) : null,
		missing: difference(all.slice(gone), phones).length,
		doubled: phones.length - uniq(phones).length,
		...best(found.node),
		bare: best(found.bare),
	};
}

/** Result for one way of paging. */
type Row = Awaited<ReturnType<typeof measure>>;

function holds({ contacts, requests, fewest, missing, doubled, peakMb, bare }: Row): boolean {
	const isShort = fewest === null || requests <= fewest + maxFurther;
	const isSmall = contacts < comparable || peakMb <= bare.peakMb * maxMemory;
	return missing === 0 && doubled === 0 && isShort && isSmall;
}

function describe(row: Row): string {
	const { variant, requests, fewest, missing, doubled, seconds, rateSeconds, peakMb, bare } = row;
	const time = `${seconds.toFixed(2)} s (bare ${bare.seconds.toFixed(2)} s, rate limit ${rateSeconds.toFixed(0)} s)`;
	const memory = `${peakMb.toFixed(0)} MB (${(peakMb / bare.peakMb).toFixed(2)} times bare)`;
	return `${variant.padEnd(24)} ${requests} requests (fewest ${fewest ?? 'unknown'}), ${missing} missing, ${doubled} doubled, ${time}, ${memory}${holds(row) ? '' : '  MISSED'}`;
}
