/**
 * The dashboard of deploy/, with the figures that a week of campaigns on a real n8n has left in its database. Grafana is no package of npm's,
 * but its components are: they draw what the dashboard's JSON says.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { mapValues, range } from 'lodash';

import { onStop, step } from '../../harness/cli';
import { openBrowser } from '../../harness/editor/editor';
import { dashboard, rowsOf } from '../../harness/n8n/dashboard';
import { type Database, postgres } from '../../harness/n8n/database';
import { cachePlace, installOnce } from '../../harness/n8n/install';
import { PROJECT_FOLDER } from '../../harness/n8n/package';
import { ensureServices, startPostgres } from '../../harness/n8n/services';
import { manualTrigger, workflowOf } from '../../harness/n8n/useN8n';
import { openPlayground, type Playground } from '../../harness/playground';
import { runCommand } from '../../harness/processes';
import { save, shot } from './studio';

const dayMs = 86_400_000;
const packages = path.join(PROJECT_FOLDER, 'scripts', 'pictures', 'grafana');
const bundleLimit = 10 * 60_000;

/** Campaigns of the week: how many days ago, how many people, how many of them opted out, and how many messages the service refused, failed to answer, and delayed by a 429. */
const week = [
	{
		daysAgo: 6,
		campaign: 'Autumn news',
		people: 420,
		optedOut: 12,
		refused: 3,
		unclear: 0,
		slowed: 0,
	},
	{
		daysAgo: 5,
		campaign: 'Size 42 is back',
		people: 130,
		optedOut: 4,
		refused: 0,
		unclear: 0,
		slowed: 0,
	},
	{
		daysAgo: 4,
		campaign: 'Autumn sale',
		people: 610,
		optedOut: 31,
		refused: 5,
		unclear: 2,
		slowed: 3,
	},
	{
		daysAgo: 3,
		campaign: 'Reminder',
		people: 300,
		optedOut: 22,
		refused: 0,
		unclear: 0,
		slowed: 0,
	},
	{
		daysAgo: 1,
		campaign: 'Last day of the sale',
		people: 560,
		optedOut: 35,
		refused: 2,
		unclear: 0,
		slowed: 0,
	},
	{
		daysAgo: 0,
		campaign: 'Thank you',
		people: 240,
		optedOut: 9,
		refused: 0,
		unclear: 0,
		slowed: 0,
	},
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
	// Grafana's components ask for the browser's storage, which only a page with an address has.
	const style = '* { box-sizing: border-box; } body { margin: 0; }'; // as Grafana's own page
	const body = `<style>${style}</style><div id="root"></div>`;
	await page.route('**', async (route) => await route.fulfill({ contentType: 'text/html', body }));
	await page.goto('http://127.0.0.1/');
	await page.evaluate(`window.given = ${JSON.stringify(given)}`);
	const script = await bundle();
	await page.addStyleTag({ path: script.replace(/js$/, 'css') });
	await page.addScriptTag({ path: script });
	const root = page.locator('#root');
	await root.getByText(week[0].campaign).first().waitFor();
	const clip = (await root.boundingBox())!;
	await page.setViewportSize({ width: Math.ceil(clip.width), height: Math.ceil(clip.height) });
	save('dashboard', [{ png: await shot(page, clip), ms: 0 }]);
}

/** Sends a campaign, and moves its execution to its day. */
async function send(
	playground: Playground,
	database: Database,
	{ daysAgo, ...one }: (typeof week)[number],
) {
	const { n8n, sandbox } = playground;
	const people = range(one.people).map((n) => ({ phone: `+1555${1_000_000 + n}` }));
	const phones = people.map(({ phone }) => phone);
	const { faults } = sandbox.state;
	const from = one.optedOut + one.refused;
	for (const match of phones.slice(one.optedOut, from))
		faults.add({ endpoint: 'sendText', match, status: 422 });
	for (const match of phones.slice(from, from + one.unclear))
		faults.add({ endpoint: 'sendText', match, status: 500 });
	for (const match of phones.slice(-one.slowed))
		if (one.slowed > 0)
			faults.add({ endpoint: 'sendText', match, status: 429, headers: { 'retry-after': '0' } });
	const parameters = {
		...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Sale!' },
		...{ sendOnce: true, campaign: one.campaign },
		audienceRules: { excludeNumbers: phones.slice(0, one.optedOut).join(', ') },
	};
	const file = workflowOf(playground, people, parameters, { onError: 'continueRegularOutput' });
	const { id } = await n8n.client.createWorkflow({ ...file, name: `Campaign: ${one.campaign}` });
	const execution = await n8n.client.run(id, manualTrigger);
	await n8n.client.waitForExecution(execution, 120_000);
	const move = `UPDATE execution_entity SET "startedAt" = "startedAt" - interval '${daysAgo} days' WHERE id = ?`;
	await database.run(move, [execution]);
}

/** As Grafana's data source gives it: times in ms, PostgreSQL's sums as numbers. */
function toGrafana(row: Record<string, unknown>): Record<string, unknown> {
	return mapValues(row, (value, name) => {
		if (name === 'time') return Number(value) * 1000;
		if (value instanceof Date) return value.getTime();
		return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	});
}

/** Grafana's components and the page, as one script. They are installed once. @returns its path */
async function bundle(): Promise<string> {
	const lock = readFileSync(path.join(packages, 'package-lock.json'));
	const folder = cachePlace(
		`grafana-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
	);
	const copy = (name: string) => copyFileSync(path.join(packages, name), path.join(folder, name));
	const options = { cwd: folder, limit: bundleLimit };
	await step("Downloading Grafana's components (once, a minute)", async () => {
		await installOnce(folder, async () => {
			for (const name of ['package.json', 'package-lock.json', '.npmrc']) copy(name);
			await runCommand('npm', ['ci'], options);
		});
	});
	copy('page.jsx');
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
