/**
 * Packs the last commit twice, in folders of different names and in different time zones: what anyone builds from a commit
 * has to be what was published. npm packs the files' modes, so both get those of a usual checkout.
 * Usage: `npx tsx scripts/packCheck.ts [file]`, which keeps the tarball if a file is named.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(__dirname, '..');
/** Limit of the packed size, bytes. */
const maxSize = 150_000;
const limitMs = 180_000;

interface Tarball {
	file: string;
	hash: string;
	/** Bytes. */
	size: number;
	dependencies: string[];
}

/** Builds and packs the last commit in a folder that it makes. */
function packIn(folder: string, timeZone: string): Tarball {
	mkdirSync(folder, { recursive: true });
	const script = `umask 022
		git -C "$ROOT" archive HEAD | tar -x
		ln -s "$ROOT/node_modules" node_modules
		npm run --silent build >&2
		npm pack --silent`;
	const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
		cwd: folder,
		env: { ...process.env, ROOT: root, TZ: timeZone },
		stdio: ['ignore', 'pipe', 'inherit'],
		encoding: 'utf8',
		timeout: limitMs,
	});
	const file = path.join(folder, output.trim());
	const bytes = readFileSync(file);
	const { dependencies = {} } = JSON.parse(
		readFileSync(path.join(folder, 'package.json'), 'utf8'),
	) as { dependencies?: object };
	return {
		file,
		hash: createHash('sha256').update(bytes).digest('hex'),
		size: bytes.length,
		dependencies: Object.keys(dependencies),
	};
}

function main(target: string | undefined): void {
	const folder = mkdtempSync(path.join(tmpdir(), 'pack-'));
	try {
		const tarballs = [
			packIn(path.join(folder, 'one'), 'UTC'),
			packIn(path.join(folder, 'another', 'place'), 'Asia/Tokyo'),
		];
		for (const { hash, size } of tarballs) console.log(`sha256 ${hash}  ${size} bytes`);
		const [{ file, hash, size, dependencies }, second] = tarballs;
		const faults = [
			hash !== second.hash && 'The two tarballs differ',
			size > maxSize && `The tarball has ${size} bytes, ${maxSize} are the limit`,
			dependencies.length > 0 && `It has dependencies: ${dependencies.join(', ')}`,
		].filter((fault) => typeof fault === 'string');
		console.log(
			faults.length === 0
				? 'Two builds of this commit give the same bytes; no dependencies'
				: faults.join('\n'),
		);
		process.exitCode = faults.length === 0 ? 0 : 1;
		if (target) copyFileSync(file, target);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

main(process.argv[2]);
