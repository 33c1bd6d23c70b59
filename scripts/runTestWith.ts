import { spawnSync } from 'node:child_process';
import path from 'node:path';

const limitMs = 300_000;

/** Runs a test file that writes something when an environment variable asks for it. Ends this process as the test does. */
export function runTestWith(file: string, variables: NodeJS.ProcessEnv): void {
	const jest = path.join(path.dirname(require.resolve('jest/package.json')), 'bin/jest.js');
	const env = { ...process.env, ...variables };
	const { status } = spawnSync(process.execPath, [jest, file], {
		env,
		stdio: 'inherit',
		timeout: limitMs,
	});
	process.exitCode = status ?? 1;
}
