/** `npm run docs -- pictures [NAME…]`: takes the pictures of docs/pictures, in the editor of a real n8n and on the sandbox's phone. */
import { withScreenshot, NewUser } from '../harness/editor/editor';
import { fillPhone, untilPhoneIsQuiet, zara } from '../harness/editor/phone';
import { runMain, UserError } from '../harness/cli';
import { exampleNames, readExample, readSampleContacts, thatSends } from '../harness/examples';
import { hasEnded } from '../harness/n8n/client';
import { deleteTable, findTable } from '../harness/n8n/dataTables';
import { until } from '../harness/until';
import { takeConversation } from './pictures/conversation';
import {
	boxOf,
	canvasBox,
	editorSize,
	fromTo,
	openPhone,
	openStudio,
	type Studio,
	take,
	untilCalm,
} from './pictures/studio';

/** The data table in which the nodes write the messages of campaigns. */
const campaignLog = 'Business Messaging Campaigns';

const subjects: Record<string, (studio: Studio) => Promise<void>> = {
	trigger: takeTrigger,
	// This comes after the picture of the trigger, because it widens the panel, and the editor remembers the width.
	'send-template': takeTemplate,
	examples: takeExamples,
	report: takeResults,
	phone: takePhone,
	conversation: takeConversation,
};

runMain(async () => {
	const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(subjects);
	const unknown = wanted.filter((name) => !(name in subjects));
	if (unknown.length > 0)
		throw new Error(`There is no ${unknown.join(', ')}, only ${Object.keys(subjects).join(', ')}.`);
	const studio = await openStudio();
	const { editor } = studio;
	for (const name of wanted) await withScreenshot(editor, async () => await subjects[name](studio));
	if (editor.problems.length > 0)
		throw new UserError(`The editor reports ${editor.problems.join('\n')}`);
});

/** The panel of the trigger with the message that a customer has just written. */
async function takeTrigger({ editor, sandbox: { state } }: Studio): Promise<void> {
	await editor.page.setViewportSize({ width: 1400, height: 760 });
	await editor.goTo('/workflow/new');
	// Otherwise, n8n's own hint about pinning would cover the output.
	await editor.page.evaluate("localStorage.setItem('N8N_PIN_DATA_DISCOVERY_NDV', 'true')");
	await new NewUser(editor).addTrigger('On message received');
	await editor.part('trigger-execute-button').click();
	await until('the trigger to register', () => state.webhooks.all.length > 0);
	state.traffic.receive({ from: zara, text: 'Do you ship to France?' });
	const panel = editor.part('ndv');
	await panel.getByText('Do you ship to France?').waitFor();
	await panel.getByText('Schema', { exact: true }).click();
	await untilCalm(editor);
	// The empty input on the left is cut off; the rest can be read in the README.
	const { x, y, width, height } = await boxOf(panel);
	const left = (await boxOf(editor.part('node-parameters'))).x;
	await take(editor.page, 'trigger', { x: left, y, width: x + width - left, height });
	await editor.page.setViewportSize(editorSize);
}

/** The form of Send Template for the order update, with fields of the item in it, after the message was sent. */
async function takeTemplate({ editor, n8n, credential }: Studio): Promise<void> {
	const file = thatSends(readExample('order-update', credential));
	await editor.openWorkflow((await n8n.client.createWorkflow(file)).id);
	await editor.executeAt('Try it with a sample order');
	await editor.waitForSuccess('Send order update');
	await editor.node('Send order update').dblclick();
	// In a panel of the default width, the editor would cut off the labels of the form.
	const { mouse } = editor.page;
	const handle = '[data-test-id="resize-handle"][data-dir="right"]';
	const edge = await boxOf(editor.part('ndv').locator(handle));
	await mouse.move(edge.x + edge.width / 2, edge.y + 300);
	await mouse.down();
	await mouse.move(edge.x + 200, edge.y + 300, { steps: 5 });
	await mouse.up();
	const form = editor.part('mapping-fields-container');
	await form.getByText(/^Body 3:/).waitFor();
	await untilCalm(editor);
	const box = await fromTo(editor.part('node-parameters'), form, 20);
	// The picture includes the tabs above the button.
	const y = (await boxOf(editor.part('node-execute-button'))).y - 5;
	await take(editor.page, 'send-template', { ...box, y, height: box.y + box.height - y });
}

/** For workflows that are too wide to be readable: the nodes between which the picture is taken, from the first to the last. */
const parts: Partial<Record<string, string[]>> = {
	'ai-agent': ['Does the AI answer?', 'AI model', 'Call a colleague', 'Answer the customer'],
	'auto-reply': ['What do they want?', 'Tell more', 'Say when we open', 'Answer'],
	'campaign-results': [
		'Show the report',
		'Report',
		'Excel file',
		'Receipts and replies',
		'Record events',
	],
	'campaign-with-results': ['Get people', 'Who got nothing'],
	'monthly-campaign': ['Get customers', 'Send the email'],
	'reply-window': ['Get customers', 'Get the times', 'Send the text', 'Send the template'],
	drip: ['First message', 'Last message', 'Next steps'],
	'opt-outs': ['When somebody writes STOP', 'Confirm START'],
	'send-later': ['Get people', 'Wait until a window opens', 'Done'],
	survey: ['Ask for a rating', 'Say thank you', 'Ask for the reason'],
	'weekly-report': ['Get the figures', 'Draw a picture'],
};

/**
 * The canvas of every example, each picture named like the example's file. Notes are hidden, because they would be too
 * small to read. Some examples have run.
 */
async function takeExamples({ editor, n8n, credential, sandbox }: Studio): Promise<void> {
	const account = {
		name: 'OpenAI account',
		id: await n8n.client.createCredential('OpenAI account', 'openAiApi', { apiKey: 'none' }),
	};
	for (const name of exampleNames()) {
		const file = thatSends(readExample(name, credential));
		const steps = file.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		if (steps.length <= 2 || name === 'mcp-server') continue; // a trigger with one step or its tools shows nothing
		// A user would have chosen an account here. Without one, n8n shows a warning.
		for (const node of file.nodes)
			if (node.type.endsWith('.lmChatOpenAi')) node.credentials = { openAiApi: account };
		file.nodes = steps;
		const { id, nodes } = await n8n.client.createWorkflow(file);
		await editor.openWorkflow(id);
		if (['campaign-with-results', 'auto-reply'].includes(name)) {
			const { webhooks, traffic } = sandbox.state;
			await editor.execute();
			if (name === 'auto-reply') {
				await until('the trigger to register', () => webhooks.all.length > 0);
				traffic.receive({ from: zara, text: 'Tell me more' });
			}
			await editor.page.getByText('Workflow executed successfully').waitFor();
		}
		const shown = parts[name] ?? nodes.map((node) => node.name);
		await take(editor.page, name, await canvasBox(editor, shown));
	}
}

/** The results of a campaign: its table in n8n's Data tables, and the report as n8n shows the output of its node. */
async function takeResults(studio: Studio): Promise<void> {
	const { editor, n8n, credential, sandbox } = studio;
	const { client } = n8n;
	const { settings, traffic, faults } = sandbox.state;
	const phones = readSampleContacts().map(({ phone }) => phone);
	const { failingNumbers } = settings;
	settings.failingNumbers = phones.slice(3, 8);
	faults.add({ endpoint: 'sendTemplate', match: phones[5], status: 422 });
	faults.add({ endpoint: 'sendTemplate', match: phones[9], reset: 'afterRead' });
	if (await findTable(client, campaignLog)) await deleteTable(client, campaignLog);
	const ids: string[] = [];
	for (const name of ['campaign-with-results', 'campaign-results', 'opt-outs'])
		ids.push((await client.createWorkflow(thatSends(readExample(name, credential)))).id);
	const [campaign, results, optOuts] = ids;
	for (const id of [results, optOuts]) await client.activate(id);
	const run = await client.run(campaign, 'When clicking ‘Execute workflow’');
	await client.waitForExecution(run, 180_000);
	await untilPhoneIsQuiet(sandbox);
	for (const from of phones.slice(20, 80)) {
		const text = from.endsWith('7') ? 'STOP' : 'Do you ship to France?';
		traffic.receive({ from, text });
	}
	await untilPhoneIsQuiet(sandbox);
	const haveEnded = async () => (await client.listExecutions(results)).every(hasEnded);
	await until('n8n to write what came in', haveEnded, { limit: 180_000 });
	settings.failingNumbers = failingNumbers;
	await takeTable(studio);
	// Otherwise, the published workflow would record the events of the test first.
	await client.deactivate(results);
	await takeOperations(studio, results, phones[85]);
	await editor.openWorkflow(results);
	await editor.showReport();
	const last = editor.page.frameLocator('.__html-display').locator('p');
	await untilCalm(editor);
	const box = await fromTo(editor.page.locator('.__html-display'), last, 24);
	await take(editor.page, 'report', box);
	await client.deactivate(optOuts);
}

/** The operations of the resource Campaign with their output. @param from somebody who has got the campaign and writes for the first time */
async function takeOperations(studio: Studio, results: string, from: string): Promise<void> {
	const { editor, n8n, credential, sandbox } = studio;
	const { webhooks, traffic } = sandbox.state;
	await editor.openWorkflow(results);
	const before = webhooks.all.length;
	await editor.executeAt('Receipts and replies');
	await until('the trigger to register for a test', () => webhooks.all.length > before);
	traffic.receive({ from, text: 'Do you ship to France?' });
	await editor.waitForSuccess('Record events');
	await takeOperation(studio, 'Record events', 'record-events');
	await editor.openWorkflow(results);
	await editor.executeAt('Show the report');
	await editor.waitForSuccess('Report');
	await takeOperation(studio, 'Get report', 'get-report');
	const reminder = readExample('reminder', credential);
	// In the sandbox, everybody reads what has arrived.
	for (const node of reminder.nodes)
		if (node.name === 'Who has not read it') node.parameters.people = 'noReply';
	await editor.openWorkflow((await n8n.client.createWorkflow(reminder)).id);
	await editor.execute();
	await editor.page.getByText('Workflow executed successfully').waitFor();
	await takeOperation(studio, 'Who has not read it', 'get-recipients');
}

/** The form and the output of a node that has run. */
async function takeOperation({ editor }: Studio, node: string, picture: string): Promise<void> {
	await editor.page.evaluate("localStorage.setItem('N8N_PIN_DATA_DISCOVERY_NDV', 'true')");
	await editor.node(node).dblclick();
	// In a window of this width, the list of logs would cover nodes that are not open yet.
	await editor.page.setViewportSize({ width: 1400, height: 1200 });
	const output = editor.part('output-panel');
	await output.getByText('Schema', { exact: true }).click();
	// Buttons of the next nodes, which the picture would cut off.
	await editor.page.addStyleTag({ content: '[data-test-id^="floating-node"] { display: none }' });
	await untilCalm(editor);
	const form = await boxOf(editor.part('node-parameters'));
	const panel = await boxOf(editor.part('ndv'));
	const last = await boxOf(output.locator('[data-test-id="run-data-schema-item"]').last());
	// The picture begins with the tabs above the form, and has no border.
	const y = (await boxOf(editor.part('node-execute-button'))).y - 8;
	const width = panel.x + panel.width - form.x - 2;
	await take(editor.page, picture, { x: form.x, y, width, height: last.y + last.height + 16 - y });
	await editor.page.setViewportSize(editorSize);
}

/** The upper left part of the campaign log in n8n's Data tables. */
async function takeTable({ editor, n8n: { client } }: Studio): Promise<void> {
	await editor.page.setViewportSize({ width: 2000, height: 900 });
	const table = await findTable(client, campaignLog);
	await editor.goTo(`/projects/${table!.projectId}/datatables/${table!.id}`);
	const grid = editor.page.locator('.ag-root-wrapper');
	await grid.getByText('sent', { exact: true }).first().waitFor();
	await untilCalm(editor);
	const { x, y } = await boxOf(grid);
	await take(editor.page, 'campaign-log', { x, y, width: 1400, height: 560 });
	await editor.page.setViewportSize(editorSize);
}

/** The phone: several chats, one of them open. */
async function takePhone(studio: Studio): Promise<void> {
	studio.sandbox.reset();
	await fillPhone(studio.sandbox);
	await untilPhoneIsQuiet(studio.sandbox);
	const size = { width: 960, height: 780 };
	const page = await openPhone(studio, zara, size);
	await page.getByText('See you on Tuesday').first().waitFor();
	await page.evaluate('document.activeElement.blur()');
	await take(page, 'phone', { x: 0, y: 0, ...size });
	await page.close();
}
