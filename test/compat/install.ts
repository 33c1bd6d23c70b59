/** Puts engines, and versions of zod, into the user's cache folder, where they stay. */
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { cachePlace, installOnce, keep } from '../../tools/cache';
import { UserError } from '../../tools/userError';
import { step } from '../../tools/progress';
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
	await installOnce({
		name,
		folder,
		install: async () =>
			await step(`Installing ${name} (once)`, async () => await install(manifest, folder)),
	});
	return path.join(folder, 'node_modules');
}

async function install(manifest: string, folder: string): Promise<void> {
	const staging = `${folder}.partial`;
	await rm(staging, { recursive: true, force: true });
	await mkdir(staging);
	await writeFile(path.join(staging, 'package.json'), manifest);
	try {
		await runCommand('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
			cwd: staging,
			limit: limitMs,
		});
		await keep(staging, folder);
	} catch (error) {
		await rm(staging, { recursive: true, force: true });
		if (!(error instanceof CommandError)) throw error;
		throw new UserError(`${error.message}:\n${error.output.trim()}`);
	}
}
