/** `npm run docs:pictures`: takes the pictures of docs/pictures in the editor of a real n8n, with the workflows of examples/. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { readExample } from '../playground/exampleWorkflows';
import type { StoredWorkflow } from '../playground/n8nClient';
import { openPlayground, type Playground } from '../playground/playground';
import { onStop, runMain } from '../playground/runMain';
import { waitFor } from '../playground/waitFor';
import { Editor } from '../test/e2e/support/editor';

const target = path.resolve(__dirname, '../docs/pictures');
/** CSS pixels around the nodes of a canvas. */
const margin = 24;

/** All in CSS pixels. */
interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

runMain(async () => {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-pictures-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const playground = await openPlayground({ folder });
	onStop(playground.close);
	const editor = await Editor.open(playground.n8n, { deviceScaleFactor: 2, viewport: { width: 1500, height: 1300 } });
	onStop(async () => await editor.close());
	await mkdir(target, { recursive: true });
	await editor.login();
	await takeWelcomeCampaign(editor, playground);
	await takeAutoReply(editor, playground);
	if (editor.problems.length > 0) throw new Error(`The editor reports problems: ${editor.problems.join('; ')}`);
});

async function openExample(editor: Editor, { n8n, credential }: Playground, name: string): Promise<StoredWorkflow> {
	const workflow = await n8n.client.createWorkflow(readExample(name, credential));
	await editor.openWorkflow(workflow.id);
	return workflow;
}

/** The campaign after it has run, and the form of the node that sends. */
async function takeWelcomeCampaign(editor: Editor, playground: Playground): Promise<void> {
	const { nodes } = await openExample(editor, playground, 'welcome-campaign');
	const sender = 'Send welcome';
	await editor.execute();
	await editor.waitForSuccess(sender);
	await takeCanvas(editor, 'welcome-campaign', nodes.length);

	await editor.node(sender).dblclick();
	await editor.part('ndv').getByText(`${playground.sandbox.state.contacts.all.length} items`).last().waitFor();
	await take(editor, 'send-template', await formUpTo(editor, 'resource-mapper-container'));
}

/** The tabs above the form, and the form down to one of its fields, with the same margin on both sides. */
async function formUpTo(editor: Editor, lastField: string): Promise<Box> {
	const { x, y } = await boxOf(editor, 'tab-params');
	const field = await boxOf(editor, lastField);
	const indent = field.x - x;
	return { x, y, width: field.width + 2 * indent, height: field.y + field.height + indent - y };
}

/** The auto-reply after a customer has written. */
async function takeAutoReply(editor: Editor, playground: Playground): Promise<void> {
	const { nodes } = await openExample(editor, playground, 'auto-reply');
	await editor.execute();
	const { state } = playground.sandbox;
	await waitFor(async () => state.webhooks.all.length > 0, { what: 'the trigger to register', limit: 60_000 });
	state.traffic.receive({ from: state.contacts.all[0].phone, text: 'Tell me more' });
	await editor.waitForSuccess('Tell more');
	await takeCanvas(editor, 'auto-reply', nodes.length);
}

/** The nodes and notes of the canvas without what surrounds it. */
async function takeCanvas(editor: Editor, name: string, count: number): Promise<void> {
	await editor.part('zoom-to-fit').click();
	// Nothing is chosen, and nothing shows its buttons because the mouse is over it.
	await editor.part('canvas').click({ position: { x: 10, y: 100 } });
	await editor.page.mouse.move(0, 0);
	await editor.page.getByRole('alert').waitFor({ state: 'detached' });
	const shown = editor.part('canvas-node').or(editor.part('sticky'));
	const boxes = await Promise.all((await shown.all()).map(async (node) => await node.boundingBox()));
	const found = boxes.filter((box) => box !== null);
	if (found.length !== count) throw new Error(`Of ${count} nodes and notes the canvas shows ${found.length}.`);
	await take(editor, name, around(found));
}

async function boxOf(editor: Editor, part: string): Promise<Box> {
	const box = await editor.part(part).boundingBox();
	if (!box) throw new Error(`The editor does not show "${part}".`);
	return box;
}

function around(boxes: Box[]): Box {
	const x = Math.min(...boxes.map((box) => box.x)) - margin;
	const y = Math.min(...boxes.map((box) => box.y)) - margin;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}

async function take(editor: Editor, name: string, clip: Box): Promise<void> {
	await editor.page.screenshot({ path: path.join(target, `${name}.png`), clip, animations: 'disabled' });
	console.log(`docs/pictures/${name}.png`);
}
