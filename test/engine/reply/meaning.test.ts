/** What a message means: which one it is, which question it belongs to, and what becomes of words that are no answer. */
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { until } from '../../../harness/until';
import { People, anna, berta, jsonOf, startedBy, stopClock } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const log = useLog(service, 'businessMessagingTrigger', 'webhook');
let count = 0;
const other = async (options: object = {}) =>
	await triggers.active({ webhookId: `meaning-${++count}`, ...options });
const inbox = async () => await other({ parameters: { keepReplies: true } });
const now = () => new Date().toISOString();
const approval = { responseType: 'approval' };
const short = { limitWaitTime: 0.05, waitTimeUnit: 'minutes' };

/** Delivers an event to triggers, one after the other. @returns the statuses */
async function deliver(to: Trigger[], event: object): Promise<number[]> {
	const statuses: number[] = [];
	for (const trigger of to) statuses.push((await triggers.deliver(trigger, event)).status);
	return statuses;
}

describe('a reply without a time', () => {
	test.each([
		['as in the specification', {}],
		['with an ID', { id: 'm1' }],
		['with an ID under message', { message: { id: 'm2' } }],
	])('reaches its run although another trigger gets it first: %s', async (_, more) => {
		const both = [await other(), await inbox()];
		const execution = await people.ask([anna], approval);
		const event = { event: 'message.received', data: { from: anna, text: 'yes', ...more } };
		expect(await deliver(both, event)).toEqual([200, 200]);
		expect(await jsonOf(execution)).toMatchObject([{ approved: true }]);
		expect(both.flatMap(startedBy)).toEqual([]);
	});
});

describe('one message answers one question', () => {
	test.each([
		['it is edited', { messageId: 'a1' }, { text: 'ok' }, { text: 'ok!', edited: true }],
		[
			'it is edited, with its ID under message',
			{ message: { id: 'a2' } },
			{ text: 'ok' },
			{ text: 'yes' },
		],
		['its status changes', { message_id: 'a3' }, { text: 'ok' }, { text: 'ok', status: 'seen' }],
	])('also if %s', async (_, id, first, second) => {
		const keeper = await inbox();
		const refund = await people.ask([anna], approval);
		const account = await people.ask([anna], approval);
		const said = { ...id, from: anna, timestamp: now() };
		for (const data of [first, second]) await deliver([keeper], received({ ...said, ...data }));
		expect(await jsonOf(account)).toMatchObject([{ text: 'ok' }]);
		expect(refund.outputs).toBeUndefined();
		expect(startedBy(keeper)).toEqual([]);
	});
});

describe('a message that quotes a question', () => {
	test('does not answer another one: the question is answered, or its run has ended', async () => {
		const keeper = await inbox();
		const open = await people.ask([anna, berta], { message: 'Which day?' });
		const ended = await people.ask([anna], { message: 'Which month?' });
		const [day, month] = people.state.messages.withCustomer(anna).map(({ id }) => id);
		await people.write(anna, 'May');
		await jsonOf(ended);
		await people.write(anna, 'Tuesday');
		const address = await people.ask([anna], { message: 'What is your address?' });
		await people.write(anna, 'I mean Wednesday', day);
		await people.write(anna, 'I mean June', month);
		expect(startedBy(keeper)).toEqual(['I mean Wednesday', 'I mean June']);
		await people.write(anna, '1 Main Street');
		expect(await jsonOf(address)).toMatchObject([{ text: '1 Main Street' }]);
		expect(open.outputs).toBeUndefined();
	});

	test('belongs to it although the question was repeated and another one is newer', async () => {
		await inbox();
		const older = await people.ask([anna], approval);
		await people.write(anna, 'maybe');
		const newer = await people.ask([anna], approval);
		const repeated = people.state.messages.withCustomer(anna)[2].id;
		await people.write(anna, 'no', repeated);
		expect(await jsonOf(older)).toMatchObject([{ text: 'no', approved: false, valid: true }]);
		expect(newer.outputs).toBeUndefined();
	});
});

test('of several open questions, the latest that the reply fits gets it, and otherwise the latest is repeated', async () => {
	await inbox();
	const shade = await people.ask([anna], { responseType: 'choice', choices: 'Red, Blue' });
	const size = await people.ask([anna], { responseType: 'number' });
	await people.write(anna, 'Blue');
	expect(await jsonOf(shade)).toMatchObject([{ answer: 'Blue' }]);
	expect(service.sent()).toHaveLength(2);
	await people.write(anna, 'large');
	expect(service.sent()).toHaveLength(3);
	await people.write(anna, '42');
	expect(await jsonOf(size)).toMatchObject([{ answer: 42 }]);
});

describe('words that are no answer', () => {
	test('are the output when the time is up, the last ones with STOP noted', async () => {
		await inbox();
		const goOn = stopClock();
		const execution = await people.ask([anna, berta], { ...approval, ...short });
		await people.write(anna, 'I am in hospital');
		await people.write(berta, 'STOP');
		await people.write(berta, 'Who is this?');
		goOn();
		const invalid = { replied: true, valid: false, answer: null, approved: false };
		expect(await jsonOf(execution)).toMatchObject([
			{ ...invalid, from: anna, text: 'I am in hospital', messageId: expect.any(String) },
			{ ...invalid, from: berta, text: 'Who is this?', optedOut: true },
		]);
	});

	test('are output by a run that leaves out people who have not written', async () => {
		await inbox();
		const goOn = stopClock();
		const onTimeout = { replyOptions: { onTimeout: 'nothing' } };
		const execution = await people.ask([anna, berta], { ...approval, ...short, ...onTimeout });
		await people.write(anna, 'Later');
		goOn();
		expect(await jsonOf(execution)).toMatchObject([{ from: anna, text: 'Later' }]);
	});

	test('start the workflow of the inbox once if the run was stopped, but STOP does not start it again', async () => {
		const keeper = await inbox();
		const execution = await people.ask([anna, berta], approval);
		await people.write(anna, 'I am in hospital');
		await people.write(anna, 'STOP');
		await people.write(berta, 'yes');
		execution.stop();
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000);
		await people.write(berta, 'Hello?');
		clock.mockRestore();
		const texts = () =>
			keeper.executions.flatMap(({ items: [one] }) => one.map(({ json }) => json.text));
		await until('the late replies', () => texts().includes('yes'));
		expect(texts().sort()).toEqual(['Hello?', 'I am in hospital', 'STOP', 'yes']);
	});
});

test.each([
	['a reaction', { type: 'reaction', reaction: { emoji: '👍' } }],
	['a reaction with a text', { type: 'reaction', text: '👍' }],
	['a sticker', { type: 'sticker', media: { url: 'https://cdn.example/1.webp' } }],
	['nothing', { type: 'unsupported' }],
])('%s answers nothing, and a file does', async (_, data) => {
	const keeper = await inbox();
	const execution = await people.ask([anna]);
	const from = { event: 'message.received', data: { from: anna, timestamp: now() } };
	await deliver([keeper], { ...from, data: { ...from.data, id: 'r', ...data } });
	expect(keeper.executions).toHaveLength(1);
	expect(execution.outputs).toBeUndefined();
	const voice = { type: 'voice', mediaUrl: 'https://cdn.example/7.ogg' };
	await deliver([keeper], { ...from, data: { ...from.data, id: 'v', ...voice } });
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, valid: true, text: null }]);
});

test('a message that is no reply only because of its time is noted in the log', async () => {
	const keeper = await inbox();
	await people.ask([anna]);
	const local = received({ id: 'l', from: anna, text: 'Fine', timestamp: '2020-01-31 10:00:00' });
	await deliver([keeper], local);
	expect(startedBy(keeper)).toEqual(['Fine']);
	expect(log.filter((line) => line.includes('2020-01-31 10:00:00'))).toHaveLength(1);
});

test("replies count after n8n's clock was put back", async () => {
	const both = [await other(), await inbox()];
	const execution = await people.ask([anna]);
	const clock = jest.spyOn(Date, 'now');
	const timestamp = now();
	clock.mockReturnValue(Date.now() - 600_000);
	await deliver(both, received({ id: 'b', from: anna, text: 'Fine', timestamp }));
	clock.mockRestore();
	expect(await jsonOf(execution)).toMatchObject([{ text: 'Fine' }]);
});
