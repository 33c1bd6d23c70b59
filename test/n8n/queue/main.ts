/** `npm run test:queue`: what several processes of n8n's queue mode do at the same moment. */
import { writeFile } from 'node:fs/promises';
import { printTable, readFlags, runMain, UserError } from '../../../harness/cli';
import { openQueue } from '../soak/machine';
import { scenarios } from './scenarios';

const names = Object.keys(scenarios);

const USAGE = `Usage: npm run test:queue -- [--json FILE] [--quick] [--only NAME,…]
Starts PostgreSQL, Redis and n8n's queue mode, and runs: ${names.join(', ')}. Needs Linux.
Takes about fifteen minutes.
--quick runs all with fewer messages. While everything fails: npm run test:soak -- --queue`;

const full = { messages: 3000, people: 600, events: 240, asked: 100 };
const quick = { messages: 1200, people: 150, events: 40, asked: 20 };

runMain(async () => {
	const flags = readFlags({ json: 'string', only: 'string', quick: 'boolean' }, USAGE);
	const chosen = flags.only?.split(',') ?? names;
	const unknown = chosen.find((name) => !names.includes(name));
	if (unknown !== undefined) throw new UserError(`There is no scenario ${unknown}.\n${USAGE}`);
	const machine = await openQueue();
	const figures: Record<string, unknown> = {};
	const faults: string[] = [];
	for (const name of chosen) {
		const result = await scenarios[name](machine, flags.quick ? quick : full);
		figures[name] = result.rows;
		faults.push(...result.faults.map((fault) => `- ${name}, ${fault}`));
		console.log(`\n${name}`);
		printTable(result.rows);
	}
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (faults.length > 0) throw new UserError(`It does not hold:\n${faults.join('\n')}`);
});
