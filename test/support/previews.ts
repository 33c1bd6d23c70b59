/** The previews of the output that n8n's editor shows before the first run. Source: n8n's resolver of output schemas. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root } from './files';

/** A JSON schema as far as n8n reads it. */
export type Preview =
	| { type: 'object'; properties: Record<string, Preview>; version?: number }
	| { type: 'array'; items: Preview }
	| { type: 'string' | 'number' | 'boolean' | 'null' };

/** The folder of the previews, which n8n looks for beside the node's file, one folder for each version of the node. */
export const previewFolder = 'nodes/BusinessMessaging/__schema__/v1.0.0';

/** The shape of a value; of a list that of its first entry. */
export function previewOf(value: unknown): Preview {
	if (value === null || value === undefined) return { type: 'null' };
	if (Array.isArray(value)) return { type: 'array', items: previewOf(value[0] ?? '') };
	if (typeof value !== 'object') return { type: typeof value as 'string' | 'number' | 'boolean' };
	return {
		type: 'object',
		properties: Object.fromEntries(
			Object.entries(value).map(([key, entry]) => [key, previewOf(entry)]),
		),
	};
}

/** The stored preview of an operation; undefined if there is none. */
export function readPreview(resource: string, operation: string): Preview | undefined {
	const file = fileOf(resource, operation);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preview) : undefined;
}

/** Stores the shape of what an operation has given out. */
export function writePreview(resource: string, operation: string, output: unknown): void {
	const file = fileOf(resource, operation);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify({ ...previewOf(output), version: 1 }, null, '\t')}\n`);
}

function fileOf(resource: string, operation: string): string {
	return path.join(root, previewFolder, resource, `${operation}.json`);
}
