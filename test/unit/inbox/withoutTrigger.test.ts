/** Asking one person without a trigger: which earlier questions are in the way, and when the run gets its replies. */
import { createHmac } from 'node:crypto';
import { range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import type { Person } from '../../../nodes/BusinessMessaging/inbox/core';
import { openReplies } from '../../../nodes/BusinessMessaging/inbox/calls';
import type { QuestionRun } from '../../../nodes/BusinessMessaging/inbox/questionRun';
import { fromRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import {
	type Wait,
	listenByWebhook,
	unregister,
} from '../../../nodes/BusinessMessaging/inbox/withoutTrigger';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { connect } from '../../../nodes/BusinessMessaging/transport/connect';
import { listWebhooks } from '../../../nodes/BusinessMessaging/webhooks/registrations';
import { FakeN8n, FakeTime, n8nUrl } from './fakeN8n';

const id = 'AAAAAAAAAAA';
const phone = '+15550001001';
const keyOf = (number: string) =>
	createHmac('sha256', 'instance').update(number).digest('base64url');
const urlFor = (run: string, number: string, execution = 9) =>
	`${n8nUrl}webhook-waiting/${execution}/node?wait=${run}.${keyOf(number)}&signature=abc`;
const own = urlFor(id, phone, 1);
const earlier = urlFor('BBBBBBBBBBB', phone);
const isPoll = (body: Record<string, unknown>) => body.event === 'business-messaging.poll';

const responses: Record<string, { statusCode: number; body: unknown } | undefined> = {
	waiting: { statusCode: 200, body: { waiting: true } },
	running: { statusCode: 409, body: { message: 'The execution "9" is running already.' } },
	finished: { statusCode: 409, body: { message: 'The execution "9" has finished already.' } },
	stopped: { statusCode: 401, body: {} },
	gone: { statusCode: 410, body: {} },
	broken: { statusCode: 500, body: { message: 'Cannot read properties of undefined' } },
	unknown: undefined,
};

let n8n: FakeN8n;
let time: FakeTime;
beforeEach(() => {
	n8n = new FakeN8n();
	time = new FakeTime();
});

const person: Person = {
	...{ item: 0, to: phone, question: 0, since: 0, askedMessageId: 'msg_1' },
	...{ messages: [], repeatedAfter: [] },
};

/** Begins to listen for the reply of one person. */
async function listen(more: Partial<QuestionRun> = {}, context: object = n8n.context) {
	const client = await connect(n8n.context as never);
	const wait = jest.fn(async () => true);
	const run = {
		...{ context, client, id, limitMs: 60_000, people: [person], notAsked: [] },
		...{ questions: [{ ...defaultAnswer(), asked: 'Tuesday?' }] },
		asked: [{ request: { body: { to: phone } } }],
		wait,
		...more,
	} as unknown as QuestionRun;
	const webhooks = await listWebhooks(client);
	const listening = await time.run(async () => await listenByWebhook(run, webhooks));
	return { run, wait, listening };
}

/** Registrations of earlier runs at the service. */
function register(...urls: string[]): void {
	n8n.webhooks = urls.map((url, index): IDataObject => ({ id: `earlier-${index}`, url }));
}
const registered = () => n8n.webhooks.map(({ url }) => url);
const polled = () => n8n.calls.filter(({ body }) => isPoll(body)).map(({ url }) => url);

test('the resume URL is registered, with a name for the person that is the same for each form of the number', async () => {
	await listen({ asked: [{ request: { body: { to: '15550001001' } } }] as never });
	expect(n8n.webhooks).toEqual([{ id: 'webhook-1', url: own, events: ['message.received'] }]);
	expect(n8n.calls).toEqual([]);
});

test('nothing is called before a question is sent', async () => {
	const { listening } = await listen();
	const before = [n8n.requests.length, n8n.calls.length];
	await listening.tell({} as never);
	expect([n8n.requests.length, n8n.calls.length]).toEqual(before);
});

test.each([
	['waiting', 1, 'Another question to this person is open', 'Stop the execution that waits'],
	[
		'running',
		6,
		'Another execution that asks this person is still running',
		'has ended, or stop it',
	],
	[
		'unknown',
		2,
		'Another question to this person may be open: n8n did not respond at its own',
		'N8N_WEBHOOK_URL',
	],
])(
	'if the execution of an earlier question to the person is %s, after %d calls nobody is asked',
	async (state, calls, message, description) => {
		register(earlier);
		n8n.respond = () => responses[state];
		await expect(listen()).rejects.toMatchObject({
			message: expect.stringContaining(message),
			description: expect.stringContaining(description),
		});
		expect(polled()).toEqual(range(calls).map(() => earlier));
		expect(time.pauses).toEqual(range(calls - 1).map(() => 1_000));
		expect(registered()).toEqual([earlier]);
	},
);

test.each([
	['finished', 1],
	['stopped', 1],
	['gone', 1],
	['broken', 2],
])(
	'if the execution of an earlier question to the person is %s, its registration is removed after %d calls',
	async (state, calls) => {
		register(earlier);
		n8n.respond = () => responses[state];
		await listen();
		expect(polled()).toHaveLength(calls);
		expect(registered()).toEqual([own]);
	},
);

test.each([
	['running', 'finished', [own]],
	['unknown', 'finished', [own]],
	['broken', 'waiting', undefined],
	['unknown', 'running', undefined],
])('an execution that is %s is called again after a second: %s', async (first, second, urls) => {
	register(earlier);
	n8n.respond = () => responses[polled().length === 1 ? first : second];
	const listened = listen();
	if (urls) await listened;
	else await expect(listened).rejects.toThrow('Another');
	expect(registered()).toEqual(urls ?? [earlier]);
	expect(time.pauses[0]).toBe(1_000);
});

test('an execution that removes its registration while it is running is not in the way', async () => {
	const foreign = 'https://example.com/hook';
	register(foreign, earlier);
	n8n.respond = () => {
		if (polled().length === 2) register(foreign);
		return responses.running;
	};
	await listen();
	expect(polled()).toHaveLength(2);
	expect(registered()).toEqual([foreign, own]);
});

test('an earlier round of the same execution is not in the way, and keeps its registration', async () => {
	const round = urlFor('BBBBBBBBBBB', phone, 1);
	register(round);
	n8n.respond = () => responses.running;
	await listen();
	expect([polled(), time.pauses]).toEqual([[round], []]);
	expect(registered()).toEqual([round, own]);
});

test.each([
	['waiting', 1, true],
	['running', 1, true],
	['unknown', 2, true],
	['finished', 1, false],
	['broken', 2, false],
])(
	'a question to another person whose execution is %s is not in the way; its registration stays after %d calls: %p',
	async (state, calls, stays) => {
		const other = urlFor('BBBBBBBBBBB', '+15550001002');
		register(other);
		n8n.respond = () => responses[state];
		await listen();
		expect(polled()).toHaveLength(calls);
		expect(registered()).toEqual(stays ? [other, own] : [own]);
	},
);

test('all earlier questions to the person are checked, and ten to others; other registrations stay', async () => {
	const others = range(20).map((n) => urlFor('BBBBBBBBBBB', `+1555000200${n}`));
	const same = range(15).map((n) => urlFor('BBBBBBBBBBB', phone, 100 + n));
	const foreign = ['https://example.com/hook', `${n8nUrl}webhook/a/webhook`];
	register(...others, ...foreign, ...same);
	n8n.webhooks.push({ id: 'hidden' });
	n8n.respond = () => responses.finished;
	await listen();
	const ofOthers = polled().filter((url) => others.includes(url));
	expect(new Set(ofOthers).size).toBe(10);
	expect(polled()).toHaveLength(25);
	expect(polled()).toEqual(expect.arrayContaining(same));
	expect(registered()).toHaveLength(10 + foreign.length + 2);
	expect(registered()).toEqual(expect.arrayContaining([...foreign, own]));
});

test('n8n stores what the output needs, which can be read only with the URL', async () => {
	n8n.respond = () => responses.finished;
	const { run, wait: waitUntil, listening } = await listen();
	const until = time.now + 60_000;
	expect(await time.run(listening.wait)).toBe(true);
	expect(waitUntil).toHaveBeenCalledWith(until);
	const { record, ...wait } = n8n.nodeContext.wait as unknown as Wait;
	expect(wait).toEqual({ run: id, registration: { id: 'webhook-1' } });
	expect(unseal(n8n.secret, record)).toBeUndefined();
	expect(fromRecord(id, unseal(own, record), own)).toEqual({
		...{ id, url: own, owner: own, triggers: [], startedAt: until - 60_000, until },
		...{ leaseUntil: until - 60_000, isWhole: true, isOver: false, started: [], notAsked: [] },
		...{ questions: run.questions, people: new Map([[0, person]]) },
	});
});

test.each(['stop', 'wait'] as const)(
	'if the question was not sent, the registration is removed, and nothing waits (%s)',
	async (end) => {
		const { wait, listening } = await listen({ people: [] });
		expect(registered()).toEqual([own]);
		expect(await time.run<unknown>(listening[end])).toBe(end === 'wait' ? false : undefined);
		expect(registered()).toEqual([]);
		expect(wait).not.toHaveBeenCalled();
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(n8n.calls).toEqual([]);
	},
);

/** Waits until there are no more calls to the run. */
async function untilQuiet(): Promise<void> {
	for (let before = -1; before !== n8n.calls.length; ) {
		before = n8n.calls.length;
		await new Promise((resolve) => setTimeout(resolve, 40));
	}
}

test.each(['accepted', 'finished', 'stopped', 'gone'])(
	'when the time is up, the run gets the replies so far, and is called until it is %s',
	async (state) => {
		const begin = time.now;
		const times: number[] = [];
		n8n.respond = () => {
			times.push(time.now - begin);
			const last =
				state === 'accepted' ? { statusCode: 200, body: { accepted: id } } : responses[state];
			return times.length < 4 ? responses.running : last;
		};
		const { listening } = await listen();
		await time.run(listening.wait);
		await untilQuiet();
		expect(times).toEqual([60_000, 60_050, 60_150, 60_350]);
		const [{ url, body }] = n8n.calls;
		expect(url).toBe(own);
		expect(await time.run(() => openReplies(own, body, id))).toMatchObject({
			id,
			until: begin + 60_000,
			isWhole: true,
		});
	},
);

test('the run is called at least every ten seconds, until n8n itself ends the wait', async () => {
	const begin = time.now;
	const times: number[] = [];
	n8n.respond = () => {
		times.push(time.now - begin);
		return responses.running;
	};
	const { listening } = await listen();
	await time.run(listening.wait);
	await untilQuiet();
	const pauses = times.slice(1).map((at, index) => at - times[index]);
	expect(pauses).toEqual([
		50,
		100,
		200,
		400,
		800,
		1_600,
		3_200,
		6_400,
		...range(4).map(() => 10_000),
	]);
	expect(times.at(-1)).toBeLessThan(120_000);
});

describe('a registration', () => {
	const client = async () => await connect(n8n.context as never);

	test('is removed by its ID without a look at the list', async () => {
		n8n.webhooks = [{ id: 'mine', url: own }];
		await unregister(n8n.context as never, await client(), own, 'mine');
		expect(n8n.requests.map(({ method }) => method)).toEqual(['DELETE']);
		expect(registered()).toEqual([]);
	});

	test('without an ID in the response is found by its URL', async () => {
		n8n.webhooks = [{ id: 'other', url: earlier }, { url: own }, { id: 'mine', url: own }];
		await unregister(n8n.context as never, await client(), own);
		expect(n8n.webhooks).toEqual([{ id: 'other', url: earlier }, { url: own }]);
		expect(n8n.log).toEqual([]);
	});

	test('that cannot be removed is in the log', async () => {
		n8n.serve = () => ({ statusCode: 403, body: { message: 'no' } });
		await unregister(n8n.context as never, await client(), own, 'mine');
		expect(n8n.log).toEqual([
			expect.stringMatching(/^A webhook could not be removed at the service: .*no \(HTTP 403\)/),
		]);
	});
});
