/** Before all tests: a package that is up to date, and a temporary folder for n8n's settings. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { buildWhenStale } from './build';

export default function globalSetup(): void {
	buildWhenStale();
	process.env.TEST_TEMP_FOLDER = mkdtempSync(path.join(tmpdir(), 'business-messaging-test-'));
}
