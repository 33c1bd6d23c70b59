/** Before all tests: a package that is up to date, and a temporary folder for n8n's settings and the packed nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { buildIfStale } from '../build';

export default function globalSetup(): void {
	buildIfStale();
	const folder = mkdtempSync(path.join(tmpdir(), 'business-messaging-test-'));
	process.env.TEST_TEMP_FOLDER = folder;
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
