/** The project's folder and its files. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** The project's folder. */
export const root = path.resolve(__dirname, '../..');

/** The text of a file of the project. */
export const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');

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
