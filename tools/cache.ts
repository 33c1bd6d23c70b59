import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import lockfile from 'proper-lockfile';
import { UserError } from './userError';
import { step } from './progress';

/** Written last: a folder without it is not whole. */
const COMPLETE = 'installation-complete';
/** How long to wait for another process that is installing the same, ms: as long as the longest installation may take. */
const LOCK_WAIT = 45 * 60_000;

/** What takes long to install and is kept over all runs. */
export interface Installation {
	/** Its name as it stands in messages, e.g. `n8n`. */
	name: string;
	/** Where it is kept. */
	folder: string;
	/** Installs it into another folder and hands that to {@link keep}. */
	install: () => Promise<void>;
}

/** The place of an installation in the user's cache folder; another `name` is another installation. */
export function cachePlace(name: string): string {
	const base = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
	return path.join(base, 'n8n-nodes-business-messaging', name);
}

/**
 * Installs something unless it is there already. Safe when several processes do so at the same time, and when one is
 * killed half-way.
 * @throws UserError if the cache folder cannot be made; what the installation throws
 */
export async function installOnce({ name, folder, install }: Installation): Promise<void> {
	if (isComplete(folder)) return;
	await mkdir(path.dirname(folder), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
		throw new UserError(
			`${name} is kept in ${path.dirname(folder)}, which cannot be made (${error.code}): set XDG_CACHE_HOME to a folder that can.`,
		);
	});
	await holdingLock(folder, name, async () => {
		if (!isComplete(folder)) await install();
	});
}

/** Puts what was installed into `staging` where it is looked for from now on. */
export async function keep(staging: string, folder: string): Promise<void> {
	await writeFile(path.join(staging, COMPLETE), '');
	await rename(staging, folder);
}

function isComplete(folder: string): boolean {
	return existsSync(path.join(folder, COMPLETE));
}

/** The lock is renewed while it is held; one that was not renewed for 30 s belongs to a process that died. */
async function holdingLock(folder: string, name: string, work: () => Promise<void>): Promise<void> {
	const options = { realpath: false, stale: 30_000, update: 5_000, onCompromised: () => undefined };
	const acquire = async () =>
		await lockfile.lock(folder, {
			...options,
			retries: { forever: true, factor: 1, minTimeout: 1000, maxRetryTime: LOCK_WAIT },
		});
	const isHeld = await lockfile.check(folder, options);
	const release = isHeld
		? await step(`Waiting for another process that is installing ${name}`, acquire)
		: await acquire();
	try {
		await work();
	} finally {
		// A lock that was lost meanwhile, on a machine that slept, is no reason to fail.
		await release().catch(() => undefined);
	}
}
