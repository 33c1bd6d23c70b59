/** A trigger in n8n: calls of Send and Wait, messages of the service, repeated questions, and what a new trigger learns. */
import {
	learnOpenQuestions,
	openMessages,
	respond,
	toLateEvent,
	toLateItem,
} from '../../../nodes/BusinessMessaging/inbox/atTrigger';
import {
	openReplies,
	openRequest,
	repliesEvent,
} from '../../../nodes/BusinessMessaging/inbox/calls';
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { seal, unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { FakeN8n, n8nUrl } from './fakeN8n';

const own = `${n8nUrl}webhook/a/webhook`;
const other = `${n8nUrl}webhook/b/webhook`;
const [anna, berta, carl] = [1, 2, 3].map((n) => `+1555000100${n}`);
const runUrl = (id: string) => `${n8nUrl}webhook-waiting/1/node?wait=${id}&signature=abc`;
const id = 'AAAAAAAAAAA';

let n8n: FakeN8n;
beforeEach(() => {
	n8n = new FakeN8n();
	n8n.respond = (url, { event }) => {
		const ofRun = event === repliesEvent ? { accepted: id } : { waiting: true };
		return { statusCode: 200, body: url === runUrl(id) ? ofRun : { inbox: 'yes' } };
	};
});

function runOf(asked: string[], more: Partial<Run> = {}): Run {
	const now = Date.now();
	const people = asked.map((to, item): [number, Person] => [
		item,
		{ item, to, question: 0, since: 0, askedMessageId: null, messages: [], repeatedAfter: [] },
	]);
	return {
		...{ id, url: runUrl(id), owner: own, triggers: [own, other], startedAt: now },
		...{ until: now + 600_000, leaseUntil: now, isWhole: true, isOver: false, started: [] },
		...{ notAsked: [], questions: [{ ...defaultAnswer(), asked: 'Tuesday?' }] },
		...{ people: new Map(people), ...more },
	};
}

const tellOf = (run: Run): TriggerRequest => ({
	...{ is: 'tell', id: run.id, run: toRecord(run, own), skewMs: 0, without: [own, other] },
});

/** Calls the trigger. */
async function call(
	content: TriggerRequest,
	accepts: 'yes' | 'member' | 'no' = 'yes',
	{ secret = n8n.secret, to = own } = {},
) {
	const sealed = seal(secret, JSON.stringify({ at: Date.now(), to, content }));
	const { context, end } = n8n.webhookContext({ data: { sealed } }, own);
	return await respond(context, accepts).finally(end);
}

let messages = 0;
const message = (from: string, text: string) => ({
	event: 'message.received',
	data: { id: `message-${++messages}`, from, text, timestamp: new Date().toISOString() },
});
const receipt = { event: 'message.delivered', data: { id: 'receipt' } };

/** Delivers events. @returns the trigger's view of them */
async function deliver(...events: Array<typeof receipt>) {
	const { context, end } = n8n.webhookContext({}, own);
	const inbox = await openMessages(context, events, {});
	const take = async (fresh: typeof events) => await inbox.take(fresh).finally(end);
	return { ...inbox, take };
}

/** What the trigger has stored of the run, as n8n writes it to its database. */
function stored(secret = n8n.secret): Run | undefined {
	const data = JSON.parse(JSON.stringify(n8n.staticData)) as Record<string, object>;
	const texts = data[`inbox of ${n8n.node.id}`] as Record<string, string> | undefined;
	return texts && fromRecord(id, unseal(secret, texts[id]), own);
}

/** Waits until something is there. */
async function until<T>(find: () => T | undefined): Promise<T> {
	const end = performance.now() + 2_000;
	for (let found = find(); performance.now() < end; found = find()) {
		if (found !== undefined) return found;
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
	throw new Error('It does not come');
}

describe('a call', () => {
	test.each([
		['with another key', { secret: 'another key' }],
		['for another trigger', { to: other }],
	])('%s gets no response', async (_, change) => {
		expect(await call({ is: 'hello' }, 'yes', change)).toBeUndefined();
		expect(await call(tellOf(runOf([anna])), 'yes', change)).toBeUndefined();
		expect(n8n.staticData).toEqual({});
	});

	test.each(['yes', 'member', 'no'] as const)(
		'learns whether the trigger accepts questions: %s',
		async (accepts) => {
			expect(await call({ is: 'hello' }, accepts)).toEqual({ response: { inbox: accepts } });
		},
	);

	test('is stored, encrypted, next to the known events', async () => {
		const { response } = (await call(tellOf(runOf([anna])))) ?? {};
		expect(response).toEqual({ inbox: 'yes', owner: own, triggers: [], isOver: false });
		expect(stored()).toMatchObject({ id, url: runUrl(id), owner: own });
		expect(Object.keys(n8n.staticData).sort()).toEqual([
			`inbox of ${n8n.node.id}`,
			`recentEvents of ${n8n.node.id}`,
		]);
		expect(JSON.stringify(n8n.staticData)).not.toContain(anna);
	});

	test('that changes nothing leaves what is stored as it is', async () => {
		await call(tellOf(runOf([anna])));
		const before = JSON.stringify(n8n.staticData);
		await call({ is: 'hello' });
		expect(JSON.stringify(n8n.staticData)).toBe(before);
	});

	test('to a trigger that accepts no questions is not stored', async () => {
		expect(await call(tellOf(runOf([anna])), 'no')).toEqual({ response: { inbox: 'no' } });
		expect(n8n.staticData).toEqual({});
	});

	test('about a reply that came too late gives it back, to start the workflow with it', async () => {
		const late = { key: 'key', text: 'Yes', messageId: 'm', respondedAt: '2030-01-01T00:00:00Z' };
		const run = runOf([anna], { isOver: true });
		const asked = { ...(run.people.get(0) as Person), messages: [late] };
		const record = toRecord({ ...run, people: new Map([[0, asked]]) }, own);
		const responded = await call({ is: 'late', id, run: record, keys: ['key'] });
		expect(responded).toMatchObject({
			response: { inbox: 'yes', isStarted: true },
			late: [{ person: asked, message: late }],
		});
		expect(responded?.response).not.toHaveProperty('late');
	});

	test('with a new API key lets the questions be stored with that key', async () => {
		await call(tellOf(runOf([anna])));
		const before = n8n.secret;
		n8n.credentials.apiKey += '-new';
		await call({ is: 'hello' });
		expect(stored(before)).toBeUndefined();
		expect(stored()).toMatchObject({ id });
	});
});

describe('a message', () => {
	test('of somebody who was not asked is an ordinary one', async () => {
		await call(tellOf(runOf([anna])));
		const events = [message(carl, 'Hello'), receipt];
		const inbox = await deliver(...events);
		expect(events.map((event) => inbox.concerns(event))).toEqual([false, false]);
		expect(await inbox.take(events)).toEqual(events);
	});

	test('of somebody who was asked is a reply; the other events of the delivery start the workflow', async () => {
		await call(tellOf(runOf([anna, berta])));
		const events = [receipt, message(anna, 'Yes'), message(carl, 'Hello'), message(anna, 'Thanks')];
		const inbox = await deliver(...events);
		expect(events.map((event) => inbox.concerns(event))).toEqual([false, true, false, true]);
		expect(await inbox.take(events)).toEqual([events[0], events[2], events[3]]);
		expect(stored()?.people.get(0)?.messages).toMatchObject([{ text: 'Yes' }]);
		// What is taken may be only a part of the delivery.
		expect(await inbox.take([events[1]])).toEqual([]);
	});

	test('that opts out is a reply, and starts the workflow too', async () => {
		await call(tellOf(runOf([anna, berta])));
		const stop = message(anna, 'STOP');
		const inbox = await deliver(stop);
		expect(await inbox.take([stop])).toEqual([stop]);
		expect(stored()?.people.get(0)?.messages).toMatchObject([{ text: 'STOP' }]);
	});

	test('is delivered again if the owner of the question does not respond', async () => {
		await call(tellOf(runOf([anna, berta], { owner: other })));
		n8n.respond = () => undefined;
		const reply = message(anna, 'Yes');
		const inbox = await deliver(reply);
		expect(await inbox.take([reply])).toBeUndefined();
		const [{ url, body }] = n8n.calls.slice(-1);
		expect(openRequest(n8n.secret, body, url)).toMatchObject({
			...{ is: 'message', from: own, message: { text: 'Yes', messageId: reply.data.id } },
		});
	});

	test.each([
		['', false],
		[', also if n8n cannot read the credential at that moment', true],
	])('that completes the replies lets the run continue with them%s', async (_, hasNoCredential) => {
		await call(tellOf(runOf([anna])));
		n8n.hasNoCredential = hasNoCredential;
		const reply = message(anna, 'Yes');
		expect(await (await deliver(reply)).take([reply])).toEqual([]);
		const { url, body } = await until(() =>
			n8n.calls.find((one) => one.body.event === repliesEvent),
		);
		expect(url).toBe(runUrl(id));
		const run = openReplies(n8n.secret, body, id);
		expect(run?.people.get(0)?.messages).toMatchObject([{ text: 'Yes' }]);
	});

	test('lets n8n store what is known, if something else has changed', async () => {
		await call(tellOf(runOf([anna])));
		n8n.staticData = {};
		const inbox = await deliver(receipt);
		expect(stored()).toBeUndefined();
		inbox.store();
		expect(stored()).toMatchObject({ id });
	});
});

describe('the credential', () => {
	test('is not read for a message while nobody was ever asked', async () => {
		await deliver(message(anna, 'Hello'));
		await deliver(message(anna, 'Hello'));
		expect(n8n.credentialReads).toBe(0);
	});

	test('is read for each call, and for a message only if it was not read for five seconds', async () => {
		await call(tellOf(runOf([anna])));
		await call({ is: 'hello' });
		expect(n8n.credentialReads).toBe(2);
		const start = performance.now();
		const clock = jest.spyOn(performance, 'now').mockReturnValue(start + 4_000);
		await deliver(receipt);
		expect(n8n.credentialReads).toBe(2);
		clock.mockReturnValue(start + 6_000);
		await deliver(receipt);
		await deliver(receipt);
		expect(n8n.credentialReads).toBe(3);
		clock.mockRestore();
	});

	test('is read for a message if questions are stored since before n8n was started', async () => {
		const { id: node } = n8n.node;
		const record = seal(n8n.secret, toRecord(runOf([anna]), own));
		n8n.staticData = { [`inbox of ${node}`]: { [id]: record } };
		const reply = message(anna, 'Yes');
		const inbox = await deliver(reply);
		expect(n8n.credentialReads).toBe(1);
		expect(inbox.concerns(reply)).toBe(true);
	});
});

describe('a question', () => {
	const approval = [
		{ ...defaultAnswer(), kind: 'approval' as const, repeatText: 'Yes or no?', asked: '' },
	];

	/** Replies with a text that does not fit. @returns what the owner has stored then */
	async function misunderstand(): Promise<{ reply: ReturnType<typeof message>; run?: Run }> {
		await call(tellOf(runOf([anna, berta], { questions: approval })));
		const reply = message(anna, 'maybe next week');
		expect(await (await deliver(reply)).take([reply])).toEqual([]);
		return { reply, run: stored() };
	}

	test('is repeated after a reply that does not fit, with a key by which the service can tell repeated requests', async () => {
		const { reply, run } = await misunderstand();
		expect(n8n.requests).toHaveLength(1);
		const [{ method, url, body, headers }] = n8n.requests;
		expect([method, url]).toEqual(['POST', expect.stringMatching(/\/messages/)]);
		expect(body).toEqual({ to: anna, text: 'Yes or no?' });
		const [key] = run?.people.get(0)?.repeatedAfter ?? [];
		expect(headers['Idempotency-Key']).toBe(`${id}-${key}`);
		expect(key).toBeTruthy();
		expect(run?.people.get(0)?.messages).toEqual([]);
		// The same message again changes nothing.
		expect(await (await deliver(reply)).take([reply])).toEqual([]);
		expect(n8n.requests).toHaveLength(1);
		expect(n8n.log).toEqual([]);
	});

	test('that the service refuses to repeat counts as answered, and the log says why', async () => {
		n8n.serve = () => ({ statusCode: 402, body: { message: 'Balance too low' } });
		const { run } = await misunderstand();
		expect(run?.people.get(0)).toMatchObject({
			...{ messages: [{ text: 'maybe next week' }], isAccepted: false, repeatedAfter: [] },
		});
		expect(n8n.log).toEqual([expect.stringContaining('Balance too low')]);
	});

	test.each([
		['fails while repeating', () => ({ statusCode: 500, body: {} })],
		[
			'does not respond for seven seconds while repeating',
			async () => await new Promise<never>(() => {}),
		],
	])('that the service %s counts as repeated', async (_, serve) => {
		n8n.serve = serve;
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 7_000 ? 30 : ms));
		const { run } = await misunderstand();
		expect(run?.people.get(0)?.repeatedAfter).toHaveLength(1);
		expect(run?.people.get(0)?.messages).toEqual([]);
		expect(n8n.log).toEqual([]);
	});
});

describe('a reply that came too late', () => {
	const [run, text] = [runOf([anna]), 'Yes'];
	const person = { ...(run.people.get(0) as Person), askedMessageId: 'asked' };
	const late = { key: 'key', text, messageId: 'id', respondedAt: '2030-01-01T00:00:00Z' };

	test('is an event as the service delivers it', () => {
		const data = { from: anna, text, timestamp: late.respondedAt };
		expect(toLateEvent({ run, person, message: late })).toEqual({
			...{ event: 'message.received', data: { id: 'id', ...data } },
		});
		const unnamed = { ...late, messageId: undefined };
		const sender = 'Anna';
		expect(
			toLateEvent({ run, person: { ...person, sender }, message: unnamed }).data,
		).toStrictEqual({
			...{ ...data, senderId: sender },
		});
	});

	test.each([true, false])('shows the question (simplified: %p)', (isSimplified) => {
		const item = toLateItem({ run, person, message: late }, isSimplified);
		expect(item).toMatchObject({ late: true, asked: 'Tuesday?', askedMessageId: 'asked' });
		expect(isSimplified ? item.text : (item.data as typeof late).text).toBe('Yes');
		expect('data' in item).toBe(!isSimplified);
	});
});

describe('a trigger that was just published', () => {
	const third = `${n8nUrl}webhook/c/webhook`;
	const foreign = 'https://other.example.com/webhook/d/webhook';
	const listed = [`${other}?token=secret`, own, third, foreign, `${n8nUrl}webhook/e`];
	const record = toRecord(runOf([anna]), own);
	const learn = async (known?: object[]) =>
		await learnOpenQuestions(n8n.webhookContext({}, own).context, known);

	test('asks the other triggers of its n8n which questions are open, and stores these', async () => {
		n8n.respond = (url) => ({
			...{ statusCode: 200, body: { inbox: 'yes', runs: url === other ? [[id, record]] : [] } },
		});
		await learn([...listed.map((url) => ({ url })), { id: 'hidden' }]);
		expect(n8n.calls.map(({ url }) => url)).toEqual([other, third]);
		for (const { url, body } of n8n.calls)
			expect(openRequest(n8n.secret, body, url)).toEqual({ is: 'learn', from: own });
		expect(n8n.requests).toEqual([]);
		expect(stored()).toMatchObject({ id, url: runUrl(id) });
		expect(JSON.stringify(n8n.staticData)).not.toContain(anna);
	});

	test('asks the service for the triggers if they are not known', async () => {
		n8n.webhooks = listed.map((url, index) => ({ id: index, url }));
		await learn();
		expect(n8n.requests).not.toEqual([]);
		expect(n8n.calls.map(({ url }) => url)).toEqual([other, third]);
		expect(Object.keys(n8n.staticData)).toEqual([]);
	});

	test('adds what it learns to what is stored', async () => {
		const { id: node } = n8n.node;
		const run = runOf([anna], { isWhole: false });
		const reply = { key: 'key', text: 'Yes', respondedAt: '2030-01-01T00:00:00Z' };
		const replied = { ...(run.people.get(0) as Person), messages: [reply] };
		const mine = { ...run, people: new Map([[0, replied]]) };
		const stays = { BBBBBBBBBBB: 'stays' };
		const before = { ...stays, [id]: seal(n8n.secret, toRecord(mine, own)) };
		n8n.staticData = { [`inbox of ${node}`]: before };
		const runs = [[id, toRecord({ ...run, isWhole: true }, own)]];
		n8n.respond = () => ({ statusCode: 200, body: { inbox: 'yes', runs } });
		await learn([{ url: other }]);
		expect(n8n.staticData[`inbox of ${node}`]).toMatchObject(stays);
		expect(stored()).toMatchObject({ isWhole: true, people: new Map([[0, replied]]) });
	});
});
