/**
 * Notes which endpoints the nodes really called while n8n's engine ran them, and which of them the sandbox answered with
 * success: the evidence behind docs/coverage.md. Node.js tells of every HTTP request of the process, so nothing between
 * the node and the wire has to be replaced for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import path from 'node:path';

import { root } from './build';
import { recordFolder } from './recordFolder';

/** One successful call of an engine run. */
export interface RecordedCall {
	method: string;
	/** Path without query, e.g. `/api/v1/contacts/7`. */
	path: string;
	/** What made the call, e.g. `Message: Send Text`. */
	caller: string;
	/** The test file, relative to the project. */
	test: string;
}

const caller = new AsyncLocalStorage<{ name: string }>();
const callers = new WeakMap<ClientRequest, string>();
const sandboxes = new Set<string>();
const records = new Map<string, RecordedCall>();

/**
 * Runs a part of n8n's engine and notes the calls it makes.
 *
 * @param name what makes the calls; may be changed while it runs
 */
export async function recordCalls<T>(name: { name: string }, run: () => Promise<T>): Promise<T> {
	return await caller.run(name, run);
}

/** Calls count only if the sandbox answers them, not a stand-in of some test. `url` is its address. */
export function recordCallsTo(url: string): void {
	sandboxes.add(new URL(url).host);
}

function started({ request }: { request: ClientRequest }): void {
	const current = caller.getStore();
	if (current) callers.set(request, current.name);
}

function answered({ request, response }: { request: ClientRequest; response: IncomingMessage }): void {
	const name = callers.get(request);
	const ok = response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300;
	if (!name || !ok || !sandboxes.has(String(request.getHeader('host')))) return;
	const { pathname } = new URL(request.path, 'http://sandbox');
	const test = path.relative(root, expect.getState().testPath ?? '').replaceAll(path.sep, '/');
	const call = { method: request.method, path: pathname, caller: name, test };
	records.set(JSON.stringify(call), call);
}

function save(): void {
	const { testPath } = expect.getState();
	if (records.size === 0 || !testPath) return;
	mkdirSync(recordFolder, { recursive: true });
	const name = createHash('sha256').update(path.relative(root, testPath)).digest('hex').slice(0, 16);
	writeFileSync(path.join(recordFolder, `${name}.json`), JSON.stringify([...records.values()]));
}

const onStart = (message: unknown) => started(message as { request: ClientRequest });
const onFinish = (message: unknown) => answered(message as { request: ClientRequest; response: IncomingMessage });

subscribe('http.client.request.start', onStart);
subscribe('http.client.response.finish', onFinish);
afterAll(() => {
	// The channels are the process's, which goes on to the next test file.
	unsubscribe('http.client.request.start', onStart);
	unsubscribe('http.client.response.finish', onFinish);
	save();
});
