/** Sending a template: from the form to the message, and what is told before anything goes out. */
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';
import { addManyTemplates, bigFields } from '../support/templates';

const service = useService();
const pdf = 'https://example.com/a.pdf';
const names = ['Anna', 'Bea', 'Carl'];
const items = names.map((name, index) => ({ name, phone: `+1555000100${index}` }));
const filled = (value: object) =>
	({
		variablesInput: 'form',
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
		(await send('login_code', { variablesInput: 'json', componentsJson: components })).error,
	).toBeUndefined();
	expect(
		messages()
			.map(({ text }) => text)
			.slice(2, 4),
	).toEqual(['4711 is your login code.', 'x is your login code.']);
});

const json = (components: unknown, more: INodeParameters = {}): INodeParameters => ({
	variablesInput: 'json',
	componentsJson: JSON.stringify(components),
	...more,
});
const body = (...texts: string[]) => ({
	type: 'body',
	parameters: texts.map((text) => ({ type: 'text', text })),
});
const notThere = "={{ $json.name === 'Bea' ? '' : $json.name }}";

test.each<[string, INodeParameters, string, string]>([
	[
		'welcome',
		filled({ headerDocumentUrl: pdf, body_1: 'x' }),
		'The template "welcome" (en_US) needs a value for Body 2 [item 0]',
		'It stands in: ',
	],
	[
		'welcome',
		filled({ headerDocumentUrl: pdf, body_1: notThere, body_2: 'x' }),
		'The variable Body 1 is empty [item 1]',
		'A template needs a text for each variable',
	],
	[
		'welcome',
		filled({ body_1: 'x', body_2: 'x' }),
		'The template "welcome" (en_US) needs a PDF in its header [item 0]',
		'Enter the public address of the PDF in the field Header PDF URL',
	],
	[
		'welcome',
		filled({ headerDocumentUrl: pdf, body_1: 'x', body_2: 'x', body_3: 'x' }),
		'The template "welcome" (en_US) has only 2 in its body, but 3 values came [item 0]',
		'remove what is too much',
	],
	[
		'welcome',
		filled({ headerDocumentUrl: pdf, body_1: 'x', body_2: 'x', body_city: 'x' }),
		'The template "welcome" (en_US) has no variable Body city [item 0]',
		'Its variables: Body 1, Body 2. Open the node',
	],
	[
		'welcome',
		filled({ greeting: 'x' }),
		'"greeting" is not the name of a variable [item 0]',
		'Names are e.g. body_1',
	],
	[
		'order_update',
		filled({ header_1: 'x', body_1: 'x', body_2: 'x' }),
		'The template "order_update" (en_US) needs a value for Button 1 [item 0]',
		'It stands in: ',
	],
	[
		'order_update',
		json([body('x', 'x'), { type: 'button', parameters: [{ type: 'text', text: 'x' }] }]),
		'The template "order_update" (en_US) needs a value for Header 1 [item 0]',
		'It stands in: ',
	],
	[
		'opening_hours',
		json([body('x')]),
		'The template "opening_hours" (en_US) has no variables in its body, but 1 value came [item 0]',
		'remove what is too much',
	],
	[
		'flash_offer',
		filled({ body_1: 'x' }),
		'The template "flash_offer" (en_US) is not approved: its status is PENDING [item 0]',
		'Wait for the approval',
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

test('a field that the form requires is named as the user sees it', async () => {
	const field = { id: 'body_2', displayName: 'Body 2: "Hi {{1}}, from {{2}}"', required: true };
	const variables = {
		mappingMode: 'defineBelow',
		value: { body_1: 'x', body_2: ' ' },
		schema: [field],
	};
	const { error } = await send('welcome', { variablesInput: 'form', variables: variables });
	expect(error?.message).toBe('The variable Body 2: "Hi {{1}}, from {{2}}" is empty [item 0]');
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

test('a template is looked up once for all items and runs, and again before one is refused', async () => {
	await send('flash_offer', filled({ body_1: 'x' }));
	const template = service.sandbox.state.templates.all.find(({ name }) => name === 'flash_offer');
	if (template) template.status = 'APPROVED';
	expect((await send('flash_offer', filled({ body_1: 'x' }))).error).toBeUndefined();
	const before = service.calls('listTemplates');
	await send('flash_offer', filled({ body_1: 'x' }));
	expect(service.calls('listTemplates')).toBe(before);
});

test.each([
	['is refused', { status: 403 }],
	['holds no list', { status: 200, body: { nothing: true } }],
])('if the listing %s, the message goes out and the service judges', async (_, fault) => {
	await service.fault({ endpoint: 'listTemplates', count: 50, ...fault });
	// another key, for which no list is kept yet
	const apiKey = `sandbox-key-for-${fault.status}`;
	service.sandbox.state.keys.create('Other', apiKey);
	const { error } = await send('login_code', filled({ body_1: 'x' }), {
		credentials: service.credentials({ apiKey }),
	});
	expect(error).toBeUndefined();
	expect(messages()).toHaveLength(3);
});

test('a template that is not listed is left to the service', async () => {
	const { error } = await send('unlisted', filled({ body_1: 'x' }));
	expect(error?.message).toContain('There is no template named unlisted');
	expect(service.calls('sendTemplate')).toBeGreaterThan(0);
});
