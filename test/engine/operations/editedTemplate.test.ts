/** Templates that were edited, or that an expression chooses, after their form was saved. The form is a fingerprint. */
import type { ResourceMapperField } from 'n8n-workflow';
import { map } from 'lodash';

import { locator, useService } from '../../../harness/engine/service';

const service = useService();
const phone = '+491701234560';
const values = { header_1: '4711', body_1: 'Anna', body_2: '20 EUR', button1_1: 'a-1' };
const before = {
	header: 'Order {{1}}',
	body: 'Dear {{1}}, you owe us {{2}}.',
	url: 'https://shop.example.com/pay/{{1}}',
};
const partsOf = ({ header, body, url }: typeof before) => [
	{ type: 'HEADER', format: 'TEXT', text: header },
	{ type: 'BODY', text: body },
	{ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Pay', url }] },
];
const create = (name: string, language: string, components: object[]) =>
	service.sandbox.state.templates.create({ name, language, components }, 'APPROVED');

const template = (choice: object) => ({
	resource: 'message',
	operation: 'sendTemplate',
	...choice,
});
const fallback = (choice: Record<string, unknown>) => ({
	...{ resource: 'message', operation: 'sendText', text: 'Hi', useFallbackTemplate: true },
	...{ fallbackTemplate: choice.template, fallbackLanguage: choice.language },
	fallbackVariables: choice.variables,
});

/** The form as the editor saves it. */
async function formOf(choice: object, method = 'getTemplateVariables') {
	const editor = service.engine.editor({
		parameters: choice as never,
		credentials: service.credentials(service.newKey()),
	});
	return (await editor.resourceMapping(method)).fields;
}

const filled = (value: object, schema: ResourceMapperField[]) => ({
	variables: { mappingMode: 'defineBelow', value, schema },
});
/** With a key for which no list of templates is cached. */
const send = async (parameters: object, items: object[] = [{ phone }]) => {
	service.fault({ endpoint: 'sendText', status: 422, count: 100 });
	return await service.run({
		parameters: { to: '={{ $json.phone }}', ...parameters },
		items: items as never,
		credentials: service.credentials(service.newKey()),
	});
};
const due = { template: locator('due', 'list'), language: locator('en_US', 'list') };

describe.each([
	['Send Template', template],
	['a fallback template', fallback],
])('with %s, a form whose template was edited', (_, parametersOf) => {
	const sendAfter = async (after: Partial<typeof before>, choice: object = due) => {
		const one = create('due', 'en_US', partsOf(before));
		const schema = await formOf(template(due));
		one.components = partsOf({ ...before, ...after }) as never;
		return await send(parametersOf({ ...choice, ...filled(values, schema) }));
	};

	test.each([
		{ body: 'Please pay {{1}}, dear {{2}}.' },
		{ body: 'Dear {{2}}, you owe us {{1}}.' },
		{ body: 'Dear {{1}}, you get {{2}} from us.' },
		{ header: 'For {{1}}' },
		{ url: 'https://shop.example.com/cancel/{{1}}' },
	])('is refused before anything is sent: %j', async (after) => {
		const { error } = await sendAfter(after);
		expect(service.requests('sendTemplate')).toEqual([]);
		expect(service.requests('sendText')).toEqual([]);
		expect(error?.message).toBe(
			'The template "due" (en_US) has changed since its variables were filled in [item 0]',
		);
		expect(error?.description).toContain('open it again, and check each');
		expect(error?.description).toContain(Object.values(after)[0]);
	});

	test.each([
		{},
		{ body: 'Hello!\nDear {{1}},\nyou owe us {{2}}.' },
		{ header: 'Your Order {{1}}' },
	])('is sent if the text around its values is the same: %j', async (after) => {
		expect((await sendAfter(after)).error).toBeUndefined();
		expect(map(service.sent(), 'text')[0]).toMatch(/Dear Anna,\syou owe us 20 EUR/);
	});

	test.each<[string, object]>([
		['the template', { template: locator("={{ 'due' }}", 'name') }],
		['the language', { language: locator("={{ 'en_US' }}", 'code') }],
	])(
		'is sent if an expression chooses %s: its form may be that of another one',
		async (__, more) => {
			const { error } = await sendAfter({ body: '{{1}}, {{2}}' }, { ...due, ...more });
			expect(error).toBeUndefined();
			expect(map(service.sent(), 'text')).toEqual(['Anna, 20 EUR']);
		},
	);
});

describe('a language by expression, whose versions have different variables', () => {
	const chosen = { ...due, language: locator('={{ $json.language }}', 'code') };
	const value = {
		body_1: '={{ $json.name }}',
		body_2: "={{ $json.language === 'en_US' ? '10%' : '' }}",
	};
	const items = [
		{ phone, language: 'en_US', name: 'Ann' },
		{ phone: '+491701234561', language: 'de_DE', name: 'Änne' },
	];
	beforeEach(() => {
		create('due', 'en_US', [{ type: 'BODY', text: 'Hello {{1}}, {{2}} off today' }]);
		create('due', 'de_DE', [{ type: 'BODY', text: 'Hallo {{1}}, heute reduziert' }]);
	});

	test('has a form with the variables of all versions; those of some can stay empty', async () => {
		const fields = await formOf(template(chosen));
		expect(fields.map(({ id, required }) => [id, required])).toEqual([
			['body_1', true],
			['body_2', false],
		]);
	});

	test.each([
		['its own form', chosen],
		['the form of one version, which needs all values,', due],
	])('is sent with the values that each version has, from %s', async (_, of) => {
		const schema = await formOf(template(of));
		const { error } = await send(template({ ...chosen, ...filled(value, schema) }), items);
		expect(error).toBeUndefined();
		expect(map(service.sent(), 'text').sort()).toEqual([
			'Hallo Änne, heute reduziert',
			'Hello Ann, 10% off today',
		]);
	});

	test.each([
		[{ ...value, body_2: "={{ '' }}" }, 'needs a value for', 'Fill in its field'],
		[{ ...value, body_2: 'x' }, "has no variable 'Body 2'", 'Its variables: Body 1.'],
	])(
		'with the values %j nothing is sent, and the error is true',
		async (wrong, message, advice) => {
			const schema = await formOf(template(due));
			const { error } = await send(template({ ...chosen, ...filled(wrong, schema) }), items);
			expect(error?.message).toContain(message);
			expect(error?.description).toContain(advice);
			expect(service.sent()).toEqual([]);
		},
	);
});

describe('two templates by expression (A/B)', () => {
	const both = { ...due, template: locator("={{ $json.variant === 'B' ? 'b' : 'a' }}", 'list') };
	const value = {
		body_1: '={{ $json.name }}',
		body_2: "={{ $json.variant === 'B' ? '' : $json.city }}",
	};
	const items = [
		{ phone, variant: 'A', name: 'Ann', city: 'Rome' },
		{ phone: '+491701234561', variant: 'B', name: 'Bo', city: 'Oslo' },
	];

	test('have plain fields, none of which is needed, and are sent with their own values', async () => {
		create('a', 'en_US', [{ type: 'BODY', text: 'Hello {{1}} in {{2}}' }]);
		create('b', 'en_US', [{ type: 'BODY', text: 'Good day, {{1}}' }]);
		const schema = await formOf(template({ ...due, template: locator('a', 'list') }));
		const kept = await formOf(template({ ...both, ...filled(value, schema) }));
		expect(kept.map(({ displayName, required }) => [displayName, required])).toEqual([
			['Body 1', false],
			['Body 2', false],
		]);
		for (const fields of [schema, kept, await formOf(template(both))])
			expect((await send(template({ ...both, ...filled(value, fields) }), items)).error).toBe(
				undefined,
			);
		const texts = ['Good day, Bo', 'Hello Ann in Rome'];
		expect(map(service.sent(), 'text').sort()).toEqual([...texts, ...texts, ...texts].sort());
	});
});

test('if the template is not known, an empty field that the form needs is refused', async () => {
	create('due', 'en_US', [{ type: 'BODY', text: 'Dear {{1}}, you owe us {{2}}.' }]);
	const schema = await formOf(template(due));
	service.list('listTemplates', { name: 'due', language: 'en_US' });
	const { error } = await send(
		template({ ...due, ...filled({ body_1: 'Anna', body_2: "={{ '' }}" }, schema) }),
	);
	expect(error?.message).toBe("'Body 2: …owe us {{2}}.' is empty [item 0]");
	expect(service.sent()).toEqual([]);
});
