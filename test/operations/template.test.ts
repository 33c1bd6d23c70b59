/** Sending a template: from the form to the message, and what is said before anything goes out. */
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';
import { addManyTemplates, bigFields } from '../support/templates';

const service = useService();
const pdf = 'https://example.com/a.pdf';
const names = ['Anna', 'Bea', 'Carl'];
const items = names.map((name, index) => ({ name, phone: `+1555000100${index}` }));
const filled = (value: object) =>
	({
		specifyVariables: 'fields',
		variables: { mappingMode: 'defineBelow', value, schema: [] },
	}) as INodeParameters;
const send = async (template: string, parameters: INodeParameters, more: object = {}) =>
	await service.run({
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			to: '={{ $json.phone }}',
			template: { __rl: true, mode: 'name', value: template },
			language: { __rl: true, mode: 'code', value: 'en_US' },
			...parameters,
		},
		items,
		...more,
	});
const messages = () => service.sandbox.state.messages.all;

test('every value arrives in its place of header, body and buttons, for each item its own', async () => {
	addManyTemplates(service.sandbox.state);
	// from last to first: the order of the fields does not matter
	const value = Object.fromEntries(
		[...bigFields].reverse().map((id) => [id, `={{ $json.name }} ${id}`]),
	);
	expect((await send('big_order', filled(value))).error).toBeUndefined();
	expect(messages().map(({ template }) => template?.header?.text)).toEqual(
		names.map((name) => `Order ${name} header_1`),
	);
	const [{ text, template }] = messages();
	expect(text).toBe(
		'en_US: Hello Anna body_1 Anna body_2, your order from Anna body_3 over Anna body_4 arrives on Anna body_5 between Anna body_6 and Anna body_7. Ask Anna body_8 for help.',
	);
	expect(template?.buttons[1].url).toBe('https://shop.example.com/track/Anna button2_1');
});

test('named variables go out in the order of the template', async () => {
	service.sandbox.state.templates.create(
		{
			name: 'named',
			language: 'en_US',
			components: [{ type: 'BODY', text: '{{greeting}} {{customer}}' }],
		},
		'APPROVED',
	);
	expect(
		(await send('named', filled({ body_customer: '={{ $json.name }}', body_greeting: 'Hello' })))
			.error,
	).toBeUndefined();
	expect(messages().map(({ text }) => text)).toEqual(names.map((name) => `Hello ${name}`));
});

test('values of any type become text, and JSON is for experts', async () => {
	expect((await send('login_code', filled({ body_1: '={{ 4711 }}' }))).error).toBeUndefined();
	const components = JSON.stringify([{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }]);
	expect(
		(await send('login_code', { specifyVariables: 'json', componentsJson: components })).error,
	).toBeUndefined();
	expect(
		messages()
			.map(({ text }) => text)
			.slice(2, 4),
	).toEqual(['4711 is your login code.', 'x is your login code.']);
});

const notThere = "={{ $json.name === 'Bea' ? '' : $json.name }}";

test.each<[string, INodeParameters, string, string]>([
	[
		'welcome',
		filled({ headerPdfUrl: pdf, body_1: 'x' }),
		'The template "welcome" (en_US) needs a value for \'Body 2\' [item 0]',
		'The text around it: "Hello {{1}}, welcome to {{2}}!',
	],
	[
		'welcome',
		filled({ headerPdfUrl: pdf, body_1: notThere, body_2: 'x' }),
		"'Body 1' is empty [item 1]",
		"Check the field in 'Variables'",
	],
	[
		'welcome',
		filled({ body_1: 'x', body_2: 'x' }),
		'The template "welcome" (en_US) needs a PDF in its header [item 0]',
		"Enter the public address of the PDF in 'Header PDF URL'",
	],
	[
		'welcome',
		filled({ headerPdfUrl: pdf, body_1: 'x', body_2: 'x', body_3: 'x' }),
		'The template "welcome" (en_US) has no variable \'Body 3\' [item 0]',
		'Its variables: Body 1, Body 2. Open the node',
	],
	[
		'welcome',
		filled({ headerPdfUrl: pdf, body_1: 'x', body_2: 'x', body_city: 'x' }),
		'The template "welcome" (en_US) has no variable \'Body city\' [item 0]',
		'Its variables: Body 1, Body 2. Open the node',
	],
	[
		'welcome',
		filled({ greeting: 'x' }),
		'"greeting" is not the name of a variable [item 0]',
		'body_1',
	],
	[
		'order_update',
		filled({ header_1: 'x', body_1: 'x', body_2: 'x' }),
		'The template "order_update" (en_US) needs a value for \'Button 1\' [item 0]',
		'The text around it: "https://',
	],
	[
		'opening_hours',
		filled({ body_1: 'x' }),
		'The template "opening_hours" (en_US) has no variable \'Body 1\' [item 0]',
		'Its variables: none.',
	],
	[
		'flash_offer',
		filled({ body_1: 'x' }),
		'The template "flash_offer" (en_US) is not approved: its status is PENDING [item 0]',
		'Wait for the approval',
	],
	[
		'wellcome',
		filled({}),
		'The service has no template "wellcome" [item 0]',
		'Did you mean welcome?',
	],
	[
		'Order_Update_v2',
		{ specifyVariables: 'json' },
		'The service has no template "Order_Update_v2" [item 0]',
		'Did you mean order_update?',
	],
	[
		'zzz',
		filled({ body_1: 'x' }),
		'The service has no template "zzz" [item 0]',
		"Choose 'Template' from the list",
	],
	[
		'welcome',
		{ ...filled({}), language: 'fr_FR' },
		'The service has no template "welcome" in fr_FR [item 0]',
		'It exists in en_US, de_DE.',
	],
])(
	'%s with %j is refused before anything is sent: %s',
	async (template, parameters, message, advice) => {
		const { error } = await send(template, parameters);
		expect(error).toMatchObject({
			message,
			description: expect.stringContaining(advice),
			context: { sendStatus: 'notSent' },
		});
		expect(error?.description).toContain('nothing was sent');
		expect(service.calls('sendTemplate')).toBe(0);
	},
);

test.each([
	['body_2', 'Body 2: "Hi {{1}}, from {{2}}"'],
	['headerPdfUrl', 'Header PDF URL'],
])('a field %s that the form requires is named as the user sees it', async (id, displayName) => {
	const schema = [{ id, displayName, required: true }];
	const variables = { mappingMode: 'defineBelow', value: { body_1: 'x', [id]: ' ' }, schema };
	const { error } = await send('welcome', { specifyVariables: 'fields', variables });
	expect(error?.message).toBe(`'${displayName}' is empty [item 0]`);
});

test("n8n's own words for an empty field name the PDF", async () => {
	const { fields } = await service.engine
		.editor({
			parameters: {
				resource: 'message',
				operation: 'sendTemplate',
				template: 'welcome',
				language: 'en_US',
			},
			credentials: service.credentials(),
		})
		.resourceMapping('getTemplateVariables');
	// NodeHelpers.validateResourceMapperParameter: `Variable "${field.id}" is required`
	expect(fields.find(({ displayName }) => displayName.includes('PDF'))?.id).toBe('headerPdfUrl');
});

test('the items that fit go out when the node continues on errors', async () => {
	const { outputs } = await send('login_code', filled({ body_1: notThere }), {
		onError: 'continueErrorOutput',
	});
	expect(outputs.map((output) => output.map(({ pairedItem }) => pairedItem))).toEqual([
		[{ item: 0 }, { item: 2 }],
		[{ item: 1 }],
	]);
	expect(messages().map(({ text }) => text)).toEqual([
		'Anna is your login code.',
		'Carl is your login code.',
	]);
});

test('templates are looked up once for all items and runs, and again before one is refused', async () => {
	await send('flash_offer', filled({ body_1: 'x' }));
	const template = service.sandbox.state.templates.all.find(({ name }) => name === 'flash_offer');
	if (template) template.status = 'APPROVED';
	expect((await send('flash_offer', filled({ body_1: 'x' }))).error).toBeUndefined();
	const before = service.calls('listTemplates');
	await send('flash_offer', filled({ body_1: 'x' }));
	expect(service.calls('listTemplates')).toBe(before);
});

let keys = 0;

/** Credentials of another key, for which no list is kept yet. */
function otherKey() {
	const apiKey = `sandbox-key-of-its-own-${++keys}`;
	service.sandbox.state.keys.create('Other', apiKey);
	return { credentials: service.credentials({ apiKey }) };
}

/** Has the service list templates in other words than the sandbox does. */
async function listed(...records: object[]): Promise<object> {
	for (const body of [records, [], records, []])
		await service.fault({ endpoint: 'listTemplates', status: 200, body });
	return otherKey();
}

const reference = { name: 'welcome', language: 'en_US' };

test.each([
	['the content', { ...reference, status: 'APPROVED' }],
	['the language', { name: 'welcome' }],
	['the code of the language', { name: 'welcome', language: 'English (US)' }],
	['a text that can be read', { ...reference, components: [{ type: 'BODY' }], content: {} }],
])('a listing that does not show %s refuses nothing', async (_, record) => {
	const values = filled({ headerPdfUrl: pdf, body_1: '={{ $json.name }}', body_2: 'Acme' });
	expect((await send('welcome', values, await listed(record))).error).toBeUndefined();
	expect(messages().map(({ text }) => text.slice(0, 10))).toEqual(
		names.map((name) => `Hello ${name}`.padEnd(10, ',').slice(0, 10)),
	);
});

test.each(['Active - Quality pending', 'APPROVED_PENDING_QUALITY', 'in quality review', undefined])(
	'the status %j refuses nothing',
	async (status) => {
		const record = { name: 'login_code', language: 'en_US', status };
		const { error } = await send('login_code', filled({ body_1: 'x' }), await listed(record));
		expect(error).toBeUndefined();
		expect(messages()).toHaveLength(3);
	},
);

test('variables are named in any script', async () => {
	const text = '{{größe}} {{ 名前 }}';
	service.sandbox.state.templates.create(
		{ name: 'scripts', language: 'en_US', components: [{ type: 'BODY', text }] },
		'APPROVED',
	);
	const values = { body_名前: '={{ $json.name }}', body_größe: 'XL' };
	expect((await send('scripts', filled(values))).error).toBeUndefined();
	expect(messages().map(({ text: sent }) => sent)).toEqual(names.map((name) => `XL ${name}`));
	const { error } = await send('scripts', filled({ body_größe: 'XL' }));
	expect(error?.message).toContain("needs a value for 'Body 名前'");
});

test.each([
	['is refused', { status: 403 }],
	['holds no list', { status: 200, body: { nothing: true } }],
	['shows no names', { status: 200, body: [{ words: 'Hi' }] }],
])('if the listing %s, the message goes out, and a hint says so', async (_, fault) => {
	await service.fault({ endpoint: 'listTemplates', count: 50, ...fault });
	const { error, hints } = await send('login_code', filled({ body_1: 'x' }), otherKey());
	expect(error).toBeUndefined();
	expect(messages()).toHaveLength(3);
	expect(hints).toEqual([
		expect.objectContaining({
			message: expect.stringContaining('without a look at their templates'),
		}),
	]);
});

test.each([
	['has no further pages', [{ name: 'other' }]],
	['announces more', { data: [{ name: 'other' }], total: 3 }],
])('a name is left to the service where the list %s', async (_, body) => {
	await service.fault({ endpoint: 'listTemplates', status: 200, body, count: 50 });
	const { error } = await send('login_code', filled({ body_1: 'x' }), otherKey());
	expect(error).toBeUndefined();
	expect(messages()).toHaveLength(3);
});

test('a list without any template refuses nothing', async () => {
	const { error } = await send('login_code', filled({ body_1: 'x' }), await listed());
	expect(error).toBeUndefined();
	expect(messages()).toHaveLength(3);
});

test('without Check Before Sending the service judges, and nothing is looked up', async () => {
	const options = { options: { checkBeforeSending: false } };
	await send('login_code', { ...filled({ body_1: 'x' }), ...options }, otherKey());
	expect(messages()).toHaveLength(3);
	const { error } = await send('flash_offer', { ...filled({ body_1: 'x' }), ...options });
	expect(error?.message).toContain('only an APPROVED one can be sent');
	expect(service.calls('listTemplates')).toBe(0);
});

test('a template that the service no longer has is named', async () => {
	const { templates } = service.sandbox.state;
	await send('login_code', filled({ body_1: 'x' }));
	const template = templates.all.find(({ name }) => name === 'login_code');
	if (template) template.name = 'login_code_2';
	const { error } = await send('login_code', filled({ body_1: 'x' }));
	expect(error).toMatchObject({
		message: 'The service has no template "login_code" in en_US [item 0]',
		description: expect.stringMatching(/There is no template named login_code.*renamed or deleted/),
		httpCode: '404',
		context: { sendStatus: 'notSent' },
	});
});
