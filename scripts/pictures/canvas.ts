/** The canvas of the editor with a workflow. */
import type { Editor } from '../../test/e2e/support/editor';
import { type Box, around, take, untilCalm } from './studio';

/** Takes the nodes and notes of the open workflow, without what surrounds them. @param count how many they are */
export async function takeCanvas(editor: Editor, name: string, count: number): Promise<void> {
	await take(editor.page, name, await canvasBox(editor, count));
}

/**
 * Fits the open workflow into the window, and says where it is.
 *
 * @param margin around the nodes, CSS pixels; without notes around them, their names need more
 * @throws Error if not all of it is shown
 */
export async function canvasBox(editor: Editor, count: number, margin = 24): Promise<Box> {
	await editor.part('zoom-to-fit').click();
	// Nothing is chosen, and nothing shows its buttons because the mouse is over it.
	await editor.part('canvas').click({ position: { x: 10, y: 100 } });
	await untilCalm(editor);
	const shown = editor.part('canvas-node').or(editor.part('sticky'));
	const boxes = await Promise.all(
		(await shown.all()).map(async (node) => await node.boundingBox()),
	);
	const found = boxes.filter((box) => box !== null);
	if (found.length !== count)
		throw new Error(`Of ${count} nodes and notes the canvas shows ${found.length}.`);
	return around(found, margin);
}
