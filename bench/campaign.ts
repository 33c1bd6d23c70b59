/** `npm run bench:campaign`: campaigns on a real n8n, ours beside what people use today. Takes about fifteen minutes. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readFlags } from '../tools/flags';
import { Environment } from '../tools/environment';
import { runMain } from '../tools/runMain';
import { measureCost } from './campaign/cost';
import { measureRows } from './campaign/rows';
import { full, quick } from './campaign/settings';
import { costTable, rowTable } from './campaign/tables';

const USAGE = `Usage: npm run bench:campaign -- [--json FILE] [--quick]
Sends campaigns from a real n8n to a service that limits the rate, and to one that does not. Needs Linux.
--quick sees in some three minutes whether all works; its figures are too small to compare.`;

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const settings = flags.quick ? quick : full;
	const environment = await Environment.open([path.join(__dirname, 'campaign', 'oneByOne')]);

	const { best, rows } = await measureRows(environment, settings);
	console.log(`\n${rowTable(best, rows)}\n`);
	const cost = await measureCost(environment, settings);
	console.log(`\n${costTable(cost)}\n`);
	if (flags.json)
		await writeFile(
			flags.json,
			`${JSON.stringify({ best: best.seconds, derivation: best.derivation, rows, cost }, null, 2)}\n`,
		);
});
