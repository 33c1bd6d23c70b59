/**
 * Packs the last commit twice, in folders of different names and in different time zones: what anyone builds from a commit
 * has to be what was published. npm packs the files' modes, so both get those of a usual checkout.
 * Usage: `npx tsx scripts/packCheck.ts [file]`, which keeps the tarball if a file is named.
 */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { onStop, runMain, UserError } from '../tools/cli';
import { PROJECT_FOLDER } from '../tools/n8n/package';
import { runCommand } from '../tools/processes';

/** Limit of the packed size, bytes. */
const maxSize = 150_000;
const script = `umask 022
	git -C "$ROOT" archive HEAD | tar -x
	ln -s "$ROOT/node_modules" node_modules
	npm run --silent build >&2
	npm pack --silent`;

/** Builds and packs the last commit in a folder that it makes. @returns the tarball */
async function packIn(folder: string, timeZone: string): Promise<string> {
	await mkdir(folder, { recursive: true });
	const output = await runCommand('bash', ['-euo', 'pipefail', '-c', script], {
		cwd: folder,
		env: { ROOT: PROJECT_FOLDER, TZ: timeZone },
		limit: 180_000,
	});
	return path.join(folder, output.trim());
}

runMain(async () => {
	const folder = await mkdtemp(path.join(tmpdir(), 'pack-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const tarballs = [
		await packIn(path.join(folder, 'one'), 'UTC'),
		await packIn(path.join(folder, 'another', 'place'), 'Asia/Tokyo'),
	];
	const hashes: string[] = [];
	for (const tarball of tarballs) {
		const bytes = await readFile(tarball);
		hashes.push(createHash('sha256').update(bytes).digest('hex'));
		console.log(`sha256 ${hashes.at(-1)}  ${bytes.length} bytes`);
		if (bytes.length > maxSize)
			throw new UserError(`The tarball has ${bytes.length} bytes, ${maxSize} are the limit.`);
	}
	if (hashes[0] !== hashes[1]) throw new UserError('The two tarballs differ.');
	console.log('Two builds of this commit give the same bytes.');
	const [, , target] = process.argv;
	if (target) await copyFile(tarballs[0], target);
});
