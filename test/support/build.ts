/** Keeps dist in step with the sources, so that no test runs against an old build. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(__dirname, '../..');

/** Files below a folder of the project, relative to the project, with / as separator; none if it does not exist. */
export function filesBelow(folder: string): string[] {
	const absolute = path.join(root, folder);
	if (!existsSync(absolute)) return [];
	return readdirSync(absolute, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) =>
			path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'),
		)
		.sort();
}

const changedAt = (file: string) => statSync(path.join(root, file)).mtimeMs;

/** Whether dist is older than its sources or the way it is built, or holds another number of files than a build gives. */
function isStale(): boolean {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
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

/** Builds the package if it is not up to date. @throws if the sources do not compile, after the compiler's messages */
export function buildWhenStale(): void {
	if (isStale())
		execFileSync('npm', ['run', 'build'], { cwd: root, timeout: 120_000, stdio: 'inherit' });
}
