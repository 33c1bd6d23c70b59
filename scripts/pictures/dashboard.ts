/**
 * Takes a picture of the dashboard of deploy/, with the data that a week of campaigns on a real n8n has left in its
 * database. npm does not have Grafana itself, but Grafana's components: they draw what the dashboard's JSON describes.
 */
import { copyFileSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { mapValues, range } from 'lodash';

import { onStop, step } from '../../harness/cli';
import { openBrowser } from '../../harness/editor/editor';
import { dashboard, rowsOf } from '../../harness/n8n/dashboard';
import { type Database, postgres } from '../../harness/n8n/database';
import { installOnce, installPinned, placeOf } from '../../harness/n8n/install';
import { PROJECT_FOLDER } from '../../harness/n8n/package';
import { ensureServices, startPostgres } from '../../harness/n8n/services';
import { manualTrigger, workflowOf } from '../../harness/n8n/useN8n';
import { openPlayground, type Playground } from '../../harness/playground';
import { runCommand } from '../../harness/processes';
import type { FaultOrder } from '../../sandbox/faults';
import { save, shot } from './studio';

const dayMs = 86_400_000;
const packages = path.join(PROJECT_FOLDER, 'scripts', 'pictures', 'grafana');
const bundleLimit = 60_000;

interface Campaign {
	name: string;
	daysAgo: number;
	people: number;
	/** How many of these people have opted out, how many the service refuses, and for how many it fails to respond. */
	optedOut: number;
	refused?: number;
	unclear?: number;
	/** How many messages the service delays with a 429. */
	delayed?: number;
}

const week: Campaign[] = [
	{ name: 'Autumn news', daysAgo: 6, people: 420, optedOut: 12, refused: 3 },
	{ name: 'Size 42 is back', daysAgo: 5, people: 130, optedOut: 4 },
	{
		name: 'Autumn sale',
		daysAgo: 4,
		people: 610,
		optedOut: 31,
		refused: 5,
		unclear: 2,
		delayed: 3,
	},
	{ name: 'Reminder', daysAgo: 3, people: 300, optedOut: 22 },
	{ name: 'Last day of the sale', daysAgo: 1, people: 560, optedOut: 35, refused: 2 },
	{ name: 'Thank you', daysAgo: 0, people: 240, optedOut: 9 },
];

/** Takes the picture. */
export async function takeDashboard(): Promise<void> {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'business-messaging-dashboard-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	await ensureServices();
	const env = await startPostgres(`${folder}-postgres`);
	const playground = await openPlayground({
		...{ folder, env, credential: { requestsPerMinute: 100_000 } },
		sandbox: { requestsPerWindow: 0 },
	});
	onStop(playground.close);
	const database = postgres(playground.n8n.install, env);
	for (const one of week) await send(playground, database, one);
	const period = { days: 7, groupSeconds: dayMs / 1000 };
	const rows: Record<string, unknown> = {};
	for (const { title } of dashboard.panels)
		rows[title] = (await rowsOf(database, title, period)).map(toGrafana);
	const browser = await openBrowser({ deviceScaleFactor: 2 });
	onStop(async () => await browser.close());
	const page = await browser.newPage();
	const given = { dashboard, rows, from: Date.now() - 7 * dayMs, to: Date.now() };
	// Grafana's components need the browser's storage, which only a page with an address has.
	const style = '* { box-sizing: border-box; } body { margin: 0; }'; // as Grafana's own page
	const body = `<style>${style}</style><div id="root"></div>`;
	await page.route('**', async (route) => await route.fulfill({ contentType: 'text/html', body }));
	await page.goto('http://127.0.0.1/');
	await page.evaluate(`window.given = ${JSON.stringify(given)}`);
	const script = await bundle();
	await page.addStyleTag({ path: script.replace(/js$/, 'css') });
	await page.addScriptTag({ path: script });
	const root = page.locator('#root');
	await root.getByText(week[0].name).first().waitFor();
	const clip = (await root.boundingBox())!;
	await page.setViewportSize({ width: Math.ceil(clip.width), height: Math.ceil(clip.height) });
	save('dashboard', [{ png: await shot(page, clip), ms: 0 }]);
}

/** Sends a campaign, and moves its execution in the database to the campaign's day. */
async function send(playground: Playground, database: Database, campaign: Campaign) {
	const { name, daysAgo, optedOut, refused = 0, unclear = 0, delayed = 0 } = campaign;
	const { n8n, sandbox } = playground;
	const people = range(campaign.people).map((n) => ({ phone: `+1555${1_000_000 + n}` }));
	const phones = people.map(({ phone }) => phone);
	const fail = (from: number, count: number, answer: Partial<FaultOrder>) => {
		for (const match of phones.slice(from, from + count))
			sandbox.state.faults.add({ endpoint: 'sendText', match, ...answer });
	};
	fail(optedOut, refused, { status: 422 });
	fail(optedOut + refused, unclear, { status: 500 });
	fail(optedOut + refused + unclear, delayed, { status: 429, headers: { 'retry-after': '0' } });
	const parameters = {
		...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Sale!' },
		...{ sendOnce: true, campaign: name },
		audienceRules: { excludeNumbers: phones.slice(0, optedOut).join(', ') },
	};
	const file = workflowOf(playground, people, parameters, { onError: 'continueRegularOutput' });
	const { id } = await n8n.client.createWorkflow({ ...file, name: `Campaign: ${name}` });
	const execution = await n8n.client.run(id, manualTrigger);
	await n8n.client.waitForExecution(execution, 120_000);
	const move = `UPDATE execution_entity SET "startedAt" = "startedAt" - interval '${daysAgo} days' WHERE id = ?`;
	await database.run(move, [execution]);
}

/** A row as Grafana's data source returns it: times in ms, PostgreSQL's sums as numbers. */
function toGrafana(row: Record<string, unknown>): Record<string, unknown> {
	return mapValues(row, (value, name) => {
		if (name === 'time') return Number(value) * 1000;
		if (value instanceof Date) return value.getTime();
		return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	});
}

/** Bundles Grafana's components and the page into one script. The components are installed once. @returns its path */
async function bundle(): Promise<string> {
	const folder = placeOf('grafana', packages);
	await step("Downloading Grafana's components (once, a minute)", async () => {
		await installOnce(folder, async () => await installPinned(packages, folder));
	});
	copyFileSync(path.join(packages, 'page.jsx'), path.join(folder, 'page.jsx'));
	const options = { cwd: folder, limit: bundleLimit };
	const files = ['svg', 'woff', 'woff2', 'ttf'].map((type) => `--loader:.${type}=empty`);
	const settings = [
		'--bundle',
		'--define:process.env.NODE_ENV="production"',
		'--define:global=window',
	];
	await runCommand(
		'node_modules/.bin/esbuild',
		['page.jsx', '--outfile=page.js', ...settings, ...files],
		options,
	);
	return path.join(folder, 'page.js');
}
