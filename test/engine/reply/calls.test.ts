/** The calls of Send and Wait to triggers and runs, over HTTP: which calls are accepted, and which responses count. */
import { received, Triggers, useOtherHost, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { until } from '../../../harness/until';
import { callRun, callsOf, refusal } from '../../../nodes/BusinessMessaging/inbox/calls';
import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { People, anna, jsonOf, startedBy } from './support';
import { WaitingRun, call, sealedBy } from './waitingRun';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const foreign = useOtherHost((_, response) => response.end('{"inbox":"yes"}'));
let count = 0;
const inbox = async () =>
	await triggers.active({ webhookId: `call-${++count}`, parameters: { keepReplies: true } });
const message = (text: string, from: string) =>
	received({ id: text, from, text, timestamp: new Date().toISOString() });
const sealed = (to: string, content: object, credential = {}, at = Date.now()) =>
	sealedBy(service, to, content, credential, at);
const waitingRun = (trigger: Trigger, asked: string[]) => new WaitingRun(service, trigger, asked);
const noAction = '<html><title>No action required</title></html>';

const calledBack = async (statusCode: number, body: unknown) => {
	const run = { id: 'run-0000000', url: 'https://n8n.test/webhook-waiting/1/a' } as Run;
	const own = 'https://n8n.test/webhook/a/webhook';
	return await callRun({ httpRequest: async () => ({ statusCode, body }) }, 'key', run, own, false);
};

test.each([
	[200, noAction, 'finished'],
	[404, { code: 404, message: 'The execution "1" does not exist.' }, 'gone'],
	[401, '<html><title>Invalid Form Link</title></html>', 'gone'], // n8n has another signing secret
	[409, { message: 'The execution "1" has finished with error.' }, 'stopped'],
	[409, { message: 'The execution "1" is running already.' }, 'running'],
	[409, { message: 'The execution "1 has finished already.' }, 'finished'],
	[500, { message: "Cannot read properties of undefined (reading 'pop')" }, 'running'],
	// Anything else may come from a proxy, from another execution, or from n8n while it starts.
	[200, { state: 'waiting' }, 'unknown'],
	[200, { sealed: 'AAAA' }, 'unknown'],
	[200, '<html>Maintenance</html>', 'unknown'],
	[200, 'n8n is starting up. Please wait', 'unknown'],
	[401, '<html><title>401 Authorization Required</title></html>', 'unknown'],
	[401, { message: 'Unauthorized' }, 'unknown'],
	[403, { message: 'Forbidden' }, 'unknown'],
	[404, '404 page not found', 'unknown'],
	[404, { message: 'no Route matched with those values' }, 'unknown'],
	[404, { message: 'The execution "2" does not exist.' }, 'unknown'],
	[410, '<html>Gone</html>', 'unknown'],
	[429, { message: 'Too many' }, 'unknown'],
	[502, 'Bad Gateway', 'unknown'],
])('a run that responds with %i and %j counts as %s', async (statusCode, body, state) => {
	expect(await calledBack(statusCode, body)).toBe(state);
});

test.each([
	[
		404,
		{ code: 404, message: 'The requested webhook "POST a/webhook" is not registered.' },
		'gone',
	],
	[401, { message: refusal }, 'refused'],
	// Anything else may come from a proxy, or from n8n while it starts.
	[200, { inbox: 'yes' }, undefined],
	[200, '<html>Maintenance</html>', undefined],
	[401, { message: 'Unauthorized' }, undefined],
	[403, '<html>Forbidden</html>', undefined],
	[404, { message: 'no Route matched with those values' }, undefined],
	[404, '404 page not found', undefined],
	[410, '<html>Gone</html>', undefined],
	[503, { message: 'Try again' }, undefined],
])('a trigger that responds with %i and %j counts as %s', async (statusCode, body, result) => {
	const calls = callsOf({ httpRequest: async () => ({ statusCode, body }) }, async () => 'key');
	expect(await calls.callTrigger('https://n8n.test/webhook/a/webhook', { is: 'hello' })).toBe(
		result,
	);
});

/** Calls that must be refused, by what is wrong with them, and with which words. */
const otherKey = [401, { message: expect.stringContaining('another API key') as string }] as const;
const refused: Array<
	[what: string, dataOf: (trigger: string, run: object) => object, is: readonly unknown[]]
> = [
	['is not sealed', () => ({ sealed: 'AAAA' }), otherKey],
	[
		'is sealed with another key',
		(trigger, run) => sealed(trigger, run, { apiKey: 'another-key' }),
		otherKey,
	],
	['is for another trigger', (trigger, run) => sealed(`${trigger}2`, run), otherKey],
	// If n8n's clock was put back meanwhile, the sender makes another call.
	[
		'is replayed later',
		(trigger, run) => sealed(trigger, run, {}, Date.now() - 301_000),
		[503, { message: 'Try again' }],
	],
];

test.each(refused)(
	'a call is refused, with nothing stored or called, if it %s',
	async (_, dataOf, is) => {
		const trigger = await inbox();
		const before = trigger.staticData;
		const { run } = waitingRun(trigger, [anna]);
		const content = { is: 'close', id: run.id, run: toRecord(run, trigger.url), skewMs: 0 };
		const { status, body } = await call(trigger, dataOf(trigger.url, content));
		expect([status, body]).toEqual(is);
		expect(trigger.staticData).toEqual(before);
		expect(trigger.executions).toEqual([]);
	},
);

test.each([
	['on another host', (url: string) => url.replace(/^.*?:\d+/, 'https://evil.example')],
	[
		'of this n8n that belongs to no run',
		(url: string) => url.replace(/webhook-waiting.*/, 'rest/logout?wait=run-0000000&signature=1'),
	],
])(
	'a call is refused, with nothing stored or called, if its run has a URL %s',
	async (_, change) => {
		const trigger = await inbox();
		const waiting = waitingRun(trigger, [anna]);
		waiting.run.url = change(waiting.run.url);
		expect(await waiting.tell()).toMatchObject({ inbox: 'no' });
		expect(people.storedBy(trigger)).toEqual([]);
	},
);

test('a call counts once: repeated within five minutes, it is refused, and no response shows what is stored', async () => {
	const trigger = await inbox();
	const { run } = waitingRun(trigger, [anna]);
	const content = { is: 'close', id: run.id, run: toRecord(run, trigger.url), skewMs: null };
	const recorded = sealed(trigger.url, content);
	const first = await call(trigger, recorded);
	expect(Object.keys(first.body as object)).toEqual(['sealed']);
	const again = await call(trigger, recorded);
	expect([again.status, again.body]).toEqual([
		401,
		{ message: expect.stringContaining('was already received once') },
	]);
});

test('a tool of an AI agent gets the reply, although n8n shows it nothing of its context', async () => {
	await inbox();
	const execution = await people.ask([anna]);
	execution.hideContext();
	await people.write(anna, 'Yes');
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, text: 'Yes' }]);
});

test('another host is never called, also if a call or a registration names it', async () => {
	const [keeper, other] = [await inbox(), await triggers.active({ webhookId: 'names-no-host' })];
	const { webhooks } = service.sandbox.state;
	for (const path of ['/webhook/a/webhook', `/webhook/b/webhook?inbox=${'a'.repeat(43)}`])
		webhooks.create({ url: `${foreign.url}${path}`, events: ['message.read'] });
	const elsewhere = `${foreign.url}/webhook/c/webhook`;
	await call(other, sealed(other.url, { is: 'look', inbox: elsewhere }));
	const from = { trigger: elsewhere, registeredAt: 0 };
	await call(keeper, sealed(keeper.url, { is: 'what', from, messages: [] }));
	const execution = await people.ask([anna]);
	await triggers.deliver(other, message('Yes', anna));
	await until('the run to go on', () => execution.outputs);
	expect(startedBy(other)).toEqual([]);
	expect(foreign.seen).toEqual([]);
});

test('with an invalid credential, a call is refused like any other that nobody has made', async () => {
	const trigger = await inbox();
	trigger['options'].credentials = service.credentials({ baseUrl: 'no address' });
	const { status } = await call(trigger, { sealed: 'AAAA' });
	expect([status, trigger.executions]).toEqual([401, []]);
});
