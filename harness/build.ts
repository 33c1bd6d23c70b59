/** The built package in dist. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from './engine/files';

const changedAt = (file: string) => statSync(path.join(root, file)).mtimeMs;

/** Whether dist is older than its sources or the way it is built, or holds another number of files than a build gives. */
function isStale(): boolean {
	const folders = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const sources = folders.filter((file) => !file.endsWith('.md')); // these stay here
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

/** Builds the package, unless dist is up to date. @throws Error if it does not compile, after the compiler's words */
export function buildIfStale(): void {
	if (isStale())
		execFileSync('npm', ['run', 'build'], { cwd: root, timeout: 180_000, stdio: 'inherit' });
}
