/** What each released version has left in people's workflows: one file a version, beside this one. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { filesBelow, root } from '../../support/files';
import type { SavedShape } from './shape';

const folder = 'test/compat/saved';

/** A node as it stands in a saved workflow. */
export interface SavedNode {
	typeVersion: number;
	parameters: INodeParameters;
}

/** What one version has left. */
export interface SavedByVersion {
	/** Nodes that ran in that version, by what they do, e.g. `message sendText`. */
	nodes: Record<string, SavedNode>;
	shape: SavedShape;
}

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
