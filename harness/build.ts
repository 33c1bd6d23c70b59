/** The built package in dist. */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from './engine/files';

const changedAt = (file: string) => statSync(path.join(root, file)).mtimeMs;

/** Whether dist has to be built again: it is older than its sources or the build scripts, or has a file without a source. */
function isStale(): boolean {
	const folders = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const sources = folders.filter((file) => !file.endsWith('.md')); // Markdown files are not copied
	const scripts = filesBelow('dist').filter((file) => file.endsWith('.js'));
	const sourceOf = (script: string) => script.replace(/^dist\//, '').replace(/js$/, 'ts');
	if (scripts.length === 0 || scripts.some((script) => !sources.includes(sourceOf(script))))
		return true;
	const recipe = ['package.json', 'tsconfig.json', 'gulpfile.js'];
	const lastChange = Math.max(...[...recipe, ...sources].map(changedAt));
	return lastChange > Math.min(...scripts.map(changedAt));
}

/** Builds the package, unless dist is up to date. @throws Error if it does not compile; the compiler has printed why */
export function buildIfStale(): void {
	if (isStale())
		execFileSync('npm', ['run', 'build'], { cwd: root, timeout: 180_000, stdio: 'inherit' });
}
