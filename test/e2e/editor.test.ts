/** The editor in a browser: a person finds the nodes, connects the service and fills in a form. */
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { eventKinds } from '../../nodes/BusinessMessaging/api/events';
import { operations } from '../../nodes/BusinessMessaging/description';
import { exampleNames, readExample } from '../../tools/examples';
import { until } from '../../tools/until';
import { root } from '../support/files';
import { addManyTemplates, bigFields } from '../support/templates';
import { Editor, withScreenshot, NewUser } from './support/editor';
import { tested, useN8n, workflowOf } from './support/n8n';

const n8n = useN8n();
let editor: Editor;

beforeAll(async () => {
	editor = await Editor.open(n8n.playground.n8n);
	await editor.login();
}, 180_000);
afterEach(() => {
	expect(editor.problems.splice(0)).toEqual([]);
});
afterAll(async () => await editor?.close());

/** A test that leaves a screenshot behind if it fails. */
function look(name: string, run: () => Promise<void>): void {
	test(name, async () => await withScreenshot(editor, run));
}

/** What of an image element matters here. */
interface Image {
	src: string;
	naturalWidth: number;
	/** Waits until it is loaded. */
	decode(): Promise<void>;
}

/** The different icons of ours in a place. */
async function icons(place: Locator): Promise<string[]> {
	const images = place.locator('img[src*="business-messaging"]');
	await images.first().waitFor();
	const found = await images.evaluateAll(async (all) => {
		const drawn = (all as unknown as Image[]).map(async (image) => {
			await image.decode().catch(() => undefined);
			return `${image.src.split('/').at(-1)}${image.naturalWidth > 0 ? '' : ' (not drawn)'}`;
		});
		return await Promise.all(drawn);
	});
	return [...new Set(found)];
}

describe.each([
	['light', 'businessMessaging.svg'],
	['dark', 'businessMessaging.dark.svg'],
] as const)('in %s colours', (colorScheme, file) => {
	look(
		'the panel of nodes has both nodes with their icons, and all their operations and events',
		async () => {
			await editor.page.emulateMedia({ colorScheme });
			await editor.goTo('/workflow/new');
			await new NewUser(editor).openNodePanel();
			const panel = editor.part('node-creator');
			for (const heading of [`Triggers (${eventKinds.length})`, `Actions (${operations.length})`])
				await panel.getByText(heading).waitFor();
			await panel.getByText('On message received').waitFor();
			expect(await icons(panel)).toEqual([file]);
			await panel.getByText(`Actions (${operations.length})`).click();
			for (const { action } of operations) await panel.getByText(action, { exact: true }).waitFor();
			expect(await icons(panel)).toEqual([file]);
		},
	);
});

test.each(['whatsapp', 'sms', 'human in the loop', 'campaign'])(
	'somebody who types %s into the panel finds the node',
	async (words) =>
		await withScreenshot(editor, async () => {
			await editor.goTo('/workflow/new');
			await editor.part('canvas-plus-button').click();
			await editor.part('node-creator-search-bar').fill(words);
			const panel = editor.part('node-creator');
			await panel.getByText('Business Messaging', { exact: true }).waitFor();
		}),
);

test.each(exampleNames())(
	'the example %s is imported from its file without a warning',
	async (name) =>
		await withScreenshot(editor, async () => {
			await editor.page.setViewportSize({ width: 2400, height: 1000 });
			await editor.goTo('/workflow/new');
			const file = path.join(root, 'examples', `${name}.json`);
			await editor.part('workflow-import-input').setInputFiles(file);
			const { nodes } = readExample(name, n8n.playground.credential);
			for (const node of nodes.filter(({ type }) => !type.endsWith('.stickyNote')))
				await editor.node(node.name).waitFor();
			await editor.part('zoom-to-fit').click();

			// If there is only one credential, n8n chooses it and says so; these nodes want one of the user's.
			const theirs = ['AI model', 'MCP Server Trigger'];
			const marked = editor.part('canvas-node').filter({ has: editor.part('node-issues') });
			const names = await marked.evaluateAll((all) =>
				all.map((one) => one.getAttribute('data-node-name')),
			);
			expect(names.filter((one) => !theirs.includes(one ?? ''))).toEqual([]);
			const said = await editor.page.locator('.el-notification').allTextContents();
			expect(said.filter((text) => !text.startsWith('Credentials auto-added'))).toEqual([]);
		}),
);

look('a new credential is tested when it is saved, and says what is wrong', async () => {
	await editor.page.emulateMedia({ colorScheme: 'light' });
	const user = new NewUser(editor);
	await user.startCredential();
	await user.fillCredential({ url: n8n.sandbox.url, key: 'wrong-key' });
	const dialog = editor.part('editCredential-modal');
	await dialog.getByText('More details').click();
	await dialog.getByText('The service does not accept the API key').waitFor();
	await user.fillCredential(n8n.sandbox);
	await dialog.getByText('Connection tested successfully').waitFor();
	expect(await icons(dialog)).toEqual(['businessMessaging.svg']);
});

look('of 500 templates one is found, with its languages and 10 variables, and sent', async () => {
	n8n.sandbox.reset();
	addManyTemplates(n8n.sandbox.state);
	const file = workflowOf(n8n.playground, [{ name: 'Anna' }], {
		resource: 'message',
		operation: 'sendTemplate',
		to: '+15550001001',
	});
	const { id, nodes } = await n8n.client.createWorkflow(file);
	await editor.openWorkflow(id, nodes.find(({ name }) => name === tested)?.id);
	const user = new NewUser(editor);
	await editor.page.getByText('Choose a template to see its text here.').waitFor();
	await user.pick('template', /^big_order/, 'big');
	await editor.page.getByText('Choose a language to see the text of the template here.').waitFor();
	await user.pick('language', /^German \(Germany\)/, 'german');
	await editor.page.getByText('Body 1: …Hello {{1}}…').waitFor();
	await editor.page
		.getByText('arrives on {{5}} between {{6}} and {{7}}. Ask {{8}} for help.')
		.waitFor();
	const fields = editor.part('mapping-fields-container').locator('input');
	expect(await fields.count()).toBe(bigFields.length);
	await user.fillForm(bigFields.map((field) => `${field}!`));
	await editor.part('node-execute-button').click();
	const sent = async () => n8n.sandbox.state.messages.all.at(0);
	expect(await until('the message', sent)).toMatchObject({
		text: expect.stringContaining('de_DE: Hello body_1! body_2!, your order from body_3!'),
		template: {
			header: { text: 'Order header_1!' },
			buttons: [{}, { url: 'https://shop.example.com/track/button2_1!' }],
		},
	});
});
