/** Sending a template: from the form to the message, and what is said before anything goes out. */
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';
import { addManyTemplates, bigFields } from '../support/templates';

const service = useService();
const pdf = 'https://example.com/a.pdf';
const names = ['Anna', 'Bea', 'Carl'];
const items = names.map((name, index) => ({ name, phone: `+1555000100${index}` }));
const filled = (value: object) =>
	({ variables: { mappingMode: 'defineBelow', value, schema: [] } }) as INodeParameters;
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
const texts = () => messages().map(({ text }) => text);
const templateOf = (name: string) =>
	service.sandbox.state.templates.all.find((template) => template.name === name)!;
const code = filled({ body_1: '={{ $json.name }}' });

/** Adds an approved template with a text. */
function addTemplate(name: string, text: string): void {
	const components = [{ type: 'BODY', text }];
	service.sandbox.state.templates.create({ name, language: 'en_US', components }, 'APPROVED');
}

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

test('named variables of any script go out in the order of the template', async () => {
	addTemplate('scripts', '{{größe}} {{ 名前 }}');
	const values = { body_名前: '={{ $json.name }}', body_größe: 'XL' };
	expect((await send('scripts', filled(values))).error).toBeUndefined();
	expect(texts()).toEqual(names.map((name) => `XL ${name}`));
	const { error } = await send('scripts', filled({ body_größe: 'XL' }));
	expect(error?.message).toContain("needs a value for 'Body 名前'");
});

test('values of any type become text, and JSON is for experts', async () => {
	await send('login_code', filled({ body_1: '={{ 4711 }}' }));
	const components = [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }];
	const asJson = { specifyVariables: 'json', componentsJson: JSON.stringify(components) };
	await send('login_code', asJson);
	expect(texts().slice(2, 4)).toEqual(['4711 is your login code.', 'x is your login code.']);
});

const notThere = "={{ $json.name === 'Bea' ? '' : $json.name }}";
const welcome = 'The template "welcome" (en_US)';
const both = { body_1: 'x', body_2: 'x' };
const form = (value: object) => filled({ headerPdfUrl: pdf, ...value });

test.each<[string, INodeParameters, string, string]>([
	[
		'welcome',
		form({ body_1: 'x' }),
		`${welcome} needs a value for 'Body 2' [item 0]`,
		'The text around it: "Hello {{1}}, welcome to {{2}}!',
	],
	[
		'welcome',
		form({ ...both, body_1: notThere }),
		"'Body 1' is empty [item 1]",
		"Check the field in 'Variables'",
	],
	[
		'welcome',
		filled(both),
		`${welcome} needs a PDF in its header [item 0]`,
		"Enter the public address of the PDF in 'Header PDF URL'",
	],
	[
		'welcome',
		form({ ...both, body_3: 'x' }),
		`${welcome} has no variable 'Body 3' [item 0]`,
		'Its variables: Body 1, Body 2. Open the node',
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
	async (name, parameters, message, advice) => {
		const { error } = await send(name, parameters);
		expect(error).toMatchObject({
			message,
			description: expect.stringContaining(advice),
			context: { sendStatus: 'notSent' },
		});
		expect(error?.description).toContain('nothing was sent');
		expect(service.calls('sendTemplate')).toBe(0);
	},
);

test('the items that fit go out when the node continues on errors', async () => {
	const onError = 'continueErrorOutput';
	const { outputs } = await send('login_code', filled({ body_1: notThere }), { onError });
	const items = outputs.map((output) => output.map(({ pairedItem }) => pairedItem));
	expect(items).toEqual([[{ item: 0 }, { item: 2 }], [{ item: 1 }]]);
	expect(texts()).toEqual(['Anna is your login code.', 'Carl is your login code.']);
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

describe('a listing that says less', () => {
	let keys = 0;

	/** Sends with another key, for which no list is kept yet, after the listing was answered in another way. */
	async function sendWhere(fault: object, template = 'login_code', values = code) {
		await service.fault({ endpoint: 'listTemplates', count: 50, ...fault });
		const apiKey = `sandbox-key-of-its-own-${++keys}`;
		service.sandbox.state.keys.create('Other', apiKey);
		const more = { credentials: service.credentials({ apiKey }) };
		const { error, hints } = await send(template, values, more);
		expect([error, messages().length]).toEqual([undefined, 3]);
		return hints.map(({ message }) => message);
	}
	const login = { name: 'login_code', language: 'en_US' };
	const withStatus = (status?: string) => ({ status: 200, body: [{ ...login, status }] });

	test.each<[string, object]>([
		['the content', { status: 200, body: [{ ...login, status: 'APPROVED' }] }],
		['the language', { status: 200, body: [{ name: 'login_code' }] }],
		['the code of the language', { status: 200, body: [{ ...login, language: 'English (US)' }] }],
		[
			'a text that can be read',
			{ status: 200, body: [{ ...login, components: [{ type: 'BODY' }] }] },
		],
		['a clear status', withStatus('Active - Quality pending')],
		['any status', withStatus(undefined)],
		['any template', { status: 200, body: [] }],
		['further pages', { status: 200, body: [{ name: 'other' }] }],
		['all that it announces', { status: 200, body: { data: [{ name: 'other' }], total: 3 } }],
	])('refuses nothing where it does not show %s', async (_, fault) => {
		await sendWhere(fault);
		expect(texts()).toEqual(names.map((name) => `${name} is your login code.`));
	});

	test.each([
		['is refused', { status: 403 }],
		['holds no list', { status: 200, body: { nothing: true } }],
		['shows no names', { status: 200, body: [{ words: 'Hi' }] }],
	])('lets the message go out with a hint where it %s', async (_, fault) => {
		const hint = expect.stringContaining('without checking their templates');
		expect(await sendWhere(fault)).toEqual([hint]);
	});
});
