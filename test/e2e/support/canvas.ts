/** What the editor's canvas shows of a workflow. */
import type { Locator } from 'playwright-core';

import type { Editor } from './editor';

/** CSS pixels. */
interface Rect {
	x: number;
	y: number;
	width: number;
	height: number;
}

const overlap = (a: Rect, b: Rect) =>
	a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const isWithin = (a: Rect, b: Rect) =>
	a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;

async function rectsOf(found: Locator): Promise<Rect[]> {
	const boxes = await Promise.all((await found.all()).map(async (one) => await one.boundingBox()));
	return boxes.filter((box) => box !== null);
}

/** The texts of notes that are cut off at the edge, or have a node on them. */
export async function unreadableTexts(editor: Editor): Promise<string[]> {
	const nodes = await rectsOf(editor.part('canvas-node'));
	const unreadable: string[] = [];
	for (const note of await editor.part('sticky').all()) {
		const [paper] = await rectsOf(note);
		for (const text of await note.locator('h2, h3, p, li').all()) {
			const [rect] = await rectsOf(text);
			if (!isWithin(rect, paper) || nodes.some((node) => overlap(node, rect)))
				unreadable.push(await text.innerText());
		}
	}
	return unreadable;
}

/** The names of the nodes that the editor marks as not ready to run. */
export async function markedNodes(editor: Editor): Promise<Array<string | null>> {
	const marked = editor.part('canvas-node').filter({ has: editor.part('node-issues') });
	return await marked.evaluateAll((nodes) =>
		nodes.map((node) => node.getAttribute('data-node-name')),
	);
}
