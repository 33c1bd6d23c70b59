/** Replies without a trigger, over HTTP: the sandbox delivers people's messages to the execution that waits for them. */
import { setTimeout as delay } from 'node:timers/promises';
import axios from 'axios';
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';
import { useService } from '../../../harness/engine/service';
import type { WaitingExecution, WebhookHandler } from '../../../harness/engine/webhooks';
import { until } from '../../../harness/until';
import { People, anna, berta, jsonOf } from './support';

const service = useService();
const people = new People(service);
const noneIsLeft = async () =>
	await until('all registrations to be removed', () => people.state.webhooks.all.length === 0);
const messages = ({ answers }: WaitingExecution) =>
	answers.map(({ body }) => (body as { message: string }).message);

test('continues with the reply of the person who was asked, and not with a message of anybody else', async () => {
	const execution = await people.ask([anna]);
	await people.write(berta, 'Yes!');
	expect(execution.outputs).toBeUndefined();
	const { message, deliveries } = people.state.traffic.receive({ from: anna, text: 'Fine' });
	await people.delivered(deliveries);
	const json = {
		replied: true,
		accepted: true,
		from: anna,
		text: 'Fine',
		answer: 'Fine',
		messageId: message.id,
		respondedAt: message.createdAt,
		askedMessageId: people.state.messages.all[0].id,
	};
	expect(execution.outputs).toEqual([[{ json, pairedItem: { item: 0 } }]]);
	expect(messages(execution)).toEqual(['Not a reply', 'Received']);
	await noneIsLeft();
});

test('recognizes the reply of a phone whose number has two forms', async () => {
	const execution = await people.ask(['+525512345678']);
	await people.write('5215512345678', 'Fine');
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, answer: 'Fine' }]);
	await noneIsLeft();
});

test.each<[INodeParameters, string, unknown]>([
	[{ responseType: 'approval', replyOptions: { yesWords: 'of course, yup' } }, 'Of course.', true],
	[{ responseType: 'approval' }, 'No!', false],
	[{ responseType: 'choice', choices: 'Small, Large' }, '1', 'Small'],
	[{ responseType: 'choice', choices: '1 week, 2 weeks' }, '2', '2 weeks'],
	[{ responseType: 'choice', choices: '*, **, ***' }, '***', '***'],
	[{ responseType: 'number' }, '-3', -3],
	[{ responseType: 'date' }, '1/2/2030', '2030-02-01'],
	[{ responseType: 'date', replyOptions: { dateOrder: 'monthFirst' } }, '1/2/2030', '2030-01-02'],
])('%j: %j is an answer', async (parameters, text, answer) => {
	const execution = await people.ask([anna], parameters);
	await people.write(anna, text);
	const approved = parameters.responseType === 'approval' ? { approved: answer } : {};
	expect(await jsonOf(execution)).toMatchObject([{ accepted: true, text, answer, ...approved }]);
});

test('a picture without text is a reply without text', async () => {
	const execution = await people.ask([anna]);
	const { webhooks, deliveries } = people.state;
	const data = { id: 'msg_1', from: anna, type: 'image' };
	await people.delivered([deliveries.deliver(webhooks.all[0], 'message.received', data)]);
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, text: null, answer: null }]);
});

test.each<[INodeParameters, string, string]>([
	[{ responseType: 'approval' }, 'maybe', 'yes or no'],
	[{ responseType: 'choice', choices: 'Small, Large' }, '3', 'one of these: 1) Small, 2) Large'],
	[{ responseType: 'choice', choices: '2, 4, 6' }, '3', 'one of these: 2, 4, 6'],
	[{ responseType: 'date' }, '31.2.2030', 'a date, e.g. 2030-01-31'],
	[{ responseType: 'date', repeatText: 'When?' }, 'soon', 'When?'],
])(
	'%j: after %j the question is asked again with %j, and in the end the answer is not accepted',
	async (parameters, text, words) => {
		const replyOptions = { ...(parameters.replyOptions as object), repeats: 1 };
		const execution = await people.ask([anna], { ...parameters, replyOptions });
		const first = await people.write(anna, text);
		await people.again(first); // a second delivery of the same message is no second answer
		expect(service.sent().slice(1)).toEqual([
			expect.objectContaining({ phone: anna, text: expect.stringContaining(words) }),
		]);
		expect(messages(execution)).toEqual(['Not a reply', 'Not a reply']);
		await people.write(anna, `${text}!`);
		const json = { replied: true, accepted: false, text: `${text}!`, answer: null };
		expect(await jsonOf(execution)).toMatchObject([json]);
	},
);

test.each([0, 1, 3])('without a trigger, the question is repeated %d times', async (repeats) => {
	const execution = await people.ask([anna], { responseType: 'number', replyOptions: { repeats } });
	const texts = ['one', 'two', 'three', 'four'].slice(0, repeats + 1);
	for (const text of texts) await people.write(anna, text);
	expect(service.sent()).toHaveLength(repeats + 1);
	expect(await jsonOf(execution)).toMatchObject([{ accepted: false, text: texts.at(-1) }]);
});

test.each<[INodeParameters, unknown]>([
	[{}, [{ replied: false, accepted: false, from: anna, answer: null }]],
	[
		{ responseType: 'approval' },
		[{ replied: false, accepted: false, from: anna, answer: null, approved: false }],
	],
	[{ replyOptions: { onTimeout: 'nothing' } }, []],
])('continues when the time is up: %j outputs %j', async (parameters, items) => {
	const execution = await people.ask([anna], {
		limitWaitTime: 0.005,
		waitTimeUnit: 'minutes',
		...parameters,
	});
	await until('the time to be up', () => execution.outputs);
	expect(await jsonOf(execution)).toMatchObject(items as object[]);
	await noneIsLeft();
});

test('refuses a second question to the same person as long as the first one is open', async () => {
	const execution = await people.ask([anna]);
	await expect(people.ask([anna])).rejects.toThrow('Another question to this person is open');
	expect(service.sent()).toHaveLength(1);
	const other = await people.ask([berta]);
	await people.write(anna, 'mine');
	await people.write(berta, 'hers');
	expect(await Promise.all([execution, other].map(jsonOf))).toMatchObject([
		[{ text: 'mine' }],
		[{ text: 'hers' }],
	]);
});

test.each([
	[1, 'Another question to this person is open'],
	[2, 'Another question to this person may be open'],
])(
	'refuses a second question to the same person also if n8n does not respond to %d calls',
	async (failures, message) => {
		await people.ask([anna]);
		const { pathname } = new URL(people.state.webhooks.all[0].url);
		const server = service.engine['server'];
		const usual = server['handlers'].get(`POST ${pathname}`)!;
		let calls = 0;
		server.register('POST', pathname, async (request, response) => {
			if (++calls > failures) await usual(request, response);
			else response.status(502).send('Bad Gateway');
		});
		await expect(people.ask([anna])).rejects.toThrow(message);
		expect(service.sent()).toHaveLength(1);
	},
);

describe('an earlier question to the same person', () => {
	/** Asks, and then lets n8n respond like this to calls of that execution. */
	const asked = async (respond?: WebhookHandler) => {
		await people.ask([anna]);
		const { pathname } = new URL(people.state.webhooks.all[0].url);
		const server = service.engine['server'];
		if (respond) server.register('POST', pathname, respond);
		else server.unregister('POST', pathname); // n8n says that the execution is running
	};

	test('is open while its execution is still sending it', async () => {
		await asked();
		await expect(people.ask([anna])).rejects.toThrow(
			'Another execution that asks this person is still running',
		);
		expect(service.sent()).toHaveLength(1);
	});

	test('is open also after a change of the API key', async () => {
		const credentials = service.credentials();
		await people.ask([anna], {}, { credentials });
		Object.assign(credentials, service.newKey());
		await expect(people.ask([anna], {}, { credentials })).rejects.toThrow(
			'Another question to this person is open',
		);
		expect(service.sent()).toHaveLength(1);
	});

	test('stays open if n8n fails for another reason', async () => {
		await asked(async (_, response) => {
			response.status(500).json({ code: 0, message: 'Connection terminated unexpectedly' });
		});
		await people.ask([berta]);
		await expect(people.ask([anna])).rejects.toThrow('may be open');
		expect(people.state.webhooks.all).toHaveLength(2);
	});

	test('is not open if its execution has just got the reply', async () => {
		await asked();
		const [first] = people.state.webhooks.all;
		const next = people.ask([anna]);
		await delay(500);
		people.state.webhooks.delete(first.id);
		await next;
		expect(service.sent()).toHaveLength(2);
	});

	test('is not open if n8n cannot continue its execution, and its registration is removed', async () => {
		await asked(async (_, response) => {
			response
				.status(500)
				.json({ code: 0, message: "Cannot read properties of undefined (reading 'pop')" });
		});
		const [first] = people.state.webhooks.all;
		await people.ask([anna]);
		expect(service.sent()).toHaveLength(2);
		expect(people.state.webhooks.all.map(({ id }) => id)).not.toContain(first.id);
	});
});

test.each<[what: string, parameters: INodeParameters, texts: string[], expected: object]>([
	['the reply', {}, ['Fine'], { answer: 'Fine' }],
	['the time limit', { limitWaitTime: 0.03, waitTimeUnit: 'minutes' }, [], { replied: false }],
])(
	'%s reaches the run if the API key was changed meanwhile',
	async (_, parameters, texts, expected) => {
		const credentials = service.credentials();
		const execution = await people.ask([anna], parameters, { credentials });
		Object.assign(credentials, service.newKey());
		for (const text of texts) await people.write(anna, text);
		expect(await jsonOf(execution)).toMatchObject([expected]);
	},
);

test('a question calls at most ten executions that wait for other people, however many there are', async () => {
	const open: WaitingExecution[] = [];
	for (const n of range(14)) open.push(await people.ask([`+15550002${100 + n}`]));
	const calls = () => open.flatMap(({ answers }) => answers).length;
	const before = calls();
	await people.ask([anna]);
	expect(calls() - before).toBe(10);
});

test('the next question removes the registrations that stopped executions have left behind', async () => {
	(await people.ask([anna])).stop();
	(await people.ask([berta])).stop();
	const execution = await people.ask([anna]);
	await until('the others to be removed', () => people.state.webhooks.all.length === 1);
	await people.write(anna, 'Hello');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'Hello' }]);
	await noneIsLeft();
});

test('failed items go to the error output', async () => {
	const execution = await people.ask([anna, 'nobody'], {}, { onError: 'continueErrorOutput' });
	await people.write(anna, 'mine');
	const failed = { phone: 'nobody', error: { sendStatus: 'notSent' } };
	expect(execution.outputs).toMatchObject([
		[{ json: { text: 'mine' }, pairedItem: { item: 0 } }],
		[{ json: failed, pairedItem: { item: 1 } }],
	]);
});

test('without a trigger, STOP counts as the reply, and the question is not repeated', async () => {
	const execution = await people.ask([anna], { responseType: 'number' });
	await people.write(anna, 'STOP');
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, accepted: false, text: 'STOP' }]);
	expect(service.sent()).toHaveLength(1);
});

describe('a delivery that is not an answer', () => {
	const post = async (body: unknown, change = (url: string) => url) => {
		const { url } = people.state.webhooks.all[0];
		const options = { validateStatus: () => true };
		const { status, data } = await axios.post<unknown>(change(url), body, options);
		return { status, body: data };
	};
	const event = (data: object = {}) => ({
		event: 'message.received',
		data: { from: anna, text: 'Hi', ...data },
	});

	test.each([
		['to another run', event(), (url: string) => url.replace('wait=', 'wait=0'), 410],
		['that is no event', { text: 'Hi' }, undefined, 400],
		['from before the question', event({ timestamp: '2001-01-01T00:00:00Z' }), undefined, 200],
	])('%s is answered and changes nothing', async (_, body, change, status) => {
		const execution = await people.ask([anna]);
		expect((await post(body, change)).status).toBe(status);
		expect(execution.outputs).toBeUndefined();
		await people.write(anna, 'Now');
		expect(await jsonOf(execution)).toMatchObject([{ text: 'Now' }]);
	});

	test.each([402, 403])(
		'that does not fit is not accepted if the service certainly refuses to send the repetition (%i)',
		async (status) => {
			const execution = await people.ask([anna], { responseType: 'number' });
			await service.fault({ endpoint: 'sendText', status });
			expect((await post(event({ id: 'm1' }))).status).toBe(200);
			expect(await jsonOf(execution)).toMatchObject([
				{ replied: true, accepted: false, text: 'Hi' },
			]);
		},
	);
});
