/**
 * `npm run test:mutation -- [FOLDER…] [--share 0.1 [--sample 2]]`: puts faults (mutants) into the nodes, one at a time,
 * and checks that a test fails for each; with a share, only in a sample of the lines.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import countBy from 'lodash/countBy';

import { printTable, runMain, UserError } from '../cli';
import { root } from '../engine/files';
import { sampleOf, sourcesOf } from './sources';
import { suitesOf } from './suites';

const folders = Object.keys(suitesOf);
const { values, positionals: chosen } = parseArgs({
	options: { share: { type: 'string' }, sample: { type: 'string', default: '1' } },
	allowPositionals: true,
});
const share = Number(values.share ?? 1);
const results = path.join('coverage', share < 1 ? 'mutationSample' : 'mutation');
/** The least share of mutants that the tests must notice in each folder. */
const least = 0.85;

interface Report {
	files: Record<string, { mutants: Array<{ status: string }> }>;
}

/** The share of mutants that the tests notice in a folder, according to its last run. */
function scoreOf(folder: string) {
	const report = path.join(root, results, `${folder}.json`);
	const { files } = JSON.parse(readFileSync(report, 'utf8')) as Report;
	const mutants = Object.values(files).flatMap((file) => file.mutants);
	const { Killed = 0, Timeout = 0, Survived = 0, NoCoverage = 0 } = countBy(mutants, 'status');
	const noticed = Killed + Timeout;
	const missed = Survived + NoCoverage;
	const count = noticed + missed;
	const score = noticed / count;
	// The whole folder differs by more than this in one of 20 cases.
	const margin = share < 1 ? 1.96 * Math.sqrt((score * (1 - score)) / count) : 0;
	return { folder, noticed, missed, timedOut: Timeout, score, margin };
}

function run(folder: string, ...command: string[]): void {
	const files = sourcesOf(folder);
	const sample = share < 1 ? sampleOf(files, share, values.sample) : [];
	const mutate = sample.length > 0 ? sample : files; // a small folder may have no part in the sample
	const parts = { MUTATION_RESULTS: results, MUTATION_PARTS: mutate.join(',') };
	const env = { ...process.env, MUTATION_FOLDER: folder, ...parts };
	const { status } = spawnSync(process.execPath, command, { cwd: root, env, stdio: 'inherit' });
	if (status !== 0) throw new UserError(`${folder}: the suites or Stryker failed, see above.`);
}

runMain(async () => {
	const unknown = chosen.find((name) => !folders.includes(name));
	if (!(share > 0 && share <= 1))
		throw new UserError('The share is a number from 0 to 1, e.g. 0.1.');
	if (unknown !== undefined) throw new UserError(`"${unknown}" is none of ${folders.join(', ')}.`);
	for (const folder of chosen.length > 0 ? chosen : folders) {
		run(folder, 'harness/mutation/twice.js');
		run(folder, 'node_modules/.bin/stryker', 'run', 'harness/mutation/stryker.config.mjs');
	}
	const directory = path.join(root, results);
	const measured = existsSync(directory) ? readdirSync(directory) : [];
	const scores = folders.filter((name) => measured.includes(`${name}.json`)).map(scoreOf);
	printTable(scores);
	const low = scores.filter(({ score }) => score < least).map(({ folder }) => folder);
	if (low.length > 0)
		throw new UserError(`Fewer than ${100 * least} % are noticed in ${low.join(', ')}.`);
});
