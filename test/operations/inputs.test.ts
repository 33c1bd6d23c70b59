/** What users fill in, from the form to the request: what is sent, and what is refused before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { useService } from '../support/service';

const service = useService({ sampleContacts: 1 });
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '+15550001000',
	text: 'Hi',
};
const contact = () => ({ __rl: true, mode: 'id', value: service.sandbox.state.contacts.all[0].id });
const field = (name: unknown, type: string, value: unknown) =>
	({ additionalFields: { field: [{ name, type, value }] } }) as INodeParameters;
const errorOf = async (parameters: INodeParameters) => (await service.run({ parameters })).error;
const received = (endpoint: EndpointName) =>
	service.sandbox.state.requests.last().filter((request) => request.endpoint === endpoint);

test.each([
	['0049 (170) 12.34-567', '+491701234567'],
	['  +1 (555) 000–1234 ', '+15550001234'],
	['+49 (0)170 1234567', '+491701234567'],
	['={{ 15550001234 }}', 'Did you mean +15550001234?'],
	['+49 CALL ME', 'Write it with + and the country code'],
	['+4917012345678901', 'After +49 come 5, 6, 7, 8, 9, 10, 11, 12, 13 digits.'],
	['+49170', 'After +49 come 5, 6, 7, 8, 9, 10, 11, 12, 13 digits.'],
	['+0170 1234567', 'Write it with + and the country code'],
])('%s as recipient: %s', async (to, outcome) => {
	const { error } = await service.run({ parameters: { ...send, to } });
	if (outcome.startsWith('+')) expect(service.sent().map(({ phone }) => phone)).toEqual([outcome]);
	else
		expect(error).toMatchObject({
			message: expect.stringContaining("'Recipient Phone Number'"),
			description: expect.stringContaining(outcome),
		});
	expect(service.calls('sendText')).toBe(outcome.startsWith('+') ? 1 : 0);
});

test.each<[string, unknown, unknown]>([
	['text', 'order-7', 'order-7'],
	['text', '={{ 7 }}', '7'],
	['number', ' 1.5 ', 1.5],
	['boolean', 'TRUE', true],
	['boolean', '={{ false }}', false],
	['json', '{ "a": [1] }', { a: [1] }],
	['json', '={{ { a: 1 } }}', { a: 1 }],
	['json', ' ', undefined],
])('an Additional Field of type %s with %j is sent as %j', async (type, value, sent) => {
	expect(await errorOf({ ...send, ...field('reference', type, value) })).toBeUndefined();
	expect(received('sendText')[0].body).toEqual({
		to: '+15550001000',
		text: 'Hi',
		...(sent !== undefined && { reference: sent }),
	});
});

test.each<[INodeParameters, string]>([
	[field('n', 'number', 'many'), 'The Additional Field "n" is not a number'],
	[field('n', 'number', ' '), 'The Additional Field "n" is not a number'],
	[field('b', 'boolean', 'yes'), 'The Additional Field "b" is not true or false'],
	[field('j', 'json', '{'), 'The Additional Field "j" is not valid JSON'],
	[field(' ', 'text', 'x'), 'One of the Additional Fields has no name'],
	[field('text', 'text', 'x'), 'The Additional Field "text" is set by a field of the node already'],
	[
		{ queryParameters: { parameter: [{ name: '', value: 'x' }] } },
		'One of the Query Parameters has no name',
	],
	[{ text: '={{ $json.missing }}' }, "'Text' is empty"],
	[{ text: ' \n ' }, "'Text' is empty"],
	[{ to: '={{ $json.missing }}' }, "'Recipient Phone Number' is empty"],
	[{ options: { timeout: '={{ $json.missing }}' } }, "'Timeout (Seconds)' is empty"],
	[{ options: { timeout: '={{ 0 }}' } }, '\'Timeout (Seconds)\' cannot be "0"'],
	[{ options: { timeout: '={{ 5000000 }}' } }, '\'Timeout (Seconds)\' cannot be "5000000"'],
	[{ options: { concurrency: '={{ 1e9 }}' } }, '\'Simultaneous Requests\' cannot be "1000000000"'],
	[field('a', '={{ "txet" }}', 'x'), '\'Type\' cannot be "txet"'],
	[
		{
			additionalFields: {
				field: [
					{ name: 'reference', type: 'text', value: 'a' },
					{ name: ' reference', type: 'text', value: 'b' },
				],
			},
		},
		'The Additional Field "reference" is there twice',
	],
	[
		{
			queryParameters: {
				parameter: [
					{ name: 'from', value: 'a' },
					{ name: 'from', value: 'b' },
				],
			},
		},
		'The Query Parameter "from" is there twice',
	],
	[
		{
			filters: { segment: { __rl: true, mode: 'name', value: 'news' } },
			queryParameters: { parameter: [{ name: 'segment', value: 'a' }] },
		},
		'The Query Parameter "segment" is set by a field of the node already',
	],
	[{ returnAll: '={{ "maybe" }}', queryParameters: {} }, '\'Return All\' cannot be "maybe"'],
	[{ limit: '={{ $json.missing }}', queryParameters: {} }, "'Limit' is empty"],
])('%j is refused with "%s" before anything is sent', async (parameters, message) => {
	const query = 'queryParameters' in parameters;
	const base: INodeParameters = query ? { resource: 'contact', operation: 'getAll' } : send;
	const error = await errorOf({ ...base, ...parameters });
	expect(error).toMatchObject({
		message: `${message} [item 0]`,
		context: { sendStatus: 'notSent' },
	});
	expect(received(query ? 'listContacts' : 'sendText')).toEqual([]);
});

test('Query Parameters go along with the request', async () => {
	const parameters = {
		resource: 'analytics',
		operation: 'getMessageStatistics',
		queryParameters: { parameter: [{ name: 'from', value: '2030-01-31' }] },
	};
	expect(await errorOf(parameters)).toBeUndefined();
	expect(received('getMessageStatistics')[0].url).toMatch(/\?from=2030-01-31$/);
});

test('an update sends what was filled in, and nothing to change is an error', async () => {
	const update = { resource: 'contact', operation: 'update', contactId: contact() };
	expect((await errorOf({ ...update, updateFields: {} }))?.message).toBe(
		'There is nothing to change [item 0]',
	);
	expect(
		await errorOf({ ...update, updateFields: { phone: '0049 170 7654321', unknown: 'x' } }),
	).toBeUndefined();
	expect(received('updateContact').map(({ body }) => body)).toEqual([{ phone: '+491707654321' }]);
});

test.each(['.', '..'])('"%s" is no identifier of a record', async (value) => {
	const error = await errorOf({
		resource: 'contact',
		operation: 'update',
		contactId: { __rl: true, mode: 'id', value },
		updateFields: { name: 'Anna' },
	});
	expect(error?.message).toBe('The record ID is empty or invalid [item 0]');
});

test('a value that a field does not have is refused with those that it has', async () => {
	const error = await errorOf({
		resource: 'message',
		operation: 'sendAndWait',
		to: '+15550001000',
		message: 'Shall we?',
		responseType: '={{ "approvall" }}',
		choices: 'a',
	});
	expect(error).toMatchObject({
		message: '\'Accepted Answer\' cannot be "approvall" [item 0]',
		description: expect.stringContaining(
			'Its values are "freeText", "date", "email", "number", "choice", "approval".',
		),
	});
	expect(service.calls('sendText')).toBe(0);
});

test('an operation that does not exist is named', async () => {
	expect((await errorOf({ resource: 'message', operation: 'fly' }))?.message).toContain(
		'"fly" of "message" does not exist',
	);
});

test('spaces around what is typed are left out', async () => {
	const runs: Array<[EndpointName, INodeParameters, object]> = [
		[
			'createTemplate',
			{
				resource: 'template',
				operation: 'create',
				name: ' promo ',
				language: ' en_US ',
				componentsJson: '[{ "type": "BODY", "text": "Hi" }]',
			},
			{ name: 'promo', language: 'en_US' },
		],
		[
			'createWebhook',
			{ resource: 'webhook', operation: 'create', url: ' https://example.com/a ' },
			{ url: 'https://example.com/a' },
		],
		[
			'sendTemplate',
			{
				...send,
				operation: 'sendTemplate',
				template: { __rl: true, mode: 'name', value: 'login_code' },
				language: { __rl: true, mode: 'code', value: ' en_US ' },
				specifyVariables: 'json',
				componentsJson: '{ "type": "body", "parameters": [{ "type": "text", "text": "x" }] }',
				headerDocumentUrl: ' https://example.com/a.pdf ',
			},
			{
				language: 'en_US',
				headerDocumentUrl: 'https://example.com/a.pdf',
				components: [{ type: 'body' }],
			},
		],
	];
	for (const [endpoint, parameters, body] of runs) {
		await errorOf(parameters);
		expect(received(endpoint).map((request) => request.body)).toEqual([
			expect.objectContaining(
				'components' in body
					? { ...body, components: [expect.objectContaining({ type: 'body' })] }
					: body,
			),
		]);
	}
});

test('a contact is created with the name that it has, or without', async () => {
	const create = { resource: 'contact', operation: 'create', phone: '+15550001234' };
	await errorOf({ ...create, name: 'Anna' });
	await errorOf({ ...create, phone: '+15550001235' });
	expect(received('createContact').map(({ body }) => body)).toEqual([
		{ phone: '+15550001234', name: 'Anna' },
		{ phone: '+15550001235' },
	]);
});

test('contacts are listed of one segment, or of all', async () => {
	const list = { resource: 'contact', operation: 'getAll' };
	await errorOf({
		...list,
		filters: { segment: { __rl: true, mode: 'name', value: 'news letter' } },
	});
	await errorOf({ ...list, filters: { segment: { __rl: true, mode: 'name', value: '' } } });
	const segments = received('listContacts').map(({ url }) =>
		new URL(url, 'http://x').searchParams.get('segment'),
	);
	expect([...new Set(segments)]).toEqual(['news letter', null]);
});
