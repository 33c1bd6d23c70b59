/**
 * `npm run bench:sandbox [-- --seconds 10]`: how fast the sandbox answers, over a mix of endpoints. Exits with 1 if the
 * 99th percentile at 1,000 requests a minute is 100 ms or more: the service's own target.
 */
import autocannon, { type Request, type Result } from 'autocannon';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { demoKey } from '../sandbox/options';

const targetMs = 100;
const requestsPerMinute = 1000;
const contacts = 10_000;

const headers = { authorization: `Bearer ${demoKey}`, 'content-type': 'application/json' };
const post = (path: string, body: object): Request => ({
	method: 'POST',
	path,
	headers,
	body: JSON.stringify(body),
});
const get = (path: string): Request => ({ method: 'GET', path, headers });
const parameters = ['Ada', 'our shop'].map((text) => ({ type: 'text', text }));

/** As a campaign calls them: mostly sends, some reading. */
const requests: Request[] = [
	post('/v1/messages/send', { to: '+15551000001', text: 'Hello' }),
	post('/api/v1/messages/send', { to: '+15551000002', text: 'Hello again' }),
	post('/v1/messages/template', {
		to: '+15551000003',
		template: 'welcome',
		language: 'en_US',
		components: [{ type: 'body', parameters }],
		headerDocumentUrl: 'https://example.com/brochure.pdf',
	}),
	get('/v1/contacts?limit=100&page=50'),
	get('/v1/contacts?segment=newsletter&limit=20'),
	get('/v1/conversations'),
	get('/v1/templates'),
	get('/v1/analytics/messages'),
];

/** Starts a sandbox in a process of its own, so that it and the load do not share a core. */
async function startProcess(): Promise<{ url: string; child: ChildProcess }> {
	const args = ['--port', '0', '--rate', '0', '--contacts', String(contacts)];
	const main = join(__dirname, '..', 'sandbox', 'main.ts');
	const child = fork(main, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
	const [chunk] = (await once(child.stdout ?? child, 'data', {
		signal: AbortSignal.timeout(60_000),
	})) as [Buffer];
	const url = /http:\/\/\S+/.exec(chunk.toString())?.[0];
	if (!url) throw new Error(`The sandbox did not start: ${chunk.toString()}`);
	return { url, child };
}

function print(name: string, { latency, requests: rate, non2xx, errors }: Result): void {
	const figures = `${rate.average.toFixed(0)} a second, p50 ${latency.p50} ms, p99 ${latency.p99} ms, longest ${latency.max} ms`;
	process.stdout.write(`${name.padEnd(24)} ${figures}, ${non2xx} refused, ${errors} errors\n`);
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
	const duration = Number(values.seconds);
	const { url, child } = await startProcess();
	try {
		await autocannon({ url, requests, duration: 1, connections: 10 }); // warms up
		const steady = await autocannon({
			url,
			requests,
			duration,
			connections: 4,
			overallRate: requestsPerMinute / 60,
		});
		print('1,000 a minute', steady);
		const full = await autocannon({ url, requests, duration, connections: 20 });
		print('as fast as it can', full);
		const failed = [steady, full].some(({ non2xx, errors }) => non2xx + errors > 0);
		if (failed || steady.latency.p99 >= targetMs) process.exitCode = 1;
	} finally {
		child.kill('SIGTERM');
	}
}

main().catch((error: unknown) => {
	process.stderr.write(`${String(error)}\n`);
	process.exitCode = 1;
});
