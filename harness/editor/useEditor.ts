import type { RealN8n } from '../useN8n';
import { Editor } from './editor';

/**
 * Opens the editor of an n8n before the tests of a file, and closes it afterwards. A test fails if the editor reports
 * problems.
 * @param take gets the editor before the first test
 */
export function useEditor(n8n: RealN8n, take: (editor: Editor) => void): void {
	let editor: Editor | undefined;
	beforeAll(async () => take((editor = await Editor.open(n8n.playground.n8n))), 180_000);
	afterEach(() => {
		expect(editor?.problems.splice(0)).toEqual([]);
	});
	afterAll(async () => await editor?.close());
}
