/** Names, JSON and texts that would change more than what they are meant for: prototypes, headers, the time n8n needs. */
import type { INodeParameters } from 'n8n-workflow';

import { readAnswer } from '../../nodes/BusinessMessaging/reply/answers';
import { useService } from '../support/service';
import { Triggers, received } from '../trigger/support';
import { useOtherHost } from './otherHost';

const service = useService();
const triggers = new Triggers(service);
const other = useOtherHost((_, response) =>
	response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);

const sendText = { resource: 'message', operation: 'sendText', to: '+15550001000', text: 'Hi' };
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

describe('prototypes', () => {
	test.each(['__proto__', 'constructor', 'prototype', 'toString'])(
		'an Additional Field named %s is sent like any other',
		async (name) => {
			await runThere({ ...sendText, ...field(name, '{"polluted":1}') });
			expect(other.seen[0].body).toBe(`{"to":"+15550001000","text":"Hi","${name}":{"polluted":1}}`);
		},
	);

	test('JSON of Additional Fields is sent as it was written', async () => {
		await runThere({ ...sendText, ...field('extra', pollution) });
		expect(other.seen[0].body).toBe(`{"to":"+15550001000","text":"Hi","extra":${pollution}}`);
	});

	test('Query Parameters named __proto__ change nothing here', async () => {
		const parameter = ['__proto__', '__proto__[polluted]', 'constructor[prototype][polluted]'].map(
			(name) => ({ name, value: '1' }),
		);
		await runThere({
			resource: 'conversation',
			operation: 'getAll',
			queryParameters: { parameter },
		});
		expect(other.seen.length).toBeGreaterThan(0);
	});

	test('the components of a template change nothing here', async () => {
		const template = { __rl: true, mode: 'name', value: 'hello' };
		await runThere({
			resource: 'template',
			operation: 'create',
			name: 'a',
			language: 'en_US',
			componentsJson: `[${pollution}]`,
		});
		await runThere({
			resource: 'message',
			operation: 'sendTemplate',
			to: '+15550001000',
			template,
			language: 'en_US',
			...field('extra', `[${pollution}]`),
		});
		expect(other.seen.length).toBeGreaterThan(0);
	});

	test('answers of the service change nothing here', async () => {
		await service.fault({
			endpoint: 'getCurrentAccount',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: pollution,
		});
		await service.fault({
			endpoint: 'listContacts',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: `{"data":[${pollution}]}`,
			count: 3,
		});
		await service.run({ parameters: { resource: 'account', operation: 'getCurrent' } });
		await service.run({
			parameters: { resource: 'contact', operation: 'getAll', returnAll: true },
		});
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
});

test.each(['a\r\nX-Evil: 1', 'a\nX-Evil: 1', '\u0000'])(
	'a campaign %j gets into no header',
	async (campaign) => {
		await runThere({ ...sendText, sendOnce: true, campaign: `sale${campaign}` });
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
		['textEquals', 'stop', `${' '.repeat(length)}x`],
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

	test.each([
		['in an error', 400],
		['in a success', 200],
	])('an answer of the service that is nested without end %s is refused', async (_, status) => {
		const depth = 50_000;
		const body = `${'{"message":'.repeat(depth)}1${'}'.repeat(depth)}`;
		await service.fault({
			endpoint: 'sendText',
			status,
			headers: { 'content-type': 'application/json' },
			body,
		});
		const { error } = await service.run({ parameters: sendText });
		expect(error?.message).toMatch(/HTTP \d/);
		expect(error?.message.length).toBeLessThan(1_500);
	});

	test('the words of the service in an error are cut', async () => {
		const errors = Array.from({ length: 5 }, () => ({
			message: `${'. '.repeat(10_000)}x`,
			errors: [{ message: 'y'.repeat(10_000) }],
		}));
		await service.fault({ endpoint: 'sendText', status: 400, body: { errors } });
		const { error } = await service.run({ parameters: sendText });
		expect(error?.message.length).toBeLessThan(1_500);
	});
});
