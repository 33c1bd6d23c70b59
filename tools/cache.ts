/** Installations that take long, kept in the user's cache folder. */
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import lockfile from 'proper-lockfile';
import { step, UserError } from './cli';

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
