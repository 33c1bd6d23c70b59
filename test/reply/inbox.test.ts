/** The trigger as the inbox, over HTTP: it receives the replies, and passes them to the executions that wait for them. */
import { randomUUID } from 'node:crypto';
import { maxBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { seal } from '../../nodes/BusinessMessaging/webhooks/seal';
import { received, Triggers, useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { until } from '../../tools/until';
import { People, type Stored, anna, berta, carl, inboxKey, jsonOf } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;
const inbox = async (options: object = {}) =>
	await triggers.active({ webhookId: `inbox-${++count}`, ...options });

const newestOf = ({ runs }: Stored) => maxBy(runs, 'asked');

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
	const cut = { from: carl, text: long.slice(0, 4_000), textIsCut: true };
	const jsons = [
		expect.objectContaining({ replied: true, from: anna, text: 'mine' }),
		expect.objectContaining({ to: berta, sendStatus: 'notSent', messageId: null }),
		expect.objectContaining(cut),
	];
	expect(execution.outputs).toEqual([jsons.map((json, item) => ({ json, pairedItem: { item } }))]);
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
	const again = { event: 'message.received', data: { from: anna, text: 'Fine' } };
	for (const trigger of both) await triggers.deliver(trigger, again);
	expect(both.map(({ executions }) => executions.length)).toEqual([1, 1]);
});

test('an answer starts no workflow whose trigger was registered by hand', async () => {
	await inbox();
	const manual = await inbox({ parameters: { options: { registration: 'manual' } } });
	people.state.webhooks.create({ url: manual.url });
	const execution = await people.ask([anna]);
	await people.write(anna, 'Fine');
	expect(jsonOf(execution)).toMatchObject([{ text: 'Fine' }]);
	expect(manual.executions).toEqual([]);
});

test('a second delivery of an answer changes nothing, also after n8n has restarted', async () => {
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

test('if a reply does not fit, the question is repeated; the last reply is output as not accepted', async () => {
	const [trigger] = [await inbox(), await inbox()];
	const execution = await people.ask([anna], {
		responseType: 'choice',
		choices: 'Small, Large',
		replyOptions: { repeats: 1 },
	});
	await people.again(await people.write(anna, 'huge'));
	expect(service.sent().map(({ phone }) => phone)).toEqual([anna, anna]);
	expect(execution.outputs).toBeUndefined();
	await people.write(anna, 'tiny');
	expect(jsonOf(execution)).toMatchObject([{ accepted: false, text: 'tiny', answer: null }]);
	expect(trigger.executions).toEqual([]);
});

test('if the service refuses to repeat the question, the reply is output as not accepted', async () => {
	await inbox();
	const execution = await people.ask([anna], { responseType: 'number' });
	const body = { message: 'More than 24 hours have passed' };
	await service.fault({ endpoint: 'sendText', status: 422, body });
	await people.write(anna, 'a few');
	expect(jsonOf(execution)).toMatchObject([{ accepted: false, text: 'a few' }]);
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

test('people whom the Frequency Cap leaves out are not waited for, and their messages are ordinary', async () => {
	const trigger = await inbox();
	const audienceRules = { frequencyCap: { values: { messages: 1, days: 7 } } };
	const workflowId = 'capped';
	const earlier = await people.ask([berta], { audienceRules }, { workflowId });
	await people.write(berta, 'yes');
	expect(earlier.outputs).toBeDefined();
	const execution = await people.ask([anna, berta], { audienceRules }, { workflowId });
	await people.write(berta, 'I want to buy');
	await people.write(anna, 'yes');
	expect(jsonOf(execution)).toEqual([
		expect.objectContaining({ replied: true, from: anna }),
		expect.objectContaining({ to: berta, reason: 'frequencyCap' }),
	]);
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['I want to buy']);
});

test('a word such as STOP starts the workflow that records it, unless it is an answer, and the question is not repeated', async () => {
	const trigger = await inbox();
	const approval = await people.ask([anna], { responseType: 'approval' });
	await people.write(anna, 'STOP');
	expect(trigger.executions.map(({ items }) => items[0][0].json.intent)).toEqual(['optOut']);
	expect(service.sent()).toHaveLength(1);
	await people.write(anna, 'yes');
	expect(jsonOf(approval)).toMatchObject([{ approved: true }]);
	const choices = { responseType: 'choice', choices: 'Start, Stop' };
	const choice = await people.ask([anna], choices);
	await people.write(anna, 'stop');
	expect(jsonOf(choice)).toMatchObject([{ answer: 'Stop' }]);
	expect(trigger.executions).toHaveLength(1);
});

test('STOP to a question for free text is the reply, and starts the workflows that record it', async () => {
	const triggers = [await inbox(), await inbox()];
	const execution = await people.ask([anna]);
	await people.write(anna, 'STOP');
	expect(jsonOf(execution)).toMatchObject([{ text: 'STOP' }]);
	for (const { executions } of triggers)
		expect(executions.map(({ items }) => items[0][0].json.intent)).toEqual(['optOut']);
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

test.each([
	['dates', new Date().toISOString(), '2001-01-01T00:00:00Z'],
	['Unix times', 2_000_000_000, 1_999_999_998],
])('a message from before the question is an ordinary message, with %s', async (_, asked, time) => {
	const trigger = await inbox();
	const body = { success: true, data: { id: 'question', timestamp: asked } };
	await service.fault({ endpoint: 'sendText', status: 200, body });
	const execution = await people.ask([anna]);
	const deliver = async (text: string, timestamp: unknown) => {
		const data = { from: anna, text, timestamp };
		await triggers.deliver(trigger, { event: 'message.received', data });
	};
	await deliver('Hi', time);
	expect(trigger.executions).toHaveLength(1);
	expect(execution.outputs).toBeUndefined();
	await deliver('Now', asked);
	expect(jsonOf(execution)).toMatchObject([{ text: 'Now' }]);
});

test('a message before the question is ordinary; a reply counts also before the service has responded to the question', async () => {
	const trigger = await inbox();
	await service.fault({ endpoint: 'sendText', delayMs: 6_000 });
	const asking = people.ask([anna, berta], { options: { concurrency: 1 } });
	await until('the first question', () => service.sent().length > 0);
	await Promise.all([people.write(anna, 'soon'), people.write(berta, 'Hello')]);
	const execution = await asking;
	await people.write(berta, 'late');
	expect(jsonOf(execution)).toMatchObject([{ text: 'soon' }, { text: 'late' }]);
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Hello']);
});

test('messages of a person in a row are one answer once nothing comes for a while', async () => {
	const trigger = await inbox();
	const replyOptions = { groupMessages: 2 };
	const execution = await people.ask([anna, berta], { replyOptions });
	for (const text of ['Hm', 'Tuesday']) await people.write(anna, text);
	await people.write(berta, 'Monday');
	await people.write(anna, 'at ten');
	expect(execution.outputs).toBeUndefined();
	await until('the run to go on', () => execution.outputs);
	const [hm, tuesday, , ten] = people.state.messages.all.slice(2);
	const messages = [hm, tuesday, ten].map(({ text, id, createdAt }) => ({
		...{ text, messageId: id, respondedAt: createdAt },
	}));
	expect(jsonOf(execution)).toMatchObject([
		{
			text: 'Hm\nTuesday\nat ten',
			answer: 'Hm\nTuesday\nat ten',
			messageId: ten.id,
			respondedAt: ten.createdAt,
			messages,
		},
		{ text: 'Monday', messages: [{ text: 'Monday' }] },
	]);
	await people.write(anna, 'Thanks');
	expect(trigger.executions.map(({ items }) => items[0][0].json.text)).toEqual(['Thanks']);
});

test('a group of messages that n8n was stopped in continues with the stored ones', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta], { replyOptions: { groupMessages: 1 } });
	await people.write(anna, 'Hm');
	await trigger.deactivate();
	const restarted = await inbox({ staticData: trigger.staticData });
	await people.write(anna, 'Tuesday');
	await people.write(berta, 'Monday');
	await until('the run to go on', () => execution.outputs);
	expect(jsonOf(execution)).toMatchObject([{ text: 'Hm\nTuesday' }, { text: 'Monday' }]);
	expect(restarted.executions).toEqual([]);
});

test('answers so far come out when the time is up', async () => {
	await inbox();
	// Long enough for the reply on a busy machine.
	const limit = { limitWaitTime: 0.05, waitTimeUnit: 'minutes' };
	const execution = await people.ask([anna, berta], limit);
	await people.write(anna, 'in time');
	await until('the time to be up', () => execution.outputs);
	expect(jsonOf(execution)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, accepted: false, from: berta },
	]);
});

test('a run continues with stored data, also if the trigger was switched off and on', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	await people.write(anna, 'before');
	await trigger.deactivate();
	const restarted = await inbox({ staticData: trigger.staticData });
	await people.write(berta, 'after');
	expect(jsonOf(execution)).toMatchObject([{ text: 'before' }, { text: 'after' }]);
	expect(restarted.executions).toEqual([]);
});

test('an older state that something else has written back loses nothing, and is put right', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta, carl]);
	const older = trigger.staticData;
	await people.write(anna, 'one');
	trigger.staticData = older;
	await until('the state to be stored again', () =>
		JSON.stringify(people.storedBy(trigger)).includes('"one"'),
	);
	await people.write(berta, 'two');
	await people.write(carl, 'three');
	expect(jsonOf(execution)).toMatchObject([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
});

const answerOf = (text: string) => ({
	messages: [{ text, respondedAt: '2030-01-31T10:00:00Z' }],
	isAccepted: true,
});

/** Static data as another process has stored it, which knows something else of the second person: 3 is when they were asked, 4 the answer. */
function storedElsewhere(trigger: Trigger, place: number, value: unknown): IDataObject {
	const state = people.storedBy(trigger);
	newestOf(state)?.people[1].splice(place, 1, value);
	return {
		...trigger.staticData,
		[inboxKey]: `${randomUUID()} ${seal(service.id(), JSON.stringify(state))}`,
	};
}

test('a message of somebody who is being asked waits for what another process knows', async () => {
	const trigger = await inbox();
	await service.fault({ endpoint: 'sendText', skip: 1, delayMs: 4_000 });
	const asking = people.ask([anna, berta], { options: { concurrency: 1 } });
	await until('the first question', () => service.sent().length > 0);
	const message = people.write(berta, 'Soon');
	trigger.staticData = storedElsewhere(trigger, 3, 1);
	await message;
	const execution = await asking;
	await people.write(anna, 'Fine');
	expect(jsonOf(execution)).toMatchObject([{ text: 'Fine' }, { text: 'Soon' }]);
	expect(trigger.executions).toEqual([]);
});

test('two processes that know different answers end up with all of them', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	trigger.staticData = storedElsewhere(trigger, 4, answerOf('elsewhere'));
	await people.write(anna, 'here');
	expect(jsonOf(execution)).toMatchObject([{ text: 'here' }, { text: 'elsewhere' }]);
});

test('stored data contains no person and no URL that could be called', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna, berta]);
	await people.write(anna, 'my answer');
	const stored = String(trigger.staticData[inboxKey]);
	for (const text of [anna.slice(1), 'my answer', 'webhook-waiting', service.id()])
		expect(stored).not.toContain(text);
	expect(newestOf(people.storedBy(trigger))?.people).toHaveLength(2);
	await people.write(berta, 'done');
	expect(execution.outputs).toBeDefined();
});

test('a trigger that was renamed and edited keeps its secret, its duplicate events and its questions', async () => {
	const [webhookId, event] = ['renamed', received()];
	const trigger = await inbox({ webhookId });
	const url = triggers.urlOf(trigger);
	await triggers.deliver(trigger, event);
	const execution = await people.ask([anna, berta]);
	const staticData = storedElsewhere(trigger, 4, answerOf('before'));
	const parameters = { filters: { textContains: 'after' } };
	const renamed = await inbox({ webhookId, staticData, parameters, name: 'New Name' });
	expect(triggers.urlOf(renamed)).toBe(url);
	expect((await triggers.deliver(renamed, event)).status).toBe(200);
	expect([trigger.executions.length, renamed.executions.length]).toEqual([1, 0]);
	await people.write(anna, 'after');
	expect(jsonOf(execution)).toMatchObject([{ text: 'after' }, { text: 'before' }]);
});

test('a trigger without messages, registered by hand or in a test accepts no questions', async () => {
	await inbox({ parameters: { events: ['message.delivered'] } });
	await inbox({ mode: 'test' });
	await expect(people.ask([anna, berta])).rejects.toThrow('To ask several people at once');
	expect(service.sent()).toEqual([]);
});

// Last, as nobody ends the run that failed here.
test('a trigger that is published again while people are asked receives their replies; without one, the run fails', async () => {
	const trigger = await inbox();
	const askWithout = async () => {
		const calls = service.calls('sendText');
		await service.fault({ endpoint: 'sendText', delayMs: 1_000, count: 2 });
		const asking = people.ask([anna, berta]);
		await until('the first question', () => service.calls('sendText') > calls);
		await trigger.deactivate();
		return { asking };
	};
	const { asking } = await askWithout();
	await until('both questions', () => service.sent().length === 2);
	await trigger.activate();
	const execution = await asking;
	for (const person of [anna, berta]) await people.write(person, 'yes');
	expect(jsonOf(execution)).toMatchObject([{ text: 'yes' }, { text: 'yes' }]);
	const { asking: unheard } = await askWithout();
	await expect(unheard).rejects.toThrow(
		'no Business Messaging Trigger of this n8n receives the replies',
	);
});
