import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, rm, statfs, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import os from 'node:os';
import lockfile from 'proper-lockfile';
import { step, UserError } from '../cli';
import { CommandError, runCommand } from '../processes';
import { PROJECT_FOLDER } from './package';
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
	/** The Node.js that n8n runs on, and the script that it runs. */
	node: string;
	script: string;
}

type LockedPackages = Record<string, { version?: string }>;

/**
 * Installs the pinned n8n once into the user's cache folder, or finds it there. Safe when several processes do so at
 * the same time, and when one is killed half-way.
 * @throws UserError with one sentence: no compiler, failed download, full disk, no folder to write to, no fitting Node.js
 */
export async function installN8n(): Promise<N8nInstall> {
	const lock = readFileSync(path.join(MANIFEST_FOLDER, 'package-lock.json'), 'utf8');
	const { packages } = JSON.parse(lock) as { packages: LockedPackages };
	const version = packages['node_modules/n8n']?.version ?? 'unknown';
	const folder = cachePlace(`n8n-${version}-${fingerprint()}`);
	const node = nodeFor(folder, packages);
	await installOnce(folder, async (staging) => {
		const log = `${folder}.log`;
		await rm(log, { force: true });
		try {
			await installInto(staging, version, nodeFor(staging, packages), log);
		} catch (error) {
			// A complete download is kept for the next attempt.
			if (!isDownloaded(staging)) await rm(staging, { recursive: true, force: true });
			throw error instanceof UserError ? error : explainInstallFailure(error, log);
		}
	});
	return { folder, version, node, script: path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

/** Another lock file, manifest or kind of machine gets another installation. */
function fingerprint(): string {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const file of MANIFEST_FILES) hash.update(readFileSync(path.join(MANIFEST_FOLDER, file)));
	return hash.digest('hex').slice(0, 12);
}

/** npm writes this file last. */
const isDownloaded = (folder: string) =>
	existsSync(path.join(folder, 'node_modules', '.package-lock.json'));

async function installInto(
	folder: string,
	version: string,
	node: string,
	log: string,
): Promise<void> {
	if (!isDownloaded(folder)) {
		const { bavail, bsize } = await statfs(folder);
		if (bavail * bsize < NEEDED_BYTES)
			throw new UserError(
				`The disk that holds ${folder} is full: n8n needs about 3 GB there; free some space or set XDG_CACHE_HOME to a folder on a larger disk.`,
			);
		for (const file of MANIFEST_FILES)
			await copyFile(path.join(MANIFEST_FOLDER, file), path.join(folder, file));
		await step(
			`Downloading n8n ${version} (once, some minutes)`,
			async () => await runCommand('npm', ['ci'], { cwd: folder, limit: DOWNLOAD_LIMIT, log }),
		);
	}
	await step(
		'Preparing its database driver (once, a minute or two)',
		async () => await prepareSqlite(folder, node, log),
	);
}

/** Downloads a ready-made SQLite driver or, if there is none, compiles it. */
async function prepareSqlite(folder: string, node: string, log: string): Promise<void> {
	const options = { cwd: folder, limit: COMPILE_LIMIT, log };
	const command = ['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'];
	const rebuild = async () =>
		await runCommand('npm', command, { ...options, env: compilerEnvironment() });
	await rebuild().catch(async (error: unknown) => {
		if (!(error instanceof CommandError)) throw error;
		await ensureCompiler(log);
		await rebuild();
	});
	await runCommand(node, ['-e', 'require("sqlite3")'], options);
}

/** The Node.js from npm, or the one that runs this program if none is published for this machine. */
function nodeFor(folder: string, packages: LockedPackages): string {
	if (packages[`node_modules/node-${process.platform}-${process.arch}`])
		return path.join(folder, 'node_modules', '.bin', 'node');
	if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR) return process.execPath;
	throw new UserError(
		`n8n needs Node.js ${NODE_MAJOR} or newer, and npm has none for ${process.platform} on ${process.arch}: install it and run this again with it.`,
	);
}

/** What went wrong during the installation, as one sentence that says what to do. `log` has the details. */
export function explainInstallFailure(error: unknown, log: string): UserError {
	const { output, timedOut } =
		error instanceof CommandError ? error : { output: String(error), timedOut: false };
	// npm names the cause first, e.g. "npm error code ENOTFOUND", and its log file last.
	const cause =
		output.split('\n').find((line) => /^npm error|\berror:/i.test(line)) ?? 'npm gave no reason';
	return new UserError(
		`n8n could not be installed (${timedOut ? 'it took too long' : cause.trim()}): check the network, npm's registry and proxy settings and the space on the disk, and run the command again (details: ${log}).`,
	);
}

/** Written last: a folder without it is incomplete. */
const COMPLETE = 'installation-complete';
/** How long to wait for another process that is installing the same, ms: as long as the longest installation may take. */
const LOCK_WAIT = 45 * 60_000;
/** The lock is renewed while it is held; one that was not renewed for 30 s belongs to a process that died. */
const LOCK = { realpath: false, stale: 30_000, update: 5_000, onCompromised: () => undefined };

/** The place of an installation in the user's cache folder; another `name` is another installation. */
export function cachePlace(name: string): string {
	const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
	return path.join(base, 'n8n-nodes-business-messaging', name);
}

/**
 * Installs something unless it is there already. Safe when several processes do so at the same time, and when one is
 * killed half-way.
 * @param folder where it is kept, see {@link cachePlace}
 * @param install fills a folder beside it, in which an earlier attempt may have left something
 * @throws UserError if the cache folder cannot be made; what the installation throws
 */
export async function installOnce(
	folder: string,
	install: (staging: string) => Promise<void>,
): Promise<void> {
	const isComplete = () => existsSync(path.join(folder, COMPLETE));
	if (isComplete()) return;
	const staging = `${folder}.partial`;
	await mkdir(path.dirname(folder), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
		throw new UserError(
			`Installations are kept in ${path.dirname(folder)}, which cannot be made (${error.code}): set XDG_CACHE_HOME to a folder that can.`,
		);
	});
	const release = await lock(folder);
	try {
		if (isComplete()) return;
		await mkdir(staging, { recursive: true });
		await install(staging);
		await writeFile(path.join(staging, COMPLETE), '');
		await rename(staging, folder);
	} finally {
		// A lock that was lost meanwhile, on a machine that slept, is no reason to fail.
		await release().catch(() => undefined);
	}
}

async function lock(folder: string): Promise<() => Promise<void>> {
	const retries = { forever: true, factor: 1, minTimeout: 1000, maxRetryTime: LOCK_WAIT };
	const acquire = async () => await lockfile.lock(folder, { ...LOCK, retries });
	if (!(await lockfile.check(folder, LOCK))) return await acquire();
	return await step('Waiting for another process that is installing the same', acquire);
}
