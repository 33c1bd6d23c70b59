/** Deliveries that wait for each other: messages that a person sends in quick succession, and delivery receipts. */
import axios from 'axios';
import { setTimeout as pause } from 'node:timers/promises';
import { range, sortBy, sum } from 'lodash';
import { customer, received, Triggers, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { until } from '../../../harness/until';

const service = useService();
const triggers = new Triggers(service);
const grouping = { options: { groupMessages: 0.4 } };
const batching = { events: ['message.sent'], options: { batchReceipts: true } };

const second = (n: number) => `2030-01-31T10:00:0${n}Z`;
const message = (n: number, data = {}) =>
	received({ id: `msg_${n}`, text: `Text ${n}`, timestamp: second(n), ...data });
const receipt = (n: number) => ({
	event: 'message.sent',
	data: { id: `msg_${n}`, to: customer, status: 'sent', timestamp: second(0) },
});
/** Delivers at the same time. @returns the statuses of the responses */
const deliverAll = async (trigger: Trigger, bodies: unknown[]): Promise<number[]> =>
	await Promise.all(bodies.map(async (body) => (await triggers.deliver(trigger, body)).status));
const itemsOf = (trigger: Trigger) =>
	trigger.executions.flatMap(({ items }) => items[0].map(({ json }) => json));

test('joins the messages that a person sends in a row, in the order of their times', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const other = message(4, { from: '+15550002222' });
	const bodies = [other, message(2), message(1), message(3)];
	expect(await deliverAll(trigger, bodies)).toEqual([200, 200, 200, 200]);
	const simple = (n: number) => ({
		event: 'message.received',
		from: customer,
		text: `Text ${n}`,
		messageId: `msg_${n}`,
		time: second(n),
	});
	expect(trigger.executions).toHaveLength(2);
	expect(sortBy(itemsOf(trigger), 'from')).toEqual([
		{ ...simple(3), text: 'Text 1\nText 2\nText 3', messages: [1, 2, 3].map(simple) },
		expect.objectContaining({ from: '+15550002222', text: 'Text 4' }),
	]);
});

test('starts one execution for each of 50 people who write three messages at once', async () => {
	const trigger = await triggers.active({ parameters: { options: { groupMessages: 8 } } });
	// The clock stands still: however long 150 deliveries take here, the eight seconds are not over.
	// And no pause between two of them is as long as the quiet time.
	jest.spyOn(performance, 'now').mockReturnValue(performance.now());
	const people = range(50).map((n) => `+1555000${1000 + n}`);
	const bodies = [0, 1, 2].flatMap((n) =>
		people.map((from) => message(n, { id: `${from} ${n}`, from })),
	);
	expect(new Set(await deliverAll(trigger, bodies))).toEqual(new Set([200]));
	const texts = itemsOf(trigger).map(({ from, text }) => ({ from, text }));
	const text = 'Text 0\nText 1\nText 2';
	expect(sortBy(texts, 'from')).toEqual(people.map((from) => ({ from, text })));
	expect(trigger.executions).toHaveLength(50);
});

test('events are one group as long as a person goes on writing', async () => {
	const trigger = await triggers.active({ parameters: { options: { groupMessages: 1 } } });
	const deliveries: Array<Promise<unknown>> = [];
	for (const n of range(5)) {
		deliveries.push(triggers.deliver(trigger, message(n)));
		await pause(400);
	}
	await Promise.all(deliveries);
	expect(trigger.executions).toHaveLength(1);
});

test('a delivery that does not only contain receipts starts at once, and receipts do not join it', async () => {
	const events = ['message.received', 'message.sent'];
	const trigger = await triggers.active({
		parameters: { events, options: { batchReceipts: true } },
	});
	await deliverAll(trigger, [[receipt(1), message(2)], receipt(3)]);
	expect(sortBy(trigger.executions.map(({ items }) => items[0].length))).toEqual([1, 2]);
});

test('returns messages as they came if Simplify is off', async () => {
	const trigger = await triggers.active({ parameters: { ...grouping, simplify: false } });
	await deliverAll(trigger, [message(1), message(2)]);
	expect(itemsOf(trigger)).toEqual([{ ...message(2), messages: [message(1), message(2)] }]);
});

test('has the intent of the last message with an intent, and the texts of all messages with a text', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const bodies = ['Stop', 'Start', undefined].map((text, n) => message(n, { text }));
	await deliverAll(trigger, bodies);
	expect(itemsOf(trigger)).toEqual([
		expect.objectContaining({ intent: 'optIn', text: 'Stop\nStart', messageId: 'msg_2' }),
	]);
});

test('starts at once what cannot be grouped: receipts, and a delivery with messages of several people', async () => {
	const events = ['message.received', 'message.sent'];
	const trigger = await triggers.active({ parameters: { events, options: { groupMessages: 2 } } });
	const mixed = [message(1), message(2, { from: '+15550002222' }), message(3)];
	await deliverAll(trigger, [receipt(4), receipt(5), mixed, message(6)]);
	expect(sortBy(trigger.executions.map(({ items }) => items[0].length))).toEqual([1, 1, 1, 2]);
	expect(sortBy(itemsOf(trigger), 'messageId')).toEqual([
		expect.objectContaining({ from: '+15550002222', text: 'Text 2' }),
		expect.objectContaining({ from: customer, text: 'Text 1\nText 3' }),
		...[4, 5].map((n) => ({
			...{ event: 'message.sent', to: customer, status: 'sent' },
			...{ messageId: `msg_${n}`, time: second(0) },
		})),
		expect.objectContaining({ from: customer, text: 'Text 6' }),
	]);
});

test.each([grouping, batching])(
	'handles an event once that is delivered again while it waits and afterwards, with %j',
	async (parameters) => {
		const trigger = await triggers.active({ parameters });
		const bodies = range(5).map(parameters === grouping ? (n) => message(n) : receipt);
		const statuses = await deliverAll(trigger, [...bodies, ...bodies, ...bodies.slice(0, 2)]);
		expect(new Set(statuses)).toEqual(new Set([200]));
		expect(trigger.executions).toHaveLength(1);
		const restarted = await triggers.active({ parameters, staticData: trigger.staticData });
		expect(await deliverAll(restarted, bodies)).toEqual(Array(5).fill(200));
		expect(restarted.executions).toEqual([]);
		expect(itemsOf(trigger).flatMap((json) => json.messages ?? json)).toHaveLength(5);
	},
);

test.each([grouping, batching])(
	'has all events delivered again if n8n could not start the execution, with %j',
	async (parameters) => {
		const trigger = await triggers.active({ parameters });
		const bodies = range(3).map(parameters === grouping ? (n) => message(n) : receipt);
		jest.spyOn(trigger.executions, 'push').mockImplementationOnce(() => {
			throw new Error('The database is locked');
		});
		expect((await deliverAll(trigger, bodies)).sort()).toEqual([500, 503, 503]);
		expect(await deliverAll(trigger, bodies)).toEqual([200, 200, 200]);
		expect(trigger.executions.filter(({ error }) => !error)).toHaveLength(1);
	},
);

test('a test in the editor and the published workflow do not share a group', async () => {
	const workflowId = 'tested while it is published';
	const [published, tested] = await Promise.all(
		(['production', 'test'] as const).map(
			async (mode) => await triggers.active({ mode, workflowId, parameters: grouping }),
		),
	);
	await Promise.all([published, tested].map(async (one) => await deliverAll(one, [message(1)])));
	expect([published, tested].map((one) => one.executions.length)).toEqual([1, 1]);
});

describe('by a clock that only the test moves', () => {
	/** Delivers this number of events one after another, without a quiet time between them. @param passes ms between two events */
	async function deliverInARow(
		trigger: Trigger,
		{ bodies, passes, pauseMs = 150 }: { bodies: unknown[]; passes: number; pauseMs?: number },
	): Promise<void> {
		const start = performance.now();
		const clock = jest.spyOn(performance, 'now').mockReturnValue(start);
		const answers: Array<Promise<unknown>> = [];
		for (const [index, body] of bodies.entries()) {
			clock.mockReturnValue(start + index * passes);
			answers.push(triggers.deliver(trigger, body));
			await pause(passes > 0 ? pauseMs : 15);
		}
		clock.mockRestore();
		await until(
			'the last group',
			() => trigger.executions.flatMap(itemsIn).length === bodies.length,
		);
		await Promise.all(answers);
	}
	const itemsIn = ({ items }: Trigger['executions'][number]) =>
		items[0].flatMap(({ json }) => (json.messages as unknown[] | undefined) ?? [json]);

	test('a person who never stops writing starts an execution after eight seconds', async () => {
		const parameters = { options: { groupMessages: 8 } };
		const trigger = await triggers.active({ parameters });
		const bodies = range(16).map((n) => message(n, { timestamp: undefined }));
		await deliverInARow(trigger, { bodies, passes: 1_000 });
		const [first] = trigger.executions.map((execution) => itemsIn(execution).length);
		expect(first).toBeGreaterThanOrEqual(8);
		expect(first).toBeLessThanOrEqual(11);
	});

	test('receipts that never stop start an execution after three seconds', async () => {
		const trigger = await triggers.active({ parameters: batching });
		await deliverInARow(trigger, { bodies: range(8).map(receipt), passes: 1_000, pauseMs: 50 });
		const [first] = trigger.executions.map((execution) => itemsIn(execution).length);
		expect(first).toBeLessThanOrEqual(5); // fewer if the machine is so busy that there was a quiet time
	});

	test('twenty receipts start an execution at once', async () => {
		const trigger = await triggers.active({ parameters: batching });
		const bodies = range(60).map(receipt);
		await deliverInARow(trigger, { bodies, passes: 0 });
		const sizes = trigger.executions.map((execution) => itemsIn(execution).length);
		expect(Math.max(...sizes)).toBeLessThanOrEqual(25);
		expect(sum(sizes)).toBe(60);
	});
});

test('starts one execution for a message even if the service stops waiting for the response', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const url = triggers.urlOf(trigger);
	await expect(axios.post(url, message(1), { timeout: 100 })).rejects.toThrow('timeout');
	expect(await triggers.deliver(trigger, message(1))).toMatchObject({
		status: 503,
		body: { message: 'The same event is being handled at this moment' },
	});
	await until('an execution', () => trigger.executions.length > 0);
	expect(await deliverAll(trigger, [message(1)])).toEqual([200]);
	expect(itemsOf(trigger)).toHaveLength(1);
});
