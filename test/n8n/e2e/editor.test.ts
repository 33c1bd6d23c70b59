/** The editor in a browser: a person finds the nodes, imports examples, connects the service, sends a first message and gets a reply. */
import type { INodeParameters } from 'n8n-workflow';

import { eventKinds } from '../../../nodes/BusinessMessaging/api/events';
import { operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import { ACTION, node, workflow } from '../../../harness/n8n/workflow';
import { exampleNames, readExample } from '../../../harness/examples';
import { until } from '../../../harness/until';
import { addManyTemplates } from '../../../harness/engine/templates';
import { type Editor, NewUser, withScreenshot } from '../../../harness/editor/editor';
import { useEditor } from '../../../harness/editor/useEditor';
import { useN8n } from '../../../harness/useN8n';

const n8n = useN8n();
let editor: Editor;

useEditor(n8n, (opened) => (editor = opened));

/** A test that saves a screenshot if it fails. */
function look(name: string, run: () => Promise<void>): void {
	test(name, async () => await withScreenshot(editor, run));
}

look(
	'the panel of nodes finds our nodes by what they are for, and has all their operations and events, with icons in light and dark colours',
	async () => {
		const panel = editor.part('node-creator');
		await editor.page.emulateMedia({ colorScheme: 'dark' });
		for (const words of ['broadcast', 'human in the loop', 'approval']) {
			await editor.goTo('/workflow/new');
			await editor.part('canvas-plus-button').click();
			await editor.part('node-creator-search-bar').fill(words);
			await panel.getByText('Business Messaging', { exact: true }).waitFor();
			await panel.locator('img[src$="/businessMessaging.dark.svg"]').first().waitFor();
		}
		await editor.page.emulateMedia({ colorScheme: 'light' });
		await editor.goTo('/workflow/new');
		await new NewUser(editor).openNodePanel();
		await panel.getByText(`Triggers (${eventKinds.length})`).waitFor();
		await panel.getByText('On message received').waitFor();
		await panel.getByText(`Actions (${operations.length})`).click();
		for (const { action } of operations) await panel.getByText(action, { exact: true }).waitFor();
		await panel.locator('img[src$="/businessMessaging.svg"]').first().waitFor();
	},
);

describe.each(exampleNames())('the example %s', (name) => {
	look('is imported from its file without a warning', async () => {
		await editor.page.setViewportSize({ width: 2400, height: 1000 });
		await editor.importExample(name);
		const { nodes } = readExample(name, n8n.playground.credential);
		for (const node of nodes.filter(({ type }) => !type.endsWith('.stickyNote')))
			await editor.node(node.name).waitFor();

		// If there is only one credential, n8n chooses it and shows a hint. These nodes need a credential of the user's own.
		const theirs = ['AI model', 'MCP Server Trigger'];
		const marked = editor.part('canvas-node').filter({ has: editor.part('node-issues') });
		const names = await marked.evaluateAll((all) =>
			all.map((one) => one.getAttribute('data-node-name')),
		);
		expect(names.filter((one) => !theirs.includes(one ?? ''))).toEqual([]);
		const said = await editor.page.locator('.el-notification').allTextContents();
		expect(said.filter((text) => !text.startsWith('Credentials auto-added'))).toEqual([]);
	});
});

look('a new credential is tested when it is saved, and says what is wrong', async () => {
	const user = new NewUser(editor);
	await user.startCredential();
	await user.fillCredential({ url: n8n.sandbox.url, key: 'wrong-key' });
	const dialog = editor.part('editCredential-modal');
	await dialog.getByText('More details').click();
	await dialog.getByText('The service does not accept the API key').waitFor();
	await user.fillCredential(n8n.sandbox);
	await dialog.getByText('Connection tested successfully').waitFor();
});

look('Audience Rules and the Period stay when another operation is chosen', async () => {
	const settings: Array<[filledIn: INodeParameters, other: RegExp, kept: string]> = [
		[
			{ resource: 'message', operation: 'sendText', audienceRules: { excludeNumbers: '+1555' } },
			/^Send Template/,
			'excludeNumbers',
		],
		[
			{ resource: 'analytics', operation: 'getMessageStatistics', period: { from: '2030-01-31' } },
			/^Get Agent Statistics/,
			'from',
		],
	];
	for (const [filledIn, other, kept] of settings) {
		const file = workflow('Change', [node('Change', ACTION, 1, filledIn)]);
		const { id } = await n8n.client.createWorkflow(file);
		await editor.openWorkflow(id);
		const user = new NewUser(editor);
		await user.open('Change');
		await editor.part(`parameter-input-${kept}`).waitFor();
		await user.choose('operation', other);
		await editor.page.waitForTimeout(1_000); // n8n empties fields after the choice
		await editor.part(`parameter-input-${kept}`).waitFor({ timeout: 5_000 });
	}
});

look(
	'a new user sends one of 500 templates in at most 18 clicks, reads it on the phone, answers there, and sees the trigger fire',
	async () => {
		type Credentials = Array<{ id: string }>;
		for (const { id } of await n8n.client.call<Credentials>('GET', '/rest/credentials'))
			await n8n.client.call('DELETE', `/rest/credentials/${id}`);
		const { state } = n8n.sandbox;
		addManyTemplates(state);
		const user = new NewUser(editor);
		const phone = await editor.openTab(n8n.sandbox.url);
		const chat = phone.getByRole('log').getByRole('listitem');

		await editor.goTo('/workflow/new');
		await user.addAction('Send template message');
		await user.createCredential(n8n.sandbox);
		await user.type(user.input('to'), '+44 7700 900408');
		await editor.page.getByText('Choose a template to see its text here.').waitFor();
		await user.pick('template', /^appointment_reminder/, 'appoint');
		await user.pick('language', /^English/);
		await editor.page.getByText(/^Body 1: /).waitFor();
		await user.fillForm(['Zara', 'Tuesday', '10:00']);
		await user.click(editor.part('node-execute-button'));
		await user.click(phone.getByRole('link', { name: /Zara|7700/ }).first());
		await chat
			.getByText('Zara, this is a reminder of your appointment on Tuesday at 10:00.')
			.waitFor();
		expect(user.clicks).toBeLessThanOrEqual(18);

		await editor.goTo('/workflow/new');
		await user.addTrigger('On message received');
		await user.click(editor.part('trigger-execute-button'));
		await until('the trigger to register', () => state.webhooks.all.length > 0);
		await user.click(chat.getByRole('button', { name: 'Confirm' }));
		await editor.part('ndv').getByText('Confirm', { exact: true }).waitFor();
	},
);
