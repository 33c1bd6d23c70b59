/** Packs this project as a package, and installs packages in an n8n. */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import omit from 'lodash/omit';
import { UserError } from '../cli';
import { buildIfStale } from '../build';
import { runCommand } from '../processes';
import { sortTarball } from './tarball';

/** The root of this project. */
export const PROJECT_FOLDER = path.resolve(__dirname, '..', '..');
const LIMIT = 180_000;

/**
 * Builds this project if it has changed, and packs it as it is published. Returns the path of the tarball, in a new
 * temporary folder. @throws UserError when the build fails; the compiler has printed why
 */
export async function packProject(): Promise<string> {
	try {
		buildIfStale();
	} catch {
		throw new UserError('The package cannot be built.'); // the compiler has printed why
	}
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-'));
	return await packFolder(PROJECT_FOLDER, folder);
}

/** Packs a package, its files in the order of their paths. Returns the path of the tarball. */
export async function packFolder(source: string, target: string): Promise<string> {
	const command = ['pack', '--json', '--pack-destination', target];
	const output = await runCommand('npm', command, { cwd: source, limit: LIMIT });
	const [{ filename }] = JSON.parse(output) as Array<{ filename: string }>;
	const tarball = path.join(target, filename);
	await writeFile(tarball, sortTarball(await readFile(tarball)));
	return tarball;
}

/**
 * Installs a package as n8n does: unpacked below `.n8n/nodes/node_modules`, without development and peer dependencies,
 * listed in the package.json there, in place of an earlier version. n8n loads it at its next start.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	const staging = path.join(nodes, 'node_modules', '.unpacked');
	await rm(staging, { recursive: true, force: true });
	await mkdir(staging, { recursive: true });
	const unpack = ['-xzf', tarball, '-C', staging, '--strip-components=1'];
	await runCommand('tar', unpack, { limit: LIMIT });
	const file = path.join(staging, 'package.json');
	const manifest = JSON.parse(await readFile(file, 'utf8')) as { name: string; version: string };
	const { name, version } = manifest;
	const shipped = omit(manifest, 'devDependencies', 'peerDependencies', 'optionalDependencies');
	await writeFile(file, JSON.stringify(shipped));
	const target = path.join(nodes, 'node_modules', name);
	await rm(target, { recursive: true, force: true });
	await rename(staging, target);
	const installed = { private: true, dependencies: { [name]: version } };
	await writeFile(path.join(nodes, 'package.json'), JSON.stringify(installed));
}
