import type { Editor } from '../../test/e2e/support/editor';
import { manualTrigger, tested, workflowOf } from '../../test/e2e/support/n8n';
import { type Box, type Studio, boxOf, take, untilCalm } from './studio';

const customers = [
	{ name: 'Zara', phone: '+447700900408', day: 'Tuesday', time: '10:00' },
	{ name: 'Daisy', phone: '+447700900144', day: 'Tuesday', time: '11:30' },
];

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

/** The form of Send Template with fields of the item in it, after it was sent. */
export async function takeTemplate(studio: Studio): Promise<void> {
	const { editor, n8n } = studio;
	const file = workflowOf(studio, customers, {
		resource: 'message',
		operation: 'sendTemplate',
		to: '={{ $json.phone }}',
		...appointment,
	});
	await editor.openWorkflow((await n8n.client.createWorkflow(file)).id);
	await editor.execute();
	await editor.waitForSuccess(manualTrigger, tested);
	await editor.node(tested).dblclick();
	await widenPanel(editor);
	await editor
		.part('mapping-fields-container')
		.getByText(/^Body 3: "/)
		.waitFor();
	await editor.part('ndv').getByText(`${customers.length} items`).last().waitFor();
	await untilCalm(editor);
	await take(editor.page, 'send-template', await formBox(studio));
}

/** From the tabs above the form down to its last variable, with the same margin on all sides. */
async function formBox({ editor }: Studio): Promise<Box> {
	const tabs = await boxOf(editor.part('tab-params'));
	const button = await boxOf(editor.part('node-execute-button'));
	const form = await boxOf(editor.part('resource-mapper-container'));
	const indent = form.x - tabs.x;
	const y = button.y - indent / 4;
	return {
		x: tabs.x,
		y,
		width: form.width + 2 * indent,
		height: form.y + form.height + indent - y,
	};
}

/** The labels of the form are cut by the editor if the panel is as narrow as it is at first. */
async function widenPanel({ page }: Editor): Promise<void> {
	const edge = await boxOf(
		page.locator('[data-test-id="ndv"] [data-test-id="resize-handle"][data-dir="right"]'),
	);
	await page.mouse.move(edge.x + edge.width / 2, edge.y + 300);
	await page.mouse.down();
	await page.mouse.move(edge.x + 200, edge.y + 300, { steps: 5 });
	await page.mouse.up();
}
