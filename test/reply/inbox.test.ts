/** The trigger as the inbox, over HTTP: it takes the answers, and hands them to the executions that wait for them. */
import type { IDataObject } from 'n8n-workflow';

import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { seal } from '../../nodes/BusinessMessaging/webhooks/seal';
import { useService } from '../support/service';
import { Triggers } from '../trigger/support';
import { People, anna, berta, carl, jsonOf, until } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const inboxKey = 'inbox of id of Trigger';

let count = 0;
const inbox = async (options: object = {}) =>
	await triggers.active({ webhookId: `inbox-${++count}`, ...options });

test('several people: their answers come out in the order of the items, start nothing and register nothing', async () => {
	const trigger = await inbox();
	await service.fault({ endpoint: 'sendText', skip: 1, status: 422, body: { message: 'no' } });
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
	expect(execution.outputs).toEqual([
		[
			{
				json: expect.objectContaining({ replied: true, from: anna, text: 'mine' }),
				pairedItem: { item: 0 },
			},
			{
				json: { error: expect.objectContaining({ sendStatus: 'notSent' }) },
				pairedItem: { item: 1 },
			},
			{
				json: expect.objectContaining({ from: carl, text: long.slice(0, 4_000), textIsCut: true }),
				pairedItem: { item: 2 },
			},
		],
	]);
	const started = trigger.executions.map(({ items }) => items[0][0].json.text);
	expect(started).toEqual(['and more', 'Hello', 'I was not asked']);
	await people.write(anna, 'Thanks');
	expect(trigger.executions).toHaveLength(4);
});

test('an answer starts nothing with several triggers and comes out once, whether or not anything identifies it', async () => {
	const both = [await inbox(), await inbox()];
	for (const data of [{}, { id: undefined, timestamp: undefined }]) {
		const execution = await people.ask([anna]);
		const event = { event: 'message.received', data: { from: anna, text: 'Fine', ...data } };
		for (const trigger of both) await triggers.deliver(trigger, event);
		expect(jsonOf(execution)).toMatchObject([{ replied: true, text: 'Fine' }]);
	}
	expect(both.flatMap(({ executions }) => executions)).toEqual([]);
	await people.write(anna, 'Something else');
	expect(both.map(({ executions }) => executions.length)).toEqual([1, 1]);
});

test('a second delivery of an answer is none, also after n8n has started anew', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	const first = await people.write(anna, 'first');
	await people.again(first);
	const restarted = await inbox({ staticData: trigger.staticData });
	const { event, data } = first[0];
	expect((await triggers.deliver(restarted, { event, data })).workflowData).toBeUndefined();
	await people.write(berta, 'second');
	expect(jsonOf(execution)).toMatchObject([{ text: 'first' }, { text: 'second' }]);
	expect([trigger, restarted].flatMap(({ executions }) => executions)).toEqual([]);
});

test('after an answer that does not fit the question is repeated, then it comes out as not accepted', async () => {
	const [trigger] = [await inbox(), await inbox()];
	const execution = await people.ask([anna], {
		responseType: 'choice',
		choices: 'Small, Large',
		replyOptions: { repeats: 1 },
	});
	await people.again(await people.write(anna, 'huge'));
	expect(service.sent().slice(1)).toEqual([
		expect.objectContaining({
			phone: anna,
			text: expect.stringContaining('one of these: 1) Small, 2) Large'),
		}),
	]);
	expect(execution.outputs).toBeUndefined();
	await people.write(anna, 'tiny');
	expect(jsonOf(execution)).toMatchObject([{ accepted: false, text: 'tiny', answer: null }]);
	expect(trigger.executions).toEqual([]);
});

test('each item has its own choices', async () => {
	await inbox();
	const execution = await people.ask([anna, berta], {
		responseType: 'choice',
		choices: `={{ $json.phone === '${anna}' ? 'Red, Blue' : 'Small, Large' }}`,
	});
	await people.write(berta, '2');
	await people.write(anna, '2');
	expect(jsonOf(execution)).toMatchObject([{ answer: 'Blue' }, { answer: 'Large' }]);
});

test('of two questions to the same person the later one gets the answer first', async () => {
	await inbox();
	const earlier = await people.ask([anna]);
	const later = await people.ask([anna, anna]);
	await people.write(anna, 'first');
	await people.write(anna, 'second');
	expect(earlier.outputs).toBeUndefined();
	expect(jsonOf(later)).toMatchObject([{ text: 'second' }, { text: 'first' }]);
	await people.write(anna, 'third');
	expect(jsonOf(earlier)).toMatchObject([{ text: 'third' }]);
});

test('a message to a run that the user has stopped is an ordinary message', async () => {
	const trigger = await inbox();
	const earlier = await people.ask([anna]);
	(await people.ask([anna])).stop();
	await people.write(anna, 'Hello?');
	expect(jsonOf(earlier)).toMatchObject([{ text: 'Hello?' }]);
	(await people.ask([anna])).stop();
	await people.write(anna, 'Anybody?');
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Anybody?']);
});

test('a message from before the question is an ordinary message', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna]);
	const data = { from: anna, text: 'Hi', timestamp: '2001-01-01T00:00:00Z' };
	await triggers.deliver(trigger, { event: 'message.received', data });
	expect(trigger.executions).toHaveLength(1);
	expect(execution.outputs).toBeUndefined();
});

test('whoever is not asked yet writes an ordinary message; whoever is, answers while others are still asked', async () => {
	const trigger = await inbox();
	await service.fault({ endpoint: 'sendText', skip: 1, delayMs: 4_000 });
	const asking = people.ask([anna, berta], { options: { concurrency: 1 } });
	await until('the first question', () => service.sent().length > 0);
	await Promise.all([people.write(anna, 'soon'), people.write(berta, 'Hello')]);
	const execution = await asking;
	await people.write(berta, 'late');
	expect(jsonOf(execution)).toMatchObject([{ text: 'soon' }, { text: 'late' }]);
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Hello']);
}, 20_000);

test('answers so far come out when the time is up', async () => {
	await inbox();
	const execution = await people.ask([anna, berta], {
		limitWaitTime: 0.01,
		waitTimeUnit: 'minutes',
	});
	await people.write(anna, 'in time');
	await until('the time to be up', () => execution.outputs);
	expect(jsonOf(execution)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, accepted: false, from: berta },
	]);
});

test('a run whose n8n was killed goes on with what was stored, with a renamed trigger as well', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	await people.write(anna, 'before');
	await trigger.deactivate();
	const other = service.credentials({ apiKey: service.sandbox.key });
	const restarted = await inbox({ staticData: trigger.staticData, credentials: other });
	await people.write(berta, 'after');
	expect(jsonOf(execution)).toMatchObject([{ text: 'before' }, { text: 'after' }]);
	expect(restarted.executions).toEqual([]);
});

test('an older state that something else has written back loses nothing, and is put right', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta, carl]);
	const older = JSON.stringify({ global: trigger.staticData });
	await people.write(anna, 'one');
	(trigger as unknown as { stored: string }).stored = older;
	await until('the state to be stored again', () =>
		String(trigger.staticData[inboxKey]).includes('"one"'),
	);
	await people.write(berta, 'two');
	await people.write(carl, 'three');
	expect(jsonOf(execution)).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
});

test('two processes that know different answers end up with all of them', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	const written = String(trigger.staticData[inboxKey]);
	const [id, ...json] = written.split(' ');
	const state = JSON.parse(json.join(' ')) as { runs: Array<{ answers: object[] }> };
	state.runs.at(-1)?.answers.push({ item: 1, text: 'elsewhere', isAccepted: true });
	const stored: IDataObject = {
		...trigger.staticData,
		[inboxKey]: `${id} ${JSON.stringify(state)}`,
	};
	(trigger as unknown as { stored: string }).stored = JSON.stringify({ global: stored });
	await people.write(anna, 'here');
	expect(jsonOf(execution)).toMatchObject([{ text: 'here' }, { text: 'elsewhere' }]);
});

describe('a request that is no question of this n8n keeps and calls nothing', () => {
	const questions = (values: object = {}) => ({
		run: 'run',
		url: 'http://127.0.0.1:1/webhook-waiting/1/a?signature=1',
		asked: Date.now(),
		until: Date.now() + 60_000,
		expected: [],
		people: [],
		answers: [],
		isWhole: true,
		...values,
	});

	test.each<[string, (own: string, waiting: string) => object]>([
		['not sealed', () => ({ sealed: 'AAAA' })],
		[
			'sealed with another key',
			(own, url) =>
				sealed({ trigger: own, questions: questions({ url }) }, { apiKey: 'another-key' }),
		],
		[
			'for another trigger',
			(own, url) => sealed({ trigger: `${own}2`, questions: questions({ url }) }),
		],
		[
			'replayed later',
			(own, url) =>
				sealed({ trigger: own, at: Date.now() - 301_000, questions: questions({ url }) }),
		],
		[
			'with a resume URL elsewhere',
			(own) =>
				sealed({
					trigger: own,
					questions: questions({ url: 'https://evil.example/webhook-waiting/1/a?signature=1' }),
				}),
		],
		[
			'with another address of this n8n',
			(own, url) =>
				sealed({
					trigger: own,
					questions: questions({
						url: url.replace(/webhook-waiting.*/, 'rest/logout?signature=1'),
					}),
				}),
		],
		[
			'with too many people',
			(own, url) =>
				sealed({
					trigger: own,
					questions: questions({
						url,
						people: Array.from({ length: 10_001 }, (_, item) => [item, '+15550001001', 0, 0]),
					}),
				}),
		],
	])('%s', async (_, dataOf) => {
		const waits = await people.ask([anna]);
		const trigger = await inbox();
		const before = trigger.staticData;
		const waiting = `${new URL(trigger.url).origin}/webhook-waiting/1/a?wait=${'x'.repeat(36)}&signature=1`;
		const body = { event: 'business-messaging.questions', data: dataOf(trigger.url, waiting) };
		expect((await triggers.deliver(trigger, body)).status).toBe(403);
		const withoutSecret = await triggers.deliver(trigger, body, {}, trigger.url);
		expect(withoutSecret.status).toBe(401);
		expect(trigger.staticData).toEqual(before);
		expect(trigger.executions).toEqual([]);
		expect(waits.answers).toEqual([]);
	});

	function sealed(content: object, credential: Record<string, string> = {}) {
		const { id } = readServiceConfig(service.credentials(credential));
		return { sealed: seal(id, { at: Date.now(), ...content }) };
	}

	test('while one that is goes', async () => {
		const trigger = await inbox();
		const url = `${new URL(trigger.url).origin}/webhook-waiting/1/a?wait=${'x'.repeat(36)}&signature=1`;
		const data = sealed({ trigger: trigger.url, questions: questions({ url, isWhole: false }) });
		const body = { event: 'business-messaging.questions', data };
		expect(await triggers.deliver(trigger, body)).toMatchObject({ body: { inbox: 'yes' } });
		expect(String(trigger.staticData[inboxKey])).toContain(url);
	});

	test('16 MB', async () => {
		const trigger = await inbox();
		const body = {
			event: 'business-messaging.questions',
			data: { sealed: 'A'.repeat(15_900_000) },
		};
		expect((await triggers.deliver(trigger, body)).status).toBe(403);
	});
});

test('a trigger that gets no messages, is registered by hand or is only tested takes no questions', async () => {
	await inbox({ parameters: { events: ['message.delivered'] } });
	await inbox({ mode: 'test' });
	await expect(people.ask([anna, berta])).rejects.toThrow('To ask several people at once');
	expect(service.sent()).toEqual([]);
});
