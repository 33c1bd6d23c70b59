/** The files that a release is about. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(__dirname, '..');

export const changelogFile = path.join(root, 'CHANGELOG.md');

/** The text of the changelog. */
export function readChangelog(): string {
	return readFileSync(changelogFile, 'utf8');
}

/** The version in package.json or package-lock.json. */
export function readVersion(file: 'package.json' | 'package-lock.json' = 'package.json'): string {
	return (JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { version: string }).version;
}

/**
 * Runs a command in the project's folder.
 *
 * @returns what it prints
 * @throws Error with what it prints if it fails
 */
export function run(command: string, ...options: string[]): string {
	return execFileSync(command, options, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}
