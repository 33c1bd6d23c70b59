/** `npm run docs -- pictures [NAME…]`: takes the pictures of docs/pictures in the editor of a real n8n and on the sandbox's phone. */
import { chunk } from 'lodash';
import type { Sandbox } from '../sandbox';
import { type Editor, withScreenshot, NewUser } from '../test/e2e/support/editor';
import { manualTrigger, tested, workflowOf } from '../test/e2e/support/n8n';
import { clientOf } from '../test/sandbox/support';
import { runMain, UserError } from '../tools/cli';
import { exampleNames, readExample, readSampleContacts } from '../tools/examples';
import { hasEnded } from '../tools/n8n/client';
import { until } from '../tools/until';
import { appointment, takeConversation } from './pictures/conversation';
import {
	around,
	type Box,
	boxOf,
	editorSize,
	openPhone,
	openStudio,
	type Studio,
	take,
	takeCanvas,
	untilCalm,
} from './pictures/studio';

const subjects: Record<string, (studio: Studio) => Promise<void>> = {
	'node-panel': takeNodePanel,
	credential: takeCredential,
	trigger: takeTrigger,
	// After the trigger: it widens the panel, and the editor remembers that.
	'send-template': takeTemplate,
	examples: takeExamples,
	report: takeReport,
	phone: takePhone,
	conversation: takeConversation,
};

runMain(async () => {
	const wanted = process.argv.slice(2);
	const unknown = wanted.filter((name) => !(name in subjects));
	if (unknown.length > 0)
		throw new Error(`There is no ${unknown.join(', ')}, only ${Object.keys(subjects).join(', ')}.`);
	const studio = await openStudio();
	const problems: string[] = [];
	for (const [name, takeIt] of Object.entries(subjects)) {
		if (wanted.length > 0 && !wanted.includes(name)) continue;
		await withScreenshot(studio.editor, async () => await takeIt(studio)).catch((error: Error) =>
			problems.push(`${name}: ${error.message}`),
		);
		problems.push(
			...studio.editor.problems
				.splice(0)
				.map((problem) => `${name}: the editor reports ${problem}`),
		);
	}
	if (problems.length > 0) throw new UserError(problems.join('\n'));
});

/** Our nodes in the panel of nodes: what can start a workflow, and how many actions there are. */
async function takeNodePanel({ editor }: Studio): Promise<void> {
	await editor.goTo('/workflow/new');
	await new NewUser(editor).openNodePanel();
	const panel = editor.part('node-creator');
	await panel.getByText('On message received').waitFor();
	await untilCalm(editor);
	const { x, y, width } = await boxOf(panel);
	const actions = await boxOf(panel.locator('[data-test-id="node-creator-category-item"]').last());
	await take(editor.page, 'node-panel', around([{ x, y, width, height: 0 }, actions]));
}

/** The credential, accepted by the service. */
async function takeCredential({ editor, sandbox }: Studio): Promise<void> {
	const user = new NewUser(editor);
	await user.startCredential();
	await user.fillCredential(sandbox);
	await editor.part('editCredential-modal').getByText('Connection tested successfully').waitFor();
	await untilCalm(editor);
	// The address of the sandbox would only confuse: a service has a public one.
	await user.input('baseUrl').fill('https://api.example.com');
	await editor.page.evaluate('document.activeElement.blur()');
	const { x, y, width } = await boxOf(editor.part('editCredential-modal'));
	const lastField = await boxOf(editor.part('parameter-input-webhookSecret'));
	// n8n's own settings below are left out.
	await take(editor.page, 'credential', {
		x,
		y,
		width,
		height: lastField.y + lastField.height + 20 - y,
	});
}

/** The panel of the trigger with the message that a customer has just written. */
async function takeTrigger({ editor, sandbox: { state } }: Studio): Promise<void> {
	await editor.page.setViewportSize({ width: 1400, height: 760 });
	await editor.goTo('/workflow/new');
	// n8n's own hint about pinning would cover the output.
	await editor.page.evaluate("localStorage.setItem('N8N_PIN_DATA_DISCOVERY_NDV', 'true')");
	await new NewUser(editor).addTrigger('On message received');
	await editor.part('trigger-execute-button').click();
	await until('the trigger to register', () => state.webhooks.all.length > 0);
	state.traffic.receive({ from: state.contacts.all[0].phone, text: 'Do you ship to France?' });
	const panel = editor.part('ndv');
	await panel.getByText('Do you ship to France?').waitFor();
	await panel.getByText('Schema', { exact: true }).click();
	await untilCalm(editor);
	await take(editor.page, 'trigger', await boxOf(panel));
	await editor.page.setViewportSize(editorSize);
}

/** The canvas of every example without its notes, too small to read here, named like its file; those that run by themselves have run. */
async function takeExamples(studio: Studio): Promise<void> {
	const { editor, n8n, credential } = studio;
	const account = {
		name: 'OpenAI account',
		id: await n8n.client.createCredential('OpenAI account', 'openAiApi', { apiKey: 'none' }),
	};
	for (const name of exampleNames()) {
		if (name === 'mcp-server') continue; // a trigger and its tool: nothing to see
		const file = readExample(name, credential);
		// The user has chosen an account there; without one, n8n shows a warning.
		for (const node of file.nodes)
			if (node.type.endsWith('.lmChatOpenAi')) node.credentials = { openAiApi: account };
		file.nodes = file.nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		const { id, nodes } = await n8n.client.createWorkflow(file);
		await editor.openWorkflow(id);
		await runs[name]?.(studio);
		const names = nodes.map((node) => node.name);
		await takeCanvas(editor, name, parts[name] ?? names);
	}
}

/** Of workflows that are too wide to be readable, the part that matters. */
const parts: Partial<Record<string, string[]>> = {
	'ai-agent': [
		'AI agent',
		'AI model',
		'Call a colleague',
		'Was a colleague called?',
		'Tell the colleague',
	],
	survey: ['Ask for a rating', 'Say thank you', 'Ask for the reason', 'Promise to do better'],
};

const runs: Partial<Record<string, (studio: Studio) => Promise<void>>> = {
	'campaign-with-results': async ({ editor }) => {
		await editor.execute();
		await editor.page.getByText('Workflow executed successfully').waitFor();
	},
	'auto-reply': async ({ editor, sandbox: { state } }) => {
		await editor.execute();
		await until('the trigger to register', () => state.webhooks.all.length > 0);
		state.traffic.receive({ from: state.contacts.all[0].phone, text: 'Tell me more' });
		await editor.page.getByText('Workflow executed successfully').waitFor();
	},
};

/** The report of a campaign that has gone out, as n8n shows the output of its node. */
async function takeReport({ editor, n8n: { client }, credential, sandbox }: Studio): Promise<void> {
	const { state } = sandbox;
	const phones = readSampleContacts().map(({ phone }) => phone);
	state.settings.failingNumbers = phones.slice(0, 5);
	const make = async (name: string) =>
		(await client.createWorkflow(readExample(name, credential))).id;
	const [campaign, results, optOuts] = [
		await make('campaign-with-results'),
		await make('campaign-results'),
		await make('opt-outs'),
	];
	for (const id of [results, optOuts]) await client.activate(id);
	const isQuiet = async () =>
		state.deliveries.log.last().every((delivery) => delivery.state !== 'pending') &&
		(await client.listExecutions(results)).every(hasEnded);
	const untilQuiet = async () =>
		await until('n8n to write what came in', isQuiet, { limit: 180_000 });
	await client.waitForExecution(
		await client.run(campaign, 'When clicking ‘Execute workflow’'),
		180_000,
	);
	// n8n manages few executions at once.
	for (const few of chunk(phones.slice(20, 80), 4)) {
		for (const from of few) {
			const text = from.endsWith('7') ? 'STOP' : 'Do you ship to France?';
			state.traffic.receive({ from, text });
		}
		await untilQuiet();
	}
	state.settings.failingNumbers = [];
	await client.waitForExecution(await client.run(results, 'Show the report'));
	await editor.openWorkflow(results);
	await editor.showReport();
	const chart = editor.page.locator('.__html-display');
	const { x, y, width } = await boxOf(chart);
	const last = await boxOf(editor.page.frameLocator('.__html-display').locator('p').last());
	await untilCalm(editor);
	await take(editor.page, 'report', { x, y, width, height: last.y + last.height + 24 - y });
	for (const id of [results, optOuts]) await client.deactivate(id);
}

const customers = [
	{ name: 'Zara', phone: '+447700900408', day: 'Tuesday', time: '10:00' },
	{ name: 'Daisy', phone: '+447700900144', day: 'Tuesday', time: '11:30' },
];

/** The form of Send Template with fields of the item in it, after it was sent. */
async function takeTemplate(studio: Studio): Promise<void> {
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
		.getByText(/^Body 3:/)
		.waitFor();
	await editor.part('ndv').getByText(`${customers.length} items`).last().waitFor();
	await untilCalm(editor);
	await take(editor.page, 'send-template', await formBox(studio));
}

/** From the tabs above the form down to its last variable, with the same margin on all sides. */
async function formBox({ editor }: Studio): Promise<Box> {
	const tabs = await boxOf(editor.part('tab-params'));
	const button = await boxOf(editor.part('node-execute-button'));
	const form = await boxOf(editor.part('mapping-fields-container'));
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

/** CSS pixels. */
const phoneSize = { width: 1080, height: 780 };
const [zara, daisy, ines] = ['+447700900408', '+447700900144', '+33639980868'];

/** The phone: some chats, one of them open. */
async function takePhone({ editor, sandbox }: Studio): Promise<void> {
	sandbox.reset();
	await fill(sandbox);
	const page = await openPhone({ editor, sandbox }, zara, phoneSize);
	await page.getByText('See you on Tuesday').first().waitFor();
	await page.evaluate('document.activeElement.blur()');
	await take(page, 'phone', { x: 0, y: 0, ...phoneSize });
	await page.close();
}

async function fill({ url, key, state }: Sandbox): Promise<void> {
	const api = clientOf(`${url}/v1`, key);
	const send = async (path: string, message: object) => {
		const { status, data } = await api.post<unknown>(`/messages/${path}`, message);
		if (status >= 300) throw new Error(`${path}: ${JSON.stringify(data)}`);
	};
	const template = async (to: string, name: string, ...values: string[]) => {
		const parameters = values.map((text) => ({ type: 'text', text }));
		const components = [{ type: 'body', parameters }];
		const headerDocumentUrl = 'https://example.com/brochure.pdf';
		await send('template', {
			to,
			template: name,
			language: 'en_US',
			components,
			headerDocumentUrl,
		});
	};
	await template(ines, 'spring_sale', 'Inès');
	await template(daisy, 'appointment_reminder', 'Daisy', 'Tuesday', '11:30');
	state.traffic.receive({ from: daisy, text: 'Could we make it Wednesday?' });
	await template(zara, 'welcome', 'Zara', 'the Example Shop');
	await template(zara, 'appointment_reminder', 'Zara', 'Tuesday', '10:00');
	state.traffic.receive({ from: zara, text: 'Confirm' });
	await send('send', { to: zara, text: 'See you on Tuesday, Zara!' });
	const outbound = () => state.messages.all.filter(({ direction }) => direction === 'outbound');
	await until('the messages to be read', () => outbound().every(({ status }) => status === 'read'));
}
