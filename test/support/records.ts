/** The records of calls that each test file leaves; docs/coverage.json is made from them, and they are not kept. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { root } from './build';

/** What ran the nodes that made the calls. */
export type Evidence = 'engineTests' | 'realN8n';

/** One successful call. */
export interface RecordedCall {
	method: string;
	/** Path without query, e.g. `/api/v1/contacts/7`. */
	path: string;
	/** What made the call, e.g. `Message: Send Text`; a real n8n does not tell. */
	caller?: string;
	/** The test file, relative to the project. */
	test: string;
}

/** The folder of the records of one kind. */
export function recordFolder(evidence: Evidence): string {
	return path.join(root, 'coverage-data', evidence);
}

/** The test file that runs, relative to the project, with / as separator. */
export function currentTestFile(): string {
	return path.relative(root, expect.getState().testPath ?? '').replaceAll(path.sep, '/');
}

/** Leaves the record of the test file that runs. */
export function saveCalls(evidence: Evidence, calls: RecordedCall[]): void {
	if (calls.length === 0) return;
	const folder = recordFolder(evidence);
	mkdirSync(folder, { recursive: true });
	const name = createHash('sha256').update(currentTestFile()).digest('hex').slice(0, 16);
	writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(calls));
}
