/** Finding the receiver of the replies before the first question is sent, and telling triggers in parts who is asked. */
import { range } from 'lodash';

import type { Item, Outcome } from '../../../nodes/BusinessMessaging/execution/item';
import { listenForReplies } from '../../../nodes/BusinessMessaging/inbox/ask';
import { openRequest } from '../../../nodes/BusinessMessaging/inbox/calls';
import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { TriggerResponse } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';
import { InputError } from '../../../nodes/BusinessMessaging/transport/errors';
import { FakeN8n, FakeTime, n8nUrl } from './fakeN8n';

const trigger = `${n8nUrl}webhook/a/webhook`;
const question = { ...defaultAnswer(), limitMs: 600_000 };
const ask = (index: number): Item & { outcome?: Outcome } => ({
	...{ index, input: {} },
	request: { body: { to: `+1555${1_000_000 + index}`, text: 'Tuesday?' }, rules: { question } },
});

let n8n: FakeN8n;
beforeEach(() => {
	n8n = new FakeN8n();
	n8n.webhooks = [{ id: 'trigger', url: `${trigger}?token=secret` }];
	n8n.respond = () => ({ statusCode: 200, body: { inbox: 'yes' } });
});

const listen = async (items: Item[], context: object = n8n.context) =>
	await listenForReplies(context as never, items);
const respond = (body: TriggerResponse) => {
	n8n.respond = () => ({ statusCode: 200, body });
};

/** What triggers were told, in order. */
function told(): Array<{ run: Run; skewMs: number | null }> {
	return n8n.calls.flatMap(({ url, body }) => {
		const request = openRequest(n8n.secret, body, url);
		if (request?.is !== 'tell') return [];
		return [{ run: fromRecord(request.id, request.run, url) as Run, skewMs: request.skewMs }];
	});
}
const peopleTold = () => told().map(({ run }) => [...run.people.keys()]);

test.each([
	['too old', { getSignedResumeUrl: undefined }, 'requires n8n 1.107 or newer', 'Update n8n.'],
	[
		'on engine 2.0',
		{ getExecutionId: () => '01a21057-d93e-72dc-ab7a-3df51c812f0c' },
		"does not work on n8n's engine 2.0",
		"Use n8n's standard engine",
	],
])('an n8n that is %s asks nobody', async (_, more, message, description) => {
	await expect(listen([ask(0)], { ...n8n.context, ...more })).rejects.toMatchObject({
		message: expect.stringContaining(message),
		description: expect.stringContaining(description),
	});
	expect([n8n.requests, n8n.calls]).toEqual([[], []]);
});

const needsTrigger =
	'To ask several people at once, or to group messages, the node needs a published';
const hidden = 'The service does not show the addresses of its webhooks';
/** A person whose messages are grouped. */
const grouped: Item = {
	...ask(0),
	request: { ...ask(0).request, rules: { question: { ...question, groupMs: 1_000 } } },
};

test.each<[string, Item[], object[], string, string]>([
	['several people', [ask(0), ask(1)], [], needsTrigger, 'publish a workflow with that trigger'],
	[
		'grouped messages',
		[grouped],
		[{ id: 'a', url: 'https://a.test' }],
		needsTrigger,
		'Choose Message Received',
	],
	['several people', [ask(0), ask(1)], [{ id: 'a' }], hidden, "without 'Group Messages (Seconds)'"],
	['grouped messages', [grouped], [{ id: 'a', url: 'https://***' }], hidden, 'Ask one person'],
])(
	'without a trigger, %s cannot be asked (%#)',
	async (_, items, webhooks, message, description) => {
		n8n.webhooks = webhooks as never;
		await expect(listen(items)).rejects.toMatchObject({
			message: expect.stringContaining(message),
			description: expect.stringContaining(description),
		});
		expect(n8n.webhooks).toEqual(webhooks);
	},
);

test.each([
	['there is no trigger', []],
	['the service shows no addresses', [{ id: 'a' }]],
	[
		'the trigger belongs to another n8n',
		[{ id: 'a', url: 'https://other.example.com/webhook/a/webhook' }],
	],
])('if %s, one person is asked by a registration of the run', async (_, webhooks) => {
	n8n.webhooks = webhooks as never;
	const listening = await listen([ask(0)]);
	expect(n8n.webhooks).toHaveLength(webhooks.length + 1);
	await listening.stop();
	expect(n8n.webhooks).toEqual(webhooks);
	expect(n8n.calls).toEqual([]);
});

test('triggers are called at their addresses without the secret', async () => {
	n8n.webhooks.push(
		{ id: 'other', url: 'https://other.example.com/webhook/a/webhook' },
		{ id: 'b' },
	);
	const listening = await listen([ask(0)]);
	await listening.tell(ask(0));
	expect(n8n.calls.map(({ url }) => url)).toEqual([trigger, trigger]);
	expect(told()[0].run).toMatchObject({
		url: expect.stringMatching(
			/^https:\/\/n8n.example.com\/webhook-waiting\/1\/node\?wait=[\w-]{11}&/,
		),
		questions: [{ asked: 'Tuesday?' }],
	});
	await listening.stop();
});

test.each([
	[60, 20],
	[600, 20],
	[601, 21],
	[1_200, 40],
])('at %d requests a minute, triggers are told about %d people at a time', async (rate, size) => {
	n8n.credentials.requestsPerMinute = rate;
	const items = range(50).map(ask);
	const listening = await listen(items);
	for (const item of items) await listening.tell(item);
	expect(peopleTold()).toEqual(
		range(0, 50, size).map((first) => range(first, Math.min(50, first + size))),
	);
	await listening.stop();
});

test('with the next part, triggers hear again of those who were asked since, and of no one else', async () => {
	n8n.credentials.requestsPerMinute = 600;
	const items = range(60).map(ask);
	items[0].outcome = { records: [{ messageId: 'earlier' }] };
	const listening = await listen(items);
	await listening.tell(items[1]);
	expect(peopleTold()).toEqual([range(0, 21)]);
	expect(told()[0].run.people.get(0)).toMatchObject({ askedMessageId: 'earlier' });
	items[1].outcome = { records: [{ messageId: 'sent' }] };
	items[2].outcome = { records: [{}], isLeftOut: true };
	items[3].outcome = { failure: new InputError('no') };
	await listening.tell(items[21]);
	expect(peopleTold()[1]).toEqual([1, 2, ...range(21, 41)]);
	expect(told()[1].run.people.get(1)).toMatchObject({ askedMessageId: 'sent' });
	for (const item of items.slice(4, 41)) item.outcome = { records: [{}] };
	await listening.tell(items[41]);
	expect(peopleTold()[2]).toEqual([...range(4, 41), ...range(41, 60)]);
	await listening.stop();
});

test('if triggers cannot be told about a part, nobody in it is asked, and they are not told again', async () => {
	const items = [ask(0), ask(1)];
	const listening = await listen(items);
	respond({ inbox: 'full' });
	const telling = items.map(async (item) => await listening.tell(item));
	for (const result of await Promise.allSettled(telling))
		expect(result).toMatchObject({
			reason: { message: expect.stringContaining('maximum number of people') },
		});
	expect(peopleTold()).toEqual([[0, 1]]);
	await listening.stop();
});

test('once the owner has ended the run, nobody else is asked, even of those whom it knows', async () => {
	const time = new FakeTime(Infinity); // heartbeats are as long as timeouts of requests
	await time.run(async () => {
		const items = [ask(0), ask(1)];
		const listening = await listen(items);
		respond({ inbox: 'yes', isOver: false });
		await listening.tell(items[0]);
		await listening.tell(items[1]);
		respond({ inbox: 'yes', isOver: true });
		const before = time.now;
		while (time.now < before + 61_000) await new Promise((resolve) => setTimeout(resolve, 1));
		await expect(listening.tell(items[1])).rejects.toThrow('heard nothing from this execution');
		await listening.stop();
	});
});

describe('after the last request', () => {
	test('n8n waits for the people who were asked until the time limit, and a little longer', async () => {
		const now = 1_900_000_000_000;
		jest.spyOn(Date, 'now').mockReturnValue(now);
		const items = [ask(0), ask(1), ask(2)];
		const listening = await listen(items);
		await listening.tell(items[0]);
		items[0].outcome = { records: [{ messageId: 'sent' }] };
		items[1].outcome = { failure: new InputError('no number') };
		items[2].outcome = { records: [{ skipped: true }], isLeftOut: true };
		expect(await listening.wait()).toBe(true);
		const { run } = told().at(-1) as { run: Run };
		expect(run).toMatchObject({ isWhole: true, isOver: false, until: now + 600_000 });
		expect([...run.people.keys()]).toEqual([0]);
		expect(run.notAsked).toMatchObject([
			{ json: { error: { message: 'no number' } } },
			{ json: { skipped: true } },
		]);
		expect(n8n.nodeContext.wait).toEqual({ run: run.id });
		expect(n8n.waitsUntil).toEqual(new Date(now + 660_000));
	});

	test('n8n does not wait if nobody was asked', async () => {
		const items = [ask(0)];
		const listening = await listen(items);
		await listening.tell(items[0]);
		items[0].outcome = { failure: new InputError('no number') };
		expect(await listening.wait()).toBe(false);
		expect(told().at(-1)?.run).toMatchObject({ isWhole: true, isOver: true });
		expect([n8n.nodeContext, n8n.waitsUntil]).toEqual([{}, undefined]);
	});

	test('the run fails if the owner has ended it, and the owner hears of that', async () => {
		const items = [ask(0)];
		const listening = await listen(items);
		await listening.tell(items[0]);
		items[0].outcome = { records: [{}] };
		respond({ inbox: 'yes', isOver: true });
		await expect(listening.wait()).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringContaining('heard nothing from this execution for two minutes'),
			description: expect.stringContaining('The retry asks nobody twice.'),
		});
		expect(
			told()
				.slice(-2)
				.map(({ run }) => [run.isWhole, run.isOver]),
		).toEqual([
			[true, false],
			[false, true],
		]);
		expect([n8n.nodeContext, n8n.waitsUntil]).toEqual([{}, undefined]);
	});
});

test('if the run fails, the owner learns that it is over', async () => {
	const listening = await listen([ask(0)]);
	await listening.tell(ask(0));
	await listening.stop();
	expect(told().at(-1)?.run).toMatchObject({ isOver: true, isWhole: false });
});

const now = Date.UTC(2030, 0, 1);
test.each([
	[undefined, null],
	['yesterday', null],
	[new Date(now).toUTCString(), 0],
	[new Date(now + 1_000).toUTCString(), 0],
	[new Date(now - 1_000).toUTCString(), 0],
	[new Date(now + 2_000).toUTCString(), 2_000],
	[new Date(now - 2_000).toUTCString(), -2_000],
	[new Date(now + 3_600_000).toUTCString(), 3_600_000],
])('if the service shows the time %p, its clock differs by %p ms', async (date, skewMs) => {
	jest.spyOn(Date, 'now').mockReturnValue(now);
	n8n.date = date;
	const listening = await listen([ask(0)]);
	await listening.tell(ask(0));
	expect(told()[0].skewMs).toBe(skewMs);
	await listening.stop();
});

test('if the time of the service cannot be read, its clock is not known', async () => {
	n8n.date = new Date().toUTCString();
	n8n.serve = () => (n8n.requests.length === 1 ? { statusCode: 403 } : undefined);
	const listening = await listen([ask(0)]);
	await listening.tell(ask(0));
	expect(told()[0].skewMs).toBeNull();
	await listening.stop();
});
