/** What a test that fails in the editor leaves behind. */
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import type { Editor } from './editor';

/** Runs a part of a test. @throws Error what it throws, with the path of a screenshot of that moment */
export async function withScreenshot(editor: Editor, run: () => Promise<void>): Promise<void> {
	try {
		await run();
	} catch (error) {
		const file = path.join(
			mkdtempSync(path.join(os.tmpdir(), 'business-messaging-editor-')),
			'screenshot.png',
		);
		await editor.page.screenshot({ path: file, timeout: 20_000 });
		throw new Error(
			`${error instanceof Error ? error.message : String(error)}\nThe editor then: ${file}`,
			{ cause: error },
		);
	}
}
