import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import throttle from 'lodash/throttle';
import lockfile from 'proper-lockfile';
import { diskFull, explainInstallFailure } from './n8nInstallErrors';
import { PlaygroundError } from './playgroundError';
import { Progress } from './progress';
import { CommandError, runCommand } from './runCommand';
import { compilerEnvironment, ensureCompiler } from './toolchain';

/** The folder that pins n8n, the Node.js it runs on, and every package below it. */
const MANIFEST_FOLDER = path.join(__dirname, 'n8n');
const MANIFEST_FILES = ['package.json', 'package-lock.json', '.npmrc'];
/** Written last: a folder without it is not whole. */
const COMPLETE = 'installation-complete';
const NEEDED_BYTES = 3e9;
/** What n8n 2 asks for. */
const NODE_MAJOR = 24;
const DOWNLOAD_LIMIT = 30 * 60_000;
const COMPILE_LIMIT = 15 * 60_000;
/** How long to wait for another process that is installing the same n8n. */
const LOCK_WAIT = DOWNLOAD_LIMIT + COMPILE_LIMIT;

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
 * @throws PlaygroundError with one sentence: no compiler, failed download, full disk, no folder to write to, no fitting Node.js
 */
export async function installN8n(progress = new Progress()): Promise<N8nInstall> {
	const lock = JSON.parse(readFileSync(path.join(MANIFEST_FOLDER, 'package-lock.json'), 'utf8')) as PackageLock;
	const version = lock.packages['node_modules/n8n']?.version ?? 'unknown';
	const folder = path.join(cacheFolder(), `n8n-${version}-${fingerprint()}`);
	const node = nodeFor(folder, lock);
	if (!isComplete(folder)) {
		await makeCacheFolder(path.dirname(folder));
		await holdingLock(folder, progress, async () => {
			if (!isComplete(folder)) await installInto(folder, version, lock, progress);
		});
	}
	return { folder, version, node, script: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
	return path.join(base, 'n8n-nodes-business-messaging');
}

async function makeCacheFolder(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
		throw new PlaygroundError(`n8n is kept in ${folder}, which cannot be made (${error.code}): set XDG_CACHE_HOME to a folder that can.`);
	});
}

/** Another lock file, manifest or kind of machine gets another installation. */
function fingerprint(): string {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const file of MANIFEST_FILES) hash.update(readFileSync(path.join(MANIFEST_FOLDER, file)));
	return hash.digest('hex').slice(0, 12);
}

function isComplete(folder: string): boolean {
	return existsSync(path.join(folder, COMPLETE));
}

/** The lock is renewed while it is held; one that was not renewed for 30 s belongs to a process that died. */
async function holdingLock(folder: string, progress: Progress, work: () => Promise<void>): Promise<void> {
	const options = { realpath: false, stale: 30_000, update: 5_000, onCompromised: () => undefined };
	const acquire = async () =>
		await lockfile.lock(folder, { ...options, retries: { forever: true, factor: 1, minTimeout: 1000, maxRetryTime: LOCK_WAIT } });
	const isHeld = await lockfile.check(folder, options);
	const release = isHeld ? await progress.step('Waiting for another process that is installing n8n', acquire) : await acquire();
	try {
		await work();
	} finally {
		// A lock that was lost meanwhile, on a machine that slept, is no reason to fail.
		await release().catch(() => undefined);
	}
}

/** Works in a folder beside the final one, which a download that has come through outlives: the next try goes on from there. */
async function installInto(folder: string, version: string, lock: PackageLock, progress: Progress): Promise<void> {
	const staging = `${folder}.partial`;
	const log = `${folder}.log`;
	const downloaded = path.join(staging, 'download-complete');
	await rm(log, { force: true });
	try {
		if (!existsSync(downloaded)) {
			await prepareFolder(staging);
			const download = async () => await runCommand('npm', ['ci'], { cwd: staging, limit: DOWNLOAD_LIMIT, log });
			await progress.step(`Downloading n8n ${version} (once, some minutes)`, download, packageCounter(staging, lock));
			await writeFile(downloaded, '');
		}
		await progress.step('Preparing its database driver (once, a minute or two)', async () => await prepareSqlite(staging, nodeFor(staging, lock), log));
		await writeFile(path.join(staging, COMPLETE), '');
		await rename(staging, folder);
	} catch (error) {
		if (!existsSync(downloaded)) await rm(staging, { recursive: true, force: true });
		throw error instanceof PlaygroundError ? error : explainInstallFailure(error, folder, log);
	}
}

async function prepareFolder(folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder);
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize < NEEDED_BYTES) throw diskFull(folder);
	for (const file of MANIFEST_FILES) await copyFile(path.join(MANIFEST_FOLDER, file), path.join(folder, file));
}

/** Counts, once a second, the packages that have arrived, leaving out those meant for other kinds of machine. */
function packageCounter(folder: string, lock: PackageLock): () => string {
	const names = Object.keys(lock.packages).filter((name) => name !== '' && !lock.packages[name].os && !lock.packages[name].cpu);
	const count = throttle(() => names.filter((name) => existsSync(path.join(folder, name, 'package.json'))).length, 1000);
	return () => `${count().toLocaleString('en')} of ${names.length.toLocaleString('en')} packages`;
}

/** Downloads a ready-made SQLite driver or, where there is none to be had, compiles it. */
async function prepareSqlite(folder: string, node: string, log: string): Promise<void> {
	const options = { cwd: folder, limit: COMPILE_LIMIT, log };
	const rebuild = async () =>
		await runCommand('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'], { ...options, env: compilerEnvironment() });
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
	if (lock.packages[`node_modules/node-${process.platform}-${process.arch}`]) return path.join(folder, 'node_modules', '.bin', 'node');
	if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath;
	throw new PlaygroundError(`n8n needs Node.js ${NODE_MAJOR} or newer, and none comes along for ${process.platform} on ${process.arch}: install it and run this again with it.`);
}
