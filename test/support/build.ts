/** Keeps dist in step with the sources, so that no test runs against an old build. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import { partition } from 'lodash';

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
const contents = (file: string) => readFileSync(path.join(root, file));

/** Whether dist is older than its sources or the way it is built, or what is copied differs. */
function isStale(): boolean {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const [code, copied] = partition(sources, (file) => file.endsWith('.ts'));
	const built = filesBelow('dist').filter((file) => file.endsWith('.js'));
	const recipe = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'];
	if (
		built.length === 0 ||
		Math.max(...[...recipe, ...code].map(changedAt)) > Math.min(...built.map(changedAt))
	)
		return true;
	const isOther = (file: string) =>
		!existsSync(path.join(root, 'dist', file)) || !contents(file).equals(contents(`dist/${file}`));
	return filesBelow('dist').length !== built.length + copied.length || copied.some(isOther);
}

/**
 * Builds the package if it is not up to date.
 *
 * @throws Error with the compiler's messages if the sources do not compile
 */
export function buildWhenStale(): void {
	if (!isStale()) return;
	try {
		execFileSync('npm', ['run', 'build'], {
			cwd: root,
			encoding: 'utf8',
			timeout: 120_000,
			stdio: 'pipe',
		});
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		throw new Error(`The package cannot be built:\n${stdout ?? ''}${stderr ?? ''}`, {
			cause: error,
		});
	}
}
