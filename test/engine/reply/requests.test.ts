/** What unusual responses of runs, and changes of the API key, lead to. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { chunk, range } from 'lodash';
import { sleep } from 'n8n-workflow';

import { until } from '../../../harness/until';
import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';
import { People, anna, berta, carl, startedBy, stopClock } from './support';
import { WaitingRun } from './waitingRun';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const logged = useLog(service, 'businessMessagingTrigger', 'webhook');
const waitingRun = (
	trigger: Trigger,
	asked: string[],
	...more: [respond?: (isPoll: boolean) => unknown, more?: object]
) => new WaitingRun(service, trigger, asked, ...more);

let count = 0;
const inbox = async (options: object = {}) =>
	await triggers.active({
		webhookId: `request-${++count}`,
		parameters: { keepReplies: true },
		...options,
	});
/** n8n starts again: the trigger has its static data, and no memory. */
const restart = async (trigger: Trigger, options: object = {}) => {
	const again = await triggers.make({
		...{ webhookId: trigger.url.split('/').at(-2), parameters: { keepReplies: true } },
		...{ staticData: trigger.staticData, ...options },
	});
	await again.activate('init');
	return again;
};
const message = (text: string, from: string) =>
	received({ id: text, from, text, timestamp: new Date().toISOString() });
/** Two minutes later, n8n itself has ended the wait of a run. */
const twoMinutesLater = () => {
	const { now } = Date;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + 121_000);
};
const noAction = '<html><title>No action required</title></html>';

test.each([
	[1, 100, 360],
	[1_000, 5, 110],
])(
	'for each person of a run with %d people, a limited number of bytes is stored',
	async (asked, runs, most) => {
		const trigger = await inbox();
		for (const n of range(runs)) {
			const phones = range(asked).map((one) => `+1555${1_000_000 + n * asked + one}`);
			const waiting = waitingRun(trigger, phones, undefined, { workflow: 'W'.repeat(40) });
			for (const one of waiting.run.people.values()) {
				const askedMessageId = `msg_${randomUUID()}`;
				waiting.run.people.set(one.item, { ...one, askedMessageId, since: Date.now() });
			}
			waiting.run.url = waiting.run.url.replace('/node?', `/${randomUUID()}?`);
			await waiting.tell();
		}
		const bytes = Buffer.byteLength(JSON.stringify(trigger.staticData));
		process.stdout.write(
			`${asked} people in a run: ${Math.round((bytes - 500) / runs / asked)} bytes for each\n`,
		);
		expect(people.storedBy(trigger)).toHaveLength(runs);
		expect((bytes - 500) / runs / asked).toBeLessThanOrEqual(most);
	},
);

test('a trigger waits for at most 50,000 people', async () => {
	const trigger = await inbox();
	const phones = range(49_998).map((n) => `+1555${1_000_000 + n}`);
	const until = Date.now() + 86_400_000;
	for (const part of chunk(phones, 10_000))
		expect(await waitingRun(trigger, part, undefined, { until }).tell()).toMatchObject({
			inbox: 'yes',
		});
	const full = 'cannot wait for replies from more people';
	await expect(people.ask([anna, berta, carl])).rejects.toThrow(full);
	await people.ask([anna, berta]);
	await expect(people.ask([carl])).rejects.toThrow(full);
	expect(service.received()).toEqual({ [anna]: 1, [berta]: 1 });
}, 240_000);

test('no reply is lost if a proxy responds with a page and status 200 at the URL of a run', async () => {
	const trigger = await inbox();
	let isDown = true;
	const waiting = waitingRun(trigger, [anna], () =>
		isDown ? '<html>Maintenance</html>' : undefined,
	);
	await waiting.tell();
	await triggers.deliver(trigger, message('Yes', anna));
	expect(waiting.got).toEqual([]);
	isDown = false;
	await until('the run to get it', () => waiting.got.length > 0);
	expect(waiting.got).toEqual(['Yes']);
	expect(startedBy(trigger)).toEqual([]);
});

test('replies that can no longer reach their run start the workflow, marked as late and with the question, even without any event since a restart', async () => {
	const trigger = await inbox();
	let isOver = false;
	const waiting = waitingRun(trigger, [anna, berta], () => (isOver ? noAction : undefined));
	await waiting.tell();
	await triggers.deliver(trigger, message('Yes', anna));
	isOver = true; // n8n ended the wait while our nodes had nothing in memory
	twoMinutesLater();
	const restarted = await restart(trigger);
	await triggers.deliver(restarted, message('Hello', carl));
	await triggers.deliver(restarted, message('By the way', berta));
	await until('the late reply', () => startedBy(restarted).includes('Yes'));
	const late = restarted.executions.flatMap(({ items }) => items[0].map(({ json }) => json));
	expect(late.find(({ text }) => text === 'Yes')).toMatchObject({
		...{ event: 'message.received', from: anna, late: true, asked: 'Tuesday?' },
	});
	expect(startedBy(restarted).sort()).toEqual(['By the way', 'Hello', 'Yes']);
	await until('the run to be forgotten', () => people.storedBy(restarted).length === 0);
});

test.each([false, true])(
	'late replies start the workflow once if the connection is lost while n8n starts it (and n8n fails then: %s)',
	async (fails) => {
		const trigger = await inbox();
		let isOver = false;
		const waiting = waitingRun(trigger, [anna, berta], () => (isOver ? noAction : undefined));
		await waiting.tell();
		await triggers.deliver(trigger, message('Yes', anna));
		isOver = true;
		twoMinutesLater();
		const restarted = await restart(trigger);
		let lost = 0;
		restarted.storeExecution = async (response) => {
			const { event } = response.req.body as { event: string };
			if (event !== 'business-messaging.call' || lost++ > 0) return;
			response.socket?.destroy();
			await sleep(300);
			if (fails) throw new Error('The database is locked');
		};
		await triggers.deliver(restarted, message('By the way', berta));
		await until('the late reply', () => startedBy(restarted).includes('Yes'));
		await until('the run to be forgotten', () => people.storedBy(restarted).length === 0);
		expect(lost).toBeGreaterThan(0);
		expect(startedBy(restarted).sort()).toEqual(['By the way', 'Yes']);
	},
);

test.each([402, 403])(
	'with a trigger, a reply that does not fit is not valid if the service certainly refuses to repeat the question (%i)',
	async (status) => {
		const trigger = await inbox();
		const execution = await people.ask([anna, berta], { responseType: 'approval' });
		const body = { error: { message: 'Balance too low' } };
		service.fault({ endpoint: 'sendText', status, body, count: 100 });
		const reply = message('maybe next week', anna);
		expect((await triggers.deliver(trigger, reply)).status).toBe(200);
		await triggers.deliver(trigger, message('yes', berta));
		const outputs = await until('the run to go on', () => execution.outputs);
		expect(outputs[0].map(({ json }) => json)).toMatchObject([
			{ replied: true, valid: false, text: 'maybe next week' },
			{ replied: true, approved: true },
		]);
		expect(logged.join('')).toContain('Balance too low');
	},
);

test('an event as in the specification that is delivered again after a late response is the same reply; an equal one after it is another message', async () => {
	const trigger = await inbox();
	const waiting = waitingRun(trigger, [anna, berta]);
	await waiting.tell();
	const event = { event: 'message.received', data: { from: anna, text: 'Tuesday at ten' } };
	let lost = 0;
	trigger.beforeResponse = async (response) => {
		const isFirst = (response.req.body as typeof event).data.from === anna && lost++ === 0;
		if (!isFirst) return;
		const closed = once(response, 'close');
		response.socket?.destroy();
		await closed;
	};
	await expect(triggers.deliver(trigger, event)).rejects.toThrow();
	await triggers.deliver(trigger, event);
	await triggers.deliver(trigger, { event: 'message.received', data: { from: berta, text: 'No' } });
	await until('the run to go on', () => waiting.got.length > 0);
	expect(waiting.got).toEqual(['Tuesday at ten', 'No']);
	expect(startedBy(trigger)).toEqual([]);
	await triggers.deliver(trigger, event);
	expect(startedBy(trigger)).toEqual(['Tuesday at ten']);
});

test('replies still reach the run if the API key is changed while a question is open', async () => {
	const old = service.credentials(service.newKey());
	const trigger = await inbox({ credentials: old });
	const execution = await people.ask([anna, berta, carl], {}, { credentials: old });
	const reply = async (from: string) =>
		await triggers.deliver(trigger, message(`by ${from}`, from));
	await reply(anna);
	const fresh = service.credentials(service.newKey());
	trigger['options'].credentials = fresh;
	Object.assign(execution, { credentials: fresh });
	await reply(berta);
	await people.ask(['+15550004009'], {}, { credentials: fresh }).catch(() => {});
	await trigger.activate();
	await reply(carl);
	const outputs = await until('the run to go on', () => execution.outputs);
	const texts = outputs[0].map(({ json }) => json.text);
	expect(texts).toEqual([anna, berta, carl].map((from) => `by ${from}`));
	expect(startedBy(trigger)).toEqual([]);
});

test('if the API key is changed and nothing happens after that, the run still gets the replies so far when the time is up', async () => {
	const credentials = service.credentials(service.newKey());
	const trigger = await inbox({ credentials });
	const goOn = stopClock();
	const limit = { limitWaitTime: 0.05, waitTimeUnit: 'minutes' };
	const execution = await people.ask([anna, berta], limit, { credentials });
	await triggers.deliver(trigger, message('in time', anna));
	goOn();
	Object.assign(credentials, service.newKey());
	const outputs = await until('the run to go on', () => execution.outputs, { limit: 20_000 });
	expect(outputs[0].map(({ json }) => json)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, from: berta },
	]);
	expect(startedBy(trigger)).toEqual([]);
});

test('after a change of the API key and a restart, replies also reach a run to which nothing has happened since', async () => {
	const old = service.credentials(service.newKey());
	const trigger = await inbox({ credentials: old });
	const execution = await people.ask([anna, berta], {}, { credentials: old });
	const credentials = service.credentials(service.newKey());
	trigger['options'].credentials = credentials;
	Object.assign(execution, { credentials });
	await people.ask([carl], {}, { credentials });
	const restarted = await restart(trigger, { credentials });
	for (const from of [anna, berta]) await triggers.deliver(restarted, message(from, from));
	expect(startedBy(restarted)).toEqual([]);
	const outputs = await until('the run to go on', () => execution.outputs);
	expect(outputs[0].map(({ json }) => json.text)).toEqual([anna, berta]);
});

test('the log says once if the service identifies no message, but only if its sender was asked', async () => {
	const trigger = await inbox();
	const nameless = (from: string, text: string) => ({
		event: 'message.received',
		data: { from, text },
	});
	const warnings = () => logged.filter((line) => /^warn: .*have no ID/.test(line));
	await triggers.deliver(trigger, nameless(berta, 'Hello'));
	expect(warnings()).toEqual([]);
	await people.ask([anna, carl]);
	for (const from of [anna, carl]) await triggers.deliver(trigger, nameless(from, 'Fine'));
	expect(warnings()).toHaveLength(1);
});

test('the log says if questions were stored with another key and cannot be read', async () => {
	const { credentials } = { credentials: service.credentials(service.newKey()) };
	const trigger = await inbox({ credentials });
	await people.ask([anna], {}, { credentials });
	const other = await restart(trigger);
	await triggers.deliver(other, message('Hello', anna));
	expect(startedBy(other)).toEqual(['Hello']);
	expect(logged).toContainEqual(expect.stringMatching(/^warn: .*another API key/));
});
