/** Sending a template: from the form to the message, and the errors before anything is sent. */
import type { INodeParameters } from 'n8n-workflow';
import { omit, range } from 'lodash';
import { clientOf } from '../../../harness/engine/functionService';
import { locator, useService } from '../../../harness/engine/service';
import { addManyTemplates, bigFields } from '../../../harness/engine/templates';
import { readTemplates } from '../../../nodes/BusinessMessaging/reading/readTemplates';
import { reviewTemplate } from '../../../nodes/BusinessMessaging/operations/sending/templateReview';
import { listTemplates } from '../../../nodes/BusinessMessaging/transport/templateList';
import {
	readForm,
	toComponents,
} from '../../../nodes/BusinessMessaging/operations/sending/templateVariables';

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

test('every value arrives in its place in header, body and buttons, and each item has its own values', async () => {
	addManyTemplates(service.sandbox.state);
	// from last to first, because the order of the fields must not matter
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

test('a language must be chosen only if the template has several', async () => {
	const language = locator('', 'list');
	const unlisted = { ...code, language };
	expect((await send('login_code', unlisted)).error).toBeUndefined();
	const componentsJson = '[{ "type": "body", "parameters": [{ "type": "text", "text": "Anna" }] }]';
	await send('login_code', { specifyVariables: 'json', componentsJson, language });
	expect(texts()).toEqual([...logins, ...Array<string>(3).fill(logins[0])]);
	const { error } = await send('welcome', { ...form(both), language });
	expect(error).toMatchObject({
		message: 'The template "welcome" needs a language',
		description: expect.stringContaining('It exists in en_US, de_DE. Choose one.'),
	});
	const unknown = await send('wellcome', unlisted);
	expect(unknown.error?.message).toContain('has no template "wellcome"');
});

test('the only language is found in a list that is not known to be complete, but not in one that lacks templates', async () => {
	const reviewIn = async (says: object) => {
		const { client } = clientOf(() => ({
			body: { data: [{ name: 'a', language: 'de' }], ...says },
		}));
		const template = { name: 'a', language: '', given: [], isChecked: false };
		const list = await listTemplates(client);
		expect(list.isComplete).toBe(false);
		return reviewTemplate({ rules: { template } }, list).body;
	};
	expect(await reviewIn({ next_page: 2 })).toEqual({ language: 'de' });
	await expect(reviewIn({ has_more: true })).rejects.toThrow('needs a language');
});

test('a template that is newer than the cached list is found, also if only one of the messages uses it', async () => {
	await send('login_code', code);
	const { language, components } = templateOf('login_code');
	service.sandbox.state.templates.create({ name: 'new', language, components }, 'APPROVED');
	await send("={{ $json.name === 'Bea' ? 'new' : 'login_code' }}", code);
	expect(texts().slice(3).sort()).toEqual(logins);
});

test('named variables in any script are sent in the order of the template', async () => {
	const components = [{ type: 'BODY', text: '{{größe}} {{ 名前 }}' }];
	const template = { name: 'scripts', language: 'en_US', components };
	service.sandbox.state.templates.create(template, 'APPROVED');
	await send('scripts', filled({ body_名前: '={{ $json.name }}', body_größe: 'XL' }));
	expect(texts()).toEqual(names.map((name) => `XL ${name}`));
	await send('scripts', filled({ body_2: '={{ $json.name }}', body_größe: 'XS' }));
	expect(texts().slice(3)).toEqual(names.map((name) => `XS ${name}`));
});

test('numbered variables are sent in the order of their numbers, wherever they are in the text', async () => {
	const numbers = range(1, 12);
	const text = [...numbers].reverse().map((n) => `{{${n}}}`);
	const components = [{ type: 'BODY', text: text.join(' ') }];
	const template = { name: 'eleven', language: 'en_US', components };
	service.sandbox.state.templates.create(template, 'APPROVED');
	const values = numbers.map((n) => [`body_${n}`, `={{ $json.name }} ${n}`]);
	await send('eleven', filled(Object.fromEntries(values)));
	expect(texts()).toEqual(
		names.map((name) =>
			[...numbers]
				.reverse()
				.map((n) => `${name} ${n}`)
				.join(' '),
		),
	);
});

test('values of any type become text; components in JSON are sent as they are written', async () => {
	await send('login_code', filled({ body_1: '={{ 4711 }}' }));
	const components = [{ type: 'body', parameters: [{ type: 'text', text: 'x' }] }];
	const asJson = { specifyVariables: 'json', componentsJson: JSON.stringify(components) };
	await send('login_code', asJson);
	expect(texts().slice(2, 4)).toEqual(['4711 is your login code.', 'x is your login code.']);
});

describe('a template with {{2}} but no {{1}}', () => {
	const name = 'second_only';
	const components = [{ type: 'BODY', text: 'Hello {{2}}!' }];
	const schema = [{ id: 'body_2', displayName: 'Body 2', required: true }];
	const values = { mappingMode: 'defineBelow', value: { body_2: '={{ $json.name }}' } };
	const hellos = names.map((one) => `Hello ${one}!`);
	beforeEach(() => {
		service.sandbox.state.templates.create({ name, language: 'en_US', components }, 'APPROVED');
	});

	test.each<[string, object]>([
		['from its form', { variables: { ...values, schema } }],
		['from an expression', { variables: values }],
	])('can be sent %s', async (_, parameters) => {
		expect((await send(name, parameters as INodeParameters)).error).toBeUndefined();
		expect(texts()).toEqual(hellos);
	});

	test('has a preview with the value in its place', async () => {
		const parameters = { variables: { ...values, schema }, mode: 'preview' };
		const { outputs } = await send(name, parameters);
		expect(outputs[0].map(({ json }) => json.text)).toEqual(hellos);
	});

	test("cannot be sent without a value for {{1}} if the template's variables are unknown", async () => {
		service.list('listTemplates', { name: 'hidden', language: 'en_US' });
		const { error } = await send('hidden', { variables: values });
		expect(error?.message).toBe("'Body 1' is empty");
	});
});

test.each(['EN-us', 'en_us', ' en-US'])(
	'the language %j is sent as the service lists it',
	async (language) => {
		await send('login_code', { ...code, language: locator(language, 'code') });
		const bodies = service.requests('sendTemplate').map(({ body }) => body);
		expect(bodies).toMatchObject(names.map(() => ({ language: 'en_US' })));
		expect(texts()).toEqual(logins);
	},
);

test('if the service lists two spellings of a language, the chosen one is sent', async () => {
	const listed = ['en_US', 'en-US'].map((language) => ({ name: 'login_code', language }));
	for (const language of ['en_US', 'en-US']) {
		const credentials = service.credentials(service.newKey());
		service.list('listTemplates', ...listed);
		await send('login_code', { ...code, language: locator(language, 'code') }, { credentials });
		const [{ body }] = service.requests('sendTemplate').slice(-1);
		expect(body).toMatchObject({ language });
	}
});

const notThere = "={{ $json.name === 'Bea' ? '' : $json.name }}";
const both = { body_1: 'x', body_2: 'x' };
const form = (value: object) => filled({ headerPdfUrl: pdf, ...value });
const french = { ...filled({}), language: 'fr_FR' };

test.each<[string, INodeParameters, string, string]>([
	['welcome', form({ body_1: 'x' }), "needs a value for 'Body 2'", 'Hello {{1}}, welcome'],
	[
		'welcome',
		form({ ...both, body_1: notThere }),
		'The template "welcome" (en_US) needs a value for \'Body 1\' [item 1]',
		'The text around it',
	],
	['welcome', filled(both), 'needs a PDF in its header', "PDF in 'Header PDF URL'"],
	['welcome', form({ ...both, body_3: 'x' }), "has no variable 'Body 3'", ': Body 1, Body 2.'],
	['opening_hours', code, "has no variable 'Body 1'", 'Its variables: none.'],
	['flash_offer', code, 'is not approved: its status is PENDING', 'Wait for the approval'],
	['wellcome', filled({}), 'has no template "wellcome"', 'Choose the template from the list.'],
	['z', code, 'has no template "z"', 'Choose the template from the list.'],
	['welcome', french, 'has no template "welcome" in fr_FR', 'It exists in en_US, de_DE.'],
])('%s with %j is refused before anything is sent: %s', async (name, own, message, advice) => {
	const { error } = await send(name, own);
	expect(error?.message).toContain(message);
	expect(error?.description).toContain(advice);
	expect(error?.description).toContain('nothing was sent');
	expect(error?.context?.sendStatus).toBe('notSent');
	expect(service.calls('sendTemplate')).toBe(0);
});

test('valid items are sent when the node continues on errors', async () => {
	const onError = 'continueErrorOutput';
	const { outputs } = await send('login_code', filled({ body_1: notThere }), { onError });
	const items = outputs.map((output) => output.map(({ pairedItem }) => pairedItem));
	expect(items).toEqual([[{ item: 0 }, { item: 2 }], [{ item: 1 }]]);
	expect(texts()).toEqual([logins[0], logins[2]]);
});

test('templates are listed once for all items and runs, and again before a message is refused', async () => {
	await send('flash_offer', code);
	templateOf('flash_offer').status = 'APPROVED';
	expect((await send('flash_offer', code)).error).toBeUndefined();
	const before = service.calls('listTemplates');
	await send('flash_offer', code);
	expect(service.calls('listTemplates')).toBe(before);
});

test.each([
	['a language', {}],
	['no language, as the template has only one', { language: locator('', 'code') }],
])('a message that fits the known templates needs no list, with %s', async (_, language) => {
	await send('login_code', { ...code, ...language });
	const before = service.calls('listTemplates');
	service.fault({ endpoint: 'listTemplates', status: 500, count: 9 });
	const { error, hints } = await send('login_code', { ...code, ...language });
	expect([error, hints.filter(({ type }) => type === 'warning')]).toEqual([undefined, []]);
	expect(service.calls('listTemplates')).toBe(before);
});

test('an error names a template that the service no longer has', async () => {
	await send('login_code', code);
	templateOf('login_code').name = 'login_code_2';
	expect((await send('login_code', code)).error).toMatchObject({
		message: 'The service did not find the template "login_code" in en_US, or the recipient',
		description: expect.stringMatching(
			/There is no template named login_code.*phone number.*renamed or deleted/,
		),
		httpCode: '404',
		context: { sendStatus: 'notSent' },
	});
});

test('with Using JSON no template is loaded, and the service decides', async () => {
	const components = [{ type: 'body', parameters: [{ type: 'text', text: '123456' }] }];
	const json = { specifyVariables: 'json', componentsJson: JSON.stringify(components) };
	await send('login_code', { ...code, ...json });
	expect(messages()).toHaveLength(3);
	const { error } = await send('flash_offer', { ...code, ...json });
	expect(error?.message).toContain('only an APPROVED one can be sent');
	expect(service.calls('listTemplates')).toBe(0);
});

const login = { name: 'login_code', language: 'en_US', status: 'APPROVED' };
const withDocument = {
	category: 'UTILITY',
	components: [
		{ type: 'HEADER', format: 'DOCUMENT' },
		{ type: 'BODY', text: '{{1}} is your login code.' },
	],
};
const unchecked = expect.stringContaining('not checked against their templates');

test.each<[string, number, unknown, unknown[]]>([
	['the language', 200, [{ name: 'login_code' }], []],
	['the code of the language', 200, [{ ...login, language: 'English (US)' }], []],
	['a text that can be read', 200, [{ ...login, components: [{ type: 'BODY' }] }], []],
	['whether a PDF is attached', 200, [{ ...login, ...withDocument }], []],
	['any template', 200, [], []],
	['all templates that it announces', 200, { data: [{ name: 'other' }], total: 3 }, []],
	['the names of the templates', 200, [{ words: 'Hi' }], [unchecked]],
	['anything to this key', 403, '', [unchecked]],
])('no message is refused because the list does not show %s', async (_, status, body, hints) => {
	service.fault({ endpoint: 'listTemplates', count: 50, status, body });
	const credentials = service.credentials(service.newKey()); // a key for which no list is cached yet
	const run = await send('login_code', code, { credentials });
	expect([run.error, texts()]).toEqual([undefined, logins]);
	expect(run.hints.map(({ message }) => message)).toEqual(['3 sent.', ...hints]);
});

describe('the form', () => {
	test('is read without its empty fields, numbered variables in the order of their numbers', () => {
		const numbers = range(10, 0).map((n) => [`body_${n}`, `${n}`]);
		const value = { ...Object.fromEntries(numbers), button1_1: 'b', header_1: 'h', body_0: '' };
		const ids = ['headerPdfUrl', 'body_2', 'body_10', 'body_1', 'button1_1'];
		const { given, pdfUrl } = readForm({
			value: { ...value, headerPdfUrl: ' https://a.test/a.pdf ' },
			schema: ids.map((id) => ({ id })),
		});
		expect(given.map((one) => one.value)).toEqual([...range(1, 11).map(String), 'b', 'h']);
		expect(given.at(-1)).toEqual({ id: 'header_1', value: 'h' });
		expect(pdfUrl).toBe('https://a.test/a.pdf');
	});

	test.each([
		['body_b', 'body_a'],
		['body_x1', 'body_1'],
		['body_10x', 'body_1'],
	])('keeps the order of the names %s and %s', (...ids) => {
		const { given } = readForm({ value: Object.fromEntries(ids.map((id) => [id, 1])) });
		expect(given).toEqual(ids.map((id) => ({ id, value: '1' })));
	});

	test.each([undefined, 'x', { value: null, schema: null }, { value: { headerPdfUrl: ' ' } }])(
		'has no values if it is %j',
		(form) => {
			expect(readForm(form)).toEqual({ given: [], pdfUrl: undefined });
		},
	);

	const field = (id: string, displayName?: string) => ({ id, displayName, required: true });
	const optional = { id: 'headerPdfUrl', required: false };
	const needed = 'The template needs this value.';
	const noName = 'Names of variables are e.g. body_1';

	test.each<[object, object[], string, string]>([
		[{ body_1: 'a', body_3: 'c' }, [optional], "'Body 2' is empty", needed],
		[{ button1_2: 'b' }, [], "'Button 1' is empty", needed],
		[{ body_1: '' }, [field('body_1')], "'Body 1' is empty", needed],
		[{ body_1: ' ' }, [field('body_1', 'Body 1: "Hi"')], '\'Body 1: "Hi"\' is empty', needed],
		[{ body_1: 'a', body_2: ' ' }, [], "'Body 2' is empty", needed],
		[{ body_1: 'a', button1_1: '\n' }, [], "'Button 1' is empty", needed],
		[{ xbody_1: 'x' }, [], '"xbody_1" is not the name of a variable', noName],
		[{ button_1: 'x' }, [], '"button_1" is not the name of a variable', noName],
		[{ body2_1: 'x' }, [], '"body2_1" is not the name of a variable', noName],
	])('of %j with the fields %j is refused: %s', (value, schema, message, advice) => {
		const description = expect.stringContaining(advice);
		const error = expect.objectContaining({ message, description });
		const refuse = () => {
			const { given, missing } = readForm({ value, schema });
			reviewTemplate({
				rules: { template: { name: 'order', language: 'en', given, missing } },
			});
		};
		expect(refuse).toThrow(error);
	});
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
			rules: { template: { name: 'order', language: 'en-us', given, isChecked: true } },
		};
		const records = readTemplates({ ...template, ...more });
		return reviewTemplate(request, { records, isComplete: true }).body?.components;
	};
	const whole = { header_1: '7', body_1: 'a', body_2: 'b', button1_1: 'x', button3_1: 'y' };

	test.each<[object]>([[{}], [{ components: undefined }]])(
		'the values are sent in the order of its parts, for %j',
		(more) => {
			const button = { type: 'button', sub_type: 'url' };
			expect(review(whole, more)).toEqual([
				{ type: 'header', parameters: [text('7')] },
				{ type: 'body', parameters: [text('a'), text('b')] },
				{ ...button, index: '0', parameters: [text('x')] },
				{ ...button, index: '2', parameters: [text('y')] },
			]);
			expect(toComponents([])).toBeUndefined();
		},
	);

	test.each<[object, object, string]>([
		[omit(whole, 'button3_1'), {}, "needs a value for 'Button 3'"],
		[{ ...whole, button1_2: 'z' }, {}, "has no variable 'Button 1 2'"],
		[
			{ body_1: 'x', body_greeting: 'Hello', body_customer: 'Anna' },
			named,
			"has two values for 'Body greeting'",
		],
		[{ body_1: 'x' }, named, "needs a value for 'Body customer'"],
		[{ header_customer: 'x' }, named, "has no variable 'Header customer'"],
	])('%j with %j is refused: it %s', (value, more, problem) => {
		expect(() => review(value, more)).toThrow(`The template "order" (en_US) ${problem}`);
	});
});
