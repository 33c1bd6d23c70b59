/** Where the API key must not turn up: in items, errors, what n8n stores of an execution, hints, and logs. */
import { stringify } from 'flatted';
import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import type { FaultOrder } from '../../sandbox/faults';
import type { RunResult } from '../support/engine';
import { useService } from '../support/service';

const service = useService();
const logged: string[] = [];

const levels = ['error', 'warn', 'info', 'debug'] as const;

beforeAll(() => {
	const node = service.engine.loaded.node('businessMessaging');
	const execute = Reflect.get(node, 'execute') as (
		this: IExecuteFunctions,
	) => Promise<INodeExecutionData[][]>;
	node.execute = async function (this: IExecuteFunctions) {
		const { logger } = this;
		for (const level of levels) {
			if (!jest.isMockFunction(logger[level]))
				jest
					.spyOn(logger, level)
					.mockImplementation((...words) => void logged.push(stringify(words)));
		}
		return await execute.call(this);
	};
});

beforeEach(() => {
	logged.length = 0;
});

/** All that n8n keeps of a run, shows of it or logs, as text. */
function traces(run: RunResult): string {
	const { error } = run;
	return [
		...[run.execution.run, run.outputs, run.hints, run.context, { ...error }].map((part) =>
			stringify(part),
		),
		String(error?.message),
		String(error?.stack),
		...logged,
	].join('\n');
}

function expectNoKey(run: RunResult, key = service.sandbox.key): void {
	const text = traces(run);
	expect(text.length).toBeGreaterThan(100);
	for (const form of [
		key,
		encodeURIComponent(key),
		Buffer.from(key).toString('base64'),
		key.slice(0, 12),
	])
		expect(text).not.toContain(form);
}

const words = () => `The key ${service.sandbox.key} is not known`;
/** The service quotes what it was sent, in all the ways it could. */
const quotes: Record<string, () => FaultOrder> = {
	'as JSON': () => ({
		status: 403,
		body: {
			message: words(),
			errors: [{ field: 'authorization', message: `Bearer ${service.sandbox.key}` }],
		},
	}),
	'as text': () => ({ status: 400, body: words() }),
	'cut off by the limit of what is shown': () => ({
		status: 400,
		body: { message: `${'x'.repeat(485)}${service.sandbox.key}` },
	}),
	'with escapes in JSON': () => ({
		status: 400,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ message: words() }).replaceAll('-', '\\u002d'),
	}),
	'with a success': () => ({
		status: 200,
		body: { id: 'msg_1', request: { authorization: `Bearer ${service.sandbox.key}` } },
	}),
	'in the address of a redirect': () => ({
		status: 302,
		headers: { location: `https://example.com/?key=${service.sandbox.key}` },
		body: words(),
	}),
	'on a page of a proxy': () => ({ status: 502, body: `<html>${words()}</html>` }),
};
const modes: Array<INode['onError']> = [
	'stopWorkflow',
	'continueRegularOutput',
	'continueErrorOutput',
];
const cases = Object.keys(quotes).flatMap((quote) =>
	modes.map((mode): [string, INode['onError']] => [quote, mode]),
);

test.each(cases)('is left out where the service quotes it %s (%s)', async (quote, onError) => {
	await service.fault({ ...quotes[quote](), endpoint: 'sendText', count: 10 });
	expectNoKey(
		await service.run({
			parameters: { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' },
			onError,
		}),
	);
	expect(service.calls('sendText')).toBe(1);
});

test.each<[string, FaultOrder]>([
	['an answer that never comes', { delayMs: 2_000 }],
	['a connection that breaks', { reset: 'afterRead' }],
	['JSON that breaks off', { brokenJson: true }],
])('is not in what %s leaves behind', async (_, fault) => {
	await service.fault({ ...fault, endpoint: 'sendText' });
	const run = await service.run({
		parameters: {
			resource: 'message',
			operation: 'sendText',
			to: '+15550001000',
			text: 'Hi',
			options: { timeout: 1 },
		},
	});
	expect(run.status).toBe('error');
	expectNoKey(run);
});

test('is not in what a campaign leaves behind: results, what a retry has to know, hints', async () => {
	await service.fault({ endpoint: 'sendText', skip: 1, status: 422, body: { message: words() } });
	const items = [1, 2, 3].map((n) => ({ n }));
	const parameters = {
		resource: 'message',
		operation: 'sendText',
		to: '=+1555000100{{ $json.n }}',
		text: 'Hi',
		options: { concurrency: 1 },
	};
	const run = await service.run({ parameters, items });
	expect(JSON.stringify(run.context)).toContain('sent');
	expectNoKey(run);
	expectNoKey(await service.engine.retry(run, { credentials: service.credentials() }));
});

test('is in the header of requests and nowhere else in them', async () => {
	await service.run({ parameters: { resource: 'contact', operation: 'getAll', returnAll: true } });
	await service.run({
		parameters: { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' },
	});
	const requests = service.sandbox.state.requests.last();
	expect(requests.length).toBeGreaterThan(1);
	expect(JSON.stringify(requests.map(({ url, body }) => [url, body]))).not.toContain(
		service.sandbox.key,
	);
});

test.each(['\nX-Evil: 1', '\r\n\r\nGET / HTTP/1.1', ' ', '\u0000', 'é', '\u2028'])(
	'with %j in it is refused before anything is sent',
	async (addition) => {
		const apiKey = `${service.sandbox.key}${addition}`;
		const run = await service.run({
			parameters: { resource: 'account', operation: 'getCurrent' },
			credentials: service.credentials({ apiKey }),
		});
		expect(run.error?.message).toContain("'API Key' of the credential holds a space, a line break");
		expect(service.sandbox.state.requests.last()).toEqual([]);
		expectNoKey(run);
	},
);
