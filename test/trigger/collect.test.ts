/** Deliveries that wait for each other: quick messages of one person, and delivery receipts. */
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import { chunk, range } from 'lodash';
import { customer, received, Triggers, useService } from '../support/service';
import type { Answer, Trigger } from '../support/trigger';
import { until } from '../../tools/until';

const service = useService();
const triggers = new Triggers(service);
const grouping = { options: { groupMessages: 0.4 } };
const batching = { events: ['message.sent', 'message.read'], options: { batchReceipts: true } };

const second = (n: number) => `2030-01-31T10:00:0${n}Z`;
const message = (n: number, data = {}) =>
	received({ id: `msg_${n}`, text: `Text ${n}`, timestamp: second(n), ...data });
const receipt = (n: number, status = 'sent') => ({
	event: `message.${status}`,
	data: { id: `msg_${n}`, to: customer, status, timestamp: second(0) },
});
const deliverAll = async (trigger: Trigger, bodies: unknown[]): Promise<Answer[]> =>
	await Promise.all(bodies.map(async (body) => await triggers.deliver(trigger, body)));
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);
const itemsOf = (trigger: Trigger) =>
	trigger.executions.flatMap(({ items }) => items[0].map(({ json }) => json));

test('joins the messages that a person sends in a row, in the order of their times', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const answers = await deliverAll(trigger, [message(2), message(1), message(3)]);
	expect(statusesOf(answers)).toEqual([200, 200, 200]);
	const simple = (n: number) => ({
		event: 'message.received',
		from: customer,
		text: `Text ${n}`,
		messageId: `msg_${n}`,
		time: second(n),
	});
	expect(trigger.executions).toHaveLength(1);
	expect(itemsOf(trigger)).toEqual([
		{ ...simple(3), text: 'Text 1\nText 2\nText 3', messages: [1, 2, 3].map(simple) },
	]);
});

test('answers no message before the execution has started', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	let answered = 0;
	const answers = [1, 2].map(async (n) => {
		await triggers.deliver(trigger, message(n));
		answered++;
	});
	await sleep(200);
	expect(answered).toBe(0);
	await Promise.all(answers);
	expect(trigger.executions).toHaveLength(1);
});

test('starts one execution for each of 50 people who write three messages at the same time', async () => {
	const trigger = await triggers.active({ parameters: { options: { groupMessages: 2 } } });
	const phone = (n: number) => `+1555000${1000 + (n % 50)}`;
	const bodies = range(150).map((n) =>
		message(Math.floor(n / 50), { id: `msg_${n}`, from: phone(n) }),
	);
	expect(new Set(statusesOf(await deliverAll(trigger, bodies)))).toEqual(new Set([200]));
	expect(trigger.executions).toHaveLength(50);
	for (const { from, text } of itemsOf(trigger))
		expect([from, text]).toEqual([from, 'Text 0\nText 1\nText 2']);
});

test('returns messages as they came if Simplify is off', async () => {
	const trigger = await triggers.active({ parameters: { ...grouping, simplify: false } });
	await deliverAll(trigger, [message(1), message(2)]);
	expect(itemsOf(trigger)).toEqual([{ ...message(2), messages: [message(1), message(2)] }]);
});

test('has the intent of the last message with an intent, and the texts of all messages with a text', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const texts = ['Stop', 'Start', undefined];
	await deliverAll(
		trigger,
		texts.map((text, n) => message(n, { text })),
	);
	expect(itemsOf(trigger)).toEqual([
		expect.objectContaining({ intent: 'optIn', text: 'Stop\nStart', messageId: 'msg_2' }),
	]);
});

test('starts at once what cannot be grouped: other events, and a delivery with messages of several people', async () => {
	const options = { groupMessages: 8, batchReceipts: true };
	const trigger = await triggers.active({
		parameters: { options: { ...options, otherEvents: '*' } },
	});
	const mixed = [message(1), message(2, { from: '+15550002222' }), message(3)];
	await triggers.deliver(trigger, mixed);
	await triggers.deliver(trigger, { event: 'contact.created', data: { name: 'Ann' } });
	expect(itemsOf(trigger)).toEqual([
		expect.objectContaining({ from: customer, text: 'Text 1\nText 3' }),
		expect.objectContaining({ from: '+15550002222', text: 'Text 2' }),
		{ event: 'contact.created', name: 'Ann' },
	]);
});

test('waits at most eight seconds', async () => {
	const trigger = await triggers.active({ parameters: { options: { groupMessages: 8 } } });
	const answer = triggers.deliver(trigger, message(1));
	await sleep(300);
	expect(trigger.executions).toEqual([]);
	const later = Date.now() + 8_000;
	jest.spyOn(Date, 'now').mockImplementation(() => later);
	try {
		expect((await answer).status).toBe(200);
	} finally {
		jest.restoreAllMocks();
	}
	expect(trigger.executions).toHaveLength(1);
});

test('works while the editor listens for a test event', async () => {
	const trigger = await triggers.active({ mode: 'test', parameters: grouping });
	const url = triggers.urlOf(trigger);
	await Promise.all([1, 2].map(async (n) => await trigger.deliver(message(n), {}, url)));
	expect(itemsOf(trigger)).toEqual([expect.objectContaining({ text: 'Text 1\nText 2' })]);
});

test.each([grouping, batching])(
	'takes each event once that comes again while it waits and later, with %j',
	async (parameters) => {
		const trigger = await triggers.active({ parameters });
		const bodies = range(5).map(parameters === grouping ? (n) => message(n) : (n) => receipt(n));
		const answers = await deliverAll(trigger, [...bodies, ...bodies, ...bodies.slice(0, 2)]);
		expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
		expect(trigger.executions).toHaveLength(1);
		const restarted = await triggers.active({ parameters, staticData: trigger.staticData });
		expect(new Set(statusesOf(await deliverAll(restarted, bodies)))).toEqual(new Set([200]));
		expect(restarted.executions).toEqual([]);
		expect(itemsOf(trigger).flatMap((json) => json.messages ?? json)).toHaveLength(5);
	},
);

test.each([grouping, batching])(
	'has all events delivered again if n8n could not start the execution, with %j',
	async (parameters) => {
		const trigger = await triggers.active({ parameters });
		const bodies = range(3).map(parameters === grouping ? (n) => message(n) : (n) => receipt(n));
		jest.spyOn(trigger.executions, 'push').mockImplementationOnce(() => {
			throw new Error('The database is locked');
		});
		const refused = await deliverAll(trigger, bodies);
		expect(statusesOf(refused).sort()).toEqual([500, 503, 503]);
		expect(statusesOf(await deliverAll(trigger, bodies))).toEqual([200, 200, 200]);
		expect(trigger.executions.filter(({ error }) => !error)).toHaveLength(1);
	},
);

test('starts one execution for a message that the service gives up waiting for, also after a restart', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const url = triggers.urlOf(trigger);
	await expect(axios.post(url, message(1), { timeout: 100 })).rejects.toThrow('timeout');
	expect((await triggers.deliver(trigger, message(1))).status).toBe(503);
	await until('an execution', () => trigger.executions.length > 0);
	const restarted = await triggers.active({
		parameters: grouping,
		staticData: trigger.staticData,
	});
	for (const one of [trigger, restarted])
		expect((await triggers.deliver(one, message(1))).status).toBe(200);
	expect(itemsOf(trigger)).toHaveLength(1);
	expect(restarted.executions).toEqual([]);
});

test('starts few executions for many receipts, with each receipt once', async () => {
	const trigger = await triggers.active({ parameters: batching });
	const bodies = range(100).flatMap((n) => [receipt(n), receipt(n, 'read')]);
	for (const burst of chunk(bodies, 20)) await deliverAll(trigger, burst);
	expect(trigger.executions.length).toBeLessThan(50);
	const key = ({ messageId, status }: { messageId?: unknown; status?: unknown }) =>
		`${String(messageId)} ${String(status)}`;
	const expected = bodies.map(({ data }) => key({ messageId: data.id, status: data.status }));
	expect(itemsOf(trigger).map(key).sort()).toEqual(expected.sort());
});

test('batches no messages, and groups no receipts', async () => {
	const events = ['message.received', 'message.sent'];
	const parameters = { ...batching, events };
	const trigger = await triggers.active({ parameters });
	await deliverAll(trigger, [message(1), message(2)]);
	expect(trigger.executions).toHaveLength(2);
	const other = await triggers.active({ parameters: { ...grouping, events } });
	await deliverAll(other, [receipt(1), receipt(2)]);
	expect(other.executions).toHaveLength(2);
});

test('the sandbox delivers the next message of a person while the one before it waits', async () => {
	const trigger = await triggers.active({ parameters: { options: { groupMessages: 1 } } });
	const sent = ['One', 'Two', 'Three'].map((text) =>
		service.sandbox.state.traffic.receive({ from: customer, text }),
	);
	await until('the deliveries', () =>
		sent.every(({ deliveries: [{ state }] }) => state === 'delivered'),
	);
	expect(itemsOf(trigger)).toEqual([expect.objectContaining({ text: 'One\nTwo\nThree' })]);
});
