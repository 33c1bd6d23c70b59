/** The animated picture: n8n asks a customer on the phone, and continues with the reply. */
import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import type { WorkflowFile } from '../../tools/n8n/client';
import { ACTION, node, to, withCredential, workflow } from '../../tools/n8n/workflow';
import { until } from '../../tools/until';
import {
	type Box,
	canvasBox,
	editorSize,
	type Frame,
	openPhone,
	save,
	type Studio,
	untilCalm,
} from './studio';

/** An appointment, its words taken from the fields of an item. */
export const appointment = {
	template: {
		__rl: true,
		mode: 'list',
		value: 'appointment_reminder',
		cachedResultName: 'appointment_reminder',
	},
	language: {
		__rl: true,
		mode: 'list',
		value: 'en_US',
		cachedResultName: 'English (United States) · en_US',
	},
	variables: {
		mappingMode: 'defineBelow',
		value: { body_1: '={{ $json.name }}', body_2: '={{ $json.day }}', body_3: '={{ $json.time }}' },
		matchingColumns: [],
		schema: ['body_1', 'body_2', 'body_3'].map((id) => ({
			id,
			displayName: id,
			required: true,
			defaultMatch: false,
			display: true,
			type: 'string',
		})),
	},
};

const zara = '+447700900408';
const [start, ask, decide, thank, offer] = [
	'Start',
	'Remind and wait',
	'Confirmed?',
	'See you',
	'Other times',
];
/** CSS pixels. */
const stage = { width: 1180, height: 640 };
const phoneSize = { width: 400, height: 560 };

/** Runs the workflow, answers on the phone, and takes a picture at each step. */
export async function takeConversation(studio: Studio): Promise<void> {
	const { editor, n8n, sandbox } = studio;
	sandbox.reset();
	const { id, nodes } = await n8n.client.createWorkflow(reminder(studio));
	await editor.page.setViewportSize({ width: 1500, height: 900 });
	await editor.openWorkflow(id);
	const phone = await openPhone(studio, zara, phoneSize);
	const desk = await editor.openTab('about:blank');
	await desk.setViewportSize(stage);
	const clip = await canvasBox(
		editor,
		nodes.map(({ name }) => name),
	);
	const frames: Frame[] = [];
	await play(studio, id, phone, async (words, ms) => {
		await phone.evaluate('document.activeElement.blur()');
		await untilCalm(editor);
		frames.push({
			png: await compose(desk, words, await shot(editor.page, clip), await shot(phone)),
			ms,
		});
	});
	await Promise.all([phone.close(), desk.close()]);
	await editor.page.setViewportSize(editorSize);
	// Where an animation does not play, its first frame is all that is seen.
	save('conversation', [{ ...frames[frames.length - 1], ms: 1_500 }, ...frames]);
}

/** What happens, from the click on Execute to the reply. @param frame takes a picture with these words above it */
async function play(
	{ editor, n8n, sandbox }: Studio,
	workflowId: string,
	phone: Page,
	frame: (words: string, ms: number) => Promise<void>,
): Promise<void> {
	const limit = 60_000;
	const messages = () => sandbox.state.messages.all;
	const untilRead = async (index: number) =>
		await until(`message ${index} to be read`, () => messages()[index]?.status === 'read', {
			limit,
		});
	const isWaiting = async () =>
		(await n8n.client.listExecutions(workflowId)).some(({ status }) => status === 'waiting');
	const chat = phone.getByRole('log').getByRole('listitem');

	await frame('A workflow in n8n, and the phone of a customer', 1_200);
	await editor.execute();
	await chat.getByText('reminder of your appointment').waitFor();
	await frame('n8n sends a template …', 900);
	await untilRead(0);
	await chat.locator('.status.read').first().waitFor();
	await until('the workflow to wait', isWaiting, { limit });
	await frame('… the customer reads it, and the workflow waits', 1_800);
	// The service asks for a pause, so that the answer is seen before the reply to it.
	const busy = { status: 429, headers: { 'retry-after': '10' } };
	sandbox.state.faults.add({ endpoint: 'sendText', ...busy });
	await chat.getByRole('button', { name: 'Confirm' }).click();
	// Once the reply is sent, the focus is in the box below.
	await phone.locator('textarea:focus').waitFor();
	await frame('The customer replies in the chat …', 1_300);
	if (messages().length !== 2)
		throw new Error('The reply came before the picture of the answer was taken.');
	await editor.waitForSuccess(ask, decide, thank);
	await untilRead(2);
	await chat.locator('.status.read').nth(1).waitFor();
	await frame('… and the workflow continues with the reply', 2_800);
}

async function shot(page: Page, clip?: Box): Promise<string> {
	const png = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
	return `data:image/png;base64,${png.toString('base64')}`;
}

/** The editor and the phone side by side, with a line above that says what happens. */
async function compose(
	desk: Page,
	words: string,
	editorImage: string,
	phoneImage: string,
): Promise<Buffer> {
	await desk.setContent(`<body style="margin:0;background:#f4f4f6;font:600 22px system-ui,sans-serif;color:#222;display:grid;
		grid:56px 1fr / 1fr ${phoneSize.width + 24}px;height:100vh;align-items:center">
		<p style="grid-column:1/-1;margin:0;text-align:center">${words}</p>
		<img src="${editorImage}" style="width:100%;max-height:${phoneSize.height}px;object-fit:contain">
		<img src="${phoneImage}" style="width:${phoneSize.width}px;border-radius:16px;box-shadow:0 0 0 2px #bbb;justify-self:center">`);
	return await desk.screenshot({ clip: { x: 0, y: 0, ...stage } });
}

function reminder({ credential: { id } }: Studio): WorkflowFile {
	const ours = (name: string, operation: string, y: number, parameters: INodeParameters) =>
		node(
			name,
			ACTION,
			1,
			{ resource: 'message', operation, to: zara, ...parameters },
			{ ...withCredential(id), ...(y && { position: [660, y] as [number, number] }) },
		);
	const value = { body_1: 'Zara', body_2: 'Tuesday', body_3: '10:00' };
	const question = {
		messageType: 'template',
		...appointment,
		variables: { ...appointment.variables, value },
		responseType: 'choice',
		choices: 'Confirm, Reschedule',
	};
	const condition = {
		id: '1',
		leftValue: '={{ $json.answer }}',
		rightValue: 'Confirm',
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const conditions = { options, conditions: [condition], combinator: 'and' };
	const text = {
		offer: 'What about Wednesday, 11:30, or Thursday, 15:00?',
		thank: 'See you on Tuesday, Zara!',
	};
	const nodes = [
		node(start, 'n8n-nodes-base.manualTrigger', 1),
		ours(ask, 'sendAndWait', 0, question),
		node(decide, 'n8n-nodes-base.if', 2.2, { conditions, options: {} }),
		ours(thank, 'sendText', -110, { text: text.thank }),
		ours(offer, 'sendText', 110, { text: text.offer }),
	];
	return workflow('Reminder', nodes, {
		[start]: to([ask]),
		[ask]: to([decide]),
		[decide]: to([thank, offer]),
	});
}
