/** `npm run bench -- campaign|growth|listing|replies|trigger [--json FILE] [--quick]`. */
import { writeFile } from 'node:fs/promises';
import { readFlags, runMain, UserError } from '../harness/cli';

/** A benchmark prints its tables, and returns what it has measured, and what must not be, in sentences. */
interface Benchmark {
	usage: string;
	/** @param only names some parts, @param people numbers of people, if the benchmark has any */
	run: (
		isQuick: boolean,
		only?: string,
		people?: string,
	) => Promise<{ figures: unknown; faults: string[] }>;
}

const benchmarks: Record<string, () => Promise<Benchmark>> = {
	campaign: async () => await import('./campaign.js'),
	growth: async () => await import('./growth.js'),
	listing: async () => await import('./listing.js'),
	replies: async () => await import('./replies.js'),
	trigger: async () => await import('./trigger.js'),
};

const [name] = process.argv.splice(2, 1);

runMain(async () => {
	const names = Object.keys(benchmarks);
	if (!names.includes(name)) throw new UserError(`Name one of ${names.join(', ')}.`);
	const { usage, run } = await benchmarks[name]();
	const kinds = { json: 'string', only: 'string', people: 'string', quick: 'boolean' } as const;
	const flags = readFlags(kinds, usage);
	const { figures, faults } = await run(flags.quick === true, flags.only, flags.people);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (faults.length > 0) throw new UserError(faults.join('\n'));
});
