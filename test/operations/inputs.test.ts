/** What users fill in, from the form to the request: what is sent, and what is refused before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { readSettings } from '../../nodes/BusinessMessaging/operations/message/question';
import { locator, sendText as send, useService } from '../support/service';

const service = useService({ sampleContacts: 1 });
const list: INodeParameters = { resource: 'contact', operation: 'getAll' };
const additional = (...fields: Array<[name: unknown, type: string, value: unknown]>) => ({
	additionalFields: { field: fields.map(([name, type, value]) => ({ name, type, value })) },
});
const query = (...pairs: string[][]) => ({
	queryParameters: { parameter: pairs.map(([name, value]) => ({ name, value })) },
});

test.each<[string, unknown, unknown]>([
	['text', '={{ 7 }}', '7'],
	['text', '"\\ 👍 \u2028', '"\\ 👍 \u2028'],
	['number', ' 1.5 ', 1.5],
	['boolean', 'TRUE', true],
	['boolean', '={{ false }}', false],
	['json', '{ "a": [1] }', { a: [1] }],
	['json', '={{ { a: 1 } }}', { a: 1 }],
	['json', ' ', undefined],
])('an Additional Field of type %s with %j is sent as %j', async (type, value, sent) => {
	const fields = additional(['name[]', type, value]);
	expect(await service.errorOf({ ...send, ...fields })).toBeUndefined();
	const own = sent === undefined ? {} : { 'name[]': sent };
	expect(service.requests('sendText')[0].body).toEqual({ to: '+15550001000', text: 'Hi', ...own });
});

const segment = { segment: 'news' };
const options = (option: object) => ({ options: option });
const missing = '={{ $json.missing }}';
const question = { operation: 'sendAndWait', message: 'Shall we?', choices: 'a', text: undefined };
const otherField = 'which another field';
const noTime = "'Limit Wait Time' is not a time between 0 and 365 days";

test.each<[object, object, string]>([
	[send, additional(['n', 'number', 'many']), '\'Additional Fields: n\' cannot be "many"'],
	[send, additional(['n', 'number', ' ']), "'Additional Fields: n' is empty"],
	[send, additional(['b', 'boolean', 'yes']), '\'Additional Fields: b\' cannot be "yes"'],
	[send, additional(['j', 'json', '{']), "'Additional Fields: j' is not valid JSON"],
	[send, additional([' ', 'text', 'x']), "A row of 'Additional Fields' has no name"],
	[send, additional(['text', 'text', 'x']), `'Additional Fields' sets "text", ${otherField}`],
	[
		send,
		additional(['a', 'text', 'x'], [' a', 'text', 'y']),
		'\'Additional Fields\' contains "a" twice',
	],
	[send, additional(['a', '={{ "txet" }}', 'x']), '\'Type\' cannot be "txet"'],
	[send, { text: missing }, "'Text' is empty"],
	[send, { text: ' \n ' }, "'Text' is empty"],
	[send, { to: missing }, "'Recipient Phone Number' is empty"],
	[send, options({ timeout: missing }), "'Timeout (Seconds)' is empty"],
	[send, options({ timeout: '={{ 0 }}' }), '\'Timeout (Seconds)\' cannot be "0"'],
	[send, options({ timeout: '={{ 5000000 }}' }), '\'Timeout (Seconds)\' cannot be "5000000"'],
	[
		send,
		options({ concurrency: '={{ 1e9 }}' }),
		'\'Simultaneous Requests\' cannot be "1000000000"',
	],
	[send, { operation: 'fly' }, '"fly" of "message" does not exist'],
	[
		send,
		{ ...question, responseType: '={{ "approvall" }}' },
		'\'Response Type\' cannot be "approvall"',
	],
	[send, { ...question, limitWaitTime: 0 }, noTime],
	[send, { ...question, responseType: 'choice', choices: ' , ' }, "'Choices' is empty"],
	[send, { ...question, message: ' ' }, "'Message' is empty"],
	[list, query(['', 'x']), "A row of 'Query Parameters' has no name"],
	[list, query(['from', 'a'], ['from', 'b']), '\'Query Parameters\' contains "from" twice'],
	[list, { ...query(['segment', 'a']), filters: segment }, `sets "segment", ${otherField}`],
	[list, { returnAll: '={{ "maybe" }}' }, '\'Return All\' cannot be "maybe"'],
	[list, { limit: missing }, "'Limit' is empty"],
	[list, { limit: '={{ NaN }}' }, "'Limit' is empty"],
	[list, { limit: '={{ -5 }}' }, '\'Limit\' cannot be "-5"'],
	[list, { limit: '={{ 0 }}' }, '\'Limit\' cannot be "0"'],
	[list, { limit: '={{ 2.5 }}' }, '\'Limit\' cannot be "2.5"'],
])('%j with %j is refused before anything is sent: %s', async (parameters, own, words) => {
	expect((await service.errorOf({ ...parameters, ...own }))?.message).toContain(words);
	expect(service.requests()).toEqual([]);
});

test.each<[object, string]>([
	[{ ...list, limit: 0 }, 'Enter a whole number of at least 1.'],
	[{ ...send, options: { concurrency: '={{ 0 }}' } }, 'Enter a whole number from 1 to '],
	[{ ...list, returnAll: '={{ "x" }}' }, 'Enter true or false'],
	[{ ...send, ...additional(['a', '={{ "x" }}', 'x']) }, 'Choose one of "json", "number", '],
])('%j is refused with advice', async (parameters, advice) => {
	expect(await service.errorOf(parameters)).toMatchObject({
		description: expect.stringContaining(advice),
		context: { sendStatus: 'notSent' },
	});
});

test('an update sends what was filled in, and nothing to change is an error', async () => {
	const contactId = locator(service.sandbox.state.contacts.all[0].id);
	const update = { resource: 'contact', operation: 'update', contactId };
	const nothing = await service.errorOf({ ...update, updateFields: {} });
	expect(nothing?.message).toBe('There is nothing to change [item 0]');
	const updateFields = { phone: '0049 170 7654321', unknown: 'x' };
	expect(await service.errorOf({ ...update, updateFields })).toBeUndefined();
	const bodies = service.requests('updateContact').map(({ body }) => body);
	expect(bodies).toEqual([{ phone: '+491707654321' }]);
});

const template = { resource: 'template', operation: 'create', language: ' en_US ' };
const login = {
	...send,
	operation: 'sendTemplate',
	text: undefined,
	template: locator('login_code', 'name'),
	language: locator(' en_US ', 'code'),
	specifyVariables: 'json',
	componentsJson: '{ "type": "body", "parameters": [{ "type": "text", "text": "x" }] }',
	headerDocumentUrl: ' https://a.test/a.pdf ',
};
const contact = { resource: 'contact', operation: 'create', phone: '+15550001234' };

test.each<[EndpointName, object, object]>([
	[
		'createWebhook',
		{ resource: 'webhook', operation: 'create', url: ' https://a.test/a ' },
		expect.objectContaining({ url: 'https://a.test/a' }),
	],
	[
		'createTemplate',
		{ ...template, name: ' promo ', body: 'Hi' },
		expect.objectContaining({ name: 'promo', language: 'en_US' }),
	],
	[
		'sendTemplate',
		login,
		expect.objectContaining({
			language: 'en_US',
			headerDocumentUrl: 'https://a.test/a.pdf',
			components: [expect.objectContaining({ type: 'body' })],
		}),
	],
	['createContact', { ...contact, name: 'Anna' }, { phone: '+15550001234', name: 'Anna' }],
	['createContact', contact, { phone: '+15550001234' }],
])(
	'%s gets what was typed, without the spaces around it: %j',
	async (endpoint, parameters, body) => {
		await service.errorOf(parameters);
		expect(service.requests(endpoint).map((request) => request.body)).toEqual([body]);
	},
);

test('contacts are listed of one segment, or of all, and Query Parameters go along', async () => {
	const news = { segment: ' news letter' };
	await service.errorOf({ ...list, filters: news, ...query(['from', '2030-01-31']) });
	await service.errorOf({ ...list, filters: { segment: '' } });
	const asked = service.requests('listContacts').map(({ url }) => {
		const { searchParams } = new URL(url, 'http://x');
		return `${searchParams.get('segment')} ${searchParams.get('from')}`;
	});
	expect([...new Set(asked)]).toEqual(['news letter 2030-01-31', 'null null']);
});

test('a request says that it brings JSON where it brings some', async () => {
	await service.errorOf(list);
	await service.errorOf(send);
	const headers = service.requests().map((request) => request.headers);
	const types = new Set(headers.map(({ accept, ...own }) => [accept, own['content-type']].join()));
	expect([...types]).toEqual(['application/json,', 'application/json,application/json']);
});

/** How numbers are read: test/phone. */
describe('phone numbers', () => {
	const local = '07700 900123';
	const recipients = () => service.sent().map(({ phone }) => phone);

	/** Runs with the Default Country of the credential. */
	const runIn = async (defaultCountry: string, parameters: INodeParameters) =>
		await service.run({ parameters, credentials: service.credentials({ defaultCountry }) });

	test.each<[string, EndpointName, INodeParameters]>([
		['Send Text', 'sendText', { ...send, to: local }],
		['Send Template', 'sendTemplate', { ...login, to: local }],
		['Create', 'createContact', { ...contact, phone: local }],
		['Create or Update', 'createContact', { ...contact, operation: 'upsert', phone: local }],
	])('%s reads local numbers of the Default Country', async (_, endpoint, parameters) => {
		await runIn('none', { ...parameters, options: { defaultCountry: 'GB' } });
		const [{ body }] = service.requests(endpoint);
		expect(JSON.stringify(body)).toContain('"+447700900123"');
	});

	test('the Default Country of the credential counts where the node has none', async () => {
		expect((await runIn('GB', { ...send, to: local })).error).toBeUndefined();
		expect((await runIn('plusMissing', { ...send, to: '447700900124' })).error).toBeUndefined();
		const options = { defaultCountry: 'none' };
		const { error } = await runIn('GB', { ...send, to: local, options });
		const field = "'Recipient Phone Number'";
		expect(error?.message).toBe(`"${local}" in ${field} has no country code [item 0]`);
		expect(recipients()).toEqual(['+447700900123', '+447700900124']);
	});

	test('a value that is not a number is refused before anything is sent, with advice', async () => {
		const { error } = await service.run({
			parameters: { ...send, to: '={{ $json.to }}' },
			items: [{ to: '+447700900123' }, { to: 447700900124 }],
		});
		expect(error).toMatchObject({
			message: '"447700900124" in \'Recipient Phone Number\' has no country code [item 1]',
			description: expect.stringContaining('Did you mean +447700900124?'),
			context: { itemIndex: 1, sendStatus: 'notSent' },
		});
		expect(service.calls('sendText')).toBe(0);
	});

	test('an extension is left out, which is said beside the output', async () => {
		const { error, hints } = await service.run({
			parameters: { ...send, to: '+447700900123 x12' },
		});
		expect([error, recipients()]).toEqual([undefined, ['+447700900123']]);
		const message = 'The extension 12 of +447700900123 was left out.';
		expect(hints).toMatchObject([{ message, location: 'outputPane' }]);
	});
});

describe('the fields of a question', () => {
	type Values = Parameters<typeof readSettings>[0];

	const untouched = {
		responseType: 'freeText',
		choices: '',
		limitWaitTime: 24,
		waitTimeUnit: 'hours',
		replyOptions: {},
	};
	const read = (values: object = {}) => readSettings({ ...untouched, ...values } as Values);

	test('by default mean a free text within a day, two repetitions, and an item for people who do not reply', () => {
		expect(read()).toEqual({
			kind: 'freeText',
			choices: [],
			limitMs: 24 * 60 * 60_000,
			repeats: 2,
			repeatText: '',
			yesWords: expect.arrayContaining(['yes', 'ja', '👍']),
			noWords: expect.arrayContaining(['no', 'nein', '👎']),
			isDayFirst: true,
			givesUnanswered: true,
			groupMs: 0,
		});
		expect(read({ replyOptions: undefined })).toEqual(read());
	});

	test.each<[object, object]>([
		[{ responseType: 'choice', choices: ' S, M ,\nL' }, { choices: ['S', 'M', 'L'] }],
		[{ limitWaitTime: 90, waitTimeUnit: 'minutes' }, { limitMs: 90 * 60_000 }],
		[{ limitWaitTime: 365, waitTimeUnit: 'days' }, { limitMs: 365 * 24 * 60 * 60_000 }],
		[{ replyOptions: { repeats: 3.9 } }, { repeats: 3 }],
		[{ replyOptions: { repeats: -1 } }, { repeats: 0 }],
		[{ replyOptions: { repeats: 'many' } }, { repeats: 0 }],
		[{ replyOptions: { repeats: null } }, { repeats: 2 }],
		[{ replyOptions: { repeatText: ' Once more? ' } }, { repeatText: 'Once more?' }],
		[{ replyOptions: { yesWords: ' aye,\nyo ,,' } }, { yesWords: ['aye', 'yo'] }],
		[{ replyOptions: { noWords: 'nay' } }, { noWords: ['nay'] }],
	])('%j means %j', (values, settings) => {
		expect(read(values)).toMatchObject(settings);
	});

	const enterTime = 'Enter how long to wait for the reply.';

	test.each<[object, string, string]>([
		[{ limitWaitTime: 365.01, waitTimeUnit: 'days' }, noTime, enterTime],
		[{ limitWaitTime: 'long' }, noTime, enterTime],
		[{ waitTimeUnit: 'weeks' }, noTime, enterTime],
		[{ responseType: 'choice', choices: ' , \n' }, "'Choices' is empty", 'Enter the possible'],
	])('%j is refused: %s', (values, message, description) => {
		expect(() => read(values)).toThrow(
			expect.objectContaining({ message, description: expect.stringContaining(description) }),
		);
	});
});
