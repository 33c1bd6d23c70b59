import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import os from 'node:os';
import lockfile from 'proper-lockfile';
import { step, UserError } from '../cli';
import { CommandError, runCommand } from '../processes';
import { PROJECT_FOLDER } from './packProject';

/** The folder whose lock file pins n8n, its Node.js, and all packages that they need. */
const MANIFEST_FOLDER = path.join(PROJECT_FOLDER, 'playground', 'n8n');
const MANIFEST_FILES = ['package.json', 'package-lock.json', '.npmrc'];
/** The longest time of one command of the installation, ms. */
const COMMAND_LIMIT = 30 * 60_000;

/** An n8n on this machine, ready to be started. */
export interface N8nInstall {
	/** Folder whose node_modules holds n8n. */
	folder: string;
	/** E.g. `2.41.1`. */
	version: string;
	/** The Node.js that runs n8n, and n8n's script. */
	node: string;
	script: string;
}

/** Installs the pinned n8n once into the user's cache folder, or finds it there. @throws UserError in one sentence */
export async function installN8n(): Promise<N8nInstall> {
	const manifest = readFileSync(path.join(MANIFEST_FOLDER, 'package.json'), 'utf8');
	const version = (JSON.parse(manifest) as { dependencies: { n8n: string } }).dependencies.n8n;
	const folder = placeOf(`n8n-${version}`, MANIFEST_FOLDER);
	const modules = path.join(folder, 'node_modules');
	// npm has this package only for Linux. Elsewhere, n8n runs on the Node.js that runs this program; n8n says so if that is too old.
	const pinnedNode = path.join(modules, '.bin', 'node');
	const node = () => (existsSync(pinnedNode) ? pinnedNode : process.execPath);
	const log = `${folder}.log`;
	await installOnce(folder, async () => {
		await rm(log, { force: true });
		try {
			await step(`Downloading n8n ${version}: 2.2 GB, once, usually 2 to 4 minutes`, async () => {
				await installPinned(MANIFEST_FOLDER, folder, log);
			});
			const prepare = async () => await prepareSqlite(folder, node(), log);
			await step("Building n8n's SQLite driver: once, usually 2 minutes", prepare);
		} catch (error) {
			throw error instanceof CommandError ? explainInstallFailure(error, log) : error;
		}
	});
	return { folder, version, node: node(), script: path.join(modules, 'n8n', 'bin', 'n8n') };
}

/** The folder of an installation. Another lock file, manifest or kind of machine gets another folder. */
function placeOf(name: string, manifests: string): string {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const file of MANIFEST_FILES) hash.update(readFileSync(path.join(manifests, file)));
	return cachePlace(`${name}-${hash.digest('hex').slice(0, 12)}`);
}

/** Installs what the manifests pin into an empty folder. @throws CommandError */
async function installPinned(manifests: string, folder: string, log?: string): Promise<void> {
	for (const file of MANIFEST_FILES)
		await copyFile(path.join(manifests, file), path.join(folder, file));
	await runCommand('npm', ['ci'], { cwd: folder, limit: COMMAND_LIMIT, log });
}

/**
 * Installs packages in exact versions into the cache folder, unless they are there. Returns node_modules.
 * @throws UserError
 */
export async function installPackages(
	name: string,
	packages: Record<string, string>,
): Promise<string> {
	const manifest = JSON.stringify({ private: true, dependencies: packages }, null, 2);
	const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${manifest}`);
	const key = `${name.replaceAll(' ', '-')}-${hash.digest('hex').slice(0, 12)}`;
	const command = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
	const install = async (cwd: string) => {
		await writeFile(path.join(cwd, 'package.json'), manifest);
		await step(`Installing ${name} (once)`, async () => {
			await runCommand('npm', command, { cwd, limit: COMMAND_LIMIT });
		}).catch((error: unknown) => {
			if (!(error instanceof CommandError)) throw error;
			throw new UserError(`${error.message}:\n${error.output.trim()}`);
		});
	};
	await installOnce(cachePlace(key), install);
	return path.join(cachePlace(key), 'node_modules');
}

/** Downloads a ready-made SQLite driver or, if there is none, compiles it. */
async function prepareSqlite(folder: string, node: string, log: string): Promise<void> {
	const options = { cwd: folder, limit: COMMAND_LIMIT, log };
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

/**
 * If the headers of this Node.js are installed, they need not be downloaded. The driver is an N-API module, so headers
 * of another major version than that of n8n's Node.js work too.
 */
function compilerEnvironment(): NodeJS.ProcessEnv {
	const prefix = path.resolve(process.execPath, '..', '..');
	const hasHeaders = existsSync(path.join(prefix, 'include', 'node', 'node_api.h'));
	return hasHeaders ? { npm_config_nodedir: process.env.npm_config_nodedir ?? prefix } : {};
}

/** If this variable is `false`, nothing is installed into the system. */
const SWITCH = 'PLAYGROUND_INSTALL_COMPILER';

/**
 * Installs a compiler if it is missing, as root on Debian and the like, and prints so. The output of apt-get goes to
 * `log`. @throws UserError saying what to install
 */
export async function ensureCompiler(log: string): Promise<void> {
	const missing = ['python3', 'make', 'g++'].filter((program) => !isOnPath(program));
	if (missing.length === 0) return;
	const names = missing.join(', ');
	const help = new UserError(
		`n8n's SQLite driver has to be compiled here, and ${names} cannot be found: install them (on Debian or Ubuntu: "sudo apt-get install python3 make g++"; on macOS: "xcode-select --install") and try again.`,
	);
	const isRoot = process.getuid?.() === 0 && isOnPath('apt-get');
	if (!isRoot || process.env[SWITCH] === 'false') throw help;
	console.error(
		`\nn8n's SQLite driver has to be compiled here, so ${names} will be installed with apt-get (set ${SWITCH}=false to prevent that).`,
	);
	await aptInstall(missing, log).catch(() => {
		throw help;
	});
}

function isOnPath(program: string): boolean {
	const folders = (process.env.PATH ?? '').split(path.delimiter);
	return folders.some((folder) => existsSync(path.join(folder, program)));
}

/** Installs Debian packages, as root. @throws CommandError */
export async function aptInstall(packages: string[], log?: string): Promise<void> {
	const options = { limit: COMMAND_LIMIT, log, env: { DEBIAN_FRONTEND: 'noninteractive' } };
	const install = ['install', '--quiet', '--yes', '--no-install-recommends', ...packages];
	await runCommand('apt-get', ['update', '--quiet'], options);
	await runCommand('apt-get', install, options);
}

/** One sentence that says what went wrong and what to do. The details are in `log`. */
export function explainInstallFailure({ output, message }: CommandError, log: string): UserError {
	// npm names the cause first, e.g. "npm error code ENOTFOUND", and its log file last.
	const cause = output.split('\n').find((line) => /^npm error|\berror:/i.test(line)) ?? message;
	return new UserError(
		`n8n could not be installed (${cause.trim()}): check the network, npm's registry and proxy settings and the space on the disk, and run the command again (details: ${log}).`,
	);
}

/** This file is written last: a folder without it is incomplete. */
const COMPLETE = 'installation-complete';
/** A lock is renewed while it is held. If it was not renewed for 30 s, its process has died. */
const LOCK = { realpath: false, stale: 30_000, update: 5_000, onCompromised: () => undefined };
/** Waits for a lock as long as the longest installation may take, ms. */
const RETRIES = { forever: true, factor: 1, minTimeout: 1000, maxRetryTime: 45 * 60_000 };

/** The folder of an installation in the user's cache folder. */
function cachePlace(name: string): string {
	const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
	return path.join(base, 'n8n-nodes-business-messaging', name);
}

/**
 * Calls `install` for an empty folder, unless the folder is complete. Safe when several processes do so at once, and
 * when one of them is killed.
 */
async function installOnce(
	folder: string,
	install: (folder: string) => Promise<void>,
): Promise<void> {
	const isComplete = () => existsSync(path.join(folder, COMPLETE));
	if (isComplete()) return;
	await mkdir(path.dirname(folder), { recursive: true });
	const lock = async () => await lockfile.lock(folder, { ...LOCK, retries: RETRIES });
	const isLocked = await lockfile.check(folder, LOCK);
	const waiting = 'Waiting for another process that is installing the same';
	const unlock = isLocked ? await step(waiting, lock) : await lock();
	try {
		if (isComplete()) return;
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder);
		await install(folder);
		await writeFile(path.join(folder, COMPLETE), '');
	} finally {
		// If the lock was lost meanwhile, e.g. because the machine slept, this is not a failure.
		await unlock().catch(() => undefined);
	}
}
