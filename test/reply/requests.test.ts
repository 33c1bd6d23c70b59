/** The requests of Send and Wait to the trigger, over HTTP: which are accepted, and their effect. */
import { randomUUID } from 'node:crypto';
import { maxBy } from 'lodash';
import type { IWebhookFunctions } from 'n8n-workflow';
import type { EventEnvelope } from '../../nodes/BusinessMessaging/api/events';
import { deduplicationKeyOf } from '../../nodes/BusinessMessaging/webhooks/deduplicationKey';
import {
	type QuestionRequest,
	callRun,
	pollEvent,
} from '../../nodes/BusinessMessaging/webhooks/question';
import { seal, unseal } from '../../nodes/BusinessMessaging/webhooks/seal';
import { Triggers, useLog, useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import type { WebhookHandler } from '../support/webhooks';
import { until } from '../../tools/until';
import { People, anna, berta, carl, jsonOf } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessagingTrigger', 'webhook');

let count = 0;
const inbox = async () => await triggers.active({ webhookId: `request-${++count}` });

const questionsTo = (url: string, values: object = {}) => ({
	run: 'run',
	url,
	asked: Date.now(),
	until: Date.now() + 60_000,
	expected: [],
	people: [],
	isWhole: false,
	...values,
});
const sealed = (content: object, credential: Record<string, string> = {}) => ({
	sealed: seal(service.id(credential), JSON.stringify({ at: Date.now(), ...content })),
});
const waitingUrl = (trigger: Trigger) =>
	`${new URL(trigger.url).origin}/webhook-waiting/1/a?wait=${'x'.repeat(36)}&signature=1`;
const freeText = {
	...{ kind: 'freeText', choices: [], yesWords: [], noWords: [], isDayFirst: false },
	...{ groupMs: 0, repeats: 0, repeatText: '' },
};
const dora = '+15550001004';
const tooMany = Array.from({ length: 10_001 }, (_, item) => [item, anna, 0, 0, null]);
const ask = async (trigger: Trigger, data: object, url?: string) =>
	await triggers.deliver(trigger, { event: 'business-messaging.questions', data }, {}, url);

test.each([
	[404, { code: 404, message: 'The execution "1" does not exist.' }, 'ended'],
	[404, '404 page not found', 'unknown'], // from a proxy, while n8n restarts
	[401, '<html>Invalid token</html>', 'ended'],
	[409, { message: 'The execution "1" has finished with error.' }, 'ended'],
	[409, { message: 'The execution "1" is running already.' }, 'unknown'],
	[502, 'Bad Gateway', 'unknown'],
	[200, '<html>No action required</html>', 'resumed'],
	[200, 'n8n is starting up. Please wait', 'unknown'], // from a process that opens its database
])('after %i with %j a run counts as %s', async (statusCode, body, state) => {
	const httpRequest = async () => ({ statusCode, body });
	const context = { helpers: { httpRequest } } as unknown as IWebhookFunctions;
	expect(await callRun(context, 'https://n8n.test/webhook-waiting/1/a', pollEvent)).toBe(state);
});

test('a request from this n8n is accepted', async () => {
	const trigger = await inbox();
	const url = waitingUrl(trigger);
	const asked = [
		[0, '+15550001005', 0, 0, null],
		[1, '+15550001006', 0, null, null],
	];
	const known = { people: asked, expected: [freeText] };
	const data = sealed({ trigger: trigger.url, questions: questionsTo(url, known) });
	expect(await ask(trigger, data)).toMatchObject({ body: { inbox: 'yes', known: 3 } });
	expect(people.storedBy(trigger).runs.map((run) => run.url)).toContain(url);
});

test('a message is refused until it is known whether its sender was asked; delivered again, it is a reply', async () => {
	const trigger = await inbox();
	await people.ask([anna]);
	const asking = { ...maxBy(people.storedBy(trigger).runs, 'asked')!, run: 'slow', isWhole: false };
	const tell = async (asked: number | null) => {
		const questions = { ...asking, people: [[0, berta, 0, asked, null]] };
		await ask(trigger, sealed({ trigger: trigger.url, questions }));
	};
	const event = {
		event: 'message.received',
		data: { id: 'early', from: berta, text: 'Yes', timestamp: new Date().toISOString() },
	};
	await tell(null);
	expect((await triggers.deliver(trigger, event)).status).toBe(503);
	await tell(0);
	await triggers.deliver(trigger, event);
	expect(trigger.executions).toEqual([]);
	expect(JSON.stringify(people.storedBy(trigger))).toContain('"Yes"');
});

test('a message that another process consumes as a reply, while this one waits to learn whether its sender was asked, starts nothing', async () => {
	const trigger = await inbox();
	const from = '+15550001009';
	const event = {
		event: 'message.received',
		data: { id: 'both', from, text: 'Yes', timestamp: new Date().toISOString() },
	};
	const url = waitingUrl(trigger);
	const runWith = (asked: number | null, answer: object | null) =>
		questionsTo(url, { run: 'both', expected: [freeText], people: [[0, from, 0, asked, answer]] });
	await ask(trigger, sealed({ trigger: trigger.url, questions: runWith(null, null) }));
	const delivery = triggers.deliver(trigger, event);
	const message = { text: 'Yes', respondedAt: '', key: deduplicationKeyOf(event, {}) };
	const runs = [runWith(0, { messages: [message], isAccepted: true })];
	const state = `${randomUUID()} ${seal(service.id(), JSON.stringify({ runs, ended: [] }))}`;
	await ask(trigger, sealed({ trigger: trigger.url, state }));
	expect((await delivery).status).toBe(200);
	expect(trigger.executions).toEqual([]);
});

test('a message that arrives in time, while n8n says only later whether the run waits, is an ordinary message', async () => {
	const trigger = await inbox();
	const url = waitingUrl(trigger).replace('/1/a', '/2/slow');
	const resumed = new Promise<void>((resolve) => {
		service.engine['server'].register(
			'POST',
			'/webhook-waiting/2/slow',
			async (request, response) => {
				const isPoll = (request.body as { event: string }).event === pollEvent;
				if (isPoll) await resumed;
				else resolve();
				response.json({ waiting: isPoll });
			},
		);
	});
	const questions = questionsTo(url, {
		run: 'short',
		until: Date.now() + 1_000,
		expected: [freeText],
		people: [[0, carl, 0, 0, null]],
		isWhole: true,
	});
	await ask(trigger, sealed({ trigger: trigger.url, questions }));
	const data = { id: 'late', from: carl, text: 'Yes', timestamp: new Date().toISOString() };
	await triggers.deliver(trigger, { event: 'message.received', data });
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Yes']);
});

describe('the log', () => {
	test('says if a message was taken for a reply that its run had got before a restart', async () => {
		const trigger = await inbox();
		service.engine['server'].register('POST', '/webhook-waiting/3/done', async (_, response) => {
			response.send('<html>');
		});
		const url = waitingUrl(trigger).replace('/1/a', '/3/done');
		const about = { run: 'stale', expected: [freeText], people: [[0, dora, 0, 0, null]] };
		const questions = questionsTo(url, { ...about, isWhole: true });
		await ask(trigger, sealed({ trigger: trigger.url, questions }));
		const event = { event: 'message.received', data: { id: 'again', from: dora, text: 'Yes' } };
		await triggers.deliver(trigger, event);
		expect(trigger.executions).toEqual([]);
		expect(logged).toContainEqual(expect.stringMatching(/^warn: .*was taken for that reply/));
	});

	test('says if replies could not be passed on, and nothing about a run without replies', async () => {
		const trigger = await inbox();
		const url = waitingUrl(trigger).replace('/1/a', '/4/unreachable');
		const tell = async (run: string, answer: object | null, until: number) => {
			const people = [[0, dora, 0, 0, answer]];
			const about = { run, expected: [freeText], people, until, isWhole: true };
			const questions = questionsTo(url, about);
			await ask(trigger, sealed({ trigger: trigger.url, questions }));
		};
		const lost = () => logged.filter((line) => /^warn: .*are lost/.test(line));
		await tell('silent', null, Date.now() - 121_000);
		expect(lost()).toEqual([]);
		const answer = { messages: [{ text: 'Yes', respondedAt: '' }], isAccepted: true };
		await tell('lost', answer, Date.now() - 119_000);
		await until('the log', () => lost().length > 0);
	});
});

test('a trigger is found also if the process that responds first still opens its database', async () => {
	const trigger = await inbox();
	const handlers = service.engine['server']['handlers'];
	const key = `POST ${new URL(trigger.url).pathname}`;
	const handler = handlers.get(key)!;
	handlers.set(key, async (_, response) => {
		handlers.set(key, handler);
		response.send('n8n is starting up. Please wait');
	});
	const execution = await people.ask([anna, berta]);
	for (const person of [anna, berta]) await people.write(person, 'yes');
	expect(jsonOf(execution)).toMatchObject([{ text: 'yes' }, { text: 'yes' }]);
});

test('a request brings what another process knows, but no run of another n8n', async () => {
	const trigger = await inbox();
	const own = waitingUrl(trigger);
	const runs = [own, own.replace(/^.*?:\d+/, 'https://evil.example')].map((url, index) => ({
		...questionsTo(url),
		run: `${index}`,
	}));
	const state = `${randomUUID()} ${seal(service.id(), JSON.stringify({ runs, ended: [] }))}`;
	await ask(trigger, sealed({ trigger: trigger.url, state }));
	const urls = people.storedBy(trigger).runs.map(({ url }) => url);
	expect(urls).toContain(own);
	expect(urls.filter((url) => url.includes('evil'))).toEqual([]);
});

describe('another process', () => {
	/** Registers a trigger's URL of this n8n, and who responds there. */
	const registerTrigger = (origin: string, name: string, respond: WebhookHandler) => {
		service.engine['server'].register('POST', `/webhook/${name}/webhook`, respond);
		const url = `${origin}/webhook/${name}/webhook?token=${'t'.repeat(43)}`;
		people.state.webhooks.create({ url, events: ['message.received'] });
	};
	/** The trigger of another process, which knows an open question to Carl, and an earlier reply. */
	const openElsewhere = async (reply: EventEnvelope) => {
		const { origin } = new URL((await inbox()).url);
		const name = `elsewhere-${++count}`;
		const runUrl = `${origin}/webhook-waiting/5/${name}?wait=${'x'.repeat(36)}&signature=1`;
		const asked: object[] = [[0, carl, 0, 0, null]];
		const run = questionsTo(runUrl, {
			run: name,
			expected: [freeText],
			people: asked,
			isWhole: true,
		});
		const answered = [[deduplicationKeyOf(reply, {}), Date.now()]];
		const content = JSON.stringify({ runs: [run], ended: [], answered });
		const state = `${randomUUID()} ${seal(service.id(), content)}`;
		const { engine } = service;
		registerTrigger(origin, name, async (_, response) => void response.json({ state }));
		const resumed: object[] = [];
		engine['server'].register('POST', `/webhook-waiting/5/${name}`, async (request, response) => {
			const body = request.body as { event: string };
			if (body.event !== pollEvent) resumed.push(body);
			response.json({ waiting: body.event === pollEvent });
		});
		return resumed;
	};
	/** Lets the process forget that it has published triggers: it then knows only what is stored. */
	const forgetPublishing = () => {
		const now = performance.now.bind(performance);
		const later = ++count * 31 * 24 * 3_600_000;
		jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
	};
	afterEach(() => jest.restoreAllMocks());
	const message = (id: string, from: string) => ({
		event: 'message.received',
		data: { id, from, text: id, timestamp: new Date().toISOString() },
	});

	test('a process that was down, or whose trigger was not published, learns of questions and replies', async () => {
		const earlier = message('Earlier', berta);
		const resumed = await openElsewhere(earlier);
		const trigger = await inbox();
		forgetPublishing();
		for (const event of [earlier, message('Yes', carl), message('Hello', dora)])
			await triggers.deliver(trigger, event);
		expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Hello']);
		expect(JSON.stringify(resumed)).toContain('"Yes"');
	});

	test('a reply that one trigger has got before a restart of n8n starts no workflow of another one', async () => {
		const [one, other] = [await inbox(), await inbox()];
		const execution = await people.ask([anna]);
		const reply = message('Yes', anna);
		await triggers.deliver(one, reply);
		expect(jsonOf(execution)).toMatchObject([{ text: 'Yes' }]);
		forgetPublishing();
		await triggers.active({ webhookId: `request-${++count}`, staticData: one.staticData });
		const restarted = { webhookId: `request-${++count}`, staticData: other.staticData };
		const late = await triggers.active(restarted);
		await triggers.deliver(late, reply);
		expect(late.executions).toEqual([]);
	});

	test('a message is refused while the other triggers have not responded', async () => {
		const resumed = await openElsewhere(message('None', berta));
		const trigger = await inbox();
		forgetPublishing();
		await service.fault({ endpoint: 'listWebhooks', delayMs: 6_000 });
		const reply = message('Late', carl);
		const statuses = [];
		for (let n = 0; n < 2; n++) statuses.push((await triggers.deliver(trigger, reply)).status);
		expect(statuses).toEqual([503, 200]);
		expect(trigger.executions).toEqual([]);
		expect(JSON.stringify(resumed)).toContain('"Late"');
	}, 15_000);

	test('a process that was down asks the service again if it does not respond', async () => {
		const resumed = await openElsewhere(message('None', berta));
		const trigger = await inbox();
		forgetPublishing();
		await service.fault({ endpoint: 'listWebhooks', status: 500, count: 5 });
		const reply = message('Restarted', carl);
		await until('a response', async () => (await triggers.deliver(trigger, reply)).status === 200);
		expect(trigger.executions).toEqual([]);
		expect(JSON.stringify(resumed)).toContain('"Restarted"');
	}, 30_000);

	test('a process that was killed while people are asked is told of all of them again', async () => {
		const { origin } = new URL((await inbox()).url);
		const name = `killed-${++count}`;
		const asked = new Map<number, boolean>();
		registerTrigger(origin, name, async (request, response) => {
			const { data } = request.body as { data: { sealed: string } };
			const { questions } = unseal(service.id(), data.sealed) as QuestionRequest;
			for (const [item, , , time] of questions!.people) asked.set(item, time !== null);
			const known = asked.size + [...asked.values()].filter(Boolean).length;
			response.json({ inbox: 'yes', process: 'one', known });
		});
		await service.fault({ endpoint: 'sendText', skip: 1, delayMs: 4_000 });
		const asking = people.ask(['+15550001007', '+15550001008'], {
			options: { concurrency: 1 },
		});
		await until('the first question', () => asked.get(0) === true);
		asked.clear();
		await until('everybody to be reported', () => asked.size === 2);
		expect([...asked]).toEqual([
			[0, true],
			[1, false],
		]);
		await asking;
	}, 20_000);

	test('a process that was down and cannot learn of them says so in the log', async () => {
		const trigger = await inbox();
		forgetPublishing();
		await service.fault({ endpoint: 'listWebhooks', status: 403 });
		await triggers.deliver(trigger, message('Hello', dora));
		expect(trigger.executions).toHaveLength(1);
		expect(logged).toContainEqual(expect.stringContaining('may also start workflows'));
	});
});

test.each<[string, (own: string, url: string) => object]>([
	['is not sealed', () => ({ sealed: 'AAAA' })],
	['has 16 MB', () => ({ sealed: 'A'.repeat(15_900_000) })],
	[
		'is sealed with another key',
		(trigger, url) => sealed({ trigger, questions: questionsTo(url) }, { apiKey: 'another-key' }),
	],
	[
		'is for another trigger',
		(own, url) => sealed({ trigger: `${own}2`, questions: questionsTo(url) }),
	],
	[
		'is replayed later',
		(trigger, url) => sealed({ trigger, at: Date.now() - 301_000, questions: questionsTo(url) }),
	],
	[
		'has a resume URL elsewhere',
		(trigger, url) =>
			sealed({
				trigger,
				questions: questionsTo(url.replace(/^.*?:\d+/, 'https://evil.example')),
			}),
	],
	[
		'has another address of this n8n',
		(trigger, url) =>
			sealed({
				trigger,
				questions: questionsTo(url.replace(/webhook-waiting.*/, 'rest/logout?signature=1')),
			}),
	],
	[
		'has too many people',
		(trigger, url) => sealed({ trigger, questions: questionsTo(url, { people: tooMany }) }),
	],
])('a request keeps and calls nothing if it %s', async (_, dataOf) => {
	const waits = await people.ask([anna]);
	const trigger = await inbox();
	const before = trigger.staticData;
	const data = dataOf(trigger.url, waitingUrl(trigger));
	expect((await ask(trigger, data)).status).toBe(403);
	expect((await ask(trigger, data, trigger.url)).status).toBe(401);
	expect(trigger.staticData).toEqual(before);
	expect([trigger.executions, waits.answers]).toEqual([[], []]);
});
