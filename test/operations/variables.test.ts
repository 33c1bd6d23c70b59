/** From a form to the components of a message, and the comparison with the template before it goes out. */
import fc from 'fast-check';
import { omit } from 'lodash';

import type { ServiceRecord } from '../../nodes/BusinessMessaging/api/read';
import { type TemplateVariable, readTemplates } from '../../nodes/BusinessMessaging/api/templates';
import {
	missingTemplate,
	reviewTemplate,
} from '../../nodes/BusinessMessaging/operations/message/review';
import {
	fieldOf,
	readForm,
	titleOf,
	toComponents,
} from '../../nodes/BusinessMessaging/operations/message/variables';
import type { OperationRequest } from '../../nodes/BusinessMessaging/operations/operation';
import type { TemplateList } from '../../nodes/BusinessMessaging/transport/templateList';

const text = (value: string) => ({ type: 'text', text: value });

test.each<[Pick<TemplateVariable, 'part' | 'button' | 'name'>, string, string]>([
	[{ part: 'header', name: '1' }, 'header_1', 'Header 1'],
	[{ part: 'body', name: 'customer' }, 'body_customer', 'Body customer'],
	[{ part: 'button', button: 2, name: '1' }, 'button2_1', 'Button 2'],
	[{ part: 'button', button: 2, name: 'code' }, 'button2_code', 'Button 2 code'],
])('%j is the field %s, called %s', (variable, field, title) => {
	expect([fieldOf(variable), titleOf(variable)]).toEqual([field, title]);
});

describe('a form', () => {
	const read = (value: unknown, schema: unknown = []) => readForm({ value, schema });

	test('is read in the order of the template, its numbers by number, each part by itself', () => {
		const schema = ['headerPdfUrl', 'body_2', 'body_10', 'body_1', 'button1_1'].map((id) => ({
			id,
		}));
		const numbered = Object.fromEntries(
			Array.from({ length: 10 }, (_, index) => [`body_${10 - index}`, `${10 - index}`]),
		);
		const { given, pdfUrl } = read(
			{
				...numbered,
				button1_1: 'b',
				header_1: 'h',
				headerPdfUrl: ' https://example.com/a.pdf ',
			},
			schema,
		);
		expect(given.map(({ value }) => value)).toEqual([
			'1',
			'2',
			'3',
			'4',
			'5',
			'6',
			'7',
			'8',
			'9',
			'10',
			'b',
			'h',
		]);
		expect(given.slice(-2)).toEqual([
			{ part: 'button', button: 1, name: '1', value: 'b' },
			{ part: 'header', name: '1', value: 'h' },
		]);
		expect(pdfUrl).toBe('https://example.com/a.pdf');
	});

	test('may be empty, missing, or anything else', () => {
		for (const form of [
			undefined,
			null,
			'x',
			{},
			{ value: null, schema: null },
			{ value: { body_1: ' ', headerPdfUrl: ' ' } },
		]) {
			expect(readForm(form)).toEqual({ given: [], pdfUrl: undefined });
		}
	});

	test('keeps names as they come', () => {
		expect(
			read({ body_b: 1, body_a: 2, body_10x: 3 }).given.map(({ name, value }) => [name, value]),
		).toEqual([
			['b', '1'],
			['a', '2'],
			['10x', '3'],
		]);
		expect(read({ body_x1: 'a', body_1: 'b' }).given.map(({ name }) => name)).toEqual(['x1', '1']);
	});

	test.each<[object, object[], string, string]>([
		[{ body_1: 'a', body_3: 'c' }, [], "'Body 2' is empty", 'Check the field'],
		[{ body_2: 'b' }, [], "'Body 1' is empty", 'Check the field'],
		[{ button1_2: 'b' }, [], "'Button 1' is empty", 'Check the field'],
		[{ body_1: '' }, [{ id: 'body_1', required: true }], "'body_1' is empty", 'Check the field'],
		[
			{ body_1: ' ' },
			[{ id: 'body_1', required: true, displayName: 'Body 1: "Hi"' }],
			'\'Body 1: "Hi"\' is empty',
			'Check the field',
		],
		[
			{},
			[{ id: 'headerPdfUrl', displayName: 'Header PDF URL', required: true }],
			"'Header PDF URL' is empty",
			'The template needs a value for it.',
		],
		[
			{ greeting: 'x' },
			[],
			'"greeting" is not the name of a variable',
			"Names in 'Variables' are e.g. body_1",
		],
		[
			{ xbody_1: 'x' },
			[],
			'"xbody_1" is not the name of a variable',
			"Names in 'Variables' are e.g. body_1",
		],
		[
			{ button_1: 'x' },
			[],
			'"button_1" is not the name of a variable',
			"Names in 'Variables' are e.g. body_1",
		],
		[
			{ body2_1: 'x' },
			[],
			'"body2_1" is not the name of a variable',
			"Names in 'Variables' are e.g. body_1",
		],
	])('%j with the fields %j is refused: %s', (value, schema, message, advice) => {
		expect(() => read(value, schema)).toThrow(
			expect.objectContaining({ message, description: expect.stringContaining(advice) }),
		);
	});

	test('that leaves out what is not required is no fault', () => {
		expect(
			read({ body_1: 'a' }, [
				{ id: 'body_1', required: true },
				{ id: 'headerPdfUrl', required: false },
				{ id: 'header_1' },
			]).given,
		).toHaveLength(1);
	});
});

test('values become components, part by part; a button says which it is', () => {
	const { given } = readForm({
		value: { body_1: 'a', button2_1: 'c', body_2: 'b', header_1: 'h' },
	});
	expect(toComponents(given)).toEqual([
		{ type: 'body', parameters: [text('a'), text('b')] },
		{ type: 'button', sub_type: 'url', index: '1', parameters: [text('c')] },
		{ type: 'header', parameters: [text('h')] },
	]);
	expect(toComponents([])).toBeUndefined();
});

const listOf = (...records: ServiceRecord[]): TemplateList => ({
	records: records.flatMap(readTemplates),
	isComplete: true,
});

describe('compared with the template', () => {
	const url = (label: string, address: string) => ({ type: 'URL', text: label, url: address });
	const fields = {
		name: 'order',
		language: 'en_US',
		status: 'APPROVED',
		category: 'UTILITY',
		components: [
			{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}}, on {{2}}' },
			{
				type: 'BUTTONS',
				buttons: [
					url('A', 'https://a.example/{{1}}'),
					{ type: 'QUICK_REPLY', text: 'Yes' },
					url('B', 'https://b.example/{{1}}'),
				],
			},
		],
	};
	const named = [{ type: 'BODY', text: '{{greeting}} {{customer}}' }];
	const review = (value: object, more: object = {}, language = 'en-us') => {
		const { given } = readForm({ value });
		const body = { template: 'order', language, components: toComponents(given) };
		const request: OperationRequest = {
			body,
			template: { name: 'order', language, given, isChecked: true },
		};
		return reviewTemplate(request, listOf({ ...fields, ...more })).body?.components;
	};
	const whole = { header_1: '7', body_1: 'a', body_2: 'b', button1_1: 'x', button3_1: 'y' };
	const components = [
		{ type: 'header', parameters: [text('7')] },
		{ type: 'body', parameters: [text('a'), text('b')] },
		{ type: 'button', sub_type: 'url', index: '0', parameters: [text('x')] },
		{ type: 'button', sub_type: 'url', index: '2', parameters: [text('y')] },
	];

	test.each<[string, object, object]>([
		['values that fit', whole, {}],
		['values in another order', Object.fromEntries(Object.entries(whole).reverse()), {}],
		['any values where the content is not shown', whole, { components: undefined }],
	])('%s go out', (_, value, more) => {
		const sent = review(value, more) as unknown[];
		expect(sent).toEqual(expect.arrayContaining(components));
		expect(sent).toHaveLength(components.length);
	});

	test.each([
		['by name, in the order of the template', { body_customer: 'Anna', body_greeting: 'Hello' }],
		['by place', { body_1: 'Hello', body_2: 'Anna' }],
	])('named variables are filled in %s', (_, value) => {
		expect(review(value, { components: named })).toEqual([
			{ type: 'body', parameters: [text('Hello'), text('Anna')] },
		]);
	});

	test.each<[object, object, string]>([
		[omit(whole, 'header_1'), {}, "needs a value for 'Header 1'"],
		[omit(whole, 'body_2'), {}, "needs a value for 'Body 2'"],
		[omit(whole, 'button1_1'), {}, "needs a value for 'Button 1'"],
		[omit(whole, 'button3_1'), {}, "needs a value for 'Button 3'"],
		[{ ...whole, body_3: 'c' }, {}, "has no variable 'Body 3'"],
		[{ ...whole, button2_1: 'z' }, {}, "has no variable 'Button 2'"],
		[{ ...whole, button1_2: 'z' }, {}, "has no variable 'Button 1 2'"],
		[{ body_greeting: 'x' }, { components: named }, "needs a value for 'Body customer'"],
		[{ body_1: 'x' }, { components: named }, "needs a value for 'Body customer'"],
		[{ body_city: 'x' }, { components: named }, "has no variable 'Body city'"],
		[{ header_customer: 'x' }, { components: named }, "has no variable 'Header customer'"],
		[whole, { status: 'REJECTED' }, 'is not approved: its status is REJECTED'],
	])('%j with %j is refused: it %s', (value, more, problem) => {
		expect(() => review(value, more)).toThrow(`The template "order" (en-us) ${problem}`);
	});

	test('what the check is switched off for, or what is sent as JSON, goes out as it is', () => {
		const template = { name: 'order', language: 'en_US' };
		const unchecked = { body: {}, template: { ...template, given: [], isChecked: false } };
		for (const request of [unchecked, { body: {}, template: { ...template, isChecked: true } }, {}])
			expect(reviewTemplate(request, listOf(fields))).toBe(request);
	});
});

/** Oracle: one edit of any name is found again among names that have little in common with it. */
test('a name that is written wrong in one place is recognised', () => {
	const names = ['order_update', 'welcome', 'appointment_reminder', 'spring_sale', 'login_code'];
	const templates = listOf(...names.map((name) => ({ name, language: 'en_US' })));
	fc.assert(
		fc.property(
			fc.constantFrom(...names),
			fc.nat(),
			fc.constantFrom('', 'x', '_2'),
			(name, place, insert) => {
				const at = place % name.length;
				const written = `${name.slice(0, at)}${insert}${name.slice(insert ? at : at + 1)}`;
				fc.pre(written !== name);
				const missing = missingTemplate(templates, written, 'en_US');
				expect(missing?.message).toBe(`The service has no template "${written}"`);
				expect(missing?.description).toMatch(new RegExp(`^Did you mean ${name}`));
			},
		),
	);
});
