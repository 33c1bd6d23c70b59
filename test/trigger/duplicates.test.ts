/** Every event once: repeated deliveries, also at the same moment and after restarts, and events that only look repeated. */
import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { eventsOf } from '../../nodes/BusinessMessaging/webhooks/deduplication';
import { received, Triggers, useService } from '../support/service';

/** Where they are stored. */
const recentEvents = 'recentEvents of id of Trigger';
const service = useService();
const triggers = new Triggers(service);
const assigned = (assignee: string) => ({
	event: 'conversation.assigned',
	data: { id: 'conv_1', assignee },
});

test('starts one execution for an event that comes ten times at the same moment', async () => {
	const trigger = await triggers.active();
	const answers = await Promise.all(
		Array.from({ length: 10 }, async () => await triggers.deliver(trigger, received())),
	);
	expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
	expect(trigger.executions).toHaveLength(1);
});

test('recognizes an event that comes again before n8n has stored anything', async () => {
	const trigger = await triggers.active();
	for (let n = 0; n < 3; n++) {
		expect((await triggers.deliver(trigger, received())).status).toBe(200);
		trigger.staticData = {};
	}
	expect(trigger.executions).toHaveLength(1);
});

test('remembers events after a restart of n8n', async () => {
	const trigger = await triggers.active();
	for (const id of ['a', 'b', 'c']) await triggers.deliver(trigger, received({ id }));
	const restarted = await triggers.active({ staticData: trigger.staticData });
	for (const id of ['a', 'b', 'c', 'd']) await triggers.deliver(restarted, received({ id }));
	expect(restarted.executions.map(({ items }) => items[0][0].json.messageId)).toEqual(['d']);
});

test('stores the last 5,000 events', async () => {
	const minute = Math.floor(Date.now() / 60_000).toString(36);
	const earlier = Array.from({ length: 5000 }, (_, n) => `earlier${n}`.padEnd(11, '_') + minute);
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

test.each<[string, number, unknown[], Record<string, string>]>([
	['an event that comes again', 1, [received(), received()], {}],
	['a change to and fro', 3, ['Ann', 'Bob', 'Ann'].map(assigned), {}],
	['a change with a header', 1, ['Ann', 'Ann'].map(assigned), { 'webhook-id': 'e1' }],
])('starts for %s: %d', async (_, count, bodies, headers) => {
	const trigger = await triggers.active({
		parameters: { options: { otherEvents: 'conversation.assigned' } },
	});
	for (const body of bodies) await triggers.deliver(trigger, body, headers);
	expect(trigger.executions).toHaveLength(count);
});

test('accepts an event again if n8n could not start the execution', async () => {
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

test('starts duplicate events if the user allows them', async () => {
	const trigger = await triggers.active({
		parameters: { options: { allowDuplicateEvents: true } },
	});
	for (let n = 0; n < 2; n++) await triggers.deliver(trigger, received());
	expect(trigger.executions).toHaveLength(2);
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
		async recognize(key: string) {
			const fate = await eventsOf(context).recognize(context, key.repeat(11));
			eventsOf(context).store(context);
			return fate;
		},
		stored: () => String(JSON.parse(JSON.stringify(staticData['recentEvents of node']))).split(' '),
		answer(statusCode: number) {
			Object.assign(response, { writableEnded: true, statusCode });
		},
		hangUp: () => Object.assign(response, { destroyed: true }),
	};
}

test('stores no event that is still under way: after a crash it must be new', async () => {
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
	{ status: 200, fates: ['taken', 'taken'] },
	{ status: 500, fates: ['new', 'underWay'] },
])(
	'copies wait until the first one is answered: with $status they are $fates',
	async ({ status, fates }) => {
		const [first, ...copies] = [1, 2, 3].map(() => delivery(`answered with ${status}`));
		await first.recognize('a');
		// Which copy is new is left open, so each one hangs up as soon as it is.
		const recognized = copies.map(async (copy) => {
			const fate = await copy.recognize('a');
			if (fate === 'new') copy.hangUp();
			return fate;
		});
		const early = await Promise.race([
			...recognized,
			new Promise((resolve) => setImmediate(resolve, 'waits')),
		]);
		expect(early).toBe('waits');
		first.answer(status);
		expect((await Promise.all(recognized)).sort()).toEqual(fates);
	},
);
