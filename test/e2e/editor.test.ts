/** The editor in a browser: a person finds the nodes, connects the service and runs the examples by a click. */
import type { INodeParameters } from 'n8n-workflow';
import type { Locator } from 'playwright-core';

import { eventKinds } from '../../nodes/BusinessMessaging/api/events';
import { operations } from '../../nodes/BusinessMessaging/description';
import { waitFor } from '../../tools/waitFor';
import { Editor } from './support/editor';
import { withScreenshot } from './support/look';
import { addManyTemplates, bigFields } from '../support/templates';
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

/** What of an image element matters here. */
interface Image {
	src: string;
	naturalWidth: number;
	/** Waits until it is loaded. */
	decode(): Promise<void>;
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
			await editor.part('canvas-plus-button').click();
			await editor.part('node-creator-search-bar').fill('business mess');
			const panel = editor.part('node-creator');
			await panel.getByText('Business Messaging', { exact: true }).click();
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

look('a new credential is tested when it is saved, and says what is wrong', async () => {
	await editor.page.emulateMedia({ colorScheme: 'light' });
	await editor.goTo('/home/credentials');
	await editor.page.getByRole('button', { name: 'Create credential' }).click();
	await editor.part('new-credential-type-select').locator('input').fill('business mess');
	await editor
		.part('new-credential-type-select-option')
		.getByText('Business Messaging API')
		.click();
	await editor.part('new-credential-type-button').click();

	const field = (name: string) => editor.part(`parameter-input-${name}`).locator('input');
	await field('apiKey').fill('wrong-key');
	await field('baseUrl').fill(n8n.sandbox.url);
	await editor.part('credential-save-button').click();
	const dialog = editor.part('editCredential-modal');
	await dialog.getByText('More details').click();
	await dialog.getByText('The service does not accept the API key').waitFor();

	await field('apiKey').fill(n8n.sandbox.key);
	await editor.part('credential-save-button').click();
	await dialog.getByText('Connection tested successfully').waitFor();
	expect(await icons(dialog)).toEqual(['businessMessaging.svg']);
});

describe('the form of Send Template', () => {
	const picker = (name: string) => editor.part(`resource-locator-${name}`);
	const form = () => editor.part('mapping-fields-container');
	/** The inputs of the form, in its order. */
	const inputs = () => form().locator('input');

	async function openNode(parameters: INodeParameters = {}): Promise<string> {
		n8n.sandbox.reset();
		addManyTemplates(n8n.sandbox.state);
		const file = workflowOf(n8n.playground, [{ name: 'Anna' }], {
			resource: 'message',
			operation: 'sendTemplate',
			to: '+15550001001',
			...parameters,
		});
		const { id, nodes } = await n8n.client.createWorkflow(file);
		await editor.openWorkflow(id, nodes.find(({ name }) => name === tested)?.id);
		return id;
	}

	async function pick(name: string, typed: string, choice: string): Promise<void> {
		await picker(name).locator('[data-test-id="rlc-input"]').click();
		await editor.part('rlc-search').filter({ visible: true }).fill(typed);
		await editor.part('rlc-item').getByText(choice, { exact: true }).click();
	}

	look('of 500 templates one is found, with its languages and 10 variables, and sent', async () => {
		await openNode();
		await form()
			.or(editor.page.getByText('Choose a template to see its variables here.'))
			.waitFor();
		await pick('template', 'big', 'big_order · 12 languages · approved');
		await editor.page
			.getByText('Choose a language to see the variables of the template here.')
			.waitFor();
		await pick('language', 'german', 'German (Germany) · de_DE');
		await editor.page.getByText('Body 1: "de_DE: Hello {{1}} {{2}}, your order…"').waitFor();
		expect(await inputs().count()).toBe(bigFields.length);
		for (const [index, id] of bigFields.entries()) await inputs().nth(index).fill(`${id}!`);
		await editor.part('node-execute-button').click();
		await waitFor(async () => n8n.sandbox.state.messages.all.length > 0, {
			what: 'the message',
			limit: 60_000,
		});
		expect(n8n.sandbox.state.messages.all[0]).toMatchObject({
			text: expect.stringContaining('de_DE: Hello body_1! body_2!, your order from body_3!'),
			template: {
				header: { text: 'Order header_1!' },
				buttons: [{}, { url: 'https://shop.example.com/track/button2_1!' }],
			},
		});
	});

	look('without the list of templates the values are numbered, and go out', async () => {
		const parameters = {
			template: { __rl: true, mode: 'name', value: 'login_code' },
			language: { __rl: true, mode: 'code', value: 'en_US' },
		};
		await openNode(parameters);
		await n8n.fault({ endpoint: 'listTemplates', count: 1_000, reset: 'beforeRead' });
		await editor.page.reload();
		await inputs().first().fill('4711');
		await editor.part('node-execute-button').click();
		await waitFor(async () => n8n.sandbox.state.messages.all.length > 0, {
			what: 'the message',
			limit: 60_000,
		});
		expect(n8n.sandbox.state.messages.all[0]).toMatchObject({ text: '4711 is your login code.' });
	});
});
