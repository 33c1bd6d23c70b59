/** `npm run test:queue`: n8n's queue mode with three workers, all with this package. Takes about ten minutes. */
import { writeFile } from 'node:fs/promises';
import { printTable, readFlags, runMain, UserError } from '../../tools/cli';
import { openCluster } from './cluster';
import { full, quick, type Scenario } from './scenario';
import { campaigns, cap, crash, sendOnce } from './sending';
import { replies, trigger } from './receiving';

const USAGE = `Usage: npm run test:queue -- [--json FILE] [--quick] [--only NAME,…]
Starts PostgreSQL, Redis and n8n's queue mode, and runs: campaigns, trigger, replies, sendOnce, cap, crash. Needs Linux.
--quick runs all with a fifth of the messages.`;

const scenarios: Record<string, Scenario> = { campaigns, trigger, replies, sendOnce, cap, crash };

runMain(async () => {
	const flags = readFlags({ json: 'string', only: 'string', quick: 'boolean' }, USAGE);
	const names = flags.only?.split(',') ?? Object.keys(scenarios);
	const unknown = names.find((name) => !(name in scenarios));
	if (unknown !== undefined) throw new UserError(`There is no scenario ${unknown}.\n${USAGE}`);
	const cluster = await openCluster();
	const figures: Record<string, unknown> = {};
	const faults: string[] = [];
	for (const name of names) {
		const result = await scenarios[name](cluster, flags.quick ? quick : full);
		figures[name] = result.rows;
		faults.push(...result.faults.map((fault) => `- ${name}, ${fault}`));
		console.log(`\n${name}`);
		printTable(result.rows);
		for (const remark of result.remarks ?? []) console.log(remark);
	}
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (faults.length > 0) throw new UserError(`It does not hold:\n${faults.join('\n')}`);
});
