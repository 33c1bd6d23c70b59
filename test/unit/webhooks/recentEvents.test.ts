/** What a trigger remembers of events: across deliveries, restarts and other processes. */
import { setTimeout as delay } from 'node:timers/promises';
import { type IDataObject, type IWebhookFunctions } from 'n8n-workflow';

import { memories } from '../../../nodes/BusinessMessaging/trigger/memory';
import type { Response } from '../../../nodes/BusinessMessaging/webhooks/kept';

const [key, otherKey] = ['a', 'b'].map((sign) => sign.repeat(11));
const place = 'recentEvents of node';
const minutes = (ago: number) => (Math.floor(Date.now() / 60_000) - ago).toString(36);

let count = 0;

/** A trigger, and deliveries to it: each has a response of its own and sees n8n's static data. */
function trigger() {
	const id = `workflow ${count++}`;
	const data: IDataObject = {};
	const deliver = () => {
		const response = { statusCode: 200, writableEnded: false, destroyed: false };
		const context = {
			getWorkflowStaticData: () => data,
			getWorkflow: () => ({ id }),
			getNode: () => ({ id: 'node' }),
			getMode: () => 'webhook',
			getResponseObject: () => response,
		} as unknown as IWebhookFunctions;
		const memory = memories.of(context);
		const { events } = memory;
		memory.read(context);
		const own = response as unknown as Response;
		return {
			response,
			recognize: async (one: string) => await events.recognize(own, one),
			store: (isStarting: boolean) => memory.write(context, isStarting),
			respond: (statusCode = 200) => Object.assign(response, { statusCode, writableEnded: true }),
		};
	};
	/** The keys in the text that n8n writes to its database. */
	const written = () => {
		const text = JSON.parse(JSON.stringify(data))[place] as string | undefined;
		return text?.split(' ').map((entry) => entry.slice(0, 11));
	};
	/** n8n stores the data, and the next delivery reads what was stored. */
	const save = () => Object.assign(data, JSON.parse(JSON.stringify(data)));
	return { data, deliver, written, save };
}

test.each([
	[200, 'taken'],
	[299, 'taken'],
	[300, 'new'],
	[500, 'new'],
])('after a response with %d, the event delivered again is %s', async (status, expected) => {
	const { deliver } = trigger();
	const first = deliver();
	expect(await first.recognize(key)).toBe('new');
	first.respond(status);
	expect(await deliver().recognize(key)).toBe(expected);
});

test('of several duplicates that wait for a delivery that fails, one counts as new, and the others wait for that one', async () => {
	const { deliver } = trigger();
	const first = deliver();
	await first.recognize(key);
	const waiting = [deliver(), deliver(), deliver()];
	const states: string[] = [];
	const all = waiting.map(async (one) => {
		const state = await one.recognize(key);
		states.push(state);
		await delay(5);
		one.respond();
	});
	first.respond(500);
	await Promise.all(all);
	expect(states).toEqual(['new', 'taken', 'taken']);
});

test('an event counts as new again if n8n has stored its key, but failed to start the execution', async () => {
	const { deliver, save, written } = trigger();
	const first = deliver();
	await first.recognize(key);
	first.store(false);
	expect(written()).toEqual([key]);
	save();
	deliver(); // reads the key while the first delivery has no response
	first.respond(500);
	expect(await deliver().recognize(key)).toBe('new');
});

test.each([
	['a minute', 1, 'taken'],
	['almost two days', 2_880 - 1, 'taken'],
	['two days', 2_880, 'new'],
])('an event that another process has stored %s ago is %s', async (_, ago, expected) => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.now());
	const { data, deliver } = trigger();
	data[place] = `${key}${minutes(ago)}`;
	expect(await deliver().recognize(key)).toBe(expected);
});

test('an event of another process stays stored', async () => {
	const { data, deliver, written } = trigger();
	data[place] = `${otherKey}${minutes(0)}`;
	const delivery = deliver();
	await delivery.recognize(key);
	delivery.store(false);
	expect(written()).toEqual([otherKey, key]);
});

test('a delivery without an event of its own stores nothing', async () => {
	const { data, deliver } = trigger();
	const [first, again] = [deliver(), deliver()];
	await first.recognize(key);
	first.respond();
	expect(await again.recognize(key)).toBe('taken');
	again.store(false);
	expect(data).toEqual({});
});

test('a delivery that starts an execution sets its events again until n8n has responded', async () => {
	const { data, deliver, written } = trigger();
	const delivery = deliver();
	await delivery.recognize(key);
	delivery.store(true);
	delete data[place];
	await delay(20);
	expect(written()).toEqual([key]);
	delivery.respond();
	await delay(20);
	delete data[place];
	await delay(20);
	expect(data).toEqual({});
});

test('a delivery that starts no execution sets its events once', async () => {
	const { data, deliver } = trigger();
	const delivery = deliver();
	await delivery.recognize(key);
	delivery.store(false);
	delete data[place];
	await delay(20);
	expect(data).toEqual({});
});

test('a duplicate of an event whose connection was lost is to be delivered again', async () => {
	const { deliver } = trigger();
	const first = deliver();
	await first.recognize(key);
	first.response.destroyed = true;
	expect(await deliver().recognize(key)).toBe('underWay');
});
