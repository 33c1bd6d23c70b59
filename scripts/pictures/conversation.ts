/** The animated picture: n8n asks a customer on the phone, and continues with the reply. */
import type { Page } from 'playwright-core';

import { zara } from '../../harness/editor/phone';
import { readExample } from '../../harness/examples';
import type { WorkflowFile } from '../../harness/n8n/client';
import { ACTION, node, to, withCredential, workflow } from '../../harness/n8n/workflow';
import { until } from '../../harness/until';
import {
	canvasBox,
	editorSize,
	type Frame,
	openPhone,
	save,
	shot,
	type Studio,
	untilCalm,
} from './studio';

const names = ['Start', 'Remind and wait', 'Confirmed?', 'See you', 'Other times'];
const [start, ask, decide, thank, offer] = names;
/** Size of the picture, CSS pixels. */
const viewport = { width: 1180, height: 640 };
const phoneSize = { width: 400, height: 560 };

/** Runs the workflow, answers on the phone, and takes a picture at each step. */
export async function takeConversation(studio: Studio): Promise<void> {
	const { editor, n8n, sandbox, credential } = studio;
	sandbox.reset();
	const { id: inbox } = await n8n.client.createWorkflow(readExample('inbox', credential));
	await n8n.client.activate(inbox);
	const { id } = await n8n.client.createWorkflow(reminder(studio));
	await editor.page.setViewportSize({ width: 1500, height: 900 });
	await editor.openWorkflow(id);
	const phone = await openPhone(studio, zara, phoneSize);
	// What only the sandbox's phone has would distract: its header, and the button that lets messages fail.
	await phone.evaluate(
		`for (const one of document.querySelectorAll('body > header, [title^="The next messages"]')) one.style.setProperty('display', 'none', 'important')`,
	);
	const desk = await editor.openTab('about:blank');
	await desk.setViewportSize(viewport);
	const clip = await canvasBox(editor, names);
	const frames: Frame[] = [];
	const frame = async (words: string, ms: number) => {
		await phone.evaluate('document.activeElement.blur()');
		await untilCalm(editor);
		const images = [await shot(editor.page, clip), await shot(phone)];
		frames.push({ png: await compose(desk, words, images), ms });
	};

	const { messages, faults } = sandbox.state;
	const untilRead = async (index: number) =>
		await until(`message ${index} to be read`, () => messages.all[index]?.status === 'read');
	const chat = phone.getByRole('log').getByRole('listitem');
	await frame('A workflow in n8n, and the phone of a customer', 1_200);
	await editor.execute();
	await chat.getByText('reminder of your appointment').waitFor();
	await frame('n8n sends a template …', 900);
	await untilRead(0);
	await chat.locator('.status.read').first().waitFor();
	await until('the workflow to wait', async () => {
		const executions = await n8n.client.listExecutions(id);
		return executions.some(({ status }) => status === 'waiting');
	});
	await frame('… the customer reads it, and the workflow waits', 1_800);
	// The service asks n8n to wait, so that the customer's answer can be seen before n8n's reply to it.
	faults.add({ endpoint: 'sendText', status: 429, headers: { 'retry-after': '10' } });
	await chat.getByRole('button', { name: 'Confirm' }).click();
	// After the reply was sent, the box below has the focus.
	await phone.locator('textarea:focus').waitFor();
	await frame('The customer replies in the chat …', 1_300);
	if (messages.all.length !== 2)
		throw new Error('The reply came before the picture of the answer was taken.');
	await editor.waitForSuccess(ask, decide, thank);
	await untilRead(2);
	await chat.locator('.status.read').nth(1).waitFor();
	await frame('… and the workflow continues with the reply', 2_800);

	await n8n.client.deactivate(inbox);
	await Promise.all([phone.close(), desk.close()]);
	await editor.page.setViewportSize(editorSize);
	// Programs that do not play the animation show only its first frame. So the last frame comes first.
	save('conversation', [{ ...frames[frames.length - 1], ms: 1_500 }, ...frames]);
}

/** Puts the editor and the phone side by side, below a line that says what happens. */
async function compose(desk: Page, words: string, images: Buffer[]): Promise<Buffer> {
	const [editor, phone] = images.map((png) => `data:image/png;base64,${png.toString('base64')}`);
	await desk.setContent(`<body style="margin:0;background:#f4f4f6;font:600 22px system-ui,sans-serif;color:#222;display:grid;
		grid:56px 1fr / 1fr ${phoneSize.width + 24}px;height:100vh;align-items:center">
		<p style="grid-column:1/-1;margin:0;text-align:center">${words}</p>
		<img src="${editor}" style="width:100%;max-height:${phoneSize.height}px;object-fit:contain">
		<img src="${phone}" style="width:${phoneSize.width}px;border-radius:16px;box-shadow:0 0 0 2px #bbb;justify-self:center">`);
	return await desk.screenshot({ clip: { x: 0, y: 0, ...viewport } });
}

/** A workflow that reminds Zara of an appointment, and continues with her reply. */
function reminder({ credential }: Studio): WorkflowFile {
	const common = { resource: 'message', to: zara };
	const question = {
		...{ ...common, operation: 'sendAndWait', messageType: 'template', language: 'en_US' },
		template: { __rl: true, mode: 'name', value: 'appointment_reminder' },
		variables: {
			mappingMode: 'defineBelow',
			value: { body_1: 'Zara', body_2: 'Tuesday', body_3: '10:00' },
			schema: [],
		},
		...{ responseType: 'choice', choices: 'Confirm, Reschedule' },
	};
	const operator = { type: 'string', operation: 'equals' };
	const condition = { leftValue: '={{ $json.answer }}', rightValue: 'Confirm', operator };
	const conditions = { options: { version: 2 }, conditions: [condition], combinator: 'and' };
	const text = (words: string) => ({ ...common, operation: 'sendText', text: words });
	const own = withCredential(credential.id);
	// The nodes are close together, so that their labels can be read.
	const at = (x: number, y: number) => ({ position: [x, y] as [number, number] });
	const nodes = [
		node(start, 'n8n-nodes-base.manualTrigger', 1, {}, at(0, 0)),
		node(ask, ACTION, 1, question, { ...own, ...at(185, 0) }),
		node(decide, 'n8n-nodes-base.if', 2.2, { conditions }, at(370, 0)),
		node(thank, ACTION, 1, text('See you on Tuesday, Zara!'), { ...own, ...at(560, -110) }),
		node(offer, ACTION, 1, text('Wednesday, 11:30?'), { ...own, ...at(560, 110) }),
	];
	const connections = { [start]: to([ask]), [ask]: to([decide]), [decide]: to([thank, offer]) };
	return workflow('Reminder', nodes, connections);
}
