/** From a form to the components of a message, and the comparison with the template before it goes out. */
import fc from 'fast-check';
import { omit, range } from 'lodash';

import { readTemplates } from '../../nodes/BusinessMessaging/api/templates';
import {
	missingTemplate,
	reviewTemplate,
} from '../../nodes/BusinessMessaging/operations/message/review';
import { readForm, toComponents } from '../../nodes/BusinessMessaging/operations/message/variables';

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
