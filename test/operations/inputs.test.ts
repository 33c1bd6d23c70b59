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
const list: INodeParameters = { resource: 'contact', operation: 'getAll' };
const additional = (...fields: Array<[name: unknown, type: string, value: unknown]>) => ({
	additionalFields: { field: fields.map(([name, type, value]) => ({ name, type, value })) },
});
const query = (...pairs: string[][]) => ({
	queryParameters: { parameter: pairs.map(([name, value]) => ({ name, value })) },
});
const errorOf = async (parameters: object) =>
	(await service.run({ parameters: parameters as INodeParameters })).error;
const received = (endpoint: EndpointName) =>
	service.sandbox.state.requests.last().filter((request) => request.endpoint === endpoint);

test.each<[string, unknown, unknown]>([
	['text', 'order-7', 'order-7'],
	['text', '={{ 7 }}', '7'],
	['text', '"\\ 👍 \u2028', '"\\ 👍 \u2028'],
	['number', ' 1.5 ', 1.5],
	['boolean', 'TRUE', true],
	['boolean', '={{ false }}', false],
	['json', '{ "a": [1] }', { a: [1] }],
	['json', '={{ { a: 1 } }}', { a: 1 }],
	['json', ' ', undefined],
])('an Additional Field of type %s with %j is sent as %j', async (type, value, sent) => {
	expect(await errorOf({ ...send, ...additional(['name[]', type, value]) })).toBeUndefined();
	const own = sent === undefined ? {} : { 'name[]': sent };
	expect(received('sendText')[0].body).toEqual({ to: '+15550001000', text: 'Hi', ...own });
});

const segment = { segment: { __rl: true, mode: 'name', value: 'news' } };
const options = (option: object) => ({ options: option });
const missing = '={{ $json.missing }}';
const ofSends: Array<[object, string]> = [
	[additional(['n', 'number', 'many']), '\'Additional Fields: n\' cannot be "many"'],
	[additional(['n', 'number', ' ']), "'Additional Fields: n' is empty"],
	[additional(['b', 'boolean', 'yes']), '\'Additional Fields: b\' cannot be "yes"'],
	[additional(['j', 'json', '{']), "'Additional Fields: j' is not valid JSON"],
	[additional([' ', 'text', 'x']), "A row of 'Additional Fields' has no name"],
	[additional(['text', 'text', 'x']), '\'Additional Fields\' sets "text", which another field'],
	[additional(['a', 'text', 'x'], [' a', 'text', 'y']), '\'Additional Fields\' contains "a" twice'],
	[additional(['a', '={{ "txet" }}', 'x']), '\'Type\' cannot be "txet"'],
	[{ text: missing }, "'Text' is empty"],
	[{ text: ' \n ' }, "'Text' is empty"],
	[{ to: missing }, "'Recipient Phone Number' is empty"],
	[options({ timeout: missing }), "'Timeout (Seconds)' is empty"],
	[options({ timeout: '={{ 0 }}' }), '\'Timeout (Seconds)\' cannot be "0"'],
	[options({ timeout: '={{ 5000000 }}' }), '\'Timeout (Seconds)\' cannot be "5000000"'],
	[options({ concurrency: '={{ 1e9 }}' }), '\'Simultaneous Requests\' cannot be "1000000000"'],
	[{ operation: 'fly' }, '"fly" of "message" does not exist'],
];
const ofLists: Array<[object, string]> = [
	[query(['', 'x']), "A row of 'Query Parameters' has no name"],
	[query(['from', 'a'], ['from', 'b']), '\'Query Parameters\' contains "from" twice'],
	[
		{ ...query(['segment', 'a']), filters: segment },
		'\'Query Parameters\' sets "segment", which another field',
	],
	[{ returnAll: '={{ "maybe" }}' }, '\'Return All\' cannot be "maybe"'],
	[{ limit: missing }, "'Limit' is empty"],
	[{ limit: '={{ NaN }}' }, "'Limit' is empty"],
	[{ limit: '={{ -5 }}' }, '\'Limit\' cannot be "-5"'],
	[{ limit: '={{ 0 }}' }, '\'Limit\' cannot be "0"'],
	[{ limit: '={{ 2.5 }}' }, '\'Limit\' cannot be "2.5"'],
	[{ limit: '={{ "many" }}' }, '\'Limit\' cannot be "many"'],
];
const question = { operation: 'sendAndWait', message: 'Shall we?', choices: 'a' };

test.each<[object, string]>([
	...ofSends.map(([own, words]): [object, string] => [{ ...send, ...own }, words]),
	...ofLists.map(([own, words]): [object, string] => [{ ...list, ...own }, words]),
	[
		{ ...send, ...question, text: undefined, responseType: '={{ "approvall" }}' },
		'\'Response Type\' cannot be "approvall"',
	],
])('%j is refused before anything is sent: %s', async (parameters, words) => {
	const error = await errorOf(parameters);
	expect(error?.message).toContain(words);
	expect(service.sandbox.state.requests.last()).toEqual([]);
});

test.each<[object, string]>([
	[{ ...list, limit: 0 }, 'Enter a whole number of at least 1.'],
	[{ ...send, options: { concurrency: '={{ 0 }}' } }, 'Enter a whole number from 1 to '],
	[{ ...list, returnAll: '={{ "x" }}' }, 'Enter true or false'],
	[{ ...send, ...additional(['a', '={{ "x" }}', 'x']) }, 'Its values are "json", "number", '],
])('%j is refused with advice', async (parameters, advice) => {
	const error = await errorOf(parameters);
	expect(error?.description).toContain(advice);
	expect(error?.context).toMatchObject({ sendStatus: 'notSent' });
});

test('Query Parameters go along with the request', async () => {
	const get = { resource: 'analytics', operation: 'getMessageStatistics' };
	expect(await errorOf({ ...get, ...query(['from', '2030-01-31']) })).toBeUndefined();
	expect(received('getMessageStatistics')[0].url).toMatch(/\?from=2030-01-31$/);
});

test('an update sends what was filled in, and nothing to change is an error', async () => {
	const value = service.sandbox.state.contacts.all[0].id;
	const contactId = { __rl: true, mode: 'id', value };
	const update = { resource: 'contact', operation: 'update', contactId };
	const nothing = await errorOf({ ...update, updateFields: {} });
	expect(nothing?.message).toBe('There is nothing to change [item 0]');
	const updateFields = { phone: '0049 170 7654321', unknown: 'x' };
	expect(await errorOf({ ...update, updateFields })).toBeUndefined();
	expect(received('updateContact').map(({ body }) => body)).toEqual([{ phone: '+491707654321' }]);
});

const template = { resource: 'template', operation: 'create', language: ' en_US ' };
const components = '{ "type": "body", "parameters": [{ "type": "text", "text": "x" }] }';

test.each<[EndpointName, object, object]>([
	[
		'createWebhook',
		{ resource: 'webhook', operation: 'create', url: ' https://a.test/a ' },
		{ url: 'https://a.test/a' },
	],
	[
		'createTemplate',
		{ ...template, name: ' promo ', componentsJson: '[{ "type": "BODY", "text": "Hi" }]' },
		{ name: 'promo', language: 'en_US' },
	],
	[
		'sendTemplate',
		{
			resource: 'message',
			operation: 'sendTemplate',
			to: '+15550001000',
			template: { __rl: true, mode: 'name', value: 'login_code' },
			language: { __rl: true, mode: 'code', value: ' en_US ' },
			specifyVariables: 'json',
			componentsJson: components,
			headerDocumentUrl: ' https://a.test/a.pdf ',
		},
		{
			language: 'en_US',
			headerDocumentUrl: 'https://a.test/a.pdf',
			components: [expect.objectContaining({ type: 'body' })],
		},
	],
	[
		'createContact',
		{ resource: 'contact', operation: 'create', phone: '+15550001234', name: 'Anna' },
		{ name: 'Anna' },
	],
])('%s gets what was typed, without the spaces around it', async (endpoint, parameters, body) => {
	await errorOf(parameters);
	const bodies = received(endpoint).map((request) => request.body);
	expect(bodies).toEqual([expect.objectContaining(body)]);
});

test('a contact without a name is created without one', async () => {
	await errorOf({ resource: 'contact', operation: 'create', phone: '+15550001235' });
	expect(received('createContact')[0].body).toEqual({ phone: '+15550001235' });
});

test('contacts are listed of one segment, or of all', async () => {
	for (const value of ['news letter', ''])
		await errorOf({ ...list, filters: { segment: { __rl: true, mode: 'name', value } } });
	const segments = received('listContacts').map(({ url }) =>
		new URL(url, 'http://x').searchParams.get('segment'),
	);
	expect([...new Set(segments)]).toEqual(['news letter', null]);
});

test('a request says that it brings JSON where it brings some', async () => {
	await errorOf(list);
	await errorOf(send);
	const headers = service.sandbox.state.requests.last().map((request) => request.headers);
	const types = new Set(headers.map(({ accept, ...own }) => [accept, own['content-type']].join()));
	expect([...types]).toEqual(['application/json,', 'application/json,application/json']);
});
