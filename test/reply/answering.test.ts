/** Answering, over HTTP: the sandbox delivers what people write to the executions that wait for it. */
import type { INodeParameters } from 'n8n-workflow';

import { waitFor } from '../../tools/waitFor';
import type { Delivery } from '../../sandbox/deliveries';
import { useService } from '../support/service';
import type { WaitingExecution } from '../support/waiting';

const service = useService();
const [anna, berta, carl] = ['+15550001001', '+15550001002', '+15550001003'];
const question: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	to: '={{ $json.phone }}',
	message: 'Tuesday?',
};

const ask = async (people: string[], parameters: INodeParameters = {}, more: object = {}) =>
	await service.engine.runUntilWaiting({
		parameters: { ...question, ...parameters },
		items: people.map((phone) => ({ phone })),
		credentials: service.credentials(),
		...more,
	});
const state = () => service.sandbox.state;
const until = async (what: string, isSo: () => unknown) =>
	await waitFor(async () => Boolean(isSo()), { what, limit: 20_000, interval: 10 });

async function delivered(deliveries: Delivery[]): Promise<Delivery[]> {
	await until('messages to be delivered', () =>
		deliveries.every(({ state: fate }) => fate !== 'pending'),
	);
	return deliveries;
}
const write = async (from: string, text: string) =>
	await delivered(state().traffic.receive({ from, text }).deliveries);
/** Delivers once more what was delivered, to the webhooks that are still there. */
const again = async (deliveries: Delivery[]) =>
	await delivered(
		deliveries.flatMap(({ webhookId, event, data }) => {
			const webhook = state().webhooks.get(webhookId);
			return webhook ? state().deliveries.deliver(webhook, event, data) : [];
		}),
	);
const noneIsLeft = async () =>
	await until('all registrations to be removed', () => state().webhooks.all.length === 0);
const json = ({ outputs }: WaitingExecution) =>
	outputs?.flatMap((items) => items.map((item) => item.json));
const messages = ({ answers }: WaitingExecution) =>
	answers.map(({ body }) => (body as { message: string }).message);

test('goes on with the answer of the person who was asked, and with nobody else’s', async () => {
	const execution = await ask([anna]);
	await write(berta, 'Yes!');
	expect(execution.outputs).toBeUndefined();
	const { message, deliveries } = state().traffic.receive({ from: anna, text: 'Fine' });
	await delivered(deliveries);
	const json = {
		replied: true,
		accepted: true,
		from: anna,
		text: 'Fine',
		answer: 'Fine',
		messageId: message.id,
		time: message.createdAt,
		askedMessageId: state().messages.all[0].id,
	};
	expect(execution.outputs).toEqual([[{ json, pairedItem: { item: 0 } }]]);
	expect(messages(execution)).toEqual(['Not from the person who was asked', 'Answered']);
	await noneIsLeft();
});

test.each([
	['+525512345678', '5215512345678'],
	['+5511987654321', '+551187654321'],
])('knows the reply of %s from %s, the other number of that phone', async (to, from) => {
	const execution = await ask([to]);
	await write(from, 'Fine');
	expect(json(execution)).toMatchObject([{ replied: true, answer: 'Fine' }]);
	await noneIsLeft();
});

test.each<[INodeParameters, string, unknown]>([
	[{ responseType: 'approval' }, ' 👍 ', true],
	[{ responseType: 'approval' }, 'No!', false],
	[{ responseType: 'approval', replyOptions: { yesWords: 'of course, yup' } }, 'Of course.', true],
	[{ responseType: 'choice', choices: 'Small, Large' }, 'large', 'Large'],
	[{ responseType: 'choice', choices: 'Small, Large' }, '1', 'Small'],
	[{ responseType: 'number' }, '1.234,5', 1234.5],
	[{ responseType: 'number' }, '1,234,567', 1234567],
	[{ responseType: 'email' }, ' mailto:anna@example.com', 'anna@example.com'],
	[{ responseType: 'date' }, '1/2/2030', '2030-02-01'],
	[{ responseType: 'date', replyOptions: { dateOrder: 'monthFirst' } }, '1/2/2030', '2030-01-02'],
])('%j: %j is an answer', async (parameters, text, answer) => {
	const execution = await ask([anna], parameters);
	await write(anna, text);
	const approved = parameters.responseType === 'approval' ? { approved: answer } : {};
	expect(json(execution)).toEqual([
		expect.objectContaining({ accepted: true, text, answer, ...approved }),
	]);
});

test.each<[INodeParameters, string, string]>([
	[{ responseType: 'approval' }, 'maybe', 'yes or no'],
	[{ responseType: 'choice', choices: 'Small, Large' }, '3', 'one of these: 1) Small, 2) Large'],
	[{ responseType: 'number' }, '1,234', 'a number in digits'],
	[{ responseType: 'number' }, 'many', 'a number in digits'],
	[{ responseType: 'email' }, 'anna at example', 'an e-mail address'],
	[{ responseType: 'date' }, '31.2.2030', 'a date, e.g. 2030-01-31'],
	[{ responseType: 'date', replyOptions: { repeatText: 'When?' } }, 'soon', 'When?'],
])(
	'%j: after %j the question is asked again with %j, and in the end the answer is not accepted',
	async (parameters, text, words) => {
		const { replyOptions } = parameters;
		const execution = await ask([anna], {
			...parameters,
			replyOptions: { ...(replyOptions as object), repeats: 1 },
		});
		const first = await write(anna, text);
		await again(first); // the same message once more is no second answer
		expect(service.sent().slice(1)).toEqual([
			expect.objectContaining({ phone: anna, text: expect.stringContaining(words) }),
		]);
		expect(messages(execution)).toEqual(['The question was repeated', 'Delivered before']);
		await write(anna, `${text}!`);
		expect(json(execution)).toEqual([
			expect.objectContaining({ replied: true, accepted: false, text: `${text}!`, answer: null }),
		]);
	},
);

test('several people: everybody’s own answer, kept at the service until the last one came', async () => {
	await service.fault({ endpoint: 'sendText', skip: 1, status: 422, body: { message: 'no' } });
	const execution = await ask(
		[anna, berta, carl],
		{ options: { concurrency: 1 } },
		{ onError: 'continueRegularOutput' },
	);
	const long = 'x'.repeat(2_000);
	await write(carl, long);
	await write(carl, 'and more');
	expect(messages(execution)).toContain('The answers of others are awaited');
	expect(messages(execution)).toContain('Answered before');
	expect(execution.outputs).toBeUndefined();
	await write(anna, 'mine');
	expect(execution.outputs).toEqual([
		[
			{ json: expect.objectContaining({ from: anna, text: 'mine' }), pairedItem: { item: 0 } },
			{
				json: { error: expect.objectContaining({ sendStatus: 'notSent' }) },
				pairedItem: { item: 1 },
			},
			{
				json: expect.objectContaining({ from: carl, text: long.slice(0, 1_500), textIsCut: true }),
				pairedItem: { item: 2 },
			},
		],
	]);
	await noneIsLeft();
});

test('what failed while others were asked goes to the error output', async () => {
	await service.fault({ endpoint: 'sendText', status: 422, body: { message: 'no' } });
	const execution = await ask(
		[anna, berta],
		{ options: { concurrency: 1 } },
		{ onError: 'continueErrorOutput' },
	);
	await write(berta, 'mine');
	expect(execution.outputs?.map((items) => items.map(({ pairedItem }) => pairedItem))).toEqual([
		[{ item: 1 }],
		[{ item: 0 }],
	]);
});

test('of two questions to the same person the later one gets the answer first', async () => {
	const earlier = await ask([anna]);
	const later = await ask([anna]);
	await write(anna, 'first');
	expect(json(later)).toMatchObject([{ text: 'first' }]);
	expect(earlier.outputs).toBeUndefined();
	await write(anna, 'second');
	expect(json(earlier)).toMatchObject([{ text: 'second' }]);
});

test('a later question whose execution was stopped does not keep the answer from the earlier one', async () => {
	const earlier = await ask([anna]);
	(await ask([anna])).stop();
	await write(anna, 'Hello?');
	expect(json(earlier)).toMatchObject([{ text: 'Hello?' }]);
	await noneIsLeft();
});

test.each<[INodeParameters, unknown]>([
	[{}, [{ replied: false, accepted: false, from: anna, answer: null }]],
	[
		{ responseType: 'approval' },
		[{ replied: false, accepted: false, from: anna, answer: null, approved: false }],
	],
	[{ replyOptions: { whenTimeIsUp: 'nothing' } }, []],
])('goes on when the time is up: %j gives %j', async (parameters, items) => {
	const execution = await ask([anna], { timeLimit: 0.005, timeUnit: 'minutes', ...parameters });
	await until('the time to be up', () => execution.outputs);
	expect(json(execution)).toMatchObject(items as object[]);
	await noneIsLeft();
});

describe('a delivery that is no answer', () => {
	const post = async (body: unknown, change = (url: string) => url) => {
		const { url } = state().webhooks.all[0];
		const response = await fetch(change(url), {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body),
		});
		return { status: response.status, body: await response.json() };
	};
	const event = { event: 'message.received', data: { from: anna, text: 'Hi' } };

	test.each([
		['without a ticket', event, (url: string) => url.replace('wait=', 'other='), 410],
		[
			'with a ticket of another key',
			event,
			(url: string) => url.replace(/wait=[\w-]{20}/, `wait=${'A'.repeat(20)}`),
			410,
		],
		['that is no event', { text: 'Hi' }, undefined, 400],
		[
			'of a message from before the question',
			{ ...event, data: { ...event.data, timestamp: '2001-01-01T00:00:00Z' } },
			undefined,
			200,
		],
		['of a message from nobody', { ...event, data: { text: 'Hi' } }, undefined, 200],
	])('%s is answered and changes nothing', async (_, body, change, status) => {
		const execution = await ask([anna]);
		expect((await post(body, change)).status).toBe(status);
		expect(execution.outputs).toBeUndefined();
		await write(anna, 'Now');
		expect(json(execution)).toMatchObject([{ text: 'Now' }]);
	});

	test('is asked for again if the service fails meanwhile, and counts then', async () => {
		const execution = await ask([anna], { responseType: 'number' });
		await service.fault({ endpoint: 'sendText', status: 403 });
		expect(await post({ ...event, data: { ...event.data, id: 'm1' } })).toEqual({
			status: 503,
			body: { message: 'Not handled at the moment' },
		});
		expect((await post({ ...event, data: { ...event.data, id: 'm1' } })).body).toEqual({
			message: 'The question was repeated',
		});
		expect(execution.outputs).toBeUndefined();
	});
});
