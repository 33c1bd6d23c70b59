/**
 * `npm run bench:load`: how long n8n takes to load the package, how much memory it needs then, and how much the editor downloads for its
 * largest node, beside two other packages for messaging.
 */
import path from 'node:path';
import { fromPairs, map, mapValues, mean, minBy } from 'lodash';
import { buildIfStale } from '../harness/build';
import { printTable, step } from '../harness/cli';
import { installPackages } from '../harness/n8n/install';
import { PROJECT_FOLDER } from '../harness/n8n/packProject';
import { runCommand } from '../harness/processes';

export const usage = `Usage: npm run bench:load -- [--json FILE] [--quick]
Installs two packages of the npm registry once into your cache folder. --quick loads each package 5 times instead of 25.`;

const others = { '@devlikeapro/n8n-nodes-chatwoot': '1.0.2', 'n8n-nodes-evolution-api': '1.0.4' };
const ours = 'this package';
const LIMIT = 60_000;

/** What loading a package took in one process. */
interface Loaded {
	ms: number;
	heapMb: number;
	/** Of the description of its largest node, as n8n sends it to the editor. */
	bytes: number;
}

/** Loads the packages in turn, each time in a new process that has loaded what n8n itself loads, and prints the best of all rounds. */
export async function run(isQuick: boolean) {
	buildIfStale();
	const modules = await installPackages('packages to compare loading with', others);
	const folders: Record<string, string> = {
		[ours]: PROJECT_FOLDER,
		...fromPairs(Object.keys(others).map((name) => [name, path.join(modules, name)])),
	};
	const found = mapValues(folders, (): Loaded[] => []);
	const env = { NODE_PATH: path.join(PROJECT_FOLDER, 'node_modules') };
	await step('Loading', async () => {
		for (let round = isQuick ? 5 : 25; round > 0; round--)
			for (const [name, folder] of Object.entries(folders)) {
				const command = ['--expose-gc', path.join(__dirname, 'loadPackage.cjs'), folder];
				const options = { cwd: PROJECT_FOLDER, env, limit: LIMIT };
				const output = await runCommand(process.execPath, command, options);
				found[name].push(JSON.parse(output) as Loaded);
			}
	});
	// The best of all rounds, because disturbances can only add time.
	const rows = map(found, (times, name) => ({ name, ...minBy(times, 'ms')! }));
	printTable(rows);
	const [own, ...compared] = rows;
	const ratio = own.ms / mean(map(compared, 'ms'));
	console.log(`Loading takes ${ratio.toFixed(2)} times as long as the others on average.`);
	return { figures: { rows, ratio }, faults: [] };
}
