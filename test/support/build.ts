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

/** Whether dist is older than its sources or the way it is built, or holds other files than a build gives. */
function isStale(): boolean {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const [code, copied] = partition(sources, (file) => file.endsWith('.ts'));
	const compiled = code.map((file) => `dist/${file.replace(/ts$/, 'js')}`);
	const maps = compiled.map((file) => `${file}.map`);
	const expected = [...compiled, ...maps, ...copied.map((file) => `dist/${file}`)].sort();
	if (filesBelow('dist').join() !== expected.join()) return true;

	const recipe = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'];
	const lastChange = Math.max(...[...recipe, ...code].map(changedAt));
	if (lastChange > Math.min(...compiled.map(changedAt))) return true;
	return copied.some((file) => !contents(file).equals(contents(`dist/${file}`)));
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
