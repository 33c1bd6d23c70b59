/**
 * The dashboard of deploy/ on the database of a real n8n, and the same figures in the spans that n8n sends to OpenTelemetry. Grafana itself
 * does not run here: its queries do, with Grafana's macros replaced as Grafana replaces them.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import fastify from 'fastify';
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { openPlayground, type Playground } from '../../../harness/playground';
import { type Database, postgres } from '../../../harness/n8n/database';
import { manualTrigger, packed, workflowOf } from '../../../harness/n8n/useN8n';
import { readText } from '../../../harness/engine/files';
import { until } from '../../../harness/until';
import { ensureServices, startPostgres } from '../soak/services';

jest.setTimeout(15 * 60_000);

type Panel = { title: string; targets: Array<{ rawSql: string }> };
const { panels } = JSON.parse(readText('deploy/grafana-dashboard.json')) as { panels: Panel[] };

/** One field of a message in protobuf: its number, and its bytes or number. */
type Field = [number: number, value: Buffer | number];

/** The fields of a message in protobuf. Source: protobuf.dev, Encoding. */
function fieldsOf(bytes: Buffer): Field[] {
	const fields: Field[] = [];
	let at = 0;
	const varint = () => {
		let value = 0;
		for (let factor = 1; ; factor *= 128) {
			const byte = bytes[at++];
			value += (byte & 127) * factor;
			if (byte < 128) return value;
		}
	};
	const take = (length: number) => bytes.subarray(at, (at += length));
	while (at < bytes.length) {
		const key = varint();
		const type = key & 7;
		const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint());
		fields.push([Math.floor(key / 8), value]);
	}
	return fields;
}

/** The messages that a path of field numbers leads to. */
function within(bytes: Buffer, ...numbers: number[]): Buffer[] {
	return numbers.reduce<Buffer[]>(
		(messages, wanted) =>
			messages.flatMap((message) =>
				fieldsOf(message).flatMap(([number, value]) =>
					number === wanted && Buffer.isBuffer(value) ? [value] : [],
				),
			),
		[bytes],
	);
}

/** The texts among the attributes of each span of an OTLP request. Source: opentelemetry/proto/trace/v1. */
function attributesOf(request: Buffer): Array<Record<string, string>> {
	return within(request, 1, 2, 2).map((span) => {
		const pairs = within(span, 9).map((pair) => [
			String(within(pair, 1)[0]),
			String(within(pair, 2, 1)[0] ?? ''),
		]);
		return Object.fromEntries(pairs) as Record<string, string>;
	});
}

const spans: Array<Record<string, string>> = [];
const receiver = fastify();
let folder: string;
let playground: Playground;
let database: Database;

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-dashboard-'));
	await ensureServices();
	const env = await startPostgres(path.join(os.tmpdir(), `${path.basename(folder)}-postgres`));
	receiver.addContentTypeParser('application/x-protobuf', { parseAs: 'buffer' }, (_, body, done) =>
		done(null, body),
	);
	receiver.post<{ Body: Buffer }>('/v1/traces', async ({ body }) => {
		spans.push(...attributesOf(body));
		return {};
	});
	const tracing = {
		N8N_OTEL_ENABLED: 'true',
		N8N_OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.listen({ host: '127.0.0.1', port: 0 }),
		N8N_OTEL_TRACES_PRODUCTION_ONLY: 'false',
	};
	const tarball = await packed();
	const credential = { requestsPerMinute: 100_000 };
	const sandbox = { requestsPerWindow: 0 };
	playground = await openPlayground({
		...{ folder, tarball, credential, sandbox, env: { ...env, ...tracing } },
	});
	database = postgres(playground.n8n.install, env);
}, 15 * 60_000);
afterAll(async () => {
	await playground?.close();
	await receiver.close();
	await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Sends a text to people, the first of whom has opted out. */
async function send(count: number, more: INodeParameters): Promise<void> {
	const people = range(count).map((n) => ({ phone: `+1555000${1000 + n}` }));
	const parameters: INodeParameters = {
		...{ resource: 'message', operation: 'sendText', to: '={{ $json.phone }}', text: 'Sale!' },
		...{ audienceRules: { excludeNumbers: '+15550001000' }, options: { concurrency: 1 } },
		...more,
	};
	const file = workflowOf(playground, people, parameters, { onError: 'continueRegularOutput' });
	const { client } = playground.n8n;
	const { id } = await client.createWorkflow(file);
	await client.waitForExecution(await client.run(id, manualTrigger));
}

/** The rows of a panel, as Grafana asks for them for the last hour. */
async function rowsOf(title: string) {
	const { rawSql } = panels.find((panel) => panel.title === title)!.targets[0];
	const sql = rawSql
		.replaceAll(
			/\$__timeFilter\(([^)]+)\)/g,
			"$1 BETWEEN now() - interval '1 hour' AND now() + interval '1 hour'",
		)
		.replaceAll(
			/\$__timeGroupAlias\(([^,]+), \$__interval\)/g,
			'floor(extract(epoch from $1)/86400)*86400 AS "time"',
		);
	return await database.run(sql);
}

/** A row with its counts as numbers; PostgreSQL's sums are texts. */
const counts = (row: Record<string, unknown>, ...names: string[]) =>
	names.map((name) => Number(row[name]));

test('every panel shows what became of the messages, and so do the attributes of the spans', async () => {
	const { faults } = playground.sandbox.state;
	faults.add({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	faults.add({ endpoint: 'sendText', match: '+15550001002', status: 500 });
	faults.add({ endpoint: 'sendText', status: 429, headers: { 'retry-after': '0' } });
	await send(6, { sendOnce: true, campaign: 'Spring' });
	await send(4, { sendOnce: true, campaign: 'Summer' });
	await send(2, {});

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

	const prefix = 'n8n.node.custom.';
	const ours = () => spans.filter((span) => `${prefix}sent` in span);
	await until('the spans', () => ours().length === 3, { limit: 60_000 });
	const figures = ['campaign', 'sent', 'skipped', 'failed', 'uncertain', 'tooManyRequests'];
	expect(ours().map((span) => figures.map((name) => span[prefix + name]))).toEqual([
		['Spring', '3', '1', '1', '1', '1'],
		['Summer', '3', '1', '0', '0', '0'],
		[undefined, '1', '1', '0', '0', '0'],
	]);
});
