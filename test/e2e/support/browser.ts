/** Chromium, for tests and pictures. */
import { existsSync } from 'node:fs';

import { chromium } from 'playwright-core';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';

/** Milliseconds that it may take to start. */
const limit = 60_000;

const flags = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/**
 * Opens a browser that reaches nothing but this machine.
 *
 * @throws Error if Chromium is not installed; its path may be given as CHROMIUM_PATH
 */
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
