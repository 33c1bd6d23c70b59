/** The environment for pictures: a real n8n, its editor and the phone in Chromium, at a high resolution. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';

import type { Locator, Page, ViewportSize } from 'playwright-core';
import UPNG from 'upng-js';

import { onStop } from '../../harness/cli';
import { PROJECT_FOLDER } from '../../harness/n8n/packProject';
import { type Playground, openPlayground } from '../../harness/playground';
import { Editor } from '../../harness/editor/editor';

const pictures = path.join(PROJECT_FOLDER, 'docs', 'pictures');
/** Size of the editor's window, CSS pixels. */
export const editorSize = { width: 1500, height: 1300 };

/** A playground with an editor, of which pictures are taken. */
export interface Studio extends Playground {
	editor: Editor;
}

/** A position and a size, CSS pixels. */
type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** Opens n8n, the sandbox and the editor. They are closed when the program ends. */
export async function openStudio(): Promise<Studio> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'business-messaging-pictures-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const playground = await openPlayground({ folder });
	onStop(playground.close);
	const look = { deviceScaleFactor: 2, viewport: editorSize, reducedMotion: 'reduce' } as const;
	const editor = await Editor.open(playground.n8n, look);
	onStop(async () => await editor.close());
	mkdirSync(pictures, { recursive: true });
	return { ...playground, editor };
}

/** A picture of a page, or of a part of it. */
export async function shot(page: Page, clip?: Box): Promise<Buffer> {
	return await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

/** Writes a picture of a part of a page. */
export async function take(page: Page, name: string, clip: Box): Promise<void> {
	save(name, [{ png: await shot(page, clip), ms: 0 }]);
}

/** One image of an animation, or the only image of a picture. */
export interface Frame {
	png: Buffer;
	/** How long the image is shown, ms. */
	ms: number;
}

/** Writes a PNG with at most 256 colours: this is enough for an editor, and a quarter of the size. Several frames give an animated PNG. */
export function save(name: string, frames: Frame[]): void {
	const images = frames.map(({ png }) => UPNG.decode(new Uint8Array(png).buffer));
	const [{ width, height }] = images;
	const pixels = images.map((image) => UPNG.toRGBA8(image)[0]);
	const times = frames.map(({ ms }) => ms);
	const png = Buffer.from(UPNG.encode(pixels, width, height, 256, times));
	writeFileSync(path.join(pictures, `${name}.png`), playedOnce(png));
	console.log(`docs/pictures/${name}.png: ${Math.round(png.length / 1000)} kB`);
}

/** Makes an animation stop at its last frame; the library writes one that repeats endlessly. */
function playedOnce(png: Buffer): Buffer {
	const chunk = png.indexOf('acTL'); // the chunk's name, the number of frames, the number of plays, and their checksum
	if (chunk === -1) return png;
	png.writeUInt32BE(1, chunk + 8);
	png.writeUInt32BE(crc32(png.subarray(chunk, chunk + 12)), chunk + 12);
	return png;
}

/** Waits until no message of the editor covers anything, and moves the mouse away from all elements. */
export async function untilCalm({ page }: Editor): Promise<void> {
	await page.mouse.move(0, 0);
	await page.locator('.el-notification').first().waitFor({ state: 'detached' });
}

/** The position and size of an element. @throws Error if it is not shown */
export async function boxOf(element: Locator): Promise<Box> {
	const box = await element.first().boundingBox();
	if (!box) throw new Error(`The page does not show ${String(element)}.`);
	return box;
}

/**
 * The area from the top of one element to the bottom of another one below it, as wide as the first.
 *
 * @param margin space below the last element
 */
export async function fromTo(first: Locator, last: Locator, margin = 0): Promise<Box> {
	const { x, y, width } = await boxOf(first);
	const bottom = await boxOf(last.last());
	return { x, y, width, height: bottom.y + bottom.height + margin - y };
}

/** The width of a README on GitHub, CSS pixels. */
const README_WIDTH = 830;
/** The size of a node on the canvas and of the text of its label, without zoom. */
const NODE_SIZE = 96;
const LABEL_SIZE = 16;
/** The smallest size of a label that can be read without a click. */
const MIN_LABEL_SIZE = 11;

/**
 * Fits the open workflow into the window.
 *
 * @param nodes the first one must have the usual width
 * @returns the area of these nodes and their labels, CSS pixels
 * @throws Error if the labels are too small to be read in a README
 */
export async function canvasBox(editor: Editor, nodes: string[]): Promise<Box> {
	await editor.part('zoom-to-fit').click();
	// Zooming out leaves room for the labels of the nodes at the edges.
	await editor.part('zoom-out-button').click();
	// This deselects all nodes, and moves the mouse away from them, so that none shows its buttons.
	await editor.part('canvas').click({ position: { x: 10, y: 100 } });
	await untilCalm(editor);
	const boxes = await Promise.all(nodes.map(async (node) => await boxOf(editor.node(node))));
	const size = boxes[0].width;
	const x = Math.min(...boxes.map((box) => box.x)) - size / 2;
	const y = Math.min(...boxes.map((box) => box.y)) - size / 2;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + size / 2;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + size;
	const label = ((LABEL_SIZE * size) / NODE_SIZE) * (README_WIDTH / (right - x));
	if (label < MIN_LABEL_SIZE)
		throw new Error(`The labels of ${nodes.join(', ')} would be ${label.toFixed(1)} px high.`);
	return { x, y, width: right - x, height: bottom - y };
}

/** Opens a chat on the phone, and returns when the page is up to date. */
export async function openPhone(
	{ editor, sandbox }: Studio,
	customer: string,
	size: ViewportSize,
): Promise<Page> {
	const page = await editor.openTab('about:blank');
	// The size is set before the page is opened: in a wide window, the page also opens the list of deliveries.
	await page.setViewportSize(size);
	await page.goto(`${sandbox.url}/#${customer}`);
	await page.getByText('Live', { exact: true }).waitFor();
	return page;
}
