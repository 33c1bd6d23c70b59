/** Every event once: repeated deliveries, also at the same moment and over restarts, and what only looks like one. */
import type { IDataObject, INodeParameters, IWebhookFunctions } from 'n8n-workflow';

import { recognize } from '../../nodes/BusinessMessaging/webhooks/deduplication';
import { useService } from '../support/service';
import { Triggers, customer, loseStaticData, received } from './support';

/** Where they are stored. */
const recentEvents = 'recentEvents of id of Trigger';
const service = useService();
const triggers = new Triggers(service);

test('starts one execution for an event that comes ten times at the same moment', async () => {
	const trigger = await triggers.active();
	const answers = await Promise.all(
		Array.from({ length: 10 }, async () => await triggers.deliver(trigger, received())),
	);
	expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
	expect(trigger.executions).toHaveLength(1);
});

test('knows an event that comes again before n8n has stored anything', async () => {
	const trigger = await triggers.active();
	for (let n = 0; n < 3; n++) {
		expect((await triggers.deliver(trigger, received())).status).toBe(200);
		loseStaticData(trigger);
	}
	expect(trigger.executions).toHaveLength(1);
});

test('remembers events when n8n starts again', async () => {
	const trigger = await triggers.active();
	for (const id of ['a', 'b', 'c']) await triggers.deliver(trigger, received({ id }));
	const restarted = await triggers.active({ staticData: trigger.staticData });
	for (const id of ['a', 'b', 'c', 'd']) await triggers.deliver(restarted, received({ id }));
	expect(restarted.executions.map(({ items }) => items[0][0].json.messageId)).toEqual(['d']);
});

test('keeps what it stores small', async () => {
	const minute = Math.floor(Date.now() / 60_000).toString(36);
	const earlier = Array.from({ length: 500 }, (_, n) => `earlier${n}`.padEnd(11, '_') + minute);
	const trigger = await triggers.active({ staticData: { [recentEvents]: earlier.join(' ') } });
	for (const id of ['a', 'b']) await triggers.deliver(trigger, received({ id }));
	expect(trigger.executions).toHaveLength(2);
	const kept = String(trigger.staticData[recentEvents]).split(' ');
	expect(kept).toEqual([
		...earlier.slice(2),
		expect.stringMatching(/^[\w-]{11}[\da-z]{5}$/),
		expect.stringMatching(/^[\w-]{11}[\da-z]{5}$/),
	]);
});

const hourMs = 3_600_000;

test.each([
	[47, 1],
	[49, 2],
])('after %d hours an event that comes again has started %d executions', async (hours, count) => {
	const first = await triggers.active();
	await triggers.deliver(first, received());
	const { staticData } = first;
	const now = Date.now();
	jest.spyOn(Date, 'now').mockImplementation(() => now + hours * hourMs);
	try {
		for (let n = 0; n < 2; n++) await triggers.deliver(first, received());
		expect(first.executions).toHaveLength(count);
		const restarted = await triggers.active({ staticData });
		for (let n = 0; n < 2; n++) await triggers.deliver(restarted, received());
		expect(restarted.executions).toHaveLength(count - 1);
	} finally {
		jest.restoreAllMocks();
	}
});

const withoutId = { id: undefined };
const conversation = 'conv_1';
const assigned = (assignee: string, beside: object = {}) => ({
	event: 'conversation.assigned',
	data: { id: conversation, assignee },
	...beside,
});
const all: INodeParameters = {
	events: ['message.received', 'message.sent', 'message.read'],
	otherEvents: '*',
};

test.each<[string, unknown, unknown]>([
	[
		'the same text of one customer in two messages',
		received({ id: '1', text: 'ok' }),
		received({ id: '2', text: 'ok' }),
	],
	['the same text of one customer without identifiers', received(withoutId), received(withoutId)],
	[
		'messages of two customers',
		received({ id: '3', from: customer }),
		received({ id: '4', from: '+15550002222' }),
	],
	[
		'two receipts of one message',
		{ event: 'message.sent', data: { id: '5' } },
		{ event: 'message.read', data: { id: '5' } },
	],
	[
		'two messages under the identifier of an account',
		{ ...received({ id: '6' }), id: 'account' },
		{ ...received({ id: '7' }), id: 'account' },
	],
	[
		'two states of one thing',
		{ event: 'order.changed', data: { id: '8', paid: false } },
		{ event: 'order.changed', data: { id: '8', paid: true } },
	],
	[
		'two events that happen to be equal',
		{ event: 'order.paid', id: 'e1', data: { n: 1 } },
		{ event: 'order.paid', id: 'e2', data: { n: 1 } },
	],
	[
		"two texts under the conversation's identifier",
		received({ id: conversation, text: 'hello' }),
		received({ id: conversation, text: 'bye' }),
	],
	[
		"the same text under the contact's identifier at two times",
		received({ id: 'contact_1', timestamp: '2030-01-31T10:00:00Z' }),
		received({ id: 'contact_1', timestamp: '2030-01-31T10:00:07Z' }),
	],
])('takes %s for two events', async (_, first, second) => {
	const trigger = await triggers.active({ parameters: all });
	for (const body of [first, second]) await triggers.deliver(trigger, body);
	expect(trigger.executions).toHaveLength(2);
});

test.each<[string, (n: number) => object]>([
	['nothing else', () => ({})],
	['the time of each event', (n) => ({ timestamp: 1_700_000_000 + n })],
	['the identifier of each event', (n) => ({ event_id: `e${n}` })],
])('starts for a conversation that goes to Ann, Bob and Ann, with %s', async (_, beside) => {
	const trigger = await triggers.active({ parameters: all });
	for (const [n, assignee] of ['Ann', 'Bob', 'Ann'].entries())
		await triggers.deliver(trigger, assigned(assignee, beside(n)));
	expect(trigger.executions.map(({ items }) => items[0][0].json.assignee)).toEqual([
		'Ann',
		'Bob',
		'Ann',
	]);
});

test.each<[string, unknown, Record<string, string>]>([
	['a receipt', { event: 'message.read', data: { id: '9', status: 'read' } }, {}],
	['an event with an identifier of its own', { event: 'order.paid', id: 'e3', data: { n: 1 } }, {}],
	[
		'an event with an identifier in a header',
		{ event: 'order.paid', data: { n: 1 } },
		{ 'webhook-id': 'e4' },
	],
	['a change with the time of the event', assigned('Ann', { timestamp: 1_700_000_000 }), {}],
])('takes %s that comes again for the same', async (_, body, headers) => {
	const trigger = await triggers.active({ parameters: all });
	for (let n = 0; n < 3; n++) await triggers.deliver(trigger, body, headers);
	expect(trigger.executions).toHaveLength(1);
});

test('knows a message again that comes with other details of its delivery', async () => {
	const trigger = await triggers.active();
	for (let attempt = 1; attempt <= 3; attempt++) {
		const about = { id: `delivery ${attempt}`, attempt, timestamp: 1_700_000_000 + attempt };
		await triggers.deliver(
			trigger,
			{ ...about, ...received() },
			{ 'webhook-id': `delivery ${attempt}`, 'webhook-timestamp': String(about.timestamp) },
		);
	}
	expect(trigger.executions).toHaveLength(1);
});

test('takes an event again if n8n could not start the execution', async () => {
	const workflowId = 'fails once';
	const trigger = await triggers.active({ workflowId });
	const { staticData } = trigger;
	jest.spyOn(trigger.executions, 'push').mockImplementationOnce(() => {
		throw new Error('The database is locked');
	});
	expect((await triggers.deliver(trigger, received())).status).toBe(500);
	// n8n stores static data only if the execution has started
	const again = await triggers.active({ workflowId, staticData });
	for (let n = 0; n < 2; n++) expect((await triggers.deliver(again, received())).status).toBe(200);
	expect(again.executions).toHaveLength(1);
});

test('takes duplicate events if that is wanted', async () => {
	const trigger = await triggers.active({
		parameters: { options: { allowDuplicateEvents: true } },
	});
	for (let n = 0; n < 3; n++) await triggers.deliver(trigger, received());
	expect(trigger.executions).toHaveLength(3);
});

test('takes the same event with every test in the editor', async () => {
	const trigger = await triggers.make({ mode: 'test' });
	for (let n = 0; n < 2; n++) {
		await trigger.activate();
		await triggers.deliver(trigger, received());
	}
	expect(trigger.executions).toHaveLength(2);
});

/** n8n's answer to one delivery, given when the test says so. */
function delivery(workflow: string, staticData: IDataObject = {}) {
	const response = { writableEnded: false, destroyed: false, statusCode: 200 };
	const context = {
		getWorkflowStaticData: () => staticData,
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: 'node' }),
		getResponseObject: () => response,
	} as unknown as IWebhookFunctions;
	return {
		recognize: async (key: string) => await recognize(context, key.repeat(11)),
		stored: () => String(JSON.parse(JSON.stringify(staticData['recentEvents of node']))).split(' '),
		answer(statusCode: number) {
			Object.assign(response, { writableEnded: true, statusCode });
		},
		hangUp: () => Object.assign(response, { destroyed: true }),
	};
}

test('writes down no event that is still under way: after a crash it must be new', async () => {
	const [first, second, third] = [1, 2, 3].map(() => delivery('under way'));
	expect(await first.recognize('a')).toBe('new');
	expect(await second.recognize('b')).toBe('new');
	expect(second.stored()).toEqual([expect.stringMatching(/^b{11}/)]);
	first.answer(200);
	expect(await third.recognize('c')).toBe('new');
	expect(third.stored()).toEqual([
		expect.stringMatching(/^a{11}/),
		expect.stringMatching(/^c{11}/),
	]);
});

test.each([
	[200, 'taken', 'taken'],
	[500, 'new', 'underWay'],
])(
	'a copy waits until the first one is answered: with %d it is %s',
	async (status, fate, other) => {
		const [first, copy, another] = [1, 2, 3].map(() => delivery(`answered with ${status}`));
		await first.recognize('a');
		const [fateOfCopy, fateOfAnother] = [copy.recognize('a'), another.recognize('a')];
		const early = await Promise.race([
			fateOfCopy,
			new Promise((resolve) => setImmediate(resolve, 'waits')),
		]);
		expect(early).toBe('waits');
		first.answer(status);
		expect(await fateOfCopy).toBe(fate);
		copy.hangUp();
		expect(await fateOfAnother).toBe(other);
	},
);
