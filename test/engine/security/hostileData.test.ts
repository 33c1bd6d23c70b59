/** Names, numbers, JSON and texts that attack prototypes, headers or reports, or take much of n8n's time. */
import { type INodeParameters, jsonParse } from 'n8n-workflow';

import { readAnswer } from '../../../nodes/BusinessMessaging/inbox/answers';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { People, anna, jsonOf } from '../reply/support';
import {
	received,
	sendText,
	Triggers,
	useOtherHost,
	useService,
} from '../../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const other = useOtherHost((_, response) =>
	response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}'),
);

/** Runs the node against a host that shows the requests as they arrived. */
const runThere = async (parameters: INodeParameters) =>
	await service.run({ parameters, credentials: service.credentials({ baseUrl: other.url }) });

const pollution = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';

/** Checks that no object has changed, neither in the tests nor in the packages, which Node.js loads itself. */
afterEach(() => {
	for (const made of [{}, jsonParse<object>('{}')]) {
		const prototype = Object.getPrototypeOf(made) as object;
		expect(Object.keys(prototype)).toEqual([]);
		expect(made).not.toHaveProperty('polluted');
	}
});

test('Additional Fields and Query Parameters with any name are sent as they were written', async () => {
	const field = [{ name: '__proto__', type: 'json', value: pollution }];
	await runThere({ ...sendText, additionalFields: { field } });
	expect(other.seen[0].body).toBe(`{"to":"+15550001000","text":"Hi","__proto__":${pollution}}`);
	const name = 'constructor[prototype][polluted]';
	const queryParameters = { parameter: [{ name, value: '1' }] };
	await runThere({ resource: 'conversation', operation: 'getAll', queryParameters });
	expect(new URL(other.seen[1].url, other.url).searchParams.get(name)).toBe('1');
});

test('responses of the service change no object of n8n', async () => {
	const json = { status: 200, headers: { 'content-type': 'application/json' } };
	service.fault({ endpoint: 'getCurrentAccount', ...json, body: pollution });
	const body = `{"data":[${pollution}]}`;
	service.fault({ endpoint: 'listContacts', ...json, body, count: 3 });
	await service.run({ parameters: { resource: 'account', operation: 'getCurrent' } });
	await service.run({ parameters: { resource: 'contact', operation: 'getAll', returnAll: true } });
	expect(service.calls('listContacts')).toBeGreaterThan(0);
});

test.each([true, false])('events change no object of n8n (simplified: %s)', async (simple) => {
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

test('line breaks in the name of a campaign do not get into headers', async () => {
	await runThere({ ...sendText, sendOnce: true, campaign: 'sale\r\nX-Evil: 1' });
	const [{ headers }, ...others] = other.seen;
	expect([headers['x-evil'], others]).toEqual([undefined, []]);
	expect(headers['idempotency-key']).toMatch(/^[\da-f]{32}$/);
});

test('the preview of a name equals the sent text, letter by letter', async () => {
	const name = '=1+1 @SUM(1) <img src=x onerror=alert(1)> {{ $env }} ${7*7}';
	const parameters: INodeParameters = { ...sendText, text: '=Hello {{ $json.name }}' };
	const run = async (more: INodeParameters) =>
		await service.run({ parameters: { ...parameters, ...more }, items: [{ name }] });
	const preview = await run({ mode: 'preview' });
	expect(preview.outputs[0]).toMatchObject([{ json: { text: `Hello ${name}` } }]);
	expect(service.sent()).toEqual([]);
	await run({});
	expect(service.sent()).toMatchObject([{ text: `Hello ${name}` }]);
});

test.each([
	['a formula', '=1+15550001000'],
	['HTML', '<b>+15550001000</b>'],
	['line breaks', '+1555000\r\n1000,+15550001001'],
	['a null byte', '+15550001000\u0000'],
	['a word', '__proto__'],
	['100,000 digits', `+${'1'.repeat(100_000)}`],
])('a number with %s is refused as a recipient and as one to exclude', async (_, to) => {
	const parameters = { ...sendText, to: '={{ $json.to }}' };
	const items = [{ to: anna }, { to }];
	const preview = await service.run({ parameters: { ...parameters, mode: 'preview' }, items });
	expect(preview.outputs[0].map(({ json }) => json.sendStatus)).toEqual(['preview', 'notSent']);
	const excluding = { ...sendText, audienceRules: { excludeNumbers: to } };
	for (const run of [{ parameters, items }, { parameters: excluding }]) {
		const { error } = await service.run(run);
		expect(error?.message).toMatch(/\[item \d]/);
		expect(`${error?.message} ${error?.description}`.length).toBeLessThan(1_000);
	}
	expect(service.sent()).toEqual([]);
});

test.each(['__proto__', 'constructor'])(
	'%s can be the name of a campaign, a segment, a choice or a sender',
	async (name) => {
		const campaign = { ...sendText, sendOnce: true, campaign: name };
		const audienceRules = {
			excludeSegment: name,
			allowEmptyList: true,
			duplicates: 'sendFirst',
		};
		const items = [{}, {}];
		const sent = await service.run({ parameters: { ...campaign, audienceRules }, items });
		expect(sent.outputs[0].map(({ json }) => json.reason)).toEqual([null, 'duplicate']);

		await triggers.active({ webhookId: `names-${name}`, parameters: { keepReplies: true } });
		const execution = await people.ask([anna], {
			...{ responseType: 'choice', choices: `Small, ${name}`, replyOptions: { repeats: 1 } },
		});
		await people.write(anna, 'valueOf');
		expect(execution.outputs).toBeUndefined();
		await people.write(anna, name);
		expect(await jsonOf(execution)).toMatchObject([{ valid: true, answer: name }]);

		const parameters = { options: { groupMessages: 0.1 } };
		const trigger = await triggers.active({ webhookId: `groups-${name}`, parameters });
		await triggers.deliver(trigger, received({ from: name, text: name, id: name }));
		expect(trigger.executions.map(({ items: [[item]] }) => item.json.text)).toEqual([name]);
	},
);

describe('time', () => {
	const length = 1_000_000;

	test.each([
		['firstWords', 'stop', `${'!'.repeat(length)}x`],
		['textContains', 'stop', 'x'.repeat(length)],
		['intent', 'optOut', `${'! '.repeat(length / 2)}stop`],
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
		'one reply cannot keep n8n busy if the question asks for %s',
		(kind) => {
			const words = { choices: ['one'], yesWords: ['yes'], noWords: ['no'] };
			const question = { ...defaultAnswer(), kind, ...words };
			const replier = { phone: anna, times: [Date.now()] };
			for (const part of ['!', ' ', '1', '1,111', 'a@', '-']) {
				const text = `x${part.repeat(length / part.length)}x`;
				expect(readAnswer(text, question, replier)).toBeUndefined();
			}
		},
	);

	test.each([400, 200])(
		'a response with HTTP %i and endless nesting is refused',
		async (status) => {
			const depth = 50_000;
			const body = `${'{"message":'.repeat(depth)}1${'}'.repeat(depth)}`;
			const headers = { 'content-type': 'application/json' };
			service.fault({ endpoint: 'sendText', status, headers, body });
			const error = await service.errorOf(sendText);
			expect(error?.message).toMatch(/HTTP \d/);
			expect(error?.message.length).toBeLessThan(1_500);
		},
	);
});
