/** After all tests: removes what globalSetup has made. */
import { rmSync } from 'node:fs';

export default function globalTeardown(): void {
	const folder = process.env.TEST_TEMP_FOLDER;
	if (folder) rmSync(folder, { recursive: true, force: true });
}
