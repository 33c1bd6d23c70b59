/** Sending a template: from the form to the message, and the errors before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';

import { locator, useService } from '../support/service';
import { addManyTemplates, bigFields } from '../support/templates';

const service = useService();
const pdf = 'https://example.com/a.pdf';
const names = ['Anna', 'Bea', 'Carl'];
const filled = (value: object) =>
	({ variables: { mappingMode: 'defineBelow', value, schema: [] } }) as INodeParameters;
const send = async (template: string, parameters: INodeParameters, more: object = {}) =>
	await service.run({
		parameters: {
			resource: 'message',
			operation: 'sendTemplate',
			to: '={{ $json.phone }}',
			template: locator(template, 'name'),
			language: locator('en_US', 'code'),
			...parameters,
		},
		items: names.map((name, index) => ({ name, phone: `+1555000100${index}` })),
		...more,
	});
const messages = () => service.sandbox.state.messages.all;
const texts = () => messages().map(({ text }) => text);
const logins = names.map((name) => `${name} is your login code.`);
const templateOf = (name: string) =>
	service.sandbox.state.templates.all.find((template) => template.name === name)!;
const code = filled({ body_1: '={{ $json.name }}' });

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

test('a template with one language needs none chosen, one with several does', async () => {
	const anyLanguage = {
		...code,
		language: locator('', 'list'),
		options: { checkBeforeSending: false },
	};
	expect((await send('login_code', anyLanguage)).error).toBeUndefined();
	expect(texts()).toEqual(logins);
	const { error } = await send('welcome', { ...form(both), language: locator('', 'list') });
	expect(error).toMatchObject({
		message: "'Language' is empty [item 0]",
		description: expect.stringContaining('exists in en_US, de_DE. Choose one.'),
	});
	const unknown = await send('wellcome', anyLanguage);
	expect(unknown.error?.message).toContain('has no template "wellcome"');
});

test('named variables of any script go out in the order of the template', async () => {
	const components = [{ type: 'BODY', text: '{{größe}} {{ 名前 }}' }];
	const template = { name: 'scripts', language: 'en_US', components };
	service.sandbox.state.templates.create(template, 'APPROVED');
	const values = { body_名前: '={{ $json.name }}', body_größe: 'XL' };
	expect((await send('scripts', filled(values))).error).toBeUndefined();
	expect(texts()).toEqual(names.map((name) => `XL ${name}`));
	const { error } = await send('scripts', filled({ body_größe: 'XL' }));
	expect(error?.message).toContain("needs a value for 'Body 名前'");
	await send('scripts', filled({ body_größe: 'XS', body_2: '={{ $json.name }}' }));
	expect(texts().slice(3)).toEqual(names.map((name) => `XS ${name}`));
});

test('values of any type become text, and JSON is for experts', async () => {
	await send('login_code', filled({ body_1: '={{ 4711 }}' }));
	const components = [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }];
	const asJson = { specifyVariables: 'json', componentsJson: JSON.stringify(components) };
	await send('login_code', asJson);
	expect(texts().slice(2, 4)).toEqual(['4711 is your login code.', 'x is your login code.']);
});

const notThere = "={{ $json.name === 'Bea' ? '' : $json.name }}";
const both = { body_1: 'x', body_2: 'x' };
const form = (value: object) => filled({ headerPdfUrl: pdf, ...value });
const french = { ...filled({}), language: 'fr_FR' };

test.each<[string, INodeParameters, string, string]>([
	['welcome', form({ body_1: 'x' }), "needs a value for 'Body 2' [item 0]", 'Hello {{1}}, welcome'],
	['welcome', form({ ...both, body_1: notThere }), "'Body 1' is empty [item 1]", "in 'Variables'"],
	['welcome', filled(both), 'needs a PDF in its header', "PDF in 'Header PDF URL'"],
	[
		'welcome',
		form({ ...both, body_3: 'x' }),
		"no variable 'Body 3'",
		'Its variables: Body 1, Body 2.',
	],
	['opening_hours', code, "has no variable 'Body 1'", 'Its variables: none.'],
	['flash_offer', code, 'is not approved: its status is PENDING', 'Wait for the approval'],
	['wellcome', filled({}), 'The service has no template "wellcome"', 'Did you mean welcome?'],
	['zzz', code, 'The service has no template "zzz"', 'nothing was sent'],
	['welcome', french, 'has no template "welcome" in fr_FR', 'It exists in en_US, de_DE.'],
])(
	'%s with %j is refused before anything is sent: %s',
	async (name, parameters, message, advice) => {
		const { error } = await send(name, parameters);
		expect(error).toMatchObject({
			message: expect.stringContaining(message),
			description: expect.stringMatching(/nothing was sent/),
			context: { sendStatus: 'notSent' },
		});
		expect(error?.description).toContain(advice);
		expect(service.calls('sendTemplate')).toBe(0);
	},
);

test('valid items are sent when the node continues on errors', async () => {
	const onError = 'continueErrorOutput';
	const { outputs } = await send('login_code', filled({ body_1: notThere }), { onError });
	const items = outputs.map((output) => output.map(({ pairedItem }) => pairedItem));
	expect(items).toEqual([[{ item: 0 }, { item: 2 }], [{ item: 1 }]]);
	expect(texts()).toEqual([logins[0], logins[2]]);
});

test('templates are looked up once for all items and runs, and again before one is refused', async () => {
	await send('flash_offer', code);
	templateOf('flash_offer').status = 'APPROVED';
	expect((await send('flash_offer', code)).error).toBeUndefined();
	const before = service.calls('listTemplates');
	await send('flash_offer', code);
	expect(service.calls('listTemplates')).toBe(before);
});

test('a template that the service no longer has is named', async () => {
	await send('login_code', code);
	templateOf('login_code').name = 'login_code_2';
	expect((await send('login_code', code)).error).toMatchObject({
		message: 'The service has no template "login_code" in en_US [item 0]',
		description: expect.stringMatching(/There is no template named login_code.*renamed or deleted/),
		httpCode: '404',
		context: { sendStatus: 'notSent' },
	});
});

test('without Check Before Sending the service judges, and nothing is looked up', async () => {
	const options = { options: { checkBeforeSending: false } };
	await send('login_code', { ...code, ...options });
	expect(messages()).toHaveLength(3);
	const { error } = await send('flash_offer', { ...code, ...options });
	expect(error?.message).toContain('only an APPROVED one can be sent');
	expect(service.calls('listTemplates')).toBe(0);
});

const login = { name: 'login_code', language: 'en_US', status: 'APPROVED' };
const others = { data: [{ name: 'other' }], total: 3 };
const unchecked = expect.stringContaining('not checked against their templates');

test.each<[string, number, unknown, unknown[]]>([
	['the content', 200, [login], []],
	['the language', 200, [{ name: 'login_code' }], []],
	['the code of the language', 200, [{ ...login, language: 'English (US)' }], []],
	['a text that can be read', 200, [{ ...login, components: [{ type: 'BODY' }] }], []],
	['a clear status', 200, [{ ...login, status: 'Active - Quality pending' }], []],
	['any status', 200, [{ ...login, status: undefined }], []],
	['any template', 200, [], []],
	['further pages', 200, [{ name: 'other' }], []],
	['all that it announces', 200, others, []],
	['a list at all', 200, { nothing: true }, [unchecked]],
	['names', 200, [{ words: 'Hi' }], [unchecked]],
	['anything to this key', 403, '', [unchecked]],
])('a listing that does not show %s refuses nothing', async (_, status, body, hints) => {
	await service.fault({ endpoint: 'listTemplates', count: 50, status, body });
	const credentials = service.credentials(service.newKey()); // for which no list is kept yet
	const run = await send('login_code', code, { credentials });
	expect([run.error, texts()]).toEqual([undefined, logins]);
	expect(run.hints.map(({ message }) => message)).toEqual(hints);
});
