/** The requests of Send and Wait to the trigger, over HTTP: which are accepted, and their effect. */
import type { IWebhookFunctions } from 'n8n-workflow';
import type { EventEnvelope } from '../../../nodes/BusinessMessaging/api/events';
import { deduplicationKeyOf } from '../../../nodes/BusinessMessaging/webhooks/deduplicationKey';
import {
	type QuestionRequest,
	callRun,
	pollEvent,
} from '../../../nodes/BusinessMessaging/webhooks/question';
import { seal, unseal } from '../../../nodes/BusinessMessaging/webhooks/seal';
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import type { WebhookHandler } from '../../../harness/engine/webhooks';
import { until } from '../../../harness/until';
import { People, anna, berta, carl, dora, jsonOf, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessagingTrigger', 'webhook');

let count = 0;
const inbox = async (options: object = {}) =>
	await triggers.active({ webhookId: `request-${++count}`, ...options });
const message = (text: string, from: string) =>
	received({ id: text, from, text, timestamp: new Date().toISOString() });
const answerOf = (text: string, key?: string) => ({
	messages: [{ text, respondedAt: '', key }],
	isAccepted: true,
});

const sealed = (content: object, credential: Record<string, string> = {}) => ({
	sealed: seal(service.id(credential), JSON.stringify({ at: Date.now(), ...content })),
});
const ask = async (trigger: Trigger, data: object, url?: string) =>
	await triggers.deliver(trigger, { event: 'business-messaging.questions', data }, {}, url);
/** Informs a trigger, as Send and Wait or another process does. */
const tell = async (trigger: Trigger, content: object) =>
	await ask(trigger, sealed({ trigger: trigger.url, ...content }));
const serve = (path: string, respond: WebhookHandler) =>
	service.engine['server'].register('POST', path, respond);

type Asked = [phone: string, asked: number | null, answer?: object];

/** A run of the same n8n that waits: its questions to people, and the answers that it gets. */
class WaitingRun {
	readonly answers: object[] = [];
	readonly url: string;
	private readonly name = `run-${++count}`;

	/** @param respond what n8n responds at its URL; by default the run waits until it has the answers */
	constructor({ url }: Trigger, respond?: WebhookHandler) {
		const path = `/webhook-waiting/1/${this.name}`;
		this.url = `${new URL(url).origin}${path}?wait=${'x'.repeat(36)}&signature=1`;
		serve(path, async (request, response) => {
			const isPoll = (request.body as { event: string }).event === pollEvent;
			if (!isPoll) this.answers.push(request.body as object);
			if (respond) await respond(request, response);
			else response.json({ waiting: isPoll });
		});
	}

	questions(asked: Asked[], values: object = {}) {
		const freeText = {
			...{ kind: 'freeText', choices: [], yesWords: [], noWords: [], isDayFirst: false },
			...{ groupMs: 0, repeats: 0, repeatText: '' },
		};
		return {
			run: this.name,
			url: this.url,
			asked: Date.now(),
			until: Date.now() + 60_000,
			expected: [freeText],
			people: asked.map(([phone, time, answer], item) => [item, phone, 0, time, answer ?? null]),
			isWhole: true,
			...values,
		};
	}
}

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

test('a request from this n8n is accepted, and the response says how much is known', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger);
	const asked: Asked[] = [
		['+15550001005', 0],
		['+15550001006', null],
	];
	const questions = run.questions(asked, { isWhole: false });
	expect((await tell(trigger, { questions })).body).toMatchObject({ inbox: 'yes', known: 3 });
	expect(people.storedBy(trigger).runs.map(({ url }) => url)).toContain(run.url);
});

test('a message is refused until it is known whether its sender was asked; delivered again, it is a reply', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger);
	const early = message('Early', berta);
	await tell(trigger, { questions: run.questions([[berta, null]], { isWhole: false }) });
	expect((await triggers.deliver(trigger, early)).status).toBe(503);
	await tell(trigger, { questions: run.questions([[berta, 0]]) });
	expect((await triggers.deliver(trigger, early)).status).toBe(200);
	expect(startedBy(trigger)).toEqual([]);
	expect(JSON.stringify(run.answers)).toContain('"Early"');
});

test('a report that arrives twice does not mean that somebody was not asked', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger);
	const tellOf = async (report: number) =>
		await tell(trigger, { questions: run.questions([[berta, null]], { isWhole: false, report }) });
	await tellOf(1);
	const delivery = triggers.deliver(trigger, message('Soon', berta));
	for (let times = 0; times < 2; times++) await tellOf(2);
	expect((await delivery).status).toBe(503);
	expect(startedBy(trigger)).toEqual([]);
});

test('a message that another process consumes as a reply, while this one waits to learn whether its sender was asked, starts nothing', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger);
	const both = message('Both', carl);
	const isWhole = false;
	await tell(trigger, { questions: run.questions([[carl, null]], { isWhole }) });
	const delivery = triggers.deliver(trigger, both);
	const answer = answerOf('Both', deduplicationKeyOf(both, {}));
	const runs = [run.questions([[carl, 0, answer]], { isWhole })];
	await tell(trigger, { state: people.toText({ runs }) });
	expect((await delivery).status).toBe(200);
	expect(startedBy(trigger)).toEqual([]);
});

test('a message that arrives in time, while n8n says only later whether the run waits, is an ordinary message', async () => {
	const trigger = await inbox();
	const run: WaitingRun = new WaitingRun(trigger, async (_, response) => {
		await until('the time to be up', () => run.answers.length > 0);
		response.json({ waiting: true });
	});
	const questions = run.questions([[carl, 0]], { until: Date.now() + 1_000 });
	await tell(trigger, { questions });
	await triggers.deliver(trigger, message('Late', carl));
	expect(startedBy(trigger)).toEqual(['Late']);
});

test('a message from somebody whose reply the run had got before a restart starts nothing, and the log says so', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger, async (_, response) => void response.send('<html>'));
	await tell(trigger, { questions: run.questions([[dora, 0]]) });
	await triggers.deliver(trigger, message('Again', dora));
	expect(startedBy(trigger)).toEqual([]);
	expect(logged).toContainEqual(expect.stringMatching(/^warn: .*was taken for that reply/));
});

test('the log says if replies could not be passed on', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger, async (_, response) => void response.status(502).send(''));
	const asked: Asked[] = [[dora, 0, answerOf('Yes')]];
	await tell(trigger, { questions: run.questions(asked, { until: Date.now() - 119_000 }) });
	await until('the log', () => logged.some((line) => /^warn: .*are lost/.test(line)));
});

test('a request brings what another process knows, but no run of another n8n', async () => {
	const trigger = await inbox();
	const [own, other] = [new WaitingRun(trigger), new WaitingRun(trigger)];
	const evil = other.url.replace(/^.*?:\d+/, 'https://evil.example');
	const runs = [own.questions([[dora, null]]), other.questions([], { url: evil })];
	await tell(trigger, { state: people.toText({ runs }) });
	const urls = people.storedBy(trigger).runs.map(({ url }) => url);
	expect(urls).toContain(own.url);
	expect(urls.filter((url) => url.includes('evil'))).toEqual([]);
});

test('a run that is over does not come back with what another process still knows', async () => {
	const trigger = await inbox();
	const run = new WaitingRun(trigger);
	await tell(trigger, { questions: run.questions([[carl, 0]]) });
	await triggers.deliver(trigger, message('Yes', carl));
	expect(run.answers).toHaveLength(1);
	await tell(trigger, { state: people.toText({ runs: [run.questions([[carl, 0]])] }) });
	await triggers.deliver(trigger, message('Thanks', carl));
	expect(startedBy(trigger)).toEqual(['Thanks']);
	expect(run.answers).toHaveLength(1);
});

describe('another process', () => {
	/** Registers a trigger's URL of this n8n, and who responds there. */
	const registerTrigger = ({ url }: Trigger, respond: WebhookHandler) => {
		const path = `/webhook/elsewhere-${++count}/webhook`;
		serve(path, respond);
		const registered = `${new URL(url).origin}${path}?token=${'t'.repeat(43)}`;
		people.state.webhooks.create({ url: registered, events: ['message.received'] });
	};
	/** The trigger of another process, which knows an open question to Carl, and an earlier reply. @returns the run that asks */
	const openElsewhere = async (reply: EventEnvelope): Promise<WaitingRun> => {
		const trigger = await inbox();
		const run = new WaitingRun(trigger);
		const answered = [[deduplicationKeyOf(reply, {}), Date.now()]];
		const state = people.toText({ runs: [run.questions([[carl, 0]])], answered });
		registerTrigger(trigger, async (_, response) => void response.json({ state }));
		return run;
	};
	/** Lets the process forget that it has published triggers: it then knows only what is stored. */
	const forgetPublishing = () => {
		const now = performance.now.bind(performance);
		const later = ++count * 31 * 24 * 3_600_000;
		jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
	};
	afterEach(() => jest.restoreAllMocks());

	test('a process that was down, or whose trigger was not published, learns of questions and replies', async () => {
		const earlier = message('Earlier', berta);
		const run = await openElsewhere(earlier);
		const trigger = await inbox();
		forgetPublishing();
		for (const event of [earlier, message('Yes', carl), message('Hello', dora)])
			await triggers.deliver(trigger, event);
		expect(startedBy(trigger)).toEqual(['Hello']);
		expect(JSON.stringify(run.answers)).toContain('"Yes"');
	});

	test('a reply that one trigger has got before a restart of n8n starts no workflow of another one', async () => {
		const [one, other] = [await inbox(), await inbox()];
		const execution = await people.ask([anna]);
		const reply = message('Yes', anna);
		await triggers.deliver(one, reply);
		expect(jsonOf(execution)).toMatchObject([{ text: 'Yes' }]);
		forgetPublishing();
		await inbox({ staticData: one.staticData });
		const late = await inbox({ staticData: other.staticData });
		await triggers.deliver(late, reply);
		expect(startedBy(late)).toEqual([]);
	});

	test('replies that one process gets only after the run is over start no workflow', async () => {
		const trigger = await inbox();
		const run = new WaitingRun(trigger, async (_, response) => void response.send('<html>'));
		const asked: Asked[] = [
			[carl, 0],
			[dora, 0],
		];
		const questions = run.questions(asked);
		await tell(trigger, { questions });
		const replies = [message('Yes', carl), message('No', dora)];
		const answered = replies.map((reply) => [deduplicationKeyOf(reply, {}), Date.now()]);
		const ended = [[questions.run, questions.until]];
		const state = people.toText({ runs: [], ended, answered });
		registerTrigger(trigger, async (_, response) => void response.json({ state }));
		for (const event of [...replies, message('Thanks', dora)])
			await triggers.deliver(trigger, event);
		expect(startedBy(trigger)).toEqual(['Thanks']);
	});

	test('a message is refused while the other triggers are not known, as the service does not respond', async () => {
		const run = await openElsewhere(message('None', berta));
		const trigger = await inbox();
		forgetPublishing();
		await service.fault({ endpoint: 'listWebhooks', status: 500, delayMs: 1_000, count: 5 });
		const reply = message('Restarted', carl);
		const deliver = async () => (await triggers.deliver(trigger, reply)).status;
		expect(await deliver()).toBe(503);
		await until('a response', async () => (await deliver()) === 200);
		expect(startedBy(trigger)).toEqual([]);
		expect(JSON.stringify(run.answers)).toContain('"Restarted"');
	}, 30_000);

	test('a process that was killed while people are asked is told of all of them again', async () => {
		const asked = new Map<number, boolean>();
		registerTrigger(await inbox(), async (request, response) => {
			const { data } = request.body as { data: { sealed: string } };
			const { questions } = unseal(service.id(), data.sealed) as QuestionRequest;
			for (const [item, , , time] of questions!.people) asked.set(item, time !== null);
			const known = asked.size + [...asked.values()].filter(Boolean).length;
			response.json({ inbox: 'yes', process: 'one', known });
		});
		await service.fault({ endpoint: 'sendText', skip: 1, delayMs: 4_000 });
		const options = { concurrency: 1 };
		const asking = people.ask(['+15550001007', '+15550001008'], { options });
		await until('the first question', () => asked.get(0) === true);
		asked.clear();
		await until('everybody to be reported', () => asked.size === 2);
		expect(Object.fromEntries(asked)).toEqual({ 0: true, 1: false });
		await asking;
	}, 20_000);

	test('a process that was down and cannot learn of them says so in the log', async () => {
		const trigger = await inbox();
		forgetPublishing();
		await service.fault({ endpoint: 'listWebhooks', status: 403 });
		await triggers.deliver(trigger, message('Hello', dora));
		expect(startedBy(trigger)).toEqual(['Hello']);
		expect(logged).toContainEqual(expect.stringContaining('may also start workflows'));
	});
});

/** The content of a request, by what is wrong with it, from the trigger's URL and that of a run. */
const refused: Record<string, (trigger: string, run: WaitingRun) => object> = {
	'is not sealed': () => ({ sealed: 'AAAA' }),
	'is sealed with another key': (trigger, run) =>
		sealed({ trigger, questions: run.questions([]) }, { apiKey: 'another-key' }),
	'is for another trigger': (trigger, run) =>
		sealed({ trigger: `${trigger}2`, questions: run.questions([]) }),
	'is replayed later': (trigger, run) =>
		sealed({ trigger, at: Date.now() - 301_000, questions: run.questions([]) }),
	'has a resume URL elsewhere': (trigger, run) => {
		const url = run.url.replace(/^.*?:\d+/, 'https://evil.example');
		return sealed({ trigger, questions: run.questions([], { url }) });
	},
	'has another address of this n8n': (trigger, run) => {
		const url = run.url.replace(/webhook-waiting.*/, 'rest/logout?signature=1');
		return sealed({ trigger, questions: run.questions([], { url }) });
	},
};

test.each(Object.entries(refused))(
	'a request keeps and calls nothing if it %s',
	async (_, dataOf) => {
		const waits = await people.ask([anna]);
		const trigger = await inbox();
		const before = trigger.staticData;
		const data = dataOf(trigger.url, new WaitingRun(trigger));
		expect((await ask(trigger, data)).status).toBe(403);
		expect((await ask(trigger, data, trigger.url)).status).toBe(401);
		expect(trigger.staticData).toEqual(before);
		expect([trigger.executions, waits.answers]).toEqual([[], []]);
	},
);
