/** The trigger as the inbox, over HTTP: it receives the replies, and passes them to the executions that wait for them. */
import { setTimeout as delay } from 'node:timers/promises';

import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { received, Triggers, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';
import { People, anna, berta, carl, jsonOf, startedBy, stopClock } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;
const other = async (options: object = {}) =>
	await triggers.active({ webhookId: `inbox-${++count}`, ...options });
const inbox = async (options: object = {}) =>
	await other({ parameters: { keepReplies: true }, ...options });
const byHand = { options: { registration: 'manual', requireSecret: true } };

test("several people's replies are output in the order of the items, start no workflow and need no further webhook", async () => {
	const trigger = await inbox();
	service.fault({ endpoint: 'sendText', skip: 1, status: 422, body: { message: 'no' } });
	const execution = await people.ask(
		[anna, berta, carl],
		{ options: { concurrency: 1 } },
		{ onError: 'continueRegularOutput' },
	);
	expect(people.state.webhooks.all).toHaveLength(1);
	const long = 'x'.repeat(5_000);
	await people.write(carl, long);
	expect(execution.outputs).toBeUndefined();
	await people.write(carl, 'and more');
	await people.write('+15550009999', 'Hello');
	await people.write(berta, 'I was not asked');
	await people.write(anna, 'mine');
	const cut = { from: carl, text: long.slice(0, 4_000), textIsCut: true };
	const jsons = [
		expect.objectContaining({ replied: true, from: anna, text: 'mine' }),
		expect.objectContaining({ to: berta, sendStatus: 'notSent', messageId: null }),
		expect.objectContaining(cut),
	];
	expect(await jsonOf(execution)).toEqual(jsons);
	expect(execution.outputs![0].map(({ pairedItem }) => pairedItem)).toEqual(
		[0, 1, 2].map((item) => ({ item })),
	);
	await people.write(anna, 'Thanks');
	expect(startedBy(trigger)).toEqual(['and more', 'Hello', 'I was not asked', 'Thanks']);
});

test('a reply is output once and starts no workflow, with several triggers, one of them registered by hand; with or without an ID', async () => {
	const credentials = service.credentials({ webhookSecret: 'own' });
	const all = [await inbox(), await other(), await other({ parameters: byHand, credentials })];
	people.state.webhooks.create({ url: `${all[2].url}?token=own` });
	const fine = { from: anna, text: 'Fine' };
	for (const event of [received(fine), { event: 'message.received', data: fine }]) {
		const execution = await people.ask([anna]);
		for (const trigger of all) await triggers.deliver(trigger, event);
		expect(await jsonOf(execution)).toMatchObject([{ replied: true, text: 'Fine' }]);
	}
	expect(all.flatMap(startedBy)).toEqual([]);
	for (const trigger of all)
		await triggers.deliver(trigger, { event: 'message.received', data: fine });
	expect(all.flatMap(startedBy)).toEqual(['Fine', 'Fine', 'Fine']);
});

test.each<[string, object, string?]>([
	['under another name', { text: 'Yes' }, 'MessageReceived'],
	['from a linked device', { from: '447700900123:12@s.whatsapp.net', text: 'Yes' }],
	['from a local number', { from: '07700 900123', text: 'Yes' }],
	['by a tap', { interactive: { button_reply: { id: 'y', title: 'Yes' } } }],
])('a reply reaches its question: %s', async (_, data, event = 'message.received') => {
	const to = '+447700900123';
	const credentials = service.credentials({ defaultCountry: 'GB' });
	const trigger = await inbox({ credentials });
	const execution = await people.ask([to], {}, { credentials });
	await triggers.deliver(trigger, { event, data: { id: 'm1', from: to, ...data } });
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, from: to, text: 'Yes' }]);
	expect(startedBy(trigger)).toEqual([]);
});

test('a second delivery of a reply changes nothing, even after n8n has restarted', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	const first = await people.write(anna, 'first');
	await people.again(first);
	const restarted = await triggers.make({
		...{ webhookId: `inbox-${count}`, staticData: trigger.staticData },
		parameters: { keepReplies: true },
	});
	await restarted.activate('init');
	const { event, data } = first[0];
	await triggers.deliver(restarted, { event, data });
	await people.write(berta, 'second');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'first' }, { text: 'second' }]);
	expect([trigger, restarted].flatMap(startedBy)).toEqual([]);
});

test('if a reply does not fit, the question is repeated; after that, or if the service refuses it, the reply is output as not valid', async () => {
	const [trigger] = [await inbox(), await other()];
	const execution = await people.ask([anna, berta], {
		responseType: 'choice',
		choices: `={{ $json.phone === '${anna}' ? 'Red, Blue' : 'Small, Large' }}`,
		replyOptions: { repeats: 1 },
	});
	const body = { message: 'More than 24 hours have passed' };
	service.fault({ endpoint: 'sendText', match: berta, status: 422, body });
	await people.again(await people.write(anna, 'Small'));
	expect(service.received()).toEqual({ [anna]: 2, [berta]: 1 });
	await people.write(anna, 'tiny');
	await people.write(berta, 'Red');
	const refused = { valid: false, answer: null };
	const answers = [
		{ text: 'tiny', ...refused },
		{ text: 'Red', ...refused },
	];
	expect(await jsonOf(execution)).toMatchObject(answers);
	expect(startedBy(trigger)).toEqual([]);
});

test('the run does not wait for a person whom the frequency cap leaves out', async () => {
	const trigger = await inbox();
	const audienceRules = { frequencyCap: { values: { messages: 1, per: 'month' } } };
	const cap: [INodeParameters, object] = [{ audienceRules }, { workflowId: 'with a cap' }];
	const first = await people.ask([berta], ...cap);
	await people.write(berta, 'once');
	await jsonOf(first);
	const second = await people.ask([anna, berta], ...cap);
	await people.write(berta, 'I was not asked again');
	await people.write(anna, 'mine');
	expect(await jsonOf(second)).toMatchObject([
		{ replied: true, from: anna, text: 'mine' },
		{ to: berta, sendStatus: 'skipped', reason: 'frequencyCap' },
	]);
	expect(startedBy(trigger)).toEqual(['I was not asked again']);
});

test('a reply has at most 50 grouped messages', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta], { replyOptions: { furtherMessages: 60 } });
	const timestamp = new Date().toISOString();
	const texts = range(52).map((n) => `Text ${n}`);
	const write = async (from: string, some: string[]) =>
		await triggers.deliver(
			trigger,
			some.map((text) => received({ id: from + text, from, text, timestamp })),
		);
	await write(anna, texts);
	await write(berta, texts.slice(0, 50));
	const text = texts.slice(0, 50).join('\n');
	expect(await jsonOf(execution)).toMatchObject([{ text }, { text }]);
	const [started] = trigger.executions.map(({ items }) => items[0].map(({ json }) => json.text));
	expect(started).toEqual(texts.slice(50));
});

test('if a person was asked two questions, the later one gets the first reply', async () => {
	await inbox();
	const earlier = await people.ask([anna]);
	const later = await people.ask([anna, anna]);
	await people.write(anna, 'first');
	await people.write(anna, 'second');
	expect(earlier.outputs).toBeUndefined();
	expect(await jsonOf(later)).toMatchObject([{ text: 'second' }, { text: 'first' }]);
	await people.write(anna, 'third');
	expect(await jsonOf(earlier)).toMatchObject([{ text: 'third' }]);
});

test('a word such as STOP starts the workflows that record it, unless it is an expected answer, and the question is not repeated', async () => {
	const both = [await inbox(), await other()];
	const approval = await people.ask([anna], { responseType: 'approval' });
	await people.write(anna, 'STOP');
	expect(both.map(startedBy)).toEqual([['STOP'], ['STOP']]);
	expect(service.sent()).toHaveLength(1);
	await people.write(anna, 'yes');
	expect(await jsonOf(approval)).toMatchObject([{ approved: true }]);
	const choice = await people.ask([anna], { responseType: 'choice', choices: 'Start, Stop' });
	await people.write(anna, 'stop');
	expect(await jsonOf(choice)).toMatchObject([{ answer: 'Stop' }]);
	const freeText = await people.ask([anna]);
	await people.write(anna, 'Stop!');
	expect(await jsonOf(freeText)).toMatchObject([{ text: 'Stop!' }]);
	expect(both.map(startedBy)).toEqual(both.map(() => ['STOP', 'Stop!']));
});

test('a message to a run that the user has stopped is an ordinary message', async () => {
	const trigger = await inbox();
	const earlier = await people.ask([anna]);
	(await people.ask([anna])).stop();
	await people.write(anna, 'Hello?');
	expect(await jsonOf(earlier)).toMatchObject([{ text: 'Hello?' }]);
	(await people.ask([anna])).stop();
	await people.write(anna, 'Anybody?');
	expect(startedBy(trigger)).toEqual(['Anybody?']);
});

test('once the trigger was told about people, their messages are replies, even before the service has responded to the question', async () => {
	const trigger = await inbox();
	service.fault({ endpoint: 'sendText', delayMs: 6_000 });
	const asking = people.ask([anna, berta], { options: { concurrency: 1 } });
	await until('the first question', () => service.sent().length > 0);
	await Promise.all([people.write(anna, 'soon'), people.write(berta, 'Hello')]);
	const execution = await asking;
	await people.write(berta, 'late');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'soon' }, { text: 'Hello' }]);
	expect(startedBy(trigger)).toEqual(['late']);
});

test('several messages of a person in a row are one reply, which ends after a pause', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta], { replyOptions: { furtherMessages: 2 } });
	for (const text of ['Hm', 'Tuesday']) await people.write(anna, text);
	await people.write(berta, 'Monday');
	await people.write(anna, 'at ten');
	expect(execution.outputs).toBeUndefined();
	await until('the run to go on', () => execution.outputs);
	const [hm, tuesday, , ten] = people.state.messages.all.slice(2);
	const messages = [hm, tuesday, ten].map(({ text, id, createdAt }) => ({
		...{ text, messageId: id, respondedAt: createdAt },
	}));
	const text = 'Hm\nTuesday\nat ten';
	expect(await jsonOf(execution)).toMatchObject([
		{ ...messages[2], text, answer: text, messages },
		{ text: 'Monday', messages: [{ text: 'Monday' }] },
	]);
	await people.write(anna, 'Thanks');
	expect(startedBy(trigger)).toEqual(['Thanks']);
});

test.each([
	['minutes', 90, 90 * 60_000],
	['hours', 36, 36 * 3_600_000],
	['days', 1.5, 36 * 3_600_000],
	['days', 365, 365 * 24 * 3_600_000],
])('with a time limit in %s, replies no longer count after %d of them', async (unit, limit, ms) => {
	const trigger = await inbox();
	const settings = { limitWaitTime: limit, waitTimeUnit: unit };
	const execution = await people.ask([anna, berta], settings);
	const start = Date.now();
	const clock = jest.spyOn(Date, 'now');
	clock.mockReturnValue(start + ms - 60_000);
	await people.write(anna, 'in time');
	clock.mockReturnValue(start + ms + 1_000);
	await people.write(berta, 'too late');
	clock.mockRestore();
	expect(execution.outputs).toBeUndefined();
	expect(startedBy(trigger)).toEqual(['too late']);
	expect(people.storedBy(trigger).join()).toContain('in time');
});

test.each([
	['days', 365.1],
	['hours', 0],
])('refuses a time limit in %s of %d, before anything is sent', async (unit, limit) => {
	const settings = { limitWaitTime: limit, waitTimeUnit: unit };
	await expect(people.ask([anna], settings)).rejects.toThrow("'Limit Wait Time' must be");
	expect(service.sent()).toEqual([]);
});

test('the replies so far are output when the time is up', async () => {
	await inbox();
	const goOn = stopClock();
	const limit = { limitWaitTime: 0.05, waitTimeUnit: 'minutes' };
	const execution = await people.ask([anna, berta], limit);
	await people.write(anna, 'in time');
	goOn();
	await until('the time to be up', () => execution.outputs);
	expect(await jsonOf(execution)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, valid: false, from: berta },
	]);
});

test('if an execution writes back an older state, nothing is lost, and the state is corrected', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	const older = trigger.staticData;
	await people.write(anna, 'one');
	trigger.staticData = older;
	await until('the state to be stored again', () =>
		people.storedBy(trigger).join().includes('"one"'),
	);
	await people.write(berta, 'two');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
});

test.each([
	['message', received({ from: carl })],
	['receipt', { event: 'message.sent', data: { id: 'msg_1', to: carl, status: 'sent' } }],
])(
	'a delivery that began before the first question does not write back an older state: a %s',
	async (_, event) => {
		const options = { groupMessages: 3, batchReceipts: true };
		const events = ['message.received', 'message.sent'];
		const trigger = await inbox({ parameters: { events, options, keepReplies: true } });
		const first = triggers.deliver(trigger, event);
		const execution = await people.ask([anna, berta]);
		await people.write(anna, 'one');
		await first;
		expect(people.storedBy(trigger).join()).toContain('"one"');
		await people.write(berta, 'two');
		expect(await jsonOf(execution)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
		expect(trigger.executions).toHaveLength(1);
	},
);

test('replies that arrive at the same moment are all stored before the service gets its responses', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta, carl, '+15550001009']);
	const others = [anna, berta, carl];
	await Promise.all(others.map(async (from) => await people.write(from, `by ${from}`)));
	const stored = people.storedBy(trigger).join();
	for (const from of others) expect(stored).toContain(`by ${from}`);
	await people.write('+15550001009', 'last');
	expect(await jsonOf(execution)).toHaveLength(4);
});

test.each([0, 20, 100])(
	'a message is known after a restart of n8n, even while replies from %d ms before it are being stored',
	async (laterMs) => {
		const trigger = await inbox();
		await people.ask([anna, berta, '+15550001009']);
		const event = received({ from: carl });
		const message = async () => {
			await delay(laterMs);
			return await triggers.deliver(trigger, event);
		};
		await Promise.all([people.write(anna, 'one'), people.write(berta, 'two'), message()]);
		const restarted = await triggers.active({ staticData: trigger.staticData });
		await triggers.deliver(restarted, event);
		expect([trigger, restarted].map(startedBy)).toEqual([['Hello'], []]);
	},
);

test('a trigger that was renamed and edited keeps its secret, its known events, its questions and the replies so far', async () => {
	const [ids, event] = [{ webhookId: 'renamed', workflowId: 'renamed' }, received()];
	const trigger = await inbox(ids);
	const url = triggers.urlOf(trigger);
	await triggers.deliver(trigger, event);
	const execution = await people.ask([anna, berta]);
	await people.write(berta, 'before');
	const { staticData } = trigger;
	const parameters = { filters: { textContains: 'after' }, keepReplies: true };
	const renamed = await inbox({ ...ids, staticData, parameters, name: 'New Name' });
	expect(triggers.urlOf(renamed)).toBe(url);
	expect((await triggers.deliver(renamed, event)).status).toBe(200);
	expect([trigger, renamed].map(startedBy)).toEqual([['Hello'], []]);
	await people.write(anna, 'after');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'after' }, { text: 'before' }]);
});

test('a trigger without messages, or registered by hand, cannot keep replies, and one in a test does not', async () => {
	const keepReplies = true;
	await expect(
		inbox({ parameters: { keepReplies, events: ['message.delivered'] } }),
	).rejects.toThrow('must receive messages');
	await expect(inbox({ parameters: { keepReplies, ...byHand } })).rejects.toThrow(
		"Choose Automatic in 'Registration'",
	);
	await inbox({ mode: 'test' });
	await expect(people.ask([anna, berta])).rejects.toThrow(
		'No published workflow keeps the replies',
	);
	expect(service.sent()).toEqual([]);
});

test('if the run fails, what a person writes whom it had asked starts the workflow at once', async () => {
	const trigger = await inbox();
	service.fault({ endpoint: 'sendText', skip: 1, status: 422 });
	const asking = people.ask([anna, berta], { options: { concurrency: 1 } });
	await expect(asking).rejects.toThrow('HTTP 422');
	await people.write(anna, 'Yes');
	expect(startedBy(trigger)).toEqual(['Yes']);
});

test('the run fails if no trigger is published any more when all were asked', async () => {
	const trigger = await inbox();
	service.fault({ endpoint: 'sendText', delayMs: 1_000 });
	const asking = people.ask([anna, berta]);
	await until('the first question', () => service.calls('sendText') > 0);
	await trigger.deactivate();
	const { now } = Date;
	const from = now();
	jest.spyOn(Date, 'now').mockImplementation(() => from + 20 * (now() - from)); // a minute takes three seconds
	await expect(asking).rejects.toThrow('is no longer published');
});
