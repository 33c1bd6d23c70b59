/**
 * Notes which endpoints the nodes really called while n8n's engine ran them, and which of them the sandbox answered with
 * success: the evidence behind docs/coverage.md. Node.js tells of every HTTP request of the process, so nothing between
 * the node and the wire has to be replaced for it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';

import { currentTestFile, saveCalls } from './records';
import type { RecordedCall } from './records';

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

/** Begins to record. Calls count only if the sandbox answers them, not a stand-in of some test. `url` is its address. */
export function recordCallsTo(url: string): void {
	sandboxes.add(new URL(url).host);
	subscribe('http.client.request.start', onStart);
	subscribe('http.client.response.finish', onFinish);
}

/** Leaves the record of the test file. The channels are the process's, which goes on to the next one. */
export function stopRecording(): void {
	unsubscribe('http.client.request.start', onStart);
	unsubscribe('http.client.response.finish', onFinish);
	saveCalls('engineTests', [...records.values()]);
}

function started({ request }: { request: ClientRequest }): void {
	const current = caller.getStore();
	if (current) callers.set(request, current.name);
}

function answered({
	request,
	response,
}: {
	request: ClientRequest;
	response: IncomingMessage;
}): void {
	const name = callers.get(request);
	const ok =
		response.statusCode !== undefined && response.statusCode >= 200 && response.statusCode < 300;
	if (!name || !ok || !sandboxes.has(String(request.getHeader('host')))) return;
	const { pathname } = new URL(request.path, 'http://sandbox');
	const call = { method: request.method, path: pathname, caller: name, test: currentTestFile() };
	records.set(JSON.stringify(call), call);
}

const onStart = (message: unknown) => started(message as { request: ClientRequest });
const onFinish = (message: unknown) =>
	answered(message as { request: ClientRequest; response: IncomingMessage });
