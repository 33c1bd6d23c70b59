/** What a reply outputs, over HTTP: the sandbox delivers people's messages to the inbox, which gives them to the execution. */
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { Triggers, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';
import { People, anna, berta, jsonOf, startedBy } from './support';

const service = useService();
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;
const inbox = async () =>
	await triggers.active({ webhookId: `answering-${++count}`, parameters: { keepReplies: true } });

test('continues with the reply of the person who was asked, and not with a message of anybody else', async () => {
	const trigger = await inbox();
	const execution = await people.ask([anna]);
	await people.write(berta, 'Yes!');
	expect(execution.outputs).toBeUndefined();
	const { message, deliveries } = people.state.traffic.receive({ from: anna, text: 'Fine' });
	await people.delivered(deliveries);
	const json = {
		replied: true,
		valid: true,
		from: anna,
		text: 'Fine',
		answer: 'Fine',
		messageId: message.id,
		respondedAt: message.createdAt,
		askedMessageId: people.state.messages.all[0].id,
	};
	await jsonOf(execution);
	expect(execution.outputs).toEqual([[{ json, pairedItem: { item: 0 } }]]);
	expect(startedBy(trigger)).toEqual(['Yes!']);
});

test('recognizes the reply of a phone whose number has two forms', async () => {
	await inbox();
	const execution = await people.ask(['+525512345678']);
	await people.write('5215512345678', 'Fine');
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, answer: 'Fine' }]);
});

test.each<[INodeParameters, string, unknown]>([
	[{ responseType: 'approval', replyOptions: { yesWords: 'of course, yup' } }, 'Of course.', true],
	[{ responseType: 'approval' }, 'No!', false],
	[{ responseType: 'choice', choices: 'Small, Large' }, '1', 'Small'],
	[{ responseType: 'choice', choices: '1 week, 2 weeks' }, '2', '2 weeks'],
	[{ responseType: 'choice', choices: '*, **, ***' }, '***', '***'],
	[{ responseType: 'number' }, '-3', -3],
	[{ responseType: 'date' }, '1 Feb 2030, after 4pm please', '2030-02-01'],
	[{ responseType: 'date' }, '12/31/2030', '2030-12-31'],
	[{ responseType: 'date', replyOptions: { dateOrder: 'dayFirst' } }, '1/2/2030', '2030-02-01'],
	[{ responseType: 'choice', choices: 'Refund, Exchange' }, 'the second one', 'Exchange'],
	[{ responseType: 'choice', choices: 'Refund, Exchange' }, 'refnd', 'Refund'],
	[{ responseType: 'approval' }, 'ok fine', true],
	[{ responseType: 'number' }, '1 000,50', 1000.5],
	[{ responseType: 'date', replyOptions: { dateOrder: 'monthFirst' } }, '1/2/2030', '2030-01-02'],
])('%j: %j is an answer', async (parameters, text, answer) => {
	await inbox();
	const execution = await people.ask([anna], parameters);
	await people.write(anna, text);
	const approved = parameters.responseType === 'approval' ? { approved: answer } : {};
	expect(await jsonOf(execution)).toMatchObject([{ valid: true, text, answer, ...approved }]);
});

test('a picture without text is a reply without text', async () => {
	await inbox();
	const execution = await people.ask([anna]);
	const { webhooks, deliveries } = people.state;
	const data = { id: 'msg_1', from: anna, type: 'image' };
	await people.delivered([deliveries.deliver(webhooks.all[0], 'message.received', data)]);
	expect(await jsonOf(execution)).toMatchObject([{ replied: true, text: null, answer: null }]);
});

test.each<[INodeParameters, string, string]>([
	[{ responseType: 'approval' }, 'yes, but after 5pm', '❓ Tuesday?\n👍 / 👎'],
	[{ responseType: 'choice', choices: 'Small, Large' }, '3', '❓ Tuesday?\n1) Small\n2) Large'],
	[{ responseType: 'choice', choices: '2, 4, 6' }, '3', '❓ Tuesday?\n2\n4\n6'],
	[{ responseType: 'choice', choices: 'None, 1, 2, 3, More' }, '4', 'None\n1\n2\n3\nMore'],
	[{ responseType: 'choice', choices: 'Less than 5, 5, 10, 20' }, '2', 'Less than 5\n5'],
	[{ responseType: 'number' }, '10 12', '1, 2, 3, …'],
	[{ responseType: 'number' }, '2 3', '1, 2, 3, …'],
	[{ responseType: 'number' }, "5'11", '1, 2, 3, …'],
	[{ responseType: 'email' }, 'anna at example.com', '❓ Tuesday?\n…@…'],
	[{ responseType: 'date' }, '31.2.2030', '❓ Tuesday?\n📅 '],
	[{ responseType: 'date' }, '1/2/2030', '❓ Tuesday?\n📅 January 2, 2030\n📅 February 1, 2030'],
	[{ responseType: 'date', repeatText: 'When?' }, 'soon', 'When?'],
])(
	'%j: after %j the question is asked again with %j, and in the end the reply is not valid',
	async (parameters, text, words) => {
		const replyOptions = { ...(parameters.replyOptions as object), repeats: 1 };
		await inbox();
		const execution = await people.ask([anna], { ...parameters, replyOptions });
		const first = await people.write(anna, text);
		await people.again(first); // a second delivery of the same message is no second answer
		expect(service.sent().slice(1)).toEqual([
			expect.objectContaining({ phone: anna, text: expect.stringContaining(words) }),
		]);
		await people.write(anna, `${text}!`);
		const json = { replied: true, valid: false, text: `${text}!`, answer: null };
		expect(await jsonOf(execution)).toMatchObject([json]);
	},
);

test('a date is asked for until it is certain: not past, and only one day; the question is repeated in its own words', async () => {
	await inbox();
	const question = { responseType: 'date', message: '¿Qué día le conviene?' };
	const more = { timezone: 'Asia/Tokyo' }; // the number does not show where in America the person is
	const execution = await people.ask([anna], { ...question, replyOptions: { repeats: 3 } }, more);
	const today = DateTime.now().setZone('Asia/Tokyo');
	const inWords = (...dates: DateTime[]) => {
		const written = dates.map((one) => one.toLocaleString(DateTime.DATE_FULL, { locale: 'en-US' }));
		return `📅 ${written.join(', ')}`;
	};
	const repeated = () => service.sent().at(-1)?.text;
	await people.write(anna, today.minus({ days: 3 }).toFormat('d. M. yyyy'));
	const examples = inWords(today.plus({ days: 7 }), today.plus({ days: 8 }));
	expect(repeated()).toBe(`❓ ¿Qué día le conviene?\n${examples}, …`);
	await people.write(anna, `01/02/${today.year + 1}`);
	const [january, february] = [
		DateTime.utc(today.year + 1, 1, 2),
		DateTime.utc(today.year + 1, 2, 1),
	];
	expect(repeated()).toBe(`❓ ¿Qué día le conviene?\n${inWords(january)}\n${inWords(february)}`);
	await people.write(anna, 'mañana o el lunes');
	expect(repeated()).toContain('❓ ¿Qué día le conviene?');
	await people.write(anna, 'Mañana, por favor');
	const answer = today.plus({ days: 1 }).toISODate();
	expect(await jsonOf(execution)).toMatchObject([
		{ valid: true, text: 'Mañana, por favor', answer },
	]);
	expect(service.sent()).toHaveLength(4);
});

test('a past date is an answer if Not Before Today is off', async () => {
	await inbox();
	const replyOptions = { notBeforeToday: false };
	const execution = await people.ask([anna], { responseType: 'date', replyOptions });
	await people.write(anna, '12 May 1985');
	expect(await jsonOf(execution)).toMatchObject([{ valid: true, answer: '1985-05-12' }]);
});

test.each<[repeats: number, texts: string[]]>([
	[0, ['one']],
	[1, ['one', 'one']],
	[3, ['one', 'two', 'three', 'four']],
	[0, ['STOP', 'one']],
	[1, ['Stop', 'one', 'two']],
	[2, ['one', 'STOP', 'unsubscribe', 'two', 'three']],
])('%d repetitions of the question go to each person; %j end the wait', async (repeats, texts) => {
	// A service that recognizes repeated requests sends nothing if two repetitions have the same idempotency key.
	people.state.settings.recognizesIdempotencyKeys = true;
	await inbox();
	const parameters = { responseType: 'number', replyOptions: { repeats } };
	const execution = await people.ask([anna, berta], parameters);
	let unclear = 0;
	for (const text of texts) {
		expect(execution.outputs).toBeUndefined();
		for (const from of [anna, berta]) await people.write(from, text);
		if (!/^(stop|unsubscribe)$/i.test(text)) unclear++;
		const received = 1 + Math.min(unclear, repeats);
		expect(service.received()).toEqual({ [anna]: received, [berta]: received });
	}
	const last = { valid: false, text: texts.at(-1) };
	expect(await jsonOf(execution)).toMatchObject([anna, berta].map((from) => ({ from, ...last })));
});

test.each<[INodeParameters, unknown]>([
	[{}, [{ replied: false, valid: false, from: anna, answer: null }]],
	[
		{ responseType: 'approval' },
		[{ replied: false, valid: false, from: anna, answer: null, approved: false }],
	],
	[{ replyOptions: { onTimeout: 'nothing' } }, []],
])('continues when the time is up: %j outputs %j', async (parameters, items) => {
	await inbox();
	const execution = await people.ask([anna], {
		limitWaitTime: 0.005,
		waitTimeUnit: 'minutes',
		...parameters,
	});
	await until('the time to be up', () => execution.outputs);
	expect(await jsonOf(execution)).toMatchObject(items as object[]);
});

test('failed items go to the error output', async () => {
	await inbox();
	const execution = await people.ask([anna, 'nobody'], {}, { onError: 'continueErrorOutput' });
	await people.write(anna, 'mine');
	const failed = { phone: 'nobody', details: { sendStatus: 'notSent' } };
	await jsonOf(execution);
	expect(execution.outputs).toMatchObject([
		[{ json: { text: 'mine' }, pairedItem: { item: 0 } }],
		[{ json: failed, pairedItem: { item: 1 } }],
	]);
});
