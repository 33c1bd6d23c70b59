/** The newest n8n that npm can install with all its parts, and what stops those after it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pick from 'lodash/pick';
import { step } from '../../tools/cli';
import { PROJECT_FOLDER } from '../../tools/n8n/package';
import { CommandError, runCommand } from '../../tools/processes';
import type { EngineVersions } from './engines';

const LOOK_LIMIT = 2 * 60_000;
const RESOLVE_LIMIT = 15 * 60_000;
const enginePackages = ['n8n-core', 'n8n-workflow', 'zod', 'lodash', 'luxon'];

/** What npm says of a package. */
async function view<T>(name: string, field: string): Promise<T> {
	const output = await runCommand('npm', ['view', name, field, '--json'], { limit: LOOK_LIMIT });
	return JSON.parse(output) as T;
}

/**
 * Looks from the newest n8n down to the one that is known to work.
 * @returns the engine of the first that can be installed, or undefined if none is newer; and why those after it cannot
 */
export async function findNewest(
	known: string,
): Promise<{ engine?: EngineVersions; stopped: string[] }> {
	const isNewer = (version: string) => version.localeCompare(known, 'en', { numeric: true }) > 0;
	const versions = (await view<string[]>('n8n', 'versions'))
		.filter((version) => !version.includes('-') && isNewer(version))
		.sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
	const stopped: string[] = [];
	for (const version of versions) {
		const reason = await step(`Resolving n8n ${version}`, async () => await whatStops(version));
		if (reason) {
			stopped.push(`n8n ${version} cannot be installed: ${reason}.`);
			continue;
		}
		const all = await view<Record<string, string>>(`n8n@${version}`, 'dependencies');
		const packages = pick(all, enginePackages) as EngineVersions['packages'];
		return { engine: { n8n: version, packages, note: 'newest', lacks: {} }, stopped };
	}
	return { stopped };
}

/** Has npm resolve all that an n8n needs, with the playground's corrections. @returns npm's reason if it cannot */
async function whatStops(version: string): Promise<string | undefined> {
	if (!(await view<unknown>(`n8n@${version}`, 'bin'))) return 'it has no program to start';
	const folder = await mkdtemp(path.join(tmpdir(), 'business-messaging-newest-'));
	try {
		const file = path.join(PROJECT_FOLDER, 'playground', 'n8n', 'package.json');
		const manifest = JSON.parse(await readFile(file, 'utf8')) as { dependencies: object };
		const dependencies = { ...manifest.dependencies, n8n: version };
		await writeFile(
			path.join(folder, 'package.json'),
			JSON.stringify({ ...manifest, dependencies }),
		);
		const command = ['install', '--package-lock-only', '--legacy-peer-deps', '--ignore-scripts'];
		await runCommand('npm', command, { cwd: folder, limit: RESOLVE_LIMIT });
		return undefined;
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		const lines = error.output
			.split('\n')
			.map((line) => line.replace(/^npm (error|ERR!) (notarget |404 )?/, ''));
		const reason = lines.find((line) => /No matching version|not in this registry/.test(line));
		return (reason ?? error.message).replace(/\.$/, '');
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
