/**
 * `npm run scan`: runs n8n's official scanner on what will be published: the sources, and the unpacked tarball; and n8n's tool for authors of
 * nodes on what is shipped. The scanner's own command accepts only published packages, and exits with 0 whatever it finds. So its analysis is called
 * directly.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { onStop, runMain, UserError } from '../harness/cli';
import { packProject, PROJECT_FOLDER } from '../harness/n8n/packProject';
import { runCommand } from '../harness/processes';
import { tryN8nNode } from './n8nNode';

/** The part of the scanner that is used; the scanner has no types. */
interface Scanner {
	/** File patterns the scanner applies to sources. */
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		directory: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const scannerModule = '@n8n/scan-community-package/scanner/scanner.mjs';

runMain(async () => {
	const folder = await mkdtemp(path.join(tmpdir(), 'scan-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const scanner = (await import(scannerModule)) as Scanner;
	const tarball = await packProject();
	await runCommand('tar', ['-xzf', tarball, '-C', folder], { limit: 60_000 });
	const scans: Array<[string, string, string[]]> = [
		['sources', PROJECT_FOLDER, scanner.SOURCE_FILE_PATTERNS],
		['tarball', path.join(folder, 'package'), ['**/*.js', 'package.json']],
	];
	for (const [label, directory, patterns] of scans) {
		const { passed, message, details } = await scanner.analyzePackage(directory, patterns);
		// If the scanner finds no files, it reports success. Here, this means that the wrong folder was scanned.
		if (!passed || message !== undefined)
			throw new UserError([`${label}: FAILED`, message, details].filter(Boolean).join('\n'));
		console.log(`${label}: passed`);
	}
	await tryN8nNode();
	console.log('n8n-node lint and n8n-node build: passed');
});
