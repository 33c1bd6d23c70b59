/** What a user gets who installs the package: the tarball that npm would publish. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { root } from '../support/build';

interface PackedFile {
	path: string;
	size: number;
}

interface Manifest {
	dependencies?: Record<string, string>;
	n8n: { nodes: string[]; credentials: string[] };
}

const [packed] = JSON.parse(
	execFileSync('npm', ['pack', '--dry-run', '--json'], {
		cwd: root,
		encoding: 'utf8',
		stdio: 'pipe',
	}),
) as Array<{ files: PackedFile[]; size: number }>;
const paths = packed.files.map((file) => file.path);
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;

test('it contains dist, README, LICENSE and package.json, and nothing else', () => {
	const outsideDist = paths.filter((file) => !file.startsWith('dist/'));
	expect(outsideDist.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('dist contains what runs and what is shown: no tests, types, maps or sources', () => {
	expect(
		paths.filter(
			(file) =>
				file.startsWith('dist/') &&
				!/^dist\/(nodes|credentials)\/.+\.(js|json|svg|png)$/.test(file),
		),
	).toEqual([]);
});

test('every file that package.json names for n8n is there, with icon and codex', () => {
	const { nodes, credentials } = manifest.n8n;
	expect(paths).toEqual(
		expect.arrayContaining([...nodes, ...credentials, ...nodes.map((file) => `${file}on`)]),
	);
	expect(paths.filter((file) => file.endsWith('.svg')).length).toBeGreaterThanOrEqual(2);
});

test('it brings no dependencies along', () => {
	expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
});

test('it is small: at most 150 kB packed', () => {
	process.stdout.write(
		`Tarball: ${(packed.size / 1000).toFixed(1)} kB packed, ${paths.length} files\n`,
	);
	expect(packed.size).toBeLessThanOrEqual(150_000);
});
