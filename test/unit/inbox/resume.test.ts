/** What a waiting execution does with a call of its URL: of the trigger, of another run, or of the service itself. */
import { EventEmitter } from 'node:events';

import type { IWebhookFunctions } from 'n8n-workflow';

import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { receiveReply } from '../../../nodes/BusinessMessaging/inbox/resume';
import { seal } from '../../../nodes/BusinessMessaging/inbox/seal';
import { readServiceConfig } from '../../../nodes/BusinessMessaging/transport/serviceConfig';
import { settle } from './clock';
import { byItem, messageOf, own, personOf, questionOf, runOf } from './parts';

const credential = { apiKey: 'key', baseUrl: 'https://api.example.com' };
const service = readServiceConfig(credential);
const urlOf = (wait: string) =>
	`https://n8n.test/webhook-waiting/1/node?signature=${'a'.repeat(64)}&wait=${wait}`;
let count = 0;

interface Sent {
	method: string;
	url: string;
	body?: string;
	headers: Record<string, string>;
}

/** An execution that waits for the reply of one person, and how n8n responds. */
class Execution {
	readonly id = `run-${String(++count).padStart(7, '0')}`;
	readonly url = urlOf(`${this.id}.person`);
	/** What the node has kept; undefined if n8n does not give it. */
	wait: object | undefined;
	name = 'Ask';
	log: string[] = [];
	readonly sent: Sent[] = [];
	refusal?: number;
	hasCredential = true;

	/** @param run without a trigger: the question */
	constructor(run?: Partial<Run>) {
		const started = { startedAt: Date.now(), until: Date.now() + 60_000 };
		const record = run && toRecord(runOf({ ...started, ...run, ...this.place }), this.url);
		this.wait = { run: this.id, ...(record && { record: seal(this.url, record) }) };
	}

	get place() {
		return { id: this.id, url: this.url, owner: this.url };
	}

	/** A call: the response, and the output if the execution continues. */
	async call(
		body: object,
		{ wait = `${this.id}.person`, headers = {} }: { wait?: unknown; headers?: object } = {},
	) {
		let refused: object | undefined;
		const response = Object.assign(new EventEmitter(), {
			statusCode: 200,
			status(code: number) {
				this.statusCode = code;
				return this;
			},
			json: (json: object) => (refused = json),
		});
		const context = {
			getQueryData: () => ({ wait }),
			getBodyData: () => body,
			getNode: () => ({ name: this.name, type: 'businessMessaging' }),
			evaluateExpression: (text: string) => this.evaluate(text),
			getSignedResumeUrl: (query: { wait: string }) => urlOf(query.wait),
			getRequestObject: () => ({ rawBody: Buffer.from(JSON.stringify(body)) }),
			getHeaderData: () => headers,
			getResponseObject: () => response,
			getCredentials: async () => {
				if (!this.hasCredential) throw new Error('No credential');
				return credential;
			},
			logger: { warn: (line: string) => this.log.push(line) },
			helpers: {
				httpRequestWithAuthentication: async (_: string, request: Sent) => {
					this.sent.push(request);
					const statusCode = (request.method === 'POST' && this.refusal) || 200;
					const json = statusCode === 200 ? { id: 'sent' } : { error: { message: 'No balance' } };
					return { statusCode, headers: {}, body: JSON.stringify(json) };
				},
			},
		} as unknown as IWebhookFunctions;
		const result = await receiveReply(context);
		const close = async (status = response.statusCode) => {
			response.statusCode = status;
			response.emit('close');
			await settle();
		};
		const status = response.statusCode;
		expect(result.noWebhookResponse === true).toBe(refused !== undefined);
		const items = result.workflowData?.map((all) => all.map(({ json }) => json));
		return { status, body: refused ?? (result.webhookResponse as object), items, close };
	}

	/** n8n ends an expression at the first two braces. */
	private evaluate(text: string): unknown {
		const [, code] = /^\{\{([^{}]*)\}\}$/.exec(text) ?? [];
		if (code === undefined || !this.wait) throw new Error('Invalid');
		// eslint-disable-next-line @typescript-eslint/no-implied-eval
		const evaluate = new Function('$node', `return ${code}`) as (nodes: object) => unknown;
		return evaluate({ [this.name]: { context: { wait: this.wait } } });
	}

	/** The person writes. */
	async write(text: string, data: object = {}) {
		const id = `m${++count}`;
		const timestamp = new Date().toISOString();
		return await this.call(messageFrom('15550001000', { id, text, timestamp, ...data }));
	}
}

const messageFrom = (from: string | null, data: object) => ({
	event: 'message.received',
	data: { from, ...data },
});
const sealFor = (key: string, to: string, content: object) => ({
	event: 'business-messaging.replies',
	data: { sealed: seal(key, JSON.stringify({ at: Date.now(), to, content })) },
});
const notReply = { status: 200, body: { message: 'Not a reply' }, items: undefined };
const approval = { questions: [questionOf({ kind: 'approval', repeats: 1 })] };

test.each<[string, (name: string) => unknown]>([
	['nothing', () => null],
	['several runs', (name) => [name, 'run-9999999.person']],
	['another run', () => 'run-9999999.person'],
])('a call whose URL names %s is refused', async (_, waitOf) => {
	const execution = new Execution({});
	const wait = waitOf(`${execution.id}.person`);
	expect(await execution.call({ event: 'business-messaging.poll' }, { wait })).toMatchObject({
		...{ status: 410, body: { message: 'This execution no longer waits for a reply' } },
	});
});

test.each(['Ask', 'Ask "them"', 'Ask {{ $json }}', '}'])(
	'an execution says that it waits, whatever its node is called: %s',
	async (name) => {
		const execution = Object.assign(new Execution({}), { name });
		const poll = async (wait?: string) =>
			await execution.call({ event: 'business-messaging.poll' }, wait ? { wait } : {});
		expect(await poll()).toMatchObject({ status: 200, body: { waiting: true } });
		expect((await poll('run-9999999')).status).toBe(410);
	},
);

test('an execution that does not know for which round it waits says that it waits', async () => {
	const execution = Object.assign(new Execution(), { wait: undefined });
	const response = await execution.call({ event: 'business-messaging.poll' });
	expect(response).toMatchObject({ status: 200, body: { waiting: true } });
	expect((await execution.write('Yes')).body).toEqual({
		message: 'This execution takes no replies at this URL',
	});
});

describe('the replies', () => {
	const given = (execution: Execution) => {
		const people = byItem([personOf(0, { messages: [messageOf('Fine')], isAccepted: true })]);
		const url = `${urlOf(execution.id)}`;
		return { own, record: toRecord(runOf({ id: execution.id, url, people }), own) };
	};

	test.each([
		['knows its round', (execution: Execution) => execution.wait],
		['knows nothing', () => undefined],
	])('of the trigger are the output of an execution that %s', async (_, waitOf) => {
		const execution = new Execution();
		execution.wait = waitOf(execution);
		const body = sealFor(service.id, execution.id, given(execution));
		const response = await execution.call(body);
		expect(response).toMatchObject({
			status: 200,
			body: { message: 'Received', accepted: execution.id },
			items: [[{ replied: true, text: 'Fine', from: '+15550001000' }]],
		});
		await response.close();
		expect(execution.sent).toEqual([]);
	});

	test.each<[what: string, body: (execution: Execution) => object]>([
		['for another run', (execution) => sealFor(service.id, 'run-9999999', given(execution))],
		['with another key', (execution) => sealFor('key', execution.id, given(execution))],
		['without content', () => ({ event: 'business-messaging.replies' })],
	])('%s are refused', async (_, body) => {
		const execution = new Execution();
		expect(await execution.call(body(execution))).toMatchObject({
			...{ status: 403, body: { message: 'These replies are not for this execution' } },
		});
	});

	test('of a run without a trigger are encrypted with its URL', async () => {
		const execution = new Execution({});
		const ofTrigger = sealFor(service.id, execution.id, given(execution));
		expect((await execution.call(ofTrigger)).status).toBe(403);
		const body = sealFor(execution.url, execution.id, given(execution));
		expect((await execution.call(body)).items).toMatchObject([[{ text: 'Fine' }]]);
	});
});

describe('without a trigger', () => {
	test('the reply of the person is the output, and then the registration at the service is removed', async () => {
		const execution = new Execution({});
		execution.wait = { ...execution.wait, registration: { id: 'webhook 1' } };
		const response = await execution.write('Fine');
		expect(response).toMatchObject({
			status: 200,
			body: { message: 'Received', accepted: execution.id },
			items: [[{ replied: true, accepted: true, text: 'Fine' }]],
		});
		await settle();
		expect(execution.sent).toEqual([]);
		await response.close();
		expect(execution.sent).toMatchObject([
			{ method: 'DELETE', url: expect.stringMatching(/webhook%201$/) },
		]);
		await response.close();
		expect(execution.sent).toHaveLength(1);
	});

	test.each([
		['n8n has failed', { id: 'webhook 1' }, 300],
		['nothing was registered', undefined, 200],
	])('nothing is removed if %s', async (_, registration, status) => {
		const execution = new Execution({});
		execution.wait = { ...execution.wait, registration };
		await (await execution.write('Fine')).close(status);
		expect(execution.sent).toEqual([]);
	});

	test('messages of other people, from before the question and other events are no replies', async () => {
		const since = Date.now();
		const execution = new Execution({ people: byItem([personOf(0, { since })]) });
		const timestamp = new Date(since - 60_000).toISOString();
		const read = { event: 'message.read', data: { from: '15550001000' } };
		const others = [messageFrom('15550009999', { text: 'Hi' }), read];
		for (const body of [...others, messageFrom('15550001000', { text: 'Hi', timestamp })])
			expect(await execution.call(body)).toMatchObject(notReply);
	});

	test('of several messages in a delivery, the first one of the person is the reply', async () => {
		const execution = new Execution({});
		const texts = ['one', 'two'].map((text) => messageFrom('15550001000', { text }));
		const events = [messageFrom('15550009999', { text: 'Hi' }), ...texts];
		const response = await execution.call({ events });
		expect(response.items).toMatchObject([[{ text: 'one' }]]);
	});

	test('a body without events is refused', async () => {
		const response = await new Execution({}).call({ text: 'Hi' });
		expect(response).toMatchObject({ status: 400 });
		expect(JSON.stringify(response.body)).toContain('The body is not an event');
	});

	test('a record that cannot be read takes no replies', async () => {
		const execution = new Execution({});
		execution.wait = { ...execution.wait, record: 'unreadable' };
		expect(await execution.write('Fine')).toMatchObject({
			...{ status: 410, body: { message: 'This execution takes no replies at this URL' } },
		});
	});

	test('the question is repeated after a reply that does not fit, and a second one is the reply', async () => {
		const execution = new Execution(approval);
		const first = { id: 'first', timestamp: new Date().toISOString() };
		expect(await execution.write('maybe', first)).toMatchObject(notReply);
		expect(await execution.write('maybe', first)).toMatchObject(notReply);
		expect(execution.sent).toHaveLength(1);
		const [{ method, url, body, headers }] = execution.sent;
		expect([method, url]).toEqual(['POST', expect.stringContaining('https://api.example.com/')]);
		expect(body).toContain('+15550001000');
		expect(body).toContain('Please answer with yes or no.');
		expect(Object.values(headers).join()).toMatch(new RegExp(`${execution.id}-[\\w-]{11}`));
		const { items } = await execution.write('perhaps');
		expect(items).toMatchObject([[{ accepted: false, text: 'perhaps', approved: false }]]);
		expect(execution.sent).toHaveLength(1);
	});

	test('equal messages that nothing identifies are several messages', async () => {
		const execution = new Execution(approval);
		const body = messageFrom('15550001000', { text: 'maybe' });
		expect(await execution.call(body)).toMatchObject(notReply);
		expect((await execution.call(body)).items).toMatchObject([[{ text: 'maybe' }]]);
	});

	test('a header may identify a message', async () => {
		const execution = new Execution(approval);
		const body = messageFrom('15550001000', { text: 'maybe' });
		const headers = { 'webhook-id': '1' };
		for (let time = 0; time < 3; time++)
			expect(await execution.call(body, { headers })).toMatchObject(notReply);
		// For several messages in one delivery, it does not.
		const twice = { events: [body, body] };
		expect((await execution.call(twice, { headers })).items).toMatchObject([[{ text: 'maybe' }]]);
	});

	test('a reply that fits is accepted after a repetition too', async () => {
		const execution = new Execution(approval);
		await execution.write('maybe');
		const { items = [] } = await execution.write('yes');
		expect(items).toMatchObject([[{ accepted: true, approved: true }]]);
		expect(items[0][0]).not.toHaveProperty('senderId');
	});

	test('the question is not repeated to a person who opts out', async () => {
		const execution = new Execution(approval);
		const { items } = await execution.write('STOP');
		expect(items).toMatchObject([[{ replied: true, accepted: false, text: 'STOP' }]]);
		expect(execution.sent).toEqual([]);
	});

	test('if the question certainly cannot be repeated, the reply is not accepted, and the log says why', async () => {
		const execution = Object.assign(new Execution(approval), { refusal: 402 });
		const { items } = await execution.write('maybe');
		expect(items).toMatchObject([[{ replied: true, accepted: false, text: 'maybe' }]]);
		expect(execution.log).toEqual([
			expect.stringMatching(/^Send and Wait could not repeat a question .*No balance/),
		]);
	});

	test('a person who hides the number is recognized by the quote, and then without it', async () => {
		const people = byItem([personOf(0, { askedMessageId: 'q' })]);
		const execution = new Execution({ ...approval, people });
		const from = 'US.1234567';
		expect(await execution.write('yes', { from })).toMatchObject(notReply);
		const quoting = { from, context: { id: 'q' } };
		expect(await execution.write('maybe', quoting)).toMatchObject(notReply);
		expect(execution.sent).toHaveLength(1);
		const { items } = await execution.write('yes', { from });
		expect(items).toMatchObject([[{ approved: true, senderId: from, from: '+15550001000' }]]);
	});

	test('if something fails, the service has to deliver again, and the log says why', async () => {
		const execution = Object.assign(new Execution(approval), { hasCredential: false });
		expect(await execution.write('maybe')).toMatchObject({
			...{ status: 503, body: { message: 'Not handled. Try again later' } },
		});
		expect(execution.log).toEqual(['A reply could not be handled: No credential']);
	});
});
