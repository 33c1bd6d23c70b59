/** What the node asks of n8n for the value of a field, what it finds by itself, and what it refuses. */
import { attempt, isPlainObject } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { FieldReader } from '../../../nodes/BusinessMessaging/execution/expressions';
import type { ParameterField } from '../../../nodes/BusinessMessaging/operations/fields';
import type { InputError } from '../../../nodes/BusinessMessaging/transport/errors';

const textField: ParameterField = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	default: '',
	required: true,
};
const optional = { ...textField, required: false };
const inside = (code: string) => new RegExp(`\\{\\{${code}\\}\\}`);

/** n8n with its results for expressions by their code; an error stands for an expression that fails. */
class N8n {
	readonly asked: string[] = [];

	constructor(private readonly results: Record<string, unknown>) {}

	private result(code: string, index: number): unknown {
		const result = this.results[code];
		if (result instanceof Error) throw result;
		return typeof result === 'function' ? (result as (index: number) => unknown)(index) : result;
	}

	readonly evaluateExpression = (text: string, index: number): unknown => {
		this.asked.push(text);
		const [, whole] = /^\{\{((?:(?!\}\}).)*)\}\}$/.exec(text) ?? [];
		if (whole !== undefined) return this.result(whole, index);
		return text.replace(/\{\{(.*?)\}\}/g, (_, code: string) => {
			const value = this.result(code, index) ?? '';
			return isPlainObject(value) ? '[object Object]' : String(value);
		});
	};

	/** Reads the field Text for each item. */
	read(
		text: unknown,
		{ items = [{}], field = textField, type = 'x.businessMessaging' }: Partial<Reading> = {},
	): unknown[] {
		const context = {
			evaluateExpression: this.evaluateExpression,
			getNode: () => ({ type, parameters: { [field.name]: text } }),
			getInputData: () => items.map((json) => ({ json })),
		} as unknown as IExecuteFunctions;
		const reader = new FieldReader(context);
		return items.map((_, index) => attempt(() => reader.read(field, index)));
	}
}

interface Reading {
	items: IDataObject[];
	field: ParameterField;
	/** The type of the node. */
	type: string;
}

describe('a column is read without n8n', () => {
	const json = {
		...{ text: 'a', number: 0, yes: true, no: false, empty: '', _a1: 'b' },
		...{ 'First Name': 'c', 'a.b': 'd', "['x']": 'e', "x']": 'f', '["y"]': 'g', '.z': 'h' },
		deep: { er: { 'and deeper': 'i' } },
	};

	test.each<[code: string, value: unknown]>([
		['$json.text', 'a'],
		[' $json.text ', 'a'],
		['$json.number', 0],
		['$json.yes', true],
		['$json.no', false],
		['$json.empty', ''],
		['$json._a1', 'b'],
		['$json["First Name"]', 'c'],
		["$json['First Name']", 'c'],
		['$json["a.b"]', 'd'],
		['$json["[\'x\']"]', 'e'],
		['$json["x\']"]', 'f'],
		['$json[\'["y"]\']', 'g'],
		['$json[".z"]', 'h'],
		['$json.deep["er"][\'and deeper\']', 'i'],
	])('{{%s}} is %j', (code, value) => {
		const n8n = new N8n({});
		const options = { items: [json], field: { ...optional, name: 'url' } };
		expect(n8n.read(`={{${code}}}`, options)).toEqual([value]);
		expect(n8n.read(`=<{{${code}}}{{${code}}}>`, options)).toEqual([
			`<${String(value)}${String(value)}>`,
		]);
		expect(n8n.asked).toEqual([]);
	});

	test.each([
		'$json.none',
		'$json.deep',
		'$json.deep.none',
		'$json.text.length',
		'$json.constructor',
		'$json.deep.toString',
		'$json.text.trim()',
		'$json',
		'$json[0]',
		'$json["a\\"b"]',
		'x$json.text',
		'$json.text + 1',
		'$json.1a',
	])('{{%s}} is not one', (code) => {
		const n8n = new N8n({ [code]: 'of n8n' });
		expect(n8n.read(`={{${code}}}`, { items: [json] })).toEqual(['of n8n']);
		expect(n8n.read(`=<{{${code}}}>`, { items: [json] })).toEqual(['<of n8n>']);
		expect(n8n.asked.length).toBeGreaterThan(0);
	});
});

describe('n8n is asked', () => {
	const items = [{ name: 'Anna' }, { name: 'Ben' }];
	const upper = (index: number) => items[index].name.toUpperCase();
	const results = {
		'$workflow.id': 'w',
		'$vars.shop': 's',
		'$json.up()': upper,
		$itemIndex: (n: number) => n,
	};

	test.each<[text: string, values: string[], questions: RegExp[]]>([
		['=Hi {{$json.name}}', ['Hi Anna', 'Hi Ben'], []],
		['={{$workflow.id}}', ['w', 'w'], [inside('\\$workflow.id')]],
		['=From {{$workflow.id}}', ['From w', 'From w'], [inside('\\$workflow.id')]],
		[
			'={{$workflow.id}} {{$vars.shop}}',
			['w s', 'w s'],
			[inside('\\$workflow.id'), inside('\\$vars.shop')],
		],
		['={{$workflow.id}} {{$json.name}}', ['w Anna', 'w Ben'], [inside('\\$workflow.id')]],
		[
			'={{$json.up()}}, {{$itemIndex}}, {{$json.up()}}',
			['ANNA, 0, ANNA', 'BEN, 1, BEN'],
			[
				/\{\{\$json\.up\(\)\}\}.*\{\{\$itemIndex\}\}/,
				/\{\{\$json\.up\(\)\}\}.*\{\{\$itemIndex\}\}/,
			],
		],
		[
			'={{$json.up()}} {{$workflow.id}} {{$json.name}}',
			['ANNA w Anna', 'BEN w Ben'],
			[inside('\\$workflow.id'), inside('\\$json.up\\(\\)'), inside('\\$json.up\\(\\)')],
		],
	])('for %j as rarely as possible', (text, values, questions) => {
		const n8n = new N8n(results);
		expect(n8n.read(text, { items })).toEqual(values);
		expect(n8n.asked).toHaveLength(questions.length);
		expect(n8n.asked).toEqual(questions.map((one) => expect.stringMatching(one)));
	});

	test.each([
		'=Hi \\{{$json.up()}} {{$json.up()}}',
		'=Hi {{$json.up()',
		'={{$json.up()}} {{$json.up()',
	])('for the whole text %j, which it treats specially', (text) => {
		const n8n = new N8n(results);
		n8n.read(text, { items });
		expect(n8n.asked).toContain(text.slice(1));
	});

	test('for each text of a list or record', () => {
		const n8n = new N8n(results);
		const field = { ...textField, name: 'url' };
		const values = {
			list: ['={{$json.up()}}', 'fixed', 7],
			deep: { text: '={{$workflow.id}}' },
			no: null,
		};
		expect(n8n.read(values, { items, field })[1]).toEqual({
			list: ['BEN', 'fixed', 7],
			deep: { text: 'w' },
			no: null,
		});
	});

	test('never for a field that is not in the form, which has its default', () => {
		const field = { ...textField, default: 'preset' };
		expect(new N8n({}).read(undefined, { field })).toEqual(['preset']);
	});
});

const long = `a${'b'.repeat(200)}`;
const cut = `{{${'a'.padEnd(95, 'b')}...`;
const lookAt = 'Check the name of the field in the input.';
const orEmpty =
	"If the value may be missing, use an empty text instead, e.g. {{ $json.name ?? '' }}.";
const mayBe = (other: string) =>
	`${lookAt} If the value may be missing, use another one instead, e.g. {{ $json.name ?? ${other} }}.`;
const describedError = (description?: string) => Object.assign(new Error('No'), { description });

describe('an error', () => {
	test.each<[text: unknown, message: string, description: string, field?: ParameterField]>([
		['={{none}}', "{{none}} in 'Text' has no value", lookAt],
		['={{none}}', "{{none}} in 'Text' has no value", `${lookAt} ${orEmpty}`, optional],
		['=Hi {{none}}', "{{none}} in 'Text' has no value", `${lookAt} ${orEmpty}`],
		['=Hi {{none}}{{text}}', "{{none}} in 'Text' has no value", `${lookAt} ${orEmpty}`],
		[
			'={{none}}',
			"{{none}} in 'Text' has no value",
			mayBe('50'),
			{ ...optional, type: 'number', default: 50 },
		],
		[
			'={{none}}',
			"{{none}} in 'Text' has no value",
			mayBe('"week"'),
			{ ...optional, type: 'options', default: 'week' },
		],
		[
			{ limit: '={{none}}' },
			"{{none}} in 'Text → Limit' has no value",
			mayBe('true'),
			{
				...{ ...optional, type: 'collection', default: {} },
				options: [{ displayName: 'Limit', name: 'limit', type: 'boolean', default: true }],
			},
		],
		[
			{ value: { headerPdfUrl: '={{none}}' } },
			"{{none}} in 'Header PDF URL' has no value",
			`${lookAt} ${orEmpty}`,
			{ ...optional, type: 'resourceMapper', default: {} },
		],
		[
			'Hi {{ $json.name }}',
			"'Text' shows {{ $json.name }} instead of its value",
			'The field takes no expressions. Write {{1}} for what differs from message to message.',
			{ ...textField, noDataExpression: true },
		],
		['={{null}}', "{{null}} in 'Text' has no value", lookAt],
		['={{nan}}', "{{nan}} in 'Text' has no value", lookAt],
		[`={{${long}}}`, `${cut} in 'Text' has no value`, lookAt],
		[
			'={{fails}}',
			"The expression {{fails}} in 'Text' failed: No",
			'Correct the expression in the node.',
		],
		[
			'={{text}} {{fails}}',
			"The expression {{fails}} in 'Text' failed: No",
			'Correct the expression in the node.',
		],
		[
			'={{described}}',
			"The expression {{described}} in 'Text' failed: No",
			'It is wrong. Correct the expression in the node.',
		],
		[
			'=Hi {{ended}}',
			"The expression {{ended}} in 'Text' failed: No",
			'It is wrong. Correct the expression in the node.',
		],
		[
			'=\\{{text}} {{fails}}',
			"The expression {{fails}} in 'Text' failed: No",
			'Correct the expression in the node.',
		],
		[
			'={{date}}',
			'{{date}} in \'Text\' has no value, only "Invalid DateTime"',
			'Correct the value in your data.',
		],
		[
			'=Hi {{record}}',
			'{{record}} in \'Text\' gives "[object Object]"',
			'Choose one field of the record. If the value is a date, correct the date.',
		],
		[
			'Hi {{ $json.name }}',
			"'Text' shows {{ $json.name }} instead of its value",
			"Switch the field from 'Fixed' to 'Expression'.",
		],
		[
			`{{ $json.${long} }}`,
			`'Text' shows {{ $json.${long.slice(0, 88)}... instead of its value`,
			"Switch the field from 'Fixed' to 'Expression'.",
		],
	])('for %j says %j', (text, message, description, field = textField) => {
		const n8n = new N8n({
			...{ text: 'a', null: null, nan: NaN, fails: describedError() },
			...{ described: describedError('It is wrong'), ended: describedError('It is wrong.') },
			...{ date: 'Invalid DateTime', record: {} },
		});
		const [error] = n8n.read(text, { field }) as InputError[];
		expect([error.message, error.description]).toEqual([message, description]);
	});

	test.each([
		['={{ "Invalid DateTime" }}', { ' "Invalid DateTime" ': 'Invalid DateTime' }],
		['=<{{ "[object Object]" }}>', { ' "[object Object]" ': '[object Object]' }],
	])('is not made of what %s says on purpose', (text, results) => {
		const n8n = new N8n(results);
		expect(n8n.read(text)).toEqual([expect.stringMatching(/Invalid DateTime|object Object/)]);
	});

	test.each([
		['a boolean', true, /^\{\{value\}\} in 'Text' is true, not a text$/],
		['a list', ['a', 'b'], /^\{\{value\}\} in 'Text' is a list, not a text$/],
	])('is made of %s inside a text, but not in a field that programs read', (_, value, message) => {
		const n8n = new N8n({ value });
		const [error] = n8n.read('=Hi {{value}}') as Error[];
		expect(error.message).toMatch(message);
		const field = { ...textField, name: 'url' };
		expect(n8n.read('=Hi {{value}}', { field })).toEqual([`Hi ${String(value)}`]);
	});

	test.each(['untrue', 'true or false', 'false alarm', 'nontrue'])(
		'is not made of the text %j',
		(text) => {
			const n8n = new N8n({ text });
			expect(n8n.read('=Hi {{text}}')).toEqual([`Hi ${text}`]);
			expect(n8n.asked).toHaveLength(1);
		},
	);

	test('is not made of a missing value in a field that may be missing, unless it is required', () => {
		const name = { ...optional, name: 'name', displayName: 'Name' };
		expect(new N8n({}).read('={{none}}', { field: name })).toEqual([undefined]);
		const [error] = new N8n({}).read('={{none}}', { field: { ...name, required: true } });
		expect(error).toBeInstanceOf(Error);
	});
});

describe('in the review of a tool call', () => {
	const type = 'x.businessMessagingHitlTool';
	const results = { '$tool.parameters': { to: 'Anna' }, value: 7, '$tool.name': 'Send' };

	test.each<[text: string, value: unknown]>([
		['=Send? {{$tool.parameters}}', 'Send? to: Anna\n\nReply yes or no.'],
		['={{$tool.parameters}}', 'to: Anna\n\nReply yes or no.'],
		['=Yes or no? {{$tool.parameters}}', 'Yes or no? to: Anna'],
		['={{value}}', 7],
		['={{$tool.name}}', 'Send'],
	])('the message %j is %j', (text, value) => {
		expect(new N8n(results).read(text, { type })).toEqual([value]);
	});

	test('and nowhere else, parameters become lines', () => {
		const [error] = new N8n(results).read('=Send? {{$tool.parameters}}') as Error[];
		expect(error.message).toContain('[object Object]');
	});
});
