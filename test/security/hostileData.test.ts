/** Names, JSON and texts that attack prototypes, headers, or the time that n8n needs. */
import type { INodeParameters } from 'n8n-workflow';

import { readAnswer } from '../../nodes/BusinessMessaging/webhooks/answers';
import { sendText, useOtherHost, useService } from '../support/service';
import { Triggers, received } from '../trigger/support';

const service = useService();
const triggers = new Triggers(service);
const other = useOtherHost((_, response) =>
	response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);

const field = (name: string, value: string, type = 'json') => ({
	additionalFields: { field: [{ name, type, value }] },
});
/** A run against a host that shows the requests as they came. */
const runThere = async (parameters: INodeParameters) =>
	await service.run({ parameters, credentials: service.credentials({ baseUrl: other.url }) });

const pollution = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';

afterEach(() => {
	expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	expect(Object.keys(Object.prototype)).toEqual([]);
});

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'extra'])(
	'an Additional Field named %s, with JSON of any names, is sent as it was written',
	async (name) => {
		await runThere({ ...sendText, ...field(name, pollution) });
		expect(other.seen[0].body).toBe(`{"to":"+15550001000","text":"Hi","${name}":${pollution}}`);
	},
);

test('a Query Parameter of any name is sent as it was written', async () => {
	const name = 'constructor[prototype][polluted]';
	const queryParameters = { parameter: [{ name, value: '1' }] };
	await runThere({ resource: 'conversation', operation: 'getAll', queryParameters });
	expect(new URL(other.seen[0].url, other.url).searchParams.get(name)).toBe('1');
});

test('answers of the service change nothing here', async () => {
	const json = { status: 200, headers: { 'content-type': 'application/json' } };
	await service.fault({ endpoint: 'getCurrentAccount', ...json, body: pollution });
	const body = `{"data":[${pollution}]}`;
	await service.fault({ endpoint: 'listContacts', ...json, body, count: 3 });
	await service.run({ parameters: { resource: 'account', operation: 'getCurrent' } });
	await service.run({ parameters: { resource: 'contact', operation: 'getAll', returnAll: true } });
	expect(service.calls('listContacts')).toBeGreaterThan(0);
});

test.each([true, false])('events change nothing here (simplified: %s)', async (simple) => {
	const trigger = await triggers.active({ parameters: { simplify: simple } });
	const data = pollution.replace('{', '{"id":"1","from":"+1555","text":"Hi",');
	const { status } = await triggers.deliver(
		trigger,
		`{"event":"message.received","data":${data},"__proto__":{"polluted":1}}`,
	);
	expect([status, trigger.executions.length]).toEqual([200, 1]);
	const [[{ json }]] = trigger.executions[0].items;
	expect((json as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(['a\r\nX-Evil: 1', 'a\nX-Evil: 1', '\u0000'])(
	'a campaign %j gets into no header',
	async (campaign) => {
		await runThere({ ...sendText, sendOnce: true, campaign: `sale${campaign}` });
		expect(other.seen).toHaveLength(1);
		for (const { headers } of other.seen) {
			expect(headers['x-evil']).toBeUndefined();
			expect(headers['idempotency-key']).toMatch(/^[\da-f]{32}$/);
		}
	},
);

describe('time', () => {
	const length = 1_000_000;

	test.each([
		['firstWords', 'stop', `${'!'.repeat(length)}x`],
		['textContains', 'stop', 'x'.repeat(length)],
		['intent', 'optOut', `${' '.repeat(length)}stop`],
		['senders', '+1555*', 'x'],
	])('one message cannot keep n8n busy with the filter %s (%s)', async (filter, value, text) => {
		const trigger = await triggers.active({
			parameters: { filters: { [filter]: value }, options: { maxPayloadSize: 10_000 } },
		});
		const from = filter === 'senders' ? `${'+1 '.repeat(length / 2)}x` : '+15550001111';
		const { status } = await triggers.deliver(trigger, received({ from, text }));
		expect([status, trigger.executions.length]).toEqual([200, 0]);
	});

	test.each(['approval', 'choice', 'date', 'email', 'number'] as const)(
		'one answer cannot keep n8n busy where %s is asked for',
		(kind) => {
			const expected = {
				kind,
				choices: ['one'],
				yesWords: ['yes'],
				noWords: ['no'],
				isDayFirst: true,
			};
			for (const part of ['!', ' ', '1', '1,111', 'a@', '-', '.']) {
				expect(readAnswer(`x${part.repeat(length / part.length)}x`, expected)).toBeUndefined();
			}
		},
	);

	test.each([400, 200])('an answer nested without end with HTTP %i is refused', async (status) => {
		const depth = 50_000;
		const body = `${'{"message":'.repeat(depth)}1${'}'.repeat(depth)}`;
		const headers = { 'content-type': 'application/json' };
		await service.fault({ endpoint: 'sendText', status, headers, body });
		const error = await service.errorOf(sendText);
		expect(error?.message).toMatch(/HTTP \d/);
		expect(error?.message.length).toBeLessThan(1_500);
	});
});
