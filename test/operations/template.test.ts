/** Sending a template: from the form to the message, and the errors before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';
import fc from 'fast-check';
import { omit, range } from 'lodash';
import { locator, useService } from '../support/service';
import { addManyTemplates, bigFields } from '../support/templates';
import { readTemplates } from '../../nodes/BusinessMessaging/api/templates';
import {
	missingTemplate,
	reviewTemplate,
} from '../../nodes/BusinessMessaging/operations/message/review';
import { readForm, toComponents } from '../../nodes/BusinessMessaging/operations/message/variables';

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

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const valuesOf = (value: object, schema: object[] = []) =>
	readForm({ value, schema }).given.map(({ id, value: own }) => [id, own]);

test('a form is read part by part in the order of the template, numbered variables by their number', () => {
	const numbers = range(10, 0).map((n) => [`body_${n}`, `${n}`]);
	const value = { ...Object.fromEntries(numbers), button1_1: 'b', header_1: 'h' };
	const schema = ['headerPdfUrl', 'body_2', 'body_10', 'body_1', 'button1_1'];
	const form = { value: { ...value, headerPdfUrl: ' https://a.test/a.pdf ' } };
	const { given, pdfUrl } = readForm({ ...form, schema: schema.map((id) => ({ id })) });
	expect(given.map((one) => one.value)).toEqual([...range(1, 11).map(String), 'b', 'h']);
	expect(given.slice(-2)).toEqual([
		{ id: 'button1_1', value: 'b' },
		{ id: 'header_1', value: 'h' },
	]);
	expect(pdfUrl).toBe('https://a.test/a.pdf');
});

test.each([
	undefined,
	'x',
	{ value: null, schema: null },
	{ value: { body_1: ' ', headerPdfUrl: ' ' } },
])('a form such as %j is empty', (form) => {
	expect(readForm(form)).toEqual({ given: [], pdfUrl: undefined });
});

test('a form keeps names as they come, and leaves out what is not required', () => {
	expect(valuesOf({ body_b: 1, body_a: 2, body_10x: 3 })).toEqual([
		['body_b', '1'],
		['body_a', '2'],
		['body_10x', '3'],
	]);
	expect(valuesOf({ body_x1: 'a', body_1: 'b' }).map(([id]) => id)).toEqual(['body_x1', 'body_1']);
	const others = [{ id: 'headerPdfUrl', required: false }, { id: 'header_1' }];
	expect(valuesOf({ body_1: 'a' }, others)).toEqual([['body_1', 'a']]);
});

const field = (id: string, displayName?: string) => ({ id, displayName, required: true });
const needed = 'The template needs a value for it.';
const noName = "Names in 'Variables' are e.g. body_1";

test.each<[object, object[], string, string]>([
	[{ body_1: 'a', body_3: 'c' }, [], "'Body 2' is empty", needed],
	[{ button1_2: 'b' }, [], "'Button 1' is empty", needed],
	[{ body_1: '' }, [field('body_1')], "'body_1' is empty", needed],
	[{ body_1: ' ' }, [field('body_1', 'Body 1: "Hi"')], '\'Body 1: "Hi"\' is empty', needed],
	[{ greeting: 'x' }, [], '"greeting" is not the name of a variable', noName],
	[{ xbody_1: 'x' }, [], '"xbody_1" is not the name of a variable', noName],
	[{ button_1: 'x' }, [], '"button_1" is not the name of a variable', noName],
	[{ body2_1: 'x' }, [], '"body2_1" is not the name of a variable', noName],
])('a form of %j with the fields %j is refused: %s', (value, schema, message, advice) => {
	const description = expect.stringContaining(advice);
	expect(() => readForm({ value, schema })).toThrow(
		expect.objectContaining({ message, description }),
	);
});

const listOf = (...records: object[]) => ({
	records: records.flatMap((record) => readTemplates(record as Record<string, unknown>)),
	isComplete: true,
});

describe('compared with the template', () => {
	const text = (value: string) => ({ type: 'text', text: value });
	const url = (label: string) => ({ type: 'URL', text: label, url: 'https://a.test/{{1}}' });
	const template = {
		name: 'order',
		language: 'en_US',
		components: [
			{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}}, on {{2}}' },
			{ type: 'BUTTONS', buttons: [url('A'), { type: 'QUICK_REPLY', text: 'Yes' }, url('B')] },
		],
	};
	const named = { components: [{ type: 'BODY', text: '{{greeting}} {{customer}}' }] };
	const review = (value: object, more: object = {}) => {
		const { given } = readForm({ value });
		const request = {
			body: { template: 'order', language: 'en-us', components: toComponents(given) },
			template: { name: 'order', language: 'en-us', given, isChecked: true },
		};
		return reviewTemplate(request, listOf({ ...template, ...more })).body?.components;
	};
	const whole = { header_1: '7', body_1: 'a', body_2: 'b', button1_1: 'x', button3_1: 'y' };
	const backwards = Object.fromEntries(Object.entries(whole).reverse());

	test.each<[object, object]>([
		[whole, {}],
		[backwards, {}],
		[whole, { components: undefined }],
	])('the values %j go out, part by part, for %j', (value, more) => {
		const sent = review(value, more) as unknown[];
		const button = { type: 'button', sub_type: 'url' };
		const components = [
			{ type: 'header', parameters: [text('7')] },
			{ type: 'body', parameters: [text('a'), text('b')] },
			{ ...button, index: '0', parameters: [text('x')] },
			{ ...button, index: '2', parameters: [text('y')] },
		];
		expect(sent).toEqual(expect.arrayContaining(components));
		expect(sent).toHaveLength(components.length);
		expect(toComponents([])).toBeUndefined();
	});

	test.each([
		['by name, in the order of the template', { body_customer: 'Anna', body_greeting: 'Hello' }],
		['by place', { body_1: 'Hello', body_2: 'Anna' }],
		['by name and by place', { body_greeting: 'Hello', body_2: 'Anna' }],
	])('named variables are filled in %s', (_, value) => {
		const parameters = [text('Hello'), text('Anna')];
		expect(review(value, named)).toEqual([{ type: 'body', parameters }]);
	});

	test.each<[object, object, string]>([
		[omit(whole, 'header_1'), {}, "needs a value for 'Header 1'"],
		[omit(whole, 'button3_1'), {}, "needs a value for 'Button 3'"],
		[{ ...whole, button2_1: 'z' }, {}, "has no variable 'Button 2'"],
		[{ ...whole, button1_2: 'z' }, {}, "has no variable 'Button 1 2'"],
		[
			{ body_1: 'x', body_greeting: 'Hello', body_customer: 'Anna' },
			named,
			"has two values for 'Body greeting'",
		],
		[{ body_1: 'x' }, named, "needs a value for 'Body customer'"],
		[{ body_city: 'x' }, named, "has no variable 'Body city'"],
		[{ header_customer: 'x' }, named, "has no variable 'Header customer'"],
	])('%j with %j is refused: it %s', (value, more, problem) => {
		expect(() => review(value, more)).toThrow(`The template "order" (en-us) ${problem}`);
	});

	test('what is sent as JSON goes out as it is', () => {
		const asJson = { body: {}, template: { ...template, isChecked: true } };
		for (const request of [asJson, {}])
			expect(reviewTemplate(request, listOf(template))).toBe(request);
	});
});

/** Oracle: one edit of any name is found again among names that have little in common with it. */
test(`a name that is written wrong in one place is recognised (TEST_SEED=${seed})`, () => {
	const names = ['order_update', 'welcome', 'appointment_reminder', 'spring_sale', 'login_code'];
	const templates = listOf(...names.map((name) => ({ name, language: 'en_US' })));
	const edit = fc.constantFrom('', 'x', '_2');
	fc.assert(
		fc.property(fc.constantFrom(...names), fc.nat(), edit, (name, place, insert) => {
			const at = place % name.length;
			const written = `${name.slice(0, at)}${insert}${name.slice(insert ? at : at + 1)}`;
			fc.pre(written !== name);
			const missing = missingTemplate(templates, written, 'en_US');
			expect(missing?.message).toBe(`The service has no template "${written}"`);
			expect(missing?.description).toMatch(new RegExp(`^Did you mean ${name}`));
		}),
		{ seed },
	);
});
