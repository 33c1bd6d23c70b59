/** Keeps dist in step with the sources, so that no test runs against an old build. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(__dirname, '../..');

/** Files below a folder of the project, relative to the project, with / as separator; none if it does not exist. */
export function filesBelow(folder: string): string[] {
	const absolute = path.join(root, folder);
	if (!existsSync(absolute)) return [];
	return readdirSync(absolute, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
		.sort();
}

const changedAt = (file: string) => statSync(path.join(root, file)).mtimeMs;
const contents = (file: string) => readFileSync(path.join(root, file));

/** Whether a source is newer than, or other than, what was built from it. */
function differs(source: string, built: string): boolean {
	return source.endsWith('.ts') ? changedAt(source) > changedAt(built) : !contents(source).equals(contents(built));
}

/** Whether dist is missing something, has too much, or is older than its sources or the way it is built. */
function isStale(): boolean {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')];
	const builtFrom = new Map(sources.map((file) => [`dist/${file.replace(/\.ts$/, '.js')}`, file]));
	const present = filesBelow('dist');
	if (present.length !== builtFrom.size || present.some((file) => !builtFrom.has(file))) return true;
	const recipe = ['tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'].map(changedAt);
	const compiled = present.filter((file) => file.endsWith('.js')).map(changedAt);
	if (Math.max(...recipe) > Math.min(...compiled)) return true;
	return [...builtFrom].some(([built, source]) => differs(source, built));
}

/**
 * Builds the package if it is not up to date.
 *
 * @throws Error with the compiler's messages if the sources do not compile
 */
export function buildWhenStale(): void {
	if (!isStale()) return;
	try {
		execFileSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8', timeout: 120_000, stdio: 'pipe' });
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		throw new Error(`The package cannot be built:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
	}
}
