/**
 * Runs n8n's official scanner on what will be published: the sources, and the unpacked tarball. The scanner itself only
 * takes published packages and exits with 0 whatever it finds, so its analysis is called directly here and its verdict
 * becomes the exit code. Usage: `npm run scan`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The part of the scanner that is used; it has no types of its own. */
interface Scanner {
	/** File patterns the scanner applies to sources. */
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		directory: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const scannerModule = '@n8n/scan-community-package/scanner/scanner.mjs';
const root = path.resolve(__dirname, '..');

/** Packs the package as npm publishes it and unpacks it below the given folder. */
function unpackedTarball(folder: string): string {
	const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: root,
		encoding: 'utf8',
	});
	const [{ filename }] = JSON.parse(packed) as Array<{ filename: string }>;
	const unpacked = path.join(folder, 'unpacked');
	mkdirSync(unpacked);
	execFileSync('tar', [
		'-xzf',
		path.join(folder, filename),
		'-C',
		unpacked,
		'--strip-components=1',
	]);
	return unpacked;
}

async function scan(
	label: string,
	directory: string,
	patterns: string[],
	scanner: Scanner,
): Promise<boolean> {
	const { passed, message, details } = await scanner.analyzePackage(directory, patterns);
	// An empty scan counts as passed in the scanner; here it means that the wrong folder was scanned.
	const ok = passed && message === undefined;
	console.log(
		[`${label}: ${ok ? 'passed' : 'FAILED'}`, message, details].filter(Boolean).join('\n'),
	);
	return ok;
}

async function main(): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'scan-'));
	try {
		const scanner = (await import(scannerModule)) as Scanner;
		const tarball = unpackedTarball(folder);
		const results = [
			await scan('sources', root, scanner.SOURCE_FILE_PATTERNS, scanner),
			await scan('tarball', tarball, ['**/*.js', 'package.json'], scanner),
		];
		process.exitCode = results.every(Boolean) ? 0 : 1;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

void main();
