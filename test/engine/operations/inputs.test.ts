/** Values that users fill in, from the form to the request: what is sent, and what is refused before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import { locator, sendText as send, useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 1 });
const list: INodeParameters = { resource: 'contact', operation: 'getAll' };
const additional = (...fields: Array<[name: unknown, type: string, value: unknown]>) => ({
	additionalFields: { field: fields.map(([name, type, value]) => ({ name, type, value })) },
});
const query = (...pairs: string[][]) => ({
	queryParameters: { parameter: pairs.map(([name, value]) => ({ name, value })) },
});

test('Additional Fields are sent with the type that the user chose', async () => {
	const fields = additional(
		['n[]', 'text', '={{ 7 }}'],
		['number', 'number', ' 1.5 '],
		['yes', 'boolean', 'TRUE'],
		['no', 'boolean', '={{ false }}'],
		['json', 'json', '{ "a": [1] }'],
		['given', 'json', '={{ { a: 1 } }}'],
		['nothing', 'json', ' '],
	);
	expect(await service.errorOf({ ...send, ...fields })).toBeUndefined();
	const [{ body }] = service.requests('sendText');
	const sent = { number: 1.5, yes: true, no: false, json: { a: [1] }, given: { a: 1 } };
	expect(body).toEqual({ to: send.to, text: 'Hi', 'n[]': '7', ...sent });
});

test.each<[EndpointName, INodeParameters, string]>([
	['listContacts', { ...list, filters: {} }, 'segment'],
	['listContacts', { ...list, filters: { segment: ' ' } }, 'segment'],
	...['getMessageStatistics', 'getAgentStatistics', 'getCampaignStatistics'].flatMap((operation) =>
		['from', 'to'].map((name): [EndpointName, INodeParameters, string] => [
			operation as EndpointName,
			{ resource: 'analytics', operation },
			name,
		]),
	),
])(
	'%s: a query parameter counts if the field for it is empty: %j, %s',
	async (endpoint, own, name) => {
		const value = '2030-01-01';
		await service.run({ parameters: { ...own, ...query([name, value]) } });
		const queries = service.requests(endpoint).map(({ url }) => url.split('?')[1]);
		expect(queries.length).toBeGreaterThan(0);
		for (const sent of queries) expect(sent.split('&')).toContain(`${name}=${value}`);
	},
);

const withCode = { variables: { mappingMode: 'defineBelow', value: { body_1: '1' } } };
const header = [{ type: 'header', parameters: [] }];
const body = [{ type: 'body', parameters: [{ type: 'text', text: '1' }] }];

test.each<[string, string, unknown, object]>([
	['opening_hours', 'components', header, {}],
	['login_code', 'components', body, {}],
	['login_code', 'language', 'en_US', { language: '', ...withCode }],
	['opening_hours', 'headerDocumentUrl', 'https://a.test/a.pdf', {}],
	['opening_hours', 'reference', 'order-1', {}],
])(
	'with the template %s, %s in Additional Fields is sent: %j',
	async (name, field, value, more) => {
		const template = {
			operation: 'sendTemplate',
			template: locator(name, 'name'),
			language: 'en_US',
			text: undefined,
		};
		const fields = additional([field, typeof value === 'string' ? 'text' : 'json', value]);
		expect(await service.errorOf({ ...send, ...template, ...fields, ...more })).toBeUndefined();
		const bodies = service.requests('sendTemplate').map((request) => request.body);
		expect(bodies).toMatchObject([{ [field]: value }]);
	},
);

const missing = '={{ $json.missing }}';
const none = '{{ $json.missing }} in';
const question = { operation: 'sendAndWait', message: 'Shall we?', text: undefined };
const noChoices = { ...question, responseType: 'choice', choices: ' , ' };
const filtered = { ...query(['segment', 'a']), filters: { segment: 'news' } };
const figures = { resource: 'analytics', operation: 'getAgentStatistics' };
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
const [april, may] = ['2030-04-30', '2030-05-01'];
const beforeMay = '2030-05-01T00:00:00+02:00'; // still April in the time zone of the test
const newWebhook = { resource: 'webhook', operation: 'create' };
const publicUrl = 'it must be a public address that begins with https:// or http://';
const rowsOf = "'Additional Fields";

test.each<[object, object, string, string]>([
	[send, additional(['n', 'number', '-']), `${rowsOf}: n' cannot be "-"`, 'Enter a number.'],
	[
		send,
		additional(['n', 'number', '17841400000000001']),
		`${rowsOf}: n' cannot be "17841400000000001"`,
		'It would be rounded.',
	],
	[
		send,
		additional(['j', 'json', '{ "ids": [17841400000000001] }']),
		`${rowsOf}: j' contains a whole number with too many digits`,
		'Put it in quotes.',
	],
	[send, additional(['b', 'boolean', 'ja']), `${rowsOf}: b' cannot be "ja"`, 'true or false'],
	[send, additional(['j', 'json', '{']), `${rowsOf}: j' is not valid JSON`, 'Check quotes'],
	[send, additional([' ', 'text', 'x']), `A row of ${rowsOf}' has no name`, 'Enter a name'],
	[send, additional(['text', 'text', 'x']), `${rowsOf}' sets "text"`, 'leave the other field'],
	[send, additional(['a', 'text', 'x'], [' a', 'text', 'y']), 'contains "a" twice', 'Remove one'],
	[send, additional(['a', '={{ "x" }}', '']), '\'Type\' cannot be "x"', 'one of "json", "number"'],
	[list, filtered, '\'Query Parameters\' sets "segment"', 'leave the other field empty'],
	[send, { text: '={{ " " }}' }, "'Text' is empty", 'Fill it in'],
	[send, { text: missing }, `${none} 'Text' has no value`, 'Check the name of the field'],
	[send, { to: missing }, `${none} 'Recipient Phone Number' has`, 'Check the name of the field'],
	[send, noChoices, "'Choices' is empty", 'Enter the possible answers'],
	[send, { to: '447700900124' }, "in 'Recipient Phone Number' has no", 'Did you mean +44770'],
	[send, { options: { timeout: '={{ 5000000 }}' } }, 'cannot be "5000000"', 'a number from 1 to '],
	[list, { limit: missing }, `${none} 'Limit' has no value`, 'Check the name of the field'],
	[list, { limit: '={{ "" }}' }, "'Limit' is empty", 'Enter a whole number of at least 1.'],
	[list, { limit: '={{ 0 }}' }, '\'Limit\' cannot be "0"', 'Enter a whole number'],
	[list, { limit: '={{ 2.5 }}' }, '\'Limit\' cannot be "2.5"', 'Enter a whole number'],
	[figures, { period: { from: 'May' } }, '\'From\' cannot be "May"', 'such as 2030-01-31'],
	[figures, { period: { from: may, to: april } }, "'From' is after 'To'", 'Swap the two.'],
	[figures, { period: { from: may, to: beforeMay } }, "'From' is after 'To'", 'Swap the two.'],
	[newWebhook, { url: 'shop.example.com' }, `'URL' is not valid: ${publicUrl}`, 'Check the field'],
	[login, { headerDocumentUrl: 'a.pdf' }, `'Header PDF URL' is not valid: ${publicUrl}`, 'Check'],
])('%j with %j is refused before anything is sent: %s', async (parameters, own, words, advice) => {
	const error = await service.errorOf({ ...parameters, ...own });
	expect(error?.message).toContain(words);
	expect(error?.description).toContain(advice);
	expect(error?.context?.sendStatus).toBe('notSent');
	expect(service.requests()).toEqual([]);
});

test.each([
	[send, "errors. To list them, set 'Mode' to 'Preview'. To carry out the others, set 'On Error'"],
	[{ resource: 'contact', operation: 'create' }, 'errors. To carry out the others, set'],
])(
	'if several items of %j are refused, the error says how many, and how to go on',
	async (kind, advice) => {
		const parameters = { ...kind, to: '={{ $json.to }}', phone: '={{ $json.to }}', name: 'Anna' };
		const items = ['17009', '+15550001000', '?'].map((to) => ({ to }));
		const { description } = (await service.run({ parameters, items })).error ?? {};
		expect(description).toContain(`2 of 3 items have ${advice}`);
		expect(service.requests()).toEqual([]);
	},
);

test('if all items are refused, the error does not say how to carry out others', async () => {
	const parameters = { ...send, to: '={{ $json.to }}' };
	const items = ['17009', '?'].map((to) => ({ to }));
	const { description } = (await service.run({ parameters, items })).error ?? {};
	expect(description).toContain(
		"in this run of the node. All 2 items have errors. To list them, set 'Mode' to 'Preview'. Item 0",
	);
});

test('an error that all items have names no item: it is a setting of the node', async () => {
	const items = [{}, {}];
	const parameters = { resource: 'contact', operation: 'update', contactId: 'c1' };
	const { error } = await service.run({ parameters, items });
	expect(error?.message).toBe('There is nothing to change');
	expect(error?.description).not.toContain('Item 0');
});

test('a node without messages that continues on errors says how many items have failed', async () => {
	const parameters = { resource: 'contact', operation: 'upsert', phone: '={{ $json.to }}' };
	const items = ['17009', '+15550001000', '?'].map((to) => ({ to }));
	const { hints } = await service.run({ parameters, items, onError: 'continueRegularOutput' });
	expect(hints.map(({ message }) => message)).toEqual(['2 of 3 items have failed (see error).']);
	const split = await service.run({ parameters, items, onError: 'continueErrorOutput' });
	expect(split.hints.map(({ message }) => message)).toEqual([
		'2 of 3 items have failed (see the error output).',
	]);
});

test('an error in the components of a template names the field of the node', async () => {
	const error = await service.errorOf({
		...{ resource: 'template', operation: 'create', name: 'hello', language: 'en_US' },
		...{ specifyContent: 'json', componentsJson: '[{ "type": 1 }]' },
	});
	expect(error?.message).toMatch(/^'Components \(JSON\)\.0\.type' is not valid/);
});

test.each<[INodeParameters, string, string]>([
	[
		{ ...send, operation: 'sendFax' },
		'The operation "sendFax" of "message" does not exist',
		"Choose 'Resource' and 'Operation' again.",
	],
	...[{ ...send, operation: '__CUSTOM_API_CALL__' }, { resource: '__CUSTOM_API_CALL__' }].map(
		(parameters): [INodeParameters, string, string] => [
			parameters,
			'This node cannot make a Custom API Call',
			"Use n8n's HTTP Request node. Its 'Predefined Credential Type' offers the credential of this node.",
		],
	),
])(
	'an operation that the node does not have is an error that says what to do: %j',
	async (parameters, words, next) => {
		const error = await service.errorOf(parameters);
		expect(error?.message).toContain(words);
		expect(error?.description).toBe(next);
	},
);

test('an update sends the fields that were filled in; if none was, this is an error', async () => {
	const contactId = locator(service.sandbox.state.contacts.all[0].id);
	const update = { resource: 'contact', operation: 'update', contactId };
	const nothing = await service.errorOf({ ...update, updateFields: {} });
	expect(nothing?.message).toBe('There is nothing to change [item 0]');
	const updateFields = { phone: '0049 170 7654321', unknown: 'x' };
	expect(await service.errorOf({ ...update, updateFields })).toBeUndefined();
	const bodies = service.requests('updateContact').map(({ body }) => body);
	expect(bodies).toEqual([{ phone: '+491707654321' }]);
});

const template = { resource: 'template', operation: 'create', language: ' en_US ', body: 'Hi' };
const webhook = { resource: 'webhook', operation: 'create', url: ' https://a.test/a ' };
const token = { resource: 'account', operation: 'createToken', name: ' n8n ' };
const contact = { resource: 'contact', operation: 'create', phone: '+15550001234' };
const sentLogin = {
	language: 'en_US',
	headerDocumentUrl: 'https://a.test/a.pdf',
	components: [expect.objectContaining({ type: 'body' })],
};

test('the shortest phone numbers, e.g. of Niue, have seven digits and get messages too', async () => {
	expect(await service.errorOf({ ...send, to: '+683 4002' })).toBeUndefined();
	expect(service.requests('sendText')).toMatchObject([{ body: { to: '+6834002' } }]);
});

const anId = '(an ID)';
const recipient = 'Recipient Phone Number';
const withRecipient: Array<[string, INodeParameters, string]> = [
	['message sendText', { ...send, to: anId }, recipient],
	['message sendTemplate', { ...login, to: anId }, recipient],
	['message sendAndWait', { ...send, ...question, to: anId }, recipient],
	['contact create', { ...contact, phone: anId }, 'Phone'],
	['contact upsert', { ...contact, operation: 'upsert', phone: anId }, 'Phone'],
];

test.each([
	...withRecipient,
	['Send to Test Number', { ...send, mode: 'test', testNumber: anId }, 'Test Number'],
	[
		'contact update',
		{ ...contact, operation: 'update', contactId: locator('c1'), updateFields: { phone: anId } },
		'Phone',
	],
])('%s: an ID instead of a number is refused, and the error says what to do', async (...row) => {
	const [, parameters, field] = row;
	for (const id of ['US.13491208655302741918', '132857201@lid', '12345678901234567', 'c_4711ab']) {
		const given = JSON.stringify(parameters).replace(anId, id);
		const error = await service.errorOf(JSON.parse(given) as object);
		expect(error?.message).toContain(
			`"${id}" in '${field}' looks like an ID, not like a phone number`,
		);
		expect(error?.description).toContain(
			"The service's API knows people only by phone number. Ask this person for a number.",
		);
	}
	const calls = service.requests().filter(({ endpoint }) => !endpoint?.startsWith('list'));
	expect(calls).toEqual([]);
});

test('the table contains all operations with a recipient', () => {
	const names = operations.flatMap(({ resource, value, fields }) =>
		fields.some(({ name }) => ['to', 'phone'].includes(name)) ? `${resource} ${value}` : [],
	);
	expect(names.sort()).toEqual(withRecipient.map(([name]) => name).sort());
});

test.each<[EndpointName, object, object]>([
	['createWebhook', webhook, { url: 'https://a.test/a' }],
	['createTemplate', { ...template, name: ' promo ' }, { name: 'promo', language: 'en_US' }],
	['createToken', token, { name: 'n8n' }],
	['createContact', { ...contact, name: 'Anna' }, { phone: '+15550001234', name: 'Anna' }],
	['sendTemplate', login, sentLogin],
])('%s gets what was typed, without spaces around it: %j', async (endpoint, parameters, body) => {
	await service.errorOf(parameters);
	expect(service.requests(endpoint)).toMatchObject([{ body }]);
});

test('fields that are left empty are not sent', async () => {
	await service.errorOf(contact);
	expect(service.requests('createContact')[0].body).toEqual({ phone: '+15550001234' });
	await service.errorOf({ ...list, filters: { segment: '' } });
	expect(service.requests('listContacts')[0].url).not.toContain('segment');
});

test('lists the contacts of one segment, together with Query Parameters', async () => {
	const filters = { segment: ' news letter' };
	await service.errorOf({ ...list, filters, ...query(['from', '2030-01-31']) });
	const { url } = service.requests('listContacts')[0];
	expect(url).toContain('segment=news%20letter');
	expect(url).toContain('from=2030-01-31');
});

test('every request accepts JSON, and one with a body has its content type', async () => {
	await service.errorOf(list);
	await service.errorOf(send);
	const json = 'application/json';
	const [{ headers: listing }] = service.requests('listContacts');
	const [{ headers: sending }] = service.requests('sendText');
	expect([listing.accept, listing['content-type']]).toEqual([json, undefined]);
	expect([sending.accept, sending['content-type']]).toEqual([json, json]);
});

/** How numbers are read is tested in test/unit/phone. */
describe('phone numbers', () => {
	const local = '07700 900123';
	const e164 = '+447700900123';

	/** Runs the node with the Default Country of the credential, and that of the node if there is one. */
	async function runIn(country: string, parameters: INodeParameters, own?: string) {
		const options = own ? { defaultCountry: locator(own, 'code') } : {};
		return await service.run({
			parameters: { ...parameters, options },
			credentials: service.credentials({ defaultCountry: country }),
		});
	}

	test.each<[EndpointName, INodeParameters]>([
		['sendText', { ...send, to: local }],
		['sendTemplate', { ...login, to: local }],
		['createContact', { ...contact, phone: local }],
	])('%s gets local numbers of the Default Country with its code', async (endpoint, parameters) => {
		await runIn('none', parameters, 'GB');
		expect(JSON.stringify(service.requests(endpoint)[0].body)).toContain(`"${e164}"`);
	});

	test('the Default Country of the credential is used if the node has none', async () => {
		await runIn('GB', { ...send, to: local });
		await runIn('plusMissing', { ...send, to: '447700900124' });
		expect(service.sent().map(({ phone }) => phone)).toEqual([e164, '+447700900124']);
		const { error } = await runIn('GB', { ...send, to: local }, 'none');
		expect(error?.message).toContain("in 'Recipient Phone Number' has no country code");
	});

	test.each(['UK', 'gb', '+44', 'Vereinigtes Königreich'])(
		'the Default Country %j is understood, in the node and in the credential',
		async (country) => {
			await runIn('none', { ...send, to: local }, country);
			await runIn(country, { ...send, to: local });
			expect(service.sent().map(({ phone }) => phone)).toEqual([e164, e164]);
		},
	);

	test('an unknown Default Country is an error that says in a few words what to enter', async () => {
		const { error } = await runIn('none', { ...send, to: local }, 'Atlantis');
		expect(error?.message).toContain(`'Default Country' cannot be "Atlantis"`);
		expect(error?.description).toBe(
			'Enter a country such as GB, +44 or United Kingdom. Nothing was sent for this item.',
		);
		expect(service.sent()).toEqual([]);
	});

	test('an extension of a phone number is left out, and a hint says so', async () => {
		const { hints } = await service.run({ parameters: { ...send, to: `${e164} x12` } });
		expect(service.sent()).toMatchObject([{ phone: e164 }]);
		expect(hints).toMatchObject([{ message: `The extension 12 of ${e164} was left out.` }]);
	});
});
