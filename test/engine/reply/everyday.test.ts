/** What happened with an earlier design without any crash: one message that was used twice, or was given to the wrong workflow. */
import { sleep } from 'n8n-workflow';

import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';
import { People, anna, berta, jsonOf, startedBy, stopClock } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
const hooks = useLog(service, 'businessMessagingTrigger', 'hooks');
let count = 0;
const other = async (options: object = {}) =>
	await triggers.active({ webhookId: `everyday-${++count}`, ...options });
const inbox = async (options: object = {}) =>
	await other({ parameters: { keepReplies: true }, ...options });
const message = (text: string, from: string, more = {}) =>
	received({ id: `${text}-${from}`, from, text, timestamp: new Date().toISOString(), ...more });

test.each([
	{ firstWords: 'order' },
	{ textContains: 'order' },
	{ intent: 'optOut' },
	{ senders: berta },
])(
	'a reply reaches its run, whatever messages the inbox starts its workflow with: %j',
	async (filters) => {
		const trigger = await inbox({ parameters: { filters, keepReplies: true } });
		const execution = await people.ask([anna]);
		await people.write(anna, 'Yes');
		expect(await jsonOf(execution)).toMatchObject([{ replied: true, text: 'Yes' }]);
		expect(startedBy(trigger)).toEqual([]);
	},
);

test('a reply answers one question, also if the inbox is unpublished and published between two questions', async () => {
	const [keeper, another] = [await inbox(), await other()];
	const approval = { responseType: 'approval' };
	const refund = await people.ask([anna], { ...approval, message: 'May we refund 5,000 EUR?' });
	await keeper.deactivate();
	await expect(
		people.ask([anna], { ...approval, message: 'May we delete your account?' }),
	).rejects.toThrow('No published workflow keeps the replies');
	await keeper.activate();
	const account = await people.ask([anna], { ...approval, message: 'May we delete it?' });
	await people.write(anna, 'ok');
	expect(await jsonOf(account)).toMatchObject([{ approved: true, text: 'ok' }]);
	// The response says that the run has the replies, so it is not called again.
	const sealed = { body: { sealed: expect.any(String) } };
	await until('the response', () => account.answers.length > 0);
	expect(account.answers).toEqual(account.answers.map(() => sealed));
	expect(refund.outputs).toBeUndefined();
	await people.write(anna, 'no');
	expect(await jsonOf(refund)).toMatchObject([{ approved: false, text: 'no' }]);
	expect([keeper, another].flatMap(startedBy)).toEqual([]);
});

test.each([0, 100, 500, 2_000])(
	'the answer "Stop" opts nobody out, also if another trigger gets it %d ms later',
	async (laterMs) => {
		const keeper = await inbox();
		const optOuts = await other({ parameters: { filters: { intent: 'optOut' } } });
		const choices = { responseType: 'choice', choices: 'Go on, Stop' };
		const execution = await people.ask([anna], choices);
		const reply = message('Stop', anna);
		await triggers.deliver(keeper, reply);
		await sleep(laterMs);
		await triggers.deliver(optOuts, reply);
		expect(await jsonOf(execution)).toMatchObject([{ answer: 'Stop' }]);
		expect(startedBy(optOuts)).toEqual([]);
	},
);

test.each([
	['by name', (url: string) => url.replace('127.0.0.1', 'localhost')],
	['with a slash at the end', (url: string) => `${url}/`],
])(
	'a reply starts no other workflow, also if its credential writes the address %s',
	async (_, write) => {
		const keeper = await inbox();
		const credentials = service.credentials({ baseUrl: write(service.url) });
		const another = await other({ credentials });
		await people.ask([anna, berta]);
		const reply = message('yes', anna);
		for (const one of [keeper, another])
			expect((await triggers.deliver(one, reply)).body).toEqual({ message: 'Received as a reply' });
		expect([keeper, another].flatMap(startedBy)).toEqual([]);
	},
);

test('a trigger with another key of the same account cannot be published beside the inbox, in either order', async () => {
	const credentials = service.credentials(service.newKey());
	const keeper = await inbox();
	await expect(other({ credentials })).rejects.toThrow('uses another API key of the same account');
	await keeper.deactivate();
	await other({ credentials });
	await expect(inbox()).rejects.toThrow('Choose the same credential in both triggers');
});

test.each([401, 403, 404, 410])('a page %i of a proxy ends no question', async (status) => {
	const keeper = await inbox();
	const execution = await people.ask([anna, berta]);
	const { handlers } = service.engine['server'] as unknown as {
		handlers: Map<string, (request: never, response: never) => Promise<void>>;
	};
	const path = [...handlers.keys()].findLast((one) => one.includes('/webhook-waiting/'))!;
	const real = handlers.get(path)!;
	const page = async (_: never, response: { status(n: number): { send(t: string): void } }) =>
		response.status(status).send(`<html><title>${status} by a proxy</title></html>`);
	let pages = 0;
	handlers.set(path, async (...call: [never, never]) => (pages++, await page(...call)));
	await triggers.deliver(keeper, message('yes', anna));
	await triggers.deliver(keeper, message('no', berta));
	await until('several calls of the run', () => pages > 2);
	handlers.set(path, real);
	expect(await jsonOf(execution)).toMatchObject([{ text: 'yes' }, { text: 'no' }]);
	expect(startedBy(keeper)).toEqual([]);
});

test('while the inbox is not published, other triggers wait for it; after ten minutes, messages are ordinary, and the log says so', async () => {
	const [keeper, another] = [await inbox(), await other()];
	await people.ask([anna, berta]);
	await triggers.deliver(another, message('before', '+15550009999'));
	await keeper.deactivate();
	expect(hooks.join('')).toContain('questions are open');
	expect((await triggers.deliver(another, message('yes', anna))).status).toBe(503);
	const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 601_000);
	expect((await triggers.deliver(another, message('yes', anna))).status).toBe(200);
	clock.mockRestore();
	expect(startedBy(another)).toEqual(['before', 'yes']);
});

test.each([[[]], [['receipt']], [['receipt', 'other', 'receipt']]])(
	'in a delivery with other events (%j before it), a reply is a reply, and everything else starts the workflow',
	async (before) => {
		const events = ['message.received', 'message.read'];
		const keeper = await inbox({ parameters: { keepReplies: true, events } });
		const execution = await people.ask([anna]);
		const kinds: Record<string, object> = {
			receipt: { event: 'message.read', data: { id: 'msg_1', to: berta, status: 'read' } },
			other: message('Hello', berta),
			reply: message('Yes', anna),
		};
		const body = [...before, 'reply', 'other'].map((kind, n) => ({
			...kinds[kind],
			id: `event_${n}`,
		}));
		await triggers.deliver(keeper, body);
		expect(await jsonOf(execution)).toMatchObject([{ text: 'Yes' }]);
		const started = keeper.executions.flatMap(({ items }) => items[0].map(({ json }) => json.text));
		expect(started).not.toContain('Yes');
		expect(started).toContain('Hello');
	},
);

test.each([
	['it limits requests', { status: 429, headers: { 'retry-after': '7200' } }, 503],
	['it fails', { status: 503 }, 503],
	['it has no such list', { status: 404 }, 200],
])(
	'a trigger that is registered by hand and does not know the inbox asks the service; %s: %j',
	async (_, fault, status) => {
		const credentials = service.credentials({ ...service.newKey(), webhookSecret: 'own' });
		const byHand = { options: { registration: 'manual', requireSecret: true } };
		const manual = await other({ parameters: byHand, credentials });
		people.state.webhooks.create({ url: `${manual.url}?token=own` });
		service.fault({ endpoint: 'listWebhooks', ...fault, count: 9 });
		expect((await triggers.deliver(manual, message('Yes', anna))).status).toBe(status);
		expect(startedBy(manual)).toEqual(status === 200 ? ['Yes'] : []);
	},
);

test('after a restart without any message, the inbox gives runs their replies, ends those whose time is up, and registers itself again', async () => {
	const webhookId = `everyday-${++count}`;
	const keeper = await inbox({ webhookId });
	const goOn = stopClock();
	const execution = await people.ask([anna, berta], {
		limitWaitTime: 0.05,
		waitTimeUnit: 'minutes',
	});
	await people.write(anna, 'in time');
	goOn();
	const { staticData } = keeper;
	people.state.webhooks.all.length = 0; // somebody has removed it
	const restarted = await triggers.make({
		webhookId,
		staticData,
		parameters: { keepReplies: true },
	});
	await restarted.activate('init');
	expect(triggers.urlOf(restarted)).toContain('?inbox=');
	const outputs = await until('the time to be up', () => execution.outputs);
	expect(outputs[0].map(({ json }) => json)).toMatchObject([
		{ replied: true, text: 'in time' },
		{ replied: false, from: berta },
	]);
});

test.each([
	['is still the inbox, with open questions', true, true, [anna]],
	['is still the inbox, without a question', true, true, []],
	['is the inbox no longer, with open questions', true, false, [anna]],
	['is the inbox no longer, without a question', false, false, []],
])('when n8n starts, a trigger that %s wakes itself: %s', async (_, wakes, keepReplies, asked) => {
	const webhookId = `everyday-${++count}`;
	const keeper = await inbox({ webhookId });
	if (asked.length > 0) await people.ask(asked);
	await keeper.deactivate(); // it is in the same process, and would go on
	const { staticData } = keeper;
	const restarted = await triggers.make({ webhookId, staticData, parameters: { keepReplies } });
	const { handlers } = service.engine['server'] as unknown as { handlers: Map<string, unknown> };
	const calls = jest.spyOn(handlers, 'get');
	await restarted.activate('init');
	const path = `POST ${new URL(restarted.url).pathname}`;
	const called = () => calls.mock.calls.some(([key]) => key === path);
	if (wakes) await until('the trigger to call itself', called);
	else await sleep(500);
	expect(called()).toBe(wakes);
});
