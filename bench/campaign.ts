/** `npm run bench:campaign`: campaigns on a real n8n, ours beside what people use today. Takes about fifteen minutes. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Progress } from '../playground/progress';
import { PlaygroundError } from '../playground/playgroundError';
import { runMain } from '../playground/runMain';
import { measureCost } from './campaign/cost';
import { measureRows } from './campaign/rows';
import { full, quick } from './campaign/settings';
import { Stage } from './campaign/stage';
import { costTable, rowTable } from './campaign/tables';

const USAGE = `Usage: npm run bench:campaign -- [--json FILE] [--quick]
Sends campaigns from a real n8n to a service that limits the rate, and to one that does not. Needs Linux.
--quick sees in some three minutes whether all works; its figures are too small to compare.`;

runMain(async () => {
	const flags = readFlags();
	if (flags.help) {
		console.log(USAGE);
		return;
	}
	const settings = flags.quick ? quick : full;
	const stage = await Stage.open(new Progress());

	const { best, rows } = await measureRows(stage, settings);
	console.log(`\n${rowTable(best, rows)}\n`);
	const cost = await measureCost(stage, settings);
	console.log(`\n${costTable(cost)}\n`);
	if (flags.json)
		await writeFile(
			flags.json,
			`${JSON.stringify({ best: best.seconds, derivation: best.derivation, rows, cost }, null, 2)}\n`,
		);
});

function readFlags() {
	try {
		return parseArgs({
			options: { json: { type: 'string' }, quick: { type: 'boolean' }, help: { type: 'boolean' } },
		}).values;
	} catch (error) {
		throw new PlaygroundError(`${(error as Error).message}\n${USAGE}`);
	}
}
