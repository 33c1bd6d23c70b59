/** `npm run test:mutation -- [FOLDER…]`: puts faults (mutants) into the nodes, one at a time, and checks that a test fails for each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import countBy from 'lodash/countBy';

import { printTable, runMain, UserError } from '../cli';
import { root } from '../engine/files';
import { suitesOf } from './suites';

const folders = Object.keys(suitesOf);
const results = path.join(root, 'coverage', 'mutation');
/** The least share of mutants that the tests must notice in each folder. */
const least = 0.85;

/** The part of Stryker's report that is used. */
interface Report {
	files: Record<string, { mutants: Array<{ status: string }> }>;
}

/** The share of mutants that the tests notice in a folder, according to its last run. */
function scoreOf(folder: string) {
	const { files } = JSON.parse(
		readFileSync(path.join(results, `${folder}.json`), 'utf8'),
	) as Report;
	const mutants = Object.values(files).flatMap((file) => file.mutants);
	const { Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0 } = countBy(mutants, 'status');
	const noticed = Killed + Timeout;
	return {
		folder,
		noticed,
		missed: Survived + NoCoverage,
		score: noticed / (noticed + Survived + NoCoverage),
	};
}

function run(folder: string, ...command: string[]): void {
	const env = { ...process.env, MUTATION_FOLDER: folder };
	const { status } = spawnSync(process.execPath, command, { cwd: root, env, stdio: 'inherit' });
	if (status !== 0) throw new UserError(`${folder}: the suites or Stryker failed, see above.`);
}

runMain(async () => {
	const chosen = process.argv.slice(2);
	const unknown = chosen.find((name) => !folders.includes(name));
	if (unknown !== undefined) throw new UserError(`"${unknown}" is none of ${folders.join(', ')}.`);
	for (const folder of chosen.length > 0 ? chosen : folders) {
		run(folder, 'harness/mutation/twice.js');
		run(folder, 'node_modules/.bin/stryker', 'run', 'harness/mutation/stryker.config.mjs');
	}
	const measured = existsSync(results) ? readdirSync(results) : [];
	const scores = folders.filter((name) => measured.includes(`${name}.json`)).map(scoreOf);
	printTable(scores);
	const low = scores.filter(({ score }) => score < least).map(({ folder }) => folder);
	if (low.length > 0)
		throw new UserError(`Fewer than ${100 * least} % are noticed in ${low.join(', ')}.`);
});
