/** Takes the pictures: a real n8n, its editor and the phone in Chromium, at a high resolution. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';

import type { Locator, Page, ViewportSize } from 'playwright-core';
import UPNG from 'upng-js';

import { onStop } from '../../harness/cli';
import { PROJECT_FOLDER } from '../../harness/n8n/package';
import { type Playground, openPlayground } from '../../harness/playground';
import { Editor } from '../../harness/editor/editor';

const pictures = path.join(PROJECT_FOLDER, 'docs', 'pictures');
/** Size of the editor's window, CSS pixels. */
export const editorSize = { width: 1500, height: 1300 };

/** What pictures can be taken of. */
export interface Studio extends Playground {
	editor: Editor;
}

/** All in CSS pixels. */
type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;

/** Opens everything; it is closed when the program ends. */
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

/** One image of an animation, or the only one of a picture. */
export interface Frame {
	png: Buffer;
	/** How long it is shown, ms. */
	ms: number;
}

/** Writes a PNG of at most 256 colours, which is enough for an editor and a quarter of the size; an animated one of several frames. */
export function save(name: string, frames: Frame[]): void {
	const images = frames.map(({ png }) => UPNG.decode(new Uint8Array(png).buffer));
	const [{ width, height }] = images;
	const pixels = images.map((image) => UPNG.toRGBA8(image)[0]);
	const times = frames.map(({ ms }) => ms);
	const png = Buffer.from(UPNG.encode(pixels, width, height, 256, times));
	writeFileSync(path.join(pictures, `${name}.png`), playedOnce(png));
	console.log(`docs/pictures/${name}.png: ${Math.round(png.length / 1000)} kB`);
}

/** An animation that stops at its last frame; the library writes an endless one. */
function playedOnce(png: Buffer): Buffer {
	const chunk = png.indexOf('acTL'); // its name, the number of frames, the number of plays, and their checksum
	if (chunk === -1) return png;
	png.writeUInt32BE(1, chunk + 8);
	png.writeUInt32BE(crc32(png.subarray(chunk, chunk + 12)), chunk + 12);
	return png;
}

/** Until no message of the editor's is in the way and the mouse is over nothing. */
export async function untilCalm({ page }: Editor): Promise<void> {
	await page.mouse.move(0, 0);
	await page.locator('.el-notification').first().waitFor({ state: 'detached' });
}

/** Where an element is. @throws Error if it is not shown */
export async function boxOf(element: Locator): Promise<Box> {
	const box = await element.first().boundingBox();
	if (!box) throw new Error(`The page does not show ${String(element)}.`);
	return box;
}

/** From the top of one element to the bottom of another below it, as wide as the first. @param margin below the last */
export async function fromTo(first: Locator, last: Locator, margin = 0): Promise<Box> {
	const { x, y, width } = await boxOf(first);
	const bottom = await boxOf(last.last());
	return { x, y, width, height: bottom.y + bottom.height + margin - y };
}

/** How wide GitHub shows a README, CSS pixels. */
const README_WIDTH = 830;
/** Of a node on the canvas and of its label, without zoom. */
const NODE_SIZE = 96;
const LABEL_SIZE = 16;
/** What can be read without a click. */
const MIN_LABEL_SIZE = 11;

/**
 * Fits the open workflow into the window, and says where these nodes are, with their labels (CSS pixels).
 *
 * @param nodes the first one of usual width
 * @throws Error if the labels are too small to be read in a README
 */
export async function canvasBox(editor: Editor, nodes: string[]): Promise<Box> {
	await editor.part('zoom-to-fit').click();
	// Room for the labels of the nodes at the edges.
	await editor.part('zoom-out-button').click();
	// Nothing is chosen, and nothing shows its buttons because the mouse is over it.
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

/** A chat on the phone, once the page is live. */
export async function openPhone(
	{ editor, sandbox }: Studio,
	customer: string,
	size: ViewportSize,
): Promise<Page> {
	const page = await editor.openTab('about:blank');
	// Before the page is opened: in a wide window it also opens the list of deliveries.
	await page.setViewportSize(size);
	await page.goto(`${sandbox.url}/#${customer}`);
	await page.getByText('Live', { exact: true }).waitFor();
	return page;
}
