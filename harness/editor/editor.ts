/** Chromium, and n8n's editor in it, for tests and pictures. */
import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
	chromium,
	type BrowserContext,
	type BrowserContextOptions,
	type Locator,
	type Page,
} from 'playwright-core';
import { PROJECT_FOLDER } from '../n8n/packProject';
import type { N8nServer } from '../n8n/server';
import type { Sandbox } from '../../sandbox';

/** How long Chromium may take to start, or the editor to show something, ms. */
const limit = 60_000;

const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Opens a browser that can reach only this machine. @throws Error if Chromium is not installed; CHROMIUM_PATH may give its path */
export async function openBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
	const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
	if (!existsSync(executablePath)) {
		throw new Error(
			`There is no Chromium at ${executablePath}. On Debian: apt-get install chromium; elsewhere set CHROMIUM_PATH.`,
		);
	}
	const browser = await chromium.launch({ executablePath, args: flags, timeout: limit });
	const context = await browser.newContext({
		viewport: { width: 1400, height: 1000 },
		colorScheme: 'light',
		...options,
	});
	await context.route(
		({ hostname }) => hostname !== '127.0.0.1',
		async (route) => await route.abort(),
	);
	return context;
}

const ours = /business-?messaging/i;
/** A failed request that is normal: n8n requests an example output for every node, and most have none. */
const isExpected = (address: string) => new URL(address).pathname.startsWith('/schemas/');

/** One tab with the editor. */
export class Editor {
	/** Uncaught exceptions, and errors about our nodes in the browser's console. */
	readonly problems: string[] = [];

	private constructor(
		private readonly n8n: N8nServer,
		private readonly context: BrowserContext,
		readonly page: Page,
	) {
		page.setDefaultTimeout(limit);
		page.on('pageerror', ({ message }) => this.problems.push(message));
		page.on('console', (line) => {
			const { url } = line.location();
			const concernsUs =
				ours.test(line.text()) || (url.startsWith(n8n.url) && ours.test(url) && !isExpected(url));
			if (line.type() === 'error' && concernsUs) this.problems.push(`${line.text()} ${url}`);
		});
	}

	/** Opens the editor in a new browser, see {@link openBrowser}, and logs in through the form. */
	static async open(n8n: N8nServer, options: BrowserContextOptions = {}): Promise<Editor> {
		const context = await openBrowser(options);
		const page = await context.newPage();
		const editor = new Editor(n8n, context, page);
		await editor.goTo('/');
		await page.getByLabel('Email').fill(n8n.owner.email);
		await page.locator('input[type=password]').fill(n8n.owner.password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL(({ pathname }) => pathname !== '/signin');
		return editor;
	}

	/** Opens a page in the same browser, e.g. the phone. */
	async openTab(url: string): Promise<Page> {
		const tab = await this.context.newPage();
		tab.setDefaultTimeout(limit);
		await tab.goto(url);
		return tab;
	}

	/** Finds elements by the names that n8n gives them for its own tests. */
	part(name: string): Locator {
		return this.page.locator(`[data-test-id="${name}"]`);
	}

	/** Opens a page of the editor, e.g. `/home/credentials`. */
	async goTo(path: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}${path}`);
	}

	async openWorkflow(id: string): Promise<void> {
		await this.goTo(`/workflow/${id}`);
		await this.part('canvas-node').first().waitFor();
	}

	/** Imports an example into an empty workflow. */
	async importExample(name: string): Promise<void> {
		await this.goTo('/workflow/new');
		const file = path.join(PROJECT_FOLDER, 'examples', `${name}.json`);
		await this.part('workflow-import-input').setInputFiles(file);
		await this.part('canvas-node').first().waitFor();
		await this.part('zoom-to-fit').click();
	}

	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** The caller has to wait for the result. */
	async execute(): Promise<void> {
		await this.part('execute-workflow-button').click();
	}

	async executeAt(trigger: string): Promise<void> {
		await this.page.getByRole('button', { name: 'Select trigger node' }).click();
		await this.page.getByRole('menuitem', { name: trigger }).click();
		await this.execute();
	}

	/** Fills in the report of the open workflow "Campaign results", and opens it. */
	async showReport(): Promise<void> {
		await this.executeAt('Show the report');
		await this.waitForSuccess('Report');
		await this.node('Report').dblclick();
		await this.page.locator('.__html-display').waitFor();
	}

	async waitForSuccess(...nodes: string[]): Promise<void> {
		for (const name of nodes)
			await this.node(name).locator('[data-test-id="canvas-node-status-mark-success"]').waitFor();
	}

	async close(): Promise<void> {
		await this.context.browser()?.close();
	}
}

/** Runs a part of a test. @throws Error what the part throws, with the path of a screenshot of that moment */
export async function withScreenshot({ page }: Editor, run: () => Promise<void>): Promise<void> {
	await run().catch(async (error: Error) => {
		const folder = mkdtempSync(path.join(os.tmpdir(), 'business-messaging-editor-'));
		const file = path.join(folder, 'screenshot.png');
		await page.screenshot({ path: file, timeout: 20_000 });
		throw new Error(`${error.message}\nThe editor then: ${file}`, { cause: error });
	});
}

/** Steps of a new user. Every click on something that can be chosen, also on a field, uses {@link NewUser.click}. */
export class NewUser {
	clicks = 0;

	constructor(private readonly editor: Editor) {}

	async click(target: Locator): Promise<void> {
		await target.click();
		this.clicks++;
	}

	async type(field: Locator, text: string): Promise<void> {
		await this.click(field);
		await field.fill(text);
	}

	/** Opens the panel of nodes in an empty workflow, and shows our nodes there. */
	async openNodePanel(): Promise<void> {
		await this.click(this.editor.part('canvas-plus-button'));
		// The search field has the focus already.
		await this.editor.part('node-creator-search-bar').fill('business messaging');
		await this.clickInPanel('Business Messaging');
	}

	/** Adds a node of n8n to an empty workflow. @param action name in the panel, if the node has several actions */
	async addFirst(node: string, action?: string): Promise<void> {
		await this.click(this.editor.part('canvas-plus-button'));
		await this.search(node);
		if (action) await this.clickInPanel(action);
		await this.editor.part('node-parameters').waitFor();
	}

	/** Adds a node below the agent of the open workflow. @param kind of the connection, e.g. `ai_tool` */
	async addPart(kind: string, node: string): Promise<void> {
		const handle = this.editor.page.locator(`[data-handleid="inputs/${kind}/0"]`);
		await this.click(handle.locator('[data-test-id="canvas-handle-plus"]'));
		await this.search(node);
		await this.editor.part('node-parameters').waitFor();
	}

	private async search(node: string): Promise<void> {
		await this.editor.part('node-creator-search-bar').fill(node);
		await this.clickInPanel(node);
	}

	/** Adds an action after the last node of the open workflow. */
	async addNext(node: string, action: string): Promise<void> {
		await this.click(this.editor.part('canvas-handle-plus').last());
		await this.search(node);
		await this.clickInPanel(action);
		await this.editor.part('node-parameters').waitFor();
	}

	private async clickInPanel(text: string): Promise<void> {
		await this.click(this.editor.part('node-creator').getByText(text, { exact: true }).first());
	}

	/** Adds the action node to an empty workflow; n8n puts a manual trigger before it. */
	async addAction(action: string): Promise<void> {
		await this.openNodePanel();
		await this.click(this.editor.part('node-creator').getByText(/^Actions \(/));
		await this.clickInPanel(action);
		await this.editor.part('node-parameters').waitFor();
	}

	/** Adds the trigger to an empty workflow. */
	async addTrigger(event: string): Promise<void> {
		await this.openNodePanel();
		await this.clickInPanel(event);
		await this.editor.part('node-parameters').waitFor();
	}

	/** Creates the credential from the open node, to which n8n returns once the service has accepted the key. */
	async createCredential(sandbox: Sandbox): Promise<void> {
		const place = this.editor.part('node-credentials-empty-state');
		await this.click(place.getByRole('button').first());
		await this.fillCredential(sandbox);
		await this.editor.part('editCredential-modal').waitFor({ state: 'hidden' });
	}

	/** Opens a new credential of ours from the list of credentials. */
	async startCredential(): Promise<void> {
		const { editor } = this;
		await editor.goTo('/home/credentials');
		await this.click(editor.page.getByRole('button', { name: 'Create credential' }));
		await editor.part('new-credential-type-select').locator('input').fill('business mess');
		const option = editor.part('new-credential-type-select-option');
		await this.click(option.getByText('Business Messaging API'));
		await this.click(editor.part('new-credential-type-button'));
	}

	/** Fills in the open credential and saves it, which tests it. */
	async fillCredential({ url, key }: Pick<Sandbox, 'url' | 'key'>): Promise<void> {
		await this.type(this.input('apiKey'), key);
		await this.type(this.input('baseUrl'), url);
		await this.click(this.editor.part('credential-save-button'));
	}

	/** Chooses from a searchable list. @param entry the beginning of its text @param typed text for the search field */
	async pick(list: string, entry: RegExp, typed = ''): Promise<void> {
		const field = this.editor.part(`resource-locator-${list}`);
		await this.click(field.locator('[data-test-id="rlc-input"]'));
		if (typed) await this.editor.part('rlc-search').filter({ visible: true }).fill(typed);
		await this.click(this.editor.part('rlc-item').filter({ visible: true }).getByText(entry));
	}

	/** Chooses an option of a field of the open node or credential. @param typed text that finds the option in a long list */
	async choose(name: string, option: RegExp, typed?: string): Promise<void> {
		await this.click(this.input(name));
		if (typed) await this.input(name).fill(typed);
		await this.click(this.editor.page.getByRole('option', { name: option }).first());
	}

	/** Drags a column of the input on the left into a field of the open node. */
	async drag(column: string, field: Locator): Promise<void> {
		const pill = this.editor.part('ndv-input-panel').getByText(column, { exact: true }).first();
		await pill.hover();
		const { mouse } = this.editor.page;
		await mouse.down();
		await field.hover({ force: true });
		await field.hover({ force: true, position: { x: 20, y: 10 } });
		await mouse.up();
		this.clicks++;
	}

	/** Lets the model of an agent fill in a field of its tool. */
	async letModelFill(name: string): Promise<void> {
		const input = this.editor.part(`parameter-input-${name}`);
		const field = this.editor.part('parameter-item').filter({ has: input }).last();
		await this.click(field.locator('[data-test-id="from-ai-override-button"]'));
	}

	async executeAt(trigger: string): Promise<void> {
		await this.editor.executeAt(trigger);
		this.clicks += 3;
	}

	async open(node: string): Promise<void> {
		await this.editor.node(node).dblclick();
		this.clicks += 2;
	}

	async publish(): Promise<void> {
		await this.click(this.editor.page.getByRole('button', { name: 'Publish' }));
		const dialog = this.editor.page.getByRole('dialog');
		await this.click(dialog.getByRole('button', { name: 'Publish' }));
	}

	/** Fills in the form of a template in order. */
	async fillForm(values: string[]): Promise<void> {
		const fields = this.editor.part('mapping-fields-container').locator('input');
		for (const [index, value] of values.entries()) await this.type(fields.nth(index), value);
	}

	/** The input of a field of the open node or credential. */
	input(name: string): Locator {
		return this.editor.part(`parameter-input-${name}`).locator('input, textarea').first();
	}
}
