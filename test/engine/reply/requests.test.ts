/** The calls of Send and Wait to triggers and runs, over HTTP: which calls are accepted, and what unusual responses lead to. */
import { once } from 'node:events';

import { chunk, range } from 'lodash';
import { sleep } from 'n8n-workflow';

import { until } from '../../../harness/until';
import {
	received,
	Triggers,
	useLog,
	useOtherHost,
	useService,
} from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import type { WebhookHandler } from '../../../harness/engine/webhooks';
import { callRun, callsOf, refusal } from '../../../nodes/BusinessMessaging/inbox/calls';
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { seal, unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { People, anna, berta, carl, startedBy, stopClock } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessagingTrigger', 'webhook');
const foreign = useOtherHost((_, response) => response.end('{"inbox":"yes"}'));

let count = 0;
const inbox = async (options: object = {}) =>
	await triggers.active({
		webhookId: `request-${++count}`,
		parameters: { keepReplies: true },
		...options,
	});
/** n8n starts again: the trigger has its static data, and no memory. */
const restart = async (trigger: Trigger, options: object = {}) => {
	const again = await triggers.make({
		...{ webhookId: trigger.url.split('/').at(-2), parameters: { keepReplies: true } },
		...{ staticData: trigger.staticData, ...options },
	});
	await again.activate('init');
	return again;
};
const message = (text: string, from: string) =>
	received({ id: text, from, text, timestamp: new Date().toISOString() });
const serve = (path: string, respond: WebhookHandler) =>
	service.engine['server'].register('POST', path, respond);
let number = 0;
const sealed = (
	to: string,
	content: object,
	credential: Record<string, string> = {},
	at = Date.now(),
) => ({
	sealed: seal(
		service.keyId(credential),
		JSON.stringify({ at, to, once: `number ${++number}`, content }),
	),
});
const call = async (trigger: Trigger, data: object) =>
	await trigger.deliver({ event: 'business-messaging.call', data });
/** The content of a response of a trigger. */
const contentOf = (body: unknown) => {
	const { sealed: text } = body as { sealed: string };
	return (JSON.parse(unseal(service.keyId(), text)!) as { response: unknown }).response;
};
/** Two minutes later, n8n itself has ended the wait of a run. */
const twoMinutesLater = () => {
	const { now } = Date;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + 121_000);
};
const noAction = '<html><title>No action required</title></html>';

/** A waiting run of the same n8n: what it asks, and what it receives. */
class WaitingRun {
	readonly got: string[] = [];
	readonly run: Run;

	/** @param respond gives n8n's response at the run's URL; by default, the run waits until it has the replies */
	constructor(
		readonly trigger: Trigger,
		asked: string[],
		respond?: (isPoll: boolean) => unknown,
		more: Partial<Run> = {},
	) {
		const id = `run-${String(++count).padStart(7, '0')}`;
		const path = `/webhook-waiting/${count}/node`;
		const url = `${new URL(trigger.url).origin}${path}?wait=${id}&signature=${'a'.repeat(64)}`;
		const person = (to: string, item: number): Person => ({
			...{ item, to, question: 0, since: 0, askedMessageId: null, messages: [], repeatedAfter: [] },
		});
		const now = Date.now();
		this.run = {
			...{ id, url, startedAt: now, until: now + 60_000, heardAt: now },
			...{ isWhole: true, notAsked: [] },
			questions: [{ ...defaultAnswer(), asked: 'Tuesday?' }],
			people: new Map(asked.map((to, item) => [item, person(to, item)])),
			...more,
		};
		serve(path, async (request, response) => {
			const { data } = request.body as { data: { sealed: string } };
			const { once, content } = JSON.parse(unseal(service.keyId(), data.sealed)!) as {
				once: string;
				content: { record?: string };
			};
			const isPoll = content.record === undefined;
			const body = respond?.(isPoll);
			const answer = (state: string) =>
				response.json({
					sealed: seal(service.keyId(), JSON.stringify({ once, response: { state } })),
				});
			if (body !== undefined) return void response.send(body);
			if (isPoll) return void answer('waiting');
			const { people: replied } = fromRecord(id, content.record, trigger.url)!;
			const texts = [...replied.values()].flatMap(({ messages }) => messages);
			this.got.push(...texts.map(({ text }) => text ?? ''));
			answer('accepted');
		});
	}

	/** Tells the run's trigger who is asked. */
	async tell(): Promise<unknown> {
		const { run, trigger } = this;
		const record = toRecord(run, trigger.url);
		const content = { is: 'close', id: run.id, run: record, skewMs: null };
		return contentOf((await call(trigger, sealed(trigger.url, content))).body);
	}
}

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

test('what is stored for one open question has at most 300 bytes', async () => {
	const trigger = await inbox();
	const uuid = '0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab';
	for (const n of range(100)) {
		const waiting = new WaitingRun(trigger, [`+1555700${1000 + n}`]);
		const url = waiting.run.url.replace('/node?', `/${uuid}?`);
		const one = waiting.run.people.get(0)!;
		waiting.run.people.set(0, { ...one, askedMessageId: `msg_${uuid}`, since: Date.now() });
		waiting.run.url = url;
		await waiting.tell();
	}
	const bytes = Buffer.byteLength(JSON.stringify(trigger.staticData));
	expect(people.storedBy(trigger)).toHaveLength(100);
	expect((bytes - 500) / 100).toBeLessThanOrEqual(300);
});

test('a trigger waits for at most 50,000 people', async () => {
	const trigger = await inbox();
	const phones = range(49_998).map((n) => `+1555${1_000_000 + n}`);
	const until = Date.now() + 86_400_000;
	for (const part of chunk(phones, 10_000))
		expect(await new WaitingRun(trigger, part, undefined, { until }).tell()).toMatchObject({
			inbox: 'yes',
		});
	const full = 'already waits for the maximum number of people';
	await expect(people.ask([anna, berta, carl])).rejects.toThrow(full);
	await people.ask([anna, berta]);
	await expect(people.ask([carl])).rejects.toThrow(full);
	expect(service.received()).toEqual({ [anna]: 1, [berta]: 1 });
}, 240_000);

test('no reply is lost if a proxy responds with a page and status 200 at the URL of a run', async () => {
	const trigger = await inbox();
	let isDown = true;
	const waiting = new WaitingRun(trigger, [anna], () =>
		isDown ? '<html>Maintenance</html>' : undefined,
	);
	await waiting.tell();
	await triggers.deliver(trigger, message('Yes', anna));
	expect(waiting.got).toEqual([]);
	isDown = false;
	await until('the run to get it', () => waiting.got.length > 0);
	expect(waiting.got).toEqual(['Yes']);
	expect(startedBy(trigger)).toEqual([]);
});

test('replies that can no longer reach their run start the workflow, marked as late and with the question, even without any event since a restart', async () => {
	const trigger = await inbox();
	let isOver = false;
	const waiting = new WaitingRun(trigger, [anna, berta], () => (isOver ? noAction : undefined));
	await waiting.tell();
	await triggers.deliver(trigger, message('Yes', anna));
	isOver = true; // n8n ended the wait while our nodes had nothing in memory
	twoMinutesLater();
	const restarted = await restart(trigger);
	await triggers.deliver(restarted, message('Hello', carl));
	await triggers.deliver(restarted, message('By the way', berta));
	await until('the late reply', () => startedBy(restarted).includes('Yes'));
	const late = restarted.executions.flatMap(({ items }) => items[0].map(({ json }) => json));
	expect(late.find(({ text }) => text === 'Yes')).toMatchObject({
		...{ event: 'message.received', from: anna, late: true, asked: 'Tuesday?' },
	});
	expect(startedBy(restarted).sort()).toEqual(['By the way', 'Hello', 'Yes']);
	await until('the run to be forgotten', () => people.storedBy(restarted).length === 0);
});

test.each([false, true])(
	'late replies start the workflow once if the connection is lost while n8n starts it (and n8n fails then: %s)',
	async (fails) => {
		const trigger = await inbox();
		let isOver = false;
		const waiting = new WaitingRun(trigger, [anna, berta], () => (isOver ? noAction : undefined));
		await waiting.tell();
		await triggers.deliver(trigger, message('Yes', anna));
		isOver = true;
		twoMinutesLater();
		const restarted = await restart(trigger);
		let lost = 0;
		restarted.storeExecution = async (response) => {
			const { event } = response.req.body as { event: string };
			if (event !== 'business-messaging.call' || lost++ > 0) return;
			response.socket?.destroy();
			await sleep(300);
			if (fails) throw new Error('The database is locked');
		};
		await triggers.deliver(restarted, message('By the way', berta));
		await until('the late reply', () => startedBy(restarted).includes('Yes'));
		await until('the run to be forgotten', () => people.storedBy(restarted).length === 0);
		expect(lost).toBeGreaterThan(0);
		expect(startedBy(restarted).sort()).toEqual(['By the way', 'Yes']);
	},
);

test.each([402, 403])(
	'with a trigger, a reply that does not fit is not accepted if the service certainly refuses to repeat the question (%i)',
	async (status) => {
		const trigger = await inbox();
		const execution = await people.ask([anna, berta], { responseType: 'approval' });
		const body = { error: { message: 'Balance too low' } };
		await service.fault({ endpoint: 'sendText', status, body, count: 100 });
		const reply = message('maybe next week', anna);
		expect((await triggers.deliver(trigger, reply)).status).toBe(200);
		await triggers.deliver(trigger, message('yes', berta));
		const outputs = await until('the run to go on', () => execution.outputs);
		expect(outputs[0].map(({ json }) => json)).toMatchObject([
			{ replied: true, accepted: false, text: 'maybe next week' },
			{ replied: true, approved: true },
		]);
		expect(logged.join('')).toContain('Balance too low');
	},
);

test('an event as in the specification that is delivered again after a late response is the same reply; an equal one after it is another message', async () => {
	const trigger = await inbox();
	const waiting = new WaitingRun(trigger, [anna, berta]);
	await waiting.tell();
	const event = { event: 'message.received', data: { from: anna, text: 'Tuesday at ten' } };
	let lost = 0;
	trigger.beforeResponse = async (response) => {
		const isFirst = (response.req.body as typeof event).data.from === anna && lost++ === 0;
		if (!isFirst) return;
		const closed = once(response, 'close');
		response.socket?.destroy();
		await closed;
	};
	await expect(triggers.deliver(trigger, event)).rejects.toThrow();
	await triggers.deliver(trigger, event);
	await triggers.deliver(trigger, { event: 'message.received', data: { from: berta, text: 'No' } });
	await until('the run to go on', () => waiting.got.length > 0);
	expect(waiting.got).toEqual(['Tuesday at ten', 'No']);
	expect(startedBy(trigger)).toEqual([]);
	await triggers.deliver(trigger, event);
	expect(startedBy(trigger)).toEqual(['Tuesday at ten']);
});

test('replies still reach the run if the API key is changed while a question is open', async () => {
	const old = service.credentials(service.newKey());
	const trigger = await inbox({ credentials: old });
	const execution = await people.ask([anna, berta, carl], {}, { credentials: old });
	const reply = async (from: string) =>
		await triggers.deliver(trigger, message(`by ${from}`, from));
	await reply(anna);
	const fresh = service.credentials(service.newKey());
	trigger['options'].credentials = fresh;
	Object.assign(execution, { credentials: fresh });
	await reply(berta);
	await people.ask(['+15550004009'], {}, { credentials: fresh }).catch(() => {});
	await trigger.activate();
	await reply(carl);
	const outputs = await until('the run to go on', () => execution.outputs);
	const texts = outputs[0].map(({ json }) => json.text);
	expect(texts).toEqual([anna, berta, carl].map((from) => `by ${from}`));
	expect(startedBy(trigger)).toEqual([]);
});

test('if the API key is changed and nothing happens after that, the run still gets the replies so far when the time is up', async () => {
	const credentials = service.credentials(service.newKey());
	const trigger = await inbox({ credentials });
	const goOn = stopClock();
	const limit = { limitWaitTime: 0.05, waitTimeUnit: 'minutes' };
	const execution = await people.ask([anna, berta], limit, { credentials });
	await triggers.deliver(trigger, message('in time', anna));
	goOn();
	Object.assign(credentials, service.newKey());
	const outputs = await until('the run to go on', () => execution.outputs, { limit: 20_000 });
	expect(outputs[0].map(({ json }) => json)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, from: berta },
	]);
	expect(startedBy(trigger)).toEqual([]);
});

test('after a change of the API key and a restart, replies also reach a run to which nothing has happened since', async () => {
	const old = service.credentials(service.newKey());
	const trigger = await inbox({ credentials: old });
	const execution = await people.ask([anna, berta], {}, { credentials: old });
	const credentials = service.credentials(service.newKey());
	trigger['options'].credentials = credentials;
	Object.assign(execution, { credentials });
	await people.ask([carl], {}, { credentials });
	const restarted = await restart(trigger, { credentials });
	for (const from of [anna, berta]) await triggers.deliver(restarted, message(from, from));
	expect(startedBy(restarted)).toEqual([]);
	const outputs = await until('the run to go on', () => execution.outputs);
	expect(outputs[0].map(({ json }) => json.text)).toEqual([anna, berta]);
});

test('the log says if questions were stored with another key and cannot be read', async () => {
	const { credentials } = { credentials: service.credentials(service.newKey()) };
	const trigger = await inbox({ credentials });
	await people.ask([anna], {}, { credentials });
	const other = await restart(trigger);
	await triggers.deliver(other, message('Hello', anna));
	expect(startedBy(other)).toEqual(['Hello']);
	expect(logged).toContainEqual(expect.stringMatching(/^warn: .*another API key/));
});

/** Calls that must be refused, by what is wrong with them. */
const refused: Record<string, (trigger: string, run: object) => object> = {
	'is not sealed': () => ({ sealed: 'AAAA' }),
	'is sealed with another key': (trigger, run) => sealed(trigger, run, { apiKey: 'another-key' }),
	'is for another trigger': (trigger, run) => sealed(`${trigger}2`, run),
	'is replayed later': (trigger, run) => sealed(trigger, run, {}, Date.now() - 301_000),
};

test.each(Object.entries(refused))(
	'a call is refused, with nothing stored or called, if it %s',
	async (_, dataOf) => {
		const trigger = await inbox();
		const before = trigger.staticData;
		const { run } = new WaitingRun(trigger, [anna]);
		const content = { is: 'close', id: run.id, run: toRecord(run, trigger.url), skewMs: 0 };
		const { status, body } = await call(trigger, dataOf(trigger.url, content));
		expect([status, body]).toEqual([401, { message: expect.stringContaining('same API key') }]);
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
		const waiting = new WaitingRun(trigger, [anna]);
		waiting.run.url = change(waiting.run.url);
		expect(await waiting.tell()).toMatchObject({ inbox: 'no' });
		expect(people.storedBy(trigger)).toEqual([]);
	},
);

test('a call counts once: repeated within five minutes, it is refused, and no response shows what is stored', async () => {
	const trigger = await inbox();
	const { run } = new WaitingRun(trigger, [anna]);
	const content = { is: 'close', id: run.id, run: toRecord(run, trigger.url), skewMs: null };
	const recorded = sealed(trigger.url, content);
	const first = await call(trigger, recorded);
	expect(Object.keys(first.body as object)).toEqual(['sealed']);
	const again = await call(trigger, recorded);
	expect([again.status, again.body]).toEqual([
		401,
		{ message: expect.stringContaining('was made before') },
	]);
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
