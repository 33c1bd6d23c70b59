/** What each released version has left in people's workflows: one file a version, beside this one. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from '../../support/files';
import type { SavedByVersion } from './present';

const folder = 'test/compat/saved';

/** The versions of which there is a file. */
export function savedVersions(): string[] {
	return filesBelow(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'));
}

/** What a version has left. */
export function readSaved(version: string): SavedByVersion {
	return JSON.parse(readFileSync(fileOf(version), 'utf8')) as SavedByVersion;
}

/** Notes what the present nodes save, as this version. */
export function writeSaved(version: string, saved: SavedByVersion): void {
	writeFileSync(fileOf(version), `${JSON.stringify(saved, null, '\t')}\n`);
}

function fileOf(version: string): string {
	return path.join(root, folder, `${version}.json`);
}
