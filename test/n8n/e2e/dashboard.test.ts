/**
 * The dashboard of deploy/ on the database of a real n8n, compared with the figures that n8n stores for the node's
 * span. Grafana itself does not run here, but its queries do. No spans are sent either: n8n adds a node's figures to
 * them only with a licence.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { openPlayground, type Playground } from '../../../harness/playground';
import { type Database, postgres } from '../../../harness/n8n/database';
import { rowsOf as readRows } from '../../../harness/n8n/dashboard';
import { manualTrigger, packed, tested, workflowOf } from '../../../harness/useN8n';
import { ensureServices, startPostgres } from '../../../harness/n8n/services';

jest.setTimeout(15 * 60_000);

let folder: string;
let playground: Playground;
let database: Database;

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-dashboard-'));
	await ensureServices();
	const env = await startPostgres(path.join(os.tmpdir(), `${path.basename(folder)}-postgres`));
	const tarball = await packed();
	const credential = { requestsPerMinute: 100_000 };
	const sandbox = { requestsPerWindow: 0 };
	playground = await openPlayground({
		...{ folder, tarball, credential, sandbox, env },
	});
	database = postgres(playground.n8n.install, env);
}, 15 * 60_000);
afterAll(async () => {
	await playground?.close();
	await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Sends a text to people, the first of whom has opted out. @returns the figures that n8n keeps for the node's span */
async function send(count: number, more: INodeParameters) {
	const people = range(count).map((n) => ({ phone: `+1555000${1000 + n}` }));
	const parameters: INodeParameters = {
		...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Sale!' },
		...{ audienceRules: { excludeNumbers: '+15550001000' }, options: { concurrency: 1 } },
		...more,
	};
	const file = workflowOf(playground, people, parameters, { onError: 'continueRegularOutput' });
	const { client } = playground.n8n;
	const { id } = await client.createWorkflow(file);
	const execution = await client.waitForExecution(await client.run(id, manualTrigger));
	return execution.data.resultData.runData[tested][0].metadata?.tracing;
}

/** The rows of a panel for the last day. */
const rowsOf = async (title: string) =>
	await readRows(database, title, { days: 1, groupSeconds: 86_400 });

/** A row with its counts as numbers, because PostgreSQL returns sums as texts. */
const counts = (row: Record<string, unknown>, ...names: string[]) =>
	names.map((name) => Number(row[name]));

test('every panel shows the results of the messages, and so do the figures that n8n stores for spans', async () => {
	const { faults } = playground.sandbox.state;
	faults.add({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	faults.add({ endpoint: 'sendText', match: '+15550001002', status: 500 });
	faults.add({ endpoint: 'sendText', status: 429, headers: { 'retry-after': '0' } });
	const none = { failed: 0, uncertain: 0, tooManyRequests: 0 };
	expect(await send(6, { sendOnce: true, campaign: 'Spring' })).toEqual({
		...{ campaign: 'Spring', sent: 3, skipped: 1, failed: 1, uncertain: 1, tooManyRequests: 1 },
	});
	expect(await send(4, { sendOnce: true, campaign: 'Summer' })).toEqual({
		...{ ...none, campaign: 'Summer', sent: 3, skipped: 1 },
	});
	expect(await send(2, {})).toEqual({ ...none, sent: 1, skipped: 1 });

	const names = ['Sent', 'Skipped', 'Failed', 'Uncertain', '429s'];
	const [total, ...others] = await rowsOf('Messages');
	expect([counts(total, ...names), others]).toEqual([[7, 3, 1, 1, 1], []]);
	const campaigns = await rowsOf('Campaigns');
	expect(campaigns.map((row) => [row.Campaign, ...counts(row, ...names, 'Executions')])).toEqual([
		['(none)', 1, 1, 0, 0, 0, 1],
		['Summer', 3, 1, 0, 0, 0, 1],
		['Spring', 3, 1, 1, 1, 1, 1],
	]);
	const overTime = await rowsOf('Messages over time');
	const sums = names.slice(0, 4).map((name) => {
		const column = overTime.map((row) => Number(row[name]));
		return column.reduce((sum, value) => sum + value, 0);
	});
	expect(sums).toEqual([7, 3, 1, 1]);
	const [slow] = await rowsOf('The service asked to slow down (429)');
	expect(Number(slow['429s'])).toBe(1);
	const [failed, ...more] = await rowsOf('Executions with failed or uncertain messages');
	expect([failed.Campaign, counts(failed, 'Sent', 'Failed', 'Uncertain'), more]).toEqual([
		...['Spring', [3, 1, 1], []],
	]);
	expect(failed.Execution).toMatch(/^\w+\/executions\/\d+$/);
});
