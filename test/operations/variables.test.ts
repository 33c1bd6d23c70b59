/** From a form to the components of a message, and what is held against the template before it goes out. */
import {
	type Template,
	type TemplateVariable,
	readTemplates,
} from '../../nodes/BusinessMessaging/api/templates';
import { reviewTemplate } from '../../nodes/BusinessMessaging/operations/message/review';
import {
	fieldOf,
	readForm,
	titleOf,
	toComponents,
} from '../../nodes/BusinessMessaging/operations/message/variables';
import type { OperationRequest } from '../../nodes/BusinessMessaging/operations/operation';

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
		const schema = ['headerDocumentUrl', 'body_2', 'body_10', 'body_1', 'button1_1'].map((id) => ({
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
				headerDocumentUrl: ' https://example.com/a.pdf ',
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
			{ value: { body_1: ' ', headerDocumentUrl: ' ' } },
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
		[{ body_1: 'a', body_3: 'c' }, [], 'The variable Body 2 is empty', 'Check the field'],
		[{ body_2: 'b' }, [], 'The variable Body 1 is empty', 'Check the field'],
		[{ button1_2: 'b' }, [], 'The variable Button 1 is empty', 'Check the field'],
		[
			{ body_1: '' },
			[{ id: 'body_1', required: true }],
			'The variable body_1 is empty',
			'Check the field',
		],
		[
			{ body_1: ' ' },
			[{ id: 'body_1', required: true, displayName: 'Body 1: "Hi"' }],
			'The variable Body 1: "Hi" is empty',
			'Check the field',
		],
		[
			{},
			[{ id: 'headerDocumentUrl', required: true }],
			'The address of the PDF in the header is empty',
			'The template needs a PDF in its header.',
		],
		[{ greeting: 'x' }, [], '"greeting" is not the name of a variable', 'Names are e.g. body_1'],
		[{ xbody_1: 'x' }, [], '"xbody_1" is not the name of a variable', 'Names are e.g. body_1'],
		[{ button_1: 'x' }, [], '"button_1" is not the name of a variable', 'Names are e.g. body_1'],
		[{ body2_1: 'x' }, [], '"body2_1" is not the name of a variable', 'Names are e.g. body_1'],
	])('%j with the fields %j is refused: %s', (value, schema, message, advice) => {
		expect(() => read(value, schema)).toThrow(
			expect.objectContaining({ message, description: expect.stringContaining(advice) }),
		);
	});

	test('that leaves out what is not required is no fault', () => {
		expect(
			read({ body_1: 'a' }, [
				{ id: 'body_1', required: true },
				{ id: 'headerDocumentUrl', required: false },
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

describe('held against the template', () => {
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
	const template = (more: object = {}): Template[] => readTemplates({ ...fields, ...more });
	const part = (type: string, ...values: string[]) => ({ type, parameters: values.map(text) });
	const button = (index: unknown, ...values: string[]) => ({
		...part('button', ...values),
		...(index !== undefined && { index }),
	});
	const request = (components: unknown, more: object = {}): OperationRequest => ({
		body: { template: 'order', language: 'en-us', components, ...more },
	});
	const whole = [part('HEADER', '7'), part('body', 'a', 'b'), button('0', 'x'), button(2, 'y')];

	test('one that fits goes out as it is', () => {
		expect(reviewTemplate(request(whole), template())).toEqual(request(whole));
		expect(
			reviewTemplate(
				request([...whole.slice(0, 2), button(undefined, 'x'), button(undefined, 'y')]),
				template(),
			),
		).toBeDefined();
		expect(reviewTemplate(request([]), template({ language: 'de_DE' }))).toEqual(request([]));
		expect(reviewTemplate(request([]), undefined)).toEqual(request([]));
		expect(reviewTemplate({}, template())).toEqual({});
	});

	test('named values go into the order of the template', () => {
		const named = template({ components: [{ type: 'BODY', text: '{{greeting}} {{customer}}' }] });
		const { given } = readForm({ value: { body_customer: 'Anna', body_greeting: 'Hello' } });
		const { body } = reviewTemplate({ ...request(toComponents(given)), variables: given }, named);
		expect(body?.components).toEqual([part('body', 'Hello', 'Anna')]);
	});

	test.each<[string, unknown, object, string]>([
		[
			'without header',
			whole.slice(1),
			{},
			'The template "order" (en_US) needs a value for Header 1',
		],
		[
			'with too little in the body',
			[whole[0], part('body', 'a'), ...whole.slice(2)],
			{},
			'The template "order" (en_US) needs a value for Body 2',
		],
		[
			'with too much in the body',
			[whole[0], part('body', 'a', 'b', 'c'), ...whole.slice(2)],
			{},
			'The template "order" (en_US) has only 2 in its body, but 3 values came',
		],
		[
			'without its first button',
			[...whole.slice(0, 2), whole[3]],
			{},
			'The template "order" (en_US) needs a value for Button 1',
		],
		[
			'without its second button',
			whole.slice(0, 3),
			{},
			'The template "order" (en_US) needs a value for Button 3',
		],
		[
			'with one unplaced button of two',
			[...whole.slice(0, 2), button(undefined, 'x')],
			{},
			'The template "order" (en_US) needs a value for Button 3',
		],
		[
			'with two values for a button',
			[...whole.slice(0, 2), button('0', 'x', 'z'), whole[3]],
			{},
			'The template "order" (en_US) has only 1 in its button 1, but 2 values came',
		],
		[
			'with a body that the template does not have',
			[part('body', 'a')],
			{ components: [] },
			'The template "order" (en_US) has no variables in its body, but 1 value came',
		],
		[
			'with a header that the template does not have',
			[part('header', 'a', 'b')],
			{ components: [] },
			'The template "order" (en_US) has no variables in its header, but 2 values came',
		],
		[
			'with no list of components',
			{ type: 'body' },
			{},
			'The template "order" (en_US) needs a value for Header 1',
		],
		[
			'with components that are none',
			[null, 'x', { type: 'header', parameters: 'x' }],
			{},
			'The template "order" (en_US) needs a value for Header 1',
		],
		[
			'without approval',
			whole,
			{ status: 'REJECTED' },
			'The template "order" (en_US) is not approved: its status is REJECTED',
		],
		[
			'without a PDF',
			[],
			{ components: [{ type: 'HEADER', format: 'DOCUMENT' }], headerDocumentAttached: false },
			'The template "order" (en_US) needs a PDF in its header',
		],
	])('one %s is refused', (_, components, more, message) => {
		expect(() => reviewTemplate(request(components), template(more))).toThrow(
			expect.objectContaining({ message }),
		);
	});

	test.each<[string, object]>([
		['in the field for it', { headerDocumentUrl: 'https://example.com/a.pdf' }],
		[
			'among the components',
			{ components: [{ type: 'header', parameters: [{ type: 'document', document: {} }] }] },
		],
	])('a PDF may stand %s', (_, more) => {
		const pdf = template({
			components: [{ type: 'HEADER', format: 'DOCUMENT' }],
			headerDocumentAttached: false,
		});
		expect(() => reviewTemplate(request([], more), pdf)).not.toThrow();
	});

	test.each<[object, string | undefined]>([
		[{ body_city: 'x' }, 'The template "order" (en_US) has no variable Body city'],
		[{ body_customer: 'x' }, undefined],
		[{ header_customer: 'x' }, 'The template "order" (en_US) has no variable Header customer'],
		[{ button1_customer: 'x' }, 'The template "order" (en_US) has no variable Button 1 customer'],
	])('the names %j', (value, message) => {
		const named = template({ components: [{ type: 'BODY', text: '{{customer}}' }] });
		const { given } = readForm({ value });
		const review = () =>
			reviewTemplate({ ...request(toComponents(given)), variables: given }, named);
		if (message === undefined) return void expect(review).not.toThrow();
		expect(review).toThrow(
			expect.objectContaining({
				message,
				description: expect.stringContaining('Its variables: Body customer. Open the node'),
			}),
		);
	});

	test('a template without variables says so', () => {
		const { given } = readForm({ value: { body_city: 'x' } });
		expect(() =>
			reviewTemplate({ ...request([]), variables: given }, template({ components: [] })),
		).toThrow(
			expect.objectContaining({ description: expect.stringContaining('Its variables: none.') }),
		);
	});
});
