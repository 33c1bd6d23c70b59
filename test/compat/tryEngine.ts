/** Runs the packed package on one engine, in a process of its own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { build } from 'esbuild';

import { runCommand } from '../../tools/processes';
import { orderVariable, type RunnerOrder, type RunnerResult } from './result';

const limitMs = 180_000;

/**
 * Makes one file of the runner with everything that it needs but the engine.
 *
 * @param folder must have no node_modules in or above it, so that the engine is found by NODE_PATH alone
 * @returns the file
 */
export async function bundleRunner(folder: string): Promise<string> {
	const outfile = path.join(folder, 'runner.cjs');
	const entry = path.join(__dirname, 'runner', 'main.ts');
	await build({
		entryPoints: [entry],
		outfile,
		bundle: true,
		external: ['n8n-core', 'n8n-workflow'],
		platform: 'node',
		target: 'node20',
		keepNames: true,
		logLevel: 'error',
	});
	return outfile;
}

/**
 * Runs the checks.
 *
 * @param modules where the package finds what it requires, the first place first
 * @throws CommandError if the runner takes too long or breaks down
 */
export async function tryEngine(
	runner: string,
	modules: string[],
	order: Omit<RunnerOrder, 'resultFile'>,
): Promise<RunnerResult> {
	const folder = await mkdtemp(path.join(tmpdir(), 'business-messaging-compat-'));
	const resultFile = path.join(folder, 'result.json');
	const env = {
		NODE_PATH: modules.join(path.delimiter),
		TEST_TEMP_FOLDER: folder,
		[orderVariable]: JSON.stringify({ ...order, resultFile } satisfies RunnerOrder),
	};
	try {
		await runCommand(process.execPath, [runner], { cwd: folder, env, limit: limitMs });
		return JSON.parse(await readFile(resultFile, 'utf8')) as RunnerResult;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
