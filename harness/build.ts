/** The built package in dist. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from './engine/files';

const changedAt = (file: string) => statSync(path.join(root, file)).mtimeMs;

/**
 * Whether dist has to be built again: it is older than its sources or the build scripts, or does not have the number of
 * files that a build produces.
 */
function isStale(): boolean {
	const folders = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const sources = folders.filter((file) => !file.endsWith('.md')); // Markdown files are not copied
	const compiled = sources
		.filter((file) => file.endsWith('.ts'))
		.map((file) => `dist/${file.replace(/ts$/, 'js')}`);
	const built = filesBelow('dist');
	// Each compiled file has a map beside it; the others are copied.
	if (built.length !== sources.length + compiled.length) return true;
	if (compiled.some((file) => !built.includes(file))) return true;
	const recipe = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'];
	const lastChange = Math.max(...[...recipe, ...sources].map(changedAt));
	return lastChange > Math.min(...compiled.map(changedAt));
}

/** Builds the package, unless dist is up to date. @throws Error if it does not compile; the compiler has printed why */
export function buildIfStale(): void {
	if (isStale())
		execFileSync('npm', ['run', 'build'], { cwd: root, timeout: 180_000, stdio: 'inherit' });
}
