/**
 * Every event starts one execution: repeated deliveries, also at the same moment and after restarts; and events that
 * only look like repetitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { chunk, range } from 'lodash';
import { received, Triggers, useService } from '../../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
afterEach(() => jest.restoreAllMocks());
/** Delays the execution of each delivery a little. */
const grouping = { options: { groupMessages: 0.4 } };

test('starts one execution for an event that comes ten times at the same moment, and again before n8n has stored anything', async () => {
	const trigger = await triggers.active();
	const deliver = async () => (await triggers.deliver(trigger, received())).status;
	expect(await Promise.all(range(10).map(deliver))).toEqual(Array(10).fill(200));
	trigger.staticData = {};
	expect(await deliver()).toBe(200);
	expect(trigger.executions).toHaveLength(1);
});

test('remembers events after a restart of n8n', async () => {
	const trigger = await triggers.active();
	for (const id of ['a', 'b', 'c']) await triggers.deliver(trigger, received({ id }));
	const restarted = await triggers.active({ staticData: trigger.staticData });
	for (const id of ['a', 'b', 'c', 'd']) await triggers.deliver(restarted, received({ id }));
	expect(restarted.executions.map(({ items }) => items[0][0].json.messageId)).toEqual(['d']);
});

test('recognizes an event for two days', async () => {
	const first = await triggers.active();
	await triggers.deliver(first, received());
	const now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now + 47 * 3_600_000);
	await triggers.deliver(first, received());
	const restarted = await triggers.active({ staticData: first.staticData });
	await triggers.deliver(restarted, received());
	expect([first.executions.length, restarted.executions.length]).toEqual([1, 0]);
});

test.each<[count: number, headers: Record<string, string>]>([
	[3, {}],
	[2, { 'webhook-id': 'e1' }],
])(
	'a value that changes and then changes back starts %d executions with the headers %j',
	async (count, headers) => {
		const parameters = { options: { otherEvents: 'conversation.assigned' } };
		const trigger = await triggers.active({ parameters });
		for (const assignee of ['Ann', 'Bob', 'Ann']) {
			const body = { event: 'conversation.assigned', data: { id: 'conv_1', assignee } };
			await triggers.deliver(trigger, body, headers);
		}
		expect(trigger.executions).toHaveLength(count);
	},
);

test.each([2, 3])(
	'%d equal texts in a delivery with one ID all start the workflow',
	async (count) => {
		const trigger = await triggers.active();
		const text = { event: 'message.received', data: { from: '+15550001111', text: 'Hello' } };
		const { workflowData } = await triggers.deliver(
			trigger,
			{ events: Array(count).fill(text) },
			{ 'webhook-id': 'delivery_1' },
		);
		expect(workflowData?.[0].map(({ json }) => json.text)).toEqual(Array(count).fill('Hello'));
	},
);

test('a duplicate waits for the first delivery, and starts the execution if the first one could not', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	jest.spyOn(trigger.executions, 'push').mockImplementationOnce(() => {
		throw new Error('The database is locked');
	});
	const answers = await Promise.all(
		range(2).map(async () => await triggers.deliver(trigger, received())),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 500]);
	expect(trigger.executions.filter(({ error }) => !error)).toHaveLength(1);
});

test('stores no event that is still under way: after a crash it starts its execution', async () => {
	const trigger = await triggers.active({ parameters: grouping });
	const [one, other] = [received(), received({ from: '+15550002222', id: 'other' })];
	const first = triggers.deliver(trigger, one);
	await sleep(200);
	const second = triggers.deliver(trigger, other);
	await first;
	const restarted = await triggers.active({ staticData: trigger.staticData });
	for (const body of [one, other]) await triggers.deliver(restarted, body);
	expect(restarted.executions.map(({ items }) => items[0][0].json.messageId)).toEqual(['other']);
	await second;
});

describe('with many events', () => {
	const place = 'recentEvents of id of Trigger';
	const minute = Math.floor(Date.now() / 60_000).toString(36);
	const earlier = range(10_000).map((n) => `earlier${n}`.padEnd(11, '_') + minute);
	const [older, newer] = [earlier.slice(0, 5_000), earlier.slice(5_000)];

	test('stores the last 5,000', async () => {
		const trigger = await triggers.active({ staticData: { [place]: newer.join(' ') } });
		await triggers.deliver(trigger, received());
		const kept = String(trigger.staticData[place]).split(' ');
		expect(kept).toEqual([...newer.slice(1), expect.stringMatching(/^[\w-]{11}[\da-z]{5}$/)]);
	});

	test('recognizes the last 20,000 until n8n restarts', async () => {
		const trigger = await triggers.active();
		for (const id of ['first', 'second']) await triggers.deliver(trigger, received({ id }));
		const others = range(19_900).map((n) => `other${n}`.padEnd(11, '_') + minute);
		for (const [index, stored] of chunk(others, 5_000).entries()) {
			trigger.staticData = { [place]: stored.join(' ') };
			await triggers.deliver(trigger, received({ id: `msg_${index}` }));
		}
		const known = trigger.executions.length;
		await triggers.deliver(trigger, received({ id: 'first' }));
		expect(trigger.executions.length).toBe(known);
	});

	test('recognizes the latest one, whatever older data n8n writes back', async () => {
		const trigger = await triggers.active();
		await triggers.deliver(trigger, received({ id: 'latest' }));
		for (const stored of [older, newer, older, newer]) {
			trigger.staticData = { [place]: stored.join(' ') };
			await triggers.deliver(trigger, received({ id: 'latest' }));
		}
		expect(trigger.executions).toHaveLength(1);
	});
});

test('starts duplicate events if the user allows them', async () => {
	const trigger = await triggers.active({
		parameters: { options: { allowDuplicateEvents: true } },
	});
	for (let n = 0; n < 2; n++) await triggers.deliver(trigger, received());
	expect(trigger.executions).toHaveLength(2);
});

test('accepts the same event in every test in the editor', async () => {
	const trigger = await triggers.make({ mode: 'test' });
	for (let n = 0; n < 2; n++) {
		await trigger.activate();
		await triggers.deliver(trigger, received());
	}
	expect(trigger.executions).toHaveLength(2);
});
