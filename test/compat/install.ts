/** Puts engines, and versions of zod, into the user's cache folder, where they stay. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { cachePlace, installOnce } from '../../tools/cache';
import { UserError, step } from '../../tools/cli';
import { CommandError, runCommand } from '../../tools/processes';

const limitMs = 10 * 60_000;

/**
 * Installs packages in exact versions, unless they are there.
 *
 * @param name what they are together, e.g. `n8n-core of n8n 2.41.1`
 * @returns their node_modules
 * @throws UserError if a version cannot be installed
 */
export async function installPackages(
	name: string,
	packages: Record<string, string>,
): Promise<string> {
	const manifest = JSON.stringify({ private: true, dependencies: packages }, null, 2);
	const hash = createHash('sha256')
		.update(`${process.platform} ${process.arch} ${manifest}`)
		.digest('hex')
		.slice(0, 12);
	const folder = cachePlace(`${name.replaceAll(' ', '-')}-${hash}`);
	await installOnce(folder, async (staging) => {
		await step(`Installing ${name} (once)`, async () => await install(manifest, staging));
	});
	return path.join(folder, 'node_modules');
}

async function install(manifest: string, folder: string): Promise<void> {
	await writeFile(path.join(folder, 'package.json'), manifest);
	const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
	await runCommand('npm', command, { cwd: folder, limit: limitMs }).catch((error: unknown) => {
		if (!(error instanceof CommandError)) throw error;
		throw new UserError(`${error.message}:\n${error.output.trim()}`);
	});
}
