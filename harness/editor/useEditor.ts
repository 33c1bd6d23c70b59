import type { RealN8n } from '../useN8n';
import { Editor } from './editor';

/** Opens the editor for the tests of a file; `take` gets it. A test fails if the editor reports problems. */
export function useEditor(n8n: RealN8n, take: (editor: Editor) => void): void {
	let editor: Editor | undefined;
	beforeAll(async () => take((editor = await Editor.open(n8n.playground.n8n))), 180_000);
	afterEach(() => {
		expect(editor?.problems.splice(0)).toEqual([]);
	});
	afterAll(async () => await editor?.close());
}
