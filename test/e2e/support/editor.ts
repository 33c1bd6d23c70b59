/** Chromium, and n8n's editor in it, for tests and pictures. */
import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { chromium } from 'playwright-core';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';

import type { N8nServer } from '../../../tools/n8n/server';

/** Milliseconds that Chromium may take to start, and the editor to show something. */
const limit = 60_000;

const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Opens a browser that reaches nothing but this machine. @throws Error if Chromium is not installed; its path may be given as CHROMIUM_PATH */
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
/** n8n requests an example output of every node, and accepts that there is none. */
const isExpected = (address: string) => new URL(address).pathname.startsWith('/schemas/');

/** Reports the editor's error messages, which disappear by themselves, on the browser's console. */
const reportErrorMessages = `new MutationObserver((changes) => {
	for (const { addedNodes } of changes) {
		for (const node of addedNodes) {
			if (node.querySelector?.('.el-notification--error')) console.error('Error message: ' + node.textContent);
		}
	}
}).observe(document, { childList: true, subtree: true });`;

/** One tab with the editor. */
export class Editor {
	/** Error messages of the editor, uncaught exceptions, and what the console says of our nodes. */
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
			const isError =
				line.type() === 'error' && (concernsUs || line.text().startsWith('Error message: '));
			if (isError) this.problems.push(`${line.text()} ${url}`);
		});
	}

	/** Opens it in a new browser: see {@link openBrowser}. */
	static async open(n8n: N8nServer, options: BrowserContextOptions = {}): Promise<Editor> {
		const context = await openBrowser(options);
		await context.addInitScript({ content: reportErrorMessages });
		return new Editor(n8n, context, await context.newPage());
	}

	/** Opens another page beside it, e.g. the phone. */
	async openTab(url: string): Promise<Page> {
		const tab = await this.context.newPage();
		tab.setDefaultTimeout(limit);
		await tab.goto(url);
		return tab;
	}

	/** Elements by the names that n8n gives them for its own tests. */
	part(name: string): Locator {
		return this.page.locator(`[data-test-id="${name}"]`);
	}

	/** Logs in through the form. */
	async login(): Promise<void> {
		const { email, password } = this.n8n.owner;
		await this.goTo('/');
		await this.page.getByLabel('Email').fill(email);
		await this.page.locator('input[type=password]').fill(password);
		await this.page.getByRole('button', { name: 'Sign in' }).click();
		await this.page.waitForURL(({ pathname }) => pathname !== '/signin');
	}

	/** Opens a page of the editor, e.g. `/home/credentials`. */
	async goTo(path: string): Promise<void> {
		await this.page.goto(`${this.n8n.url}${path}`);
	}

	/** Opens a workflow and, if one is named, the panel of a node. */
	async openWorkflow(id: string, nodeId = ''): Promise<void> {
		await this.goTo(`/workflow/${id}/${nodeId}`);
		await this.part(nodeId ? 'node-parameters' : 'canvas-node')
			.first()
			.waitFor();
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Clicks the button below the canvas; what follows is for the caller to wait for. */
	async execute(): Promise<void> {
		await this.part('execute-workflow-button').click();
	}

	/** Draws the report of the open workflow "Campaign results", and opens it. */
	async showReport(): Promise<void> {
		await this.page.getByRole('button', { name: 'Select trigger node' }).click();
		await this.page.getByRole('menuitem', { name: 'Show the report' }).click();
		await this.execute();
		await this.waitForSuccess('Report');
		await this.node('Report').dblclick();
		await this.page.locator('.__html-display').waitFor();
	}

	/** Waits for the tick on nodes. */
	async waitForSuccess(...nodes: string[]): Promise<void> {
		for (const name of nodes)
			await this.node(name).locator('[data-test-id="canvas-node-status-mark-success"]').waitFor();
	}

	async close(): Promise<void> {
		await this.context.browser()?.close();
	}
}

/** Runs a part of a test. @throws Error what it throws, with the path of a screenshot of that moment */
export async function withScreenshot({ page }: Editor, run: () => Promise<void>): Promise<void> {
	await run().catch(async (error: Error) => {
		const folder = mkdtempSync(path.join(os.tmpdir(), 'business-messaging-editor-'));
		const file = path.join(folder, 'screenshot.png');
		await page.screenshot({ path: file, timeout: 20_000 });
		throw new Error(`${error.message}\nThe editor then: ${file}`, { cause: error });
	});
}
