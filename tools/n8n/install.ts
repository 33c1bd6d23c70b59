import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import throttle from 'lodash/throttle';
import { cachePlace, installOnce, keep } from '../cache';
import { diskFull, explainInstallFailure } from './installErrors';
import { UserError } from '../userError';
import { step } from '../progress';
import { PROJECT_FOLDER } from './package';
import { CommandError, runCommand } from '../processes';
import { compilerEnvironment, ensureCompiler } from './toolchain';

/** The folder that pins n8n, the Node.js it runs on, and every package below it. */
const MANIFEST_FOLDER = path.join(PROJECT_FOLDER, 'playground', 'n8n');
const MANIFEST_FILES = ['package.json', 'package-lock.json', '.npmrc'];
const NEEDED_BYTES = 3e9;
/** What n8n 2 asks for. */
const NODE_MAJOR = 24;
const DOWNLOAD_LIMIT = 30 * 60_000;
const COMPILE_LIMIT = 15 * 60_000;

/** An n8n on this machine, ready to be started. */
export interface N8nInstall {
	/** Folder whose node_modules holds n8n. */
	folder: string;
	/** E.g. `2.41.1`. */
	version: string;
	/** The Node.js that n8n runs on. */
	node: string;
	/** The script that Node.js runs. */
	script: string;
}

interface PackageLock {
	packages: Record<string, { version?: string; os?: unknown; cpu?: unknown }>;
}

/**
 * Installs the pinned n8n once into the user's cache folder, or finds it there. Safe when several processes do so at
 * the same time, and when one is killed half-way.
 * @throws UserError with one sentence: no compiler, failed download, full disk, no folder to write to, no fitting Node.js
 */
export async function installN8n(): Promise<N8nInstall> {
	const lock = JSON.parse(
		readFileSync(path.join(MANIFEST_FOLDER, 'package-lock.json'), 'utf8'),
	) as PackageLock;
	const version = lock.packages['node_modules/n8n']?.version ?? 'unknown';
	const folder = cachePlace(`n8n-${version}-${fingerprint()}`);
	const node = nodeFor(folder, lock);
	await installOnce({
		name: 'n8n',
		folder,
		install: async () => await installInto(folder, version, lock),
	});
	return { folder, version, node, script: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

/** Another lock file, manifest or kind of machine gets another installation. */
function fingerprint(): string {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const file of MANIFEST_FILES) hash.update(readFileSync(path.join(MANIFEST_FOLDER, file)));
	return hash.digest('hex').slice(0, 12);
}

/** Works in a folder beside the final one, which a download that has come through outlives: the next try goes on from there. */
async function installInto(folder: string, version: string, lock: PackageLock): Promise<void> {
	const staging = `${folder}.partial`;
	const log = `${folder}.log`;
	const downloaded = path.join(staging, 'download-complete');
	await rm(log, { force: true });
	try {
		if (!existsSync(downloaded)) {
			await prepareFolder(staging);
			const download = async () =>
				await runCommand('npm', ['ci'], { cwd: staging, limit: DOWNLOAD_LIMIT, log });
			await step(
				`Downloading n8n ${version} (once, some minutes)`,
				download,
				packageCounter(staging, lock),
			);
			await writeFile(downloaded, '');
		}
		await step(
			'Preparing its database driver (once, a minute or two)',
			async () => await prepareSqlite(staging, nodeFor(staging, lock), log),
		);
		await keep(staging, folder);
	} catch (error) {
		if (!existsSync(downloaded)) await rm(staging, { recursive: true, force: true });
		throw error instanceof UserError ? error : explainInstallFailure(error, folder, log);
	}
}

async function prepareFolder(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder);
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize < NEEDED_BYTES) throw diskFull(folder);
	for (const file of MANIFEST_FILES)
		await copyFile(path.join(MANIFEST_FOLDER, file), path.join(folder, file));
}

/** Counts, once a second, the packages that have arrived, leaving out those meant for other kinds of machine. */
function packageCounter(folder: string, lock: PackageLock): () => string {
	const names = Object.keys(lock.packages).filter(
		(name) => name !== '' && !lock.packages[name].os && !lock.packages[name].cpu,
	);
	const count = throttle(
		() => names.filter((name) => existsSync(path.join(folder, name, 'package.json'))).length,
		1000,
	);
	return () => `${count().toLocaleString('en')} of ${names.length.toLocaleString('en')} packages`;
}

/** Downloads a ready-made SQLite driver or, where there is none to be had, compiles it. */
async function prepareSqlite(folder: string, node: string, log: string): Promise<void> {
	const options = { cwd: folder, limit: COMPILE_LIMIT, log };
	const rebuild = async () =>
		await runCommand(
			'npm',
			['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
			{ ...options, env: compilerEnvironment() },
		);
	try {
		await rebuild();
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		await ensureCompiler(log);
		await rebuild();
	}
	await runCommand(node, ['-e', 'require("sqlite3")'], options);
}

/** The Node.js that comes along, or on machines for which none is published, the one that runs this program. */
function nodeFor(folder: string, lock: PackageLock): string {
	if (lock.packages[`node_modules/node-${process.platform}-${process.arch}`])
		return path.join(folder, 'node_modules', '.bin', 'node');
	if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath;
	throw new UserError(
		`n8n needs Node.js ${NODE_MAJOR} or newer, and none comes along for ${process.platform} on ${process.arch}: install it and run this again with it.`,
	);
}
