/** `npm run bench -- campaign|growth|kills|listing|load|replies|trigger [--json FILE] [--compare FILE] [--quick]`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFlags, runMain, UserError } from '../harness/cli';
import { compareRatios } from './ratios';

/** A benchmark prints its tables. It returns what it has measured, and what is wrong with the results, one sentence each. */
interface Benchmark {
	usage: string;
	/** @param only names of the parts to run @param people numbers of people, for a benchmark that has them */
	run: (
		isQuick: boolean,
		only?: string,
		people?: string,
	) => Promise<{ figures: unknown; faults: string[] }>;
}

const benchmarks: Record<string, () => Promise<Benchmark>> = {
	campaign: async () => await import('./campaign.js'),
	growth: async () => await import('./growth.js'),
	kills: async () => await import('./kills.js'),
	listing: async () => await import('./listing.js'),
	load: async () => await import('./load.js'),
	replies: async () => await import('./replies.js'),
	trigger: async () => await import('./trigger.js'),
};

const comparing = `--json saves what was measured. --compare also fails where a ratio is much worse than in the FILE that an earlier run has saved, if there is
one.`;

const [name] = process.argv.splice(2, 1);

runMain(async () => {
	const names = Object.keys(benchmarks);
	if (!names.includes(name)) throw new UserError(`Name one of ${names.join(', ')}.`);
	const { usage, run } = await benchmarks[name]();
	const files = { json: 'string', compare: 'string' } as const;
	const kinds = { ...files, only: 'string', people: 'string', quick: 'boolean' } as const;
	const flags = readFlags(kinds, `${usage}\n${comparing}`);
	const { figures, faults } = await run(flags.quick === true, flags.only, flags.people);
	if (flags.compare !== undefined && existsSync(flags.compare))
		faults.push(...compareRatios(JSON.parse(readFileSync(flags.compare, 'utf8')), figures));
	if (flags.json) writeFileSync(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (faults.length > 0) throw new UserError(faults.join('\n'));
});
