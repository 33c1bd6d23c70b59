/** Expressions in the fields of the node. n8n ignores missing values; the node refuses them before anything is sent. */
import fc from 'fast-check';
import { attempt } from 'lodash';
import {
	Expression,
	type IDataObject,
	type IExecuteFunctions,
	type INodeParameters,
} from 'n8n-workflow';

import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const send: INodeParameters = { ...sendText, to: '={{ $json.phone }}' };
/** n8n gives nothing for a text that contains it. */
const odd = { toString: 'not a function' };
const people: IDataObject[] = [
	{ phone: '+15550001001', name: 'Anna', parcel: { id: 7 }, odd, nan: NaN },
	{ phone: '+15550001002', name: null },
	{ phone: '+15550001003', name: '', parcel: { id: '' } },
];

const textsTo = () => service.sent().map((message) => message.text);
const runWith = async (parameters: INodeParameters, items = people.slice(0, 1)) =>
	await service.run({ parameters: { ...send, ...parameters }, items });

test('a missing value inside a text stops the run before anything is sent, or fails only its item', async () => {
	const text = '=Hello {{ $json.name }}, your parcel {{ $json.parcel.id }} is here';
	const { error } = await runWith({ text }, people);
	expect(error).toMatchObject({
		message: "{{ $json.name }} in 'Text' has no value [item 1]",
		description: expect.stringContaining('nothing was sent'),
		context: { itemIndex: 1, sendStatus: 'notSent' },
	});
	expect(textsTo()).toEqual([]);
	const parameters = { ...send, text };
	const onError = 'continueErrorOutput';
	const { outputs } = await service.run({ parameters, items: people, onError });
	expect(outputs[1].map(({ json }) => json.phone)).toEqual(['+15550001002']);
	expect(textsTo()).toEqual(['Hello Anna, your parcel 7 is here', 'Hello , your parcel  is here']);
});

test('an expression is refused with advice that works', async () => {
	const { error } = await runWith({ text: '=Hello {{ $json.customer.name }}!' });
	const advised = "{{ $json.customer?.name ?? '' }}";
	expect(error?.description).toContain(advised);
	await runWith({ text: `=Hello ${advised}!` });
	expect(textsTo()).toEqual(['Hello !']);
});

const template = {
	operation: 'sendTemplate',
	template: locator('welcome', 'name'),
	language: locator('en_US', 'code'),
	variables: { mappingMode: 'defineBelow', value: { body_1: '=Dear {{ $json.nmae }}' } },
};
const update = {
	resource: 'contact',
	operation: 'update',
	contactId: locator('1'),
	updateFields: { name: '={{ $json.nmae }}' },
};
const list = { resource: 'contact', operation: 'getAll', filters: { segment: '={{ $json.seg }}' } };
const emptyText = 'use an empty text instead';

test.each<[INodeParameters, string, string]>([
	[{ text: '={{ null }}!' }, "{{ null }} in 'Text' has no value", emptyText],
	[{ text: '={{ Number($json.name) }}!' }, "{{ Number($json.name) }} in 'Text' has", emptyText],
	[template, "{{ $json.nmae }} in 'Body 1' has no value", "{{ $json.nmae || 'customer' }}"],
	[{ text: '=Hi {{ $json.parcel }}' }, 'in \'Text\' gives "[object Object]"', 'one field'],
	[
		{ text: '=On {{ DateTime.fromISO($json.name).toFormat("dd.MM.") }}' },
		'gives "Invalid DateTime"',
		'correct the date',
	],
	[
		{ text: '=Hi {{ $json.name.trim() }}, {{ $json.odd }}!' },
		"{{ $json.odd }} in 'Text' ",
		'Choose one field of ',
	],
	[{ ...list, filters: { segment: '=vip \\{{' } }, "{{vip \\{{}} in 'Filters → Segment' ", ''],
	[
		{ text: '=Hi {{ $json.name.trim }}' },
		"{{ $json.name.trim }} in 'Text' is a function, not a value",
		'Add () after its name',
	],
	[{ text: '={{ $now.toISO }}' }, "{{ $now.toISO }} in 'Text' is a function", 'Add ()'],
	[{ campaign: '=sale {{ $now.toISO }}', sendOnce: true }, "in 'Campaign' is a function", 'Add ()'],
	[{ text: '=Hi {{ [] }}' }, "{{ [] }} in 'Text' is a list, not a text", 'join its values'],
	[{ text: '=Hi {{ new Set([1]) }}' }, 'in \'Text\' gives "[object Set]"', 'one field'],
	[{ text: '=Until {{ new Date("x") }}' }, 'in \'Text\' gives "Invalid Date"', 'correct the date'],
	[{ text: '={{ new Date("x") }}' }, "'Text' is an invalid date, not a text", 'Correct the date.'],
	[{ text: '=Only {{ 5 / 0 }} left' }, "{{ 5 / 0 }} in 'Text' has no value", emptyText],
	[{ text: '=Only {{ $json.nan }} left' }, "{{ $json.nan }} in 'Text' has no value", emptyText],
	[{ text: '=Hi {{ $parameter }}' }, "{{ $parameter }} in 'Text' ", 'Choose one field of '],
	[{ text: '=Hi {{ foo( }}' }, "The expression {{ foo( }} in 'Text' failed: ", ''],
	[
		{ to: '={{ $json.customer.phone }}' },
		"{{ $json.customer.phone }} in 'Recipient Phone Number' has no value",
		'Check the name of the field in the input.',
	],
	[
		{ audienceRules: { excludeSegment: '={{ $json.seg }}' } },
		"{{ $json.seg }} in 'Audience Rules → Exclude Segment' has no value",
		emptyText,
	],
	[{ text: "={{ $fromAI('Text') }}" }, "The AI model gave no value for 'Text'", 'description'],
	[list, "{{ $json.seg }} in 'Filters → Segment' has no value", "{{ $json.seg ?? '' }}"],
	[update, "{{ $json.nmae }} in 'Update Fields → Name' has no value", emptyText],
])('%j is refused: %s', async (parameters, message, advice) => {
	const { error } = await runWith(parameters);
	expect(error?.message).toContain(message);
	expect(error?.message).toMatch(/\[item 0\]$/);
	expect(error?.description).toContain(advice);
	expect(service.requests()).toEqual([]);
});

test.each<[string, INodeParameters]>([
	['Text', { text: 'Hello {{ $json.name }}' }],
	['Text', { text: "Hello {{$('Start').item.json.name}}" }],
	[
		'Body 1',
		{
			...template,
			variables: { mappingMode: 'defineBelow', value: { body_1: '{{ $json.name }}' } },
		},
	],
	[
		'Audience Rules → Exclude Numbers',
		{ audienceRules: { excludeNumbers: "{{ $('Start').all() }}" } },
	],
])('an expression in a fixed %s is not sent as it is written: %j', async (label, parameters) => {
	const { error } = await runWith(parameters);
	expect(error?.message).toMatch(
		new RegExp(`^'${label}' shows \\{\\{.*\\}\\} instead of its value`),
	);
	expect(service.requests()).toEqual([]);
});

test('a fixed text may have braces, and so may a value', async () => {
	const text = 'Use {{1}}, {{ name }} or {{ $name }} for $5';
	await runWith({ text });
	await runWith({ text: '={{ $json.name }}' }, [{ phone: '+15550001001', name: '{{ $json.a }}' }]);
	expect(textsTo()).toEqual([text, '{{ $json.a }}']);
});

test('a text may look like a list, a function or an invalid date', async () => {
	const texts = ['a, b', '(x) => { }', 'Invalid Date of birth', 'Infinity', 'function f() {}'];
	const items = texts.map((name) => ({ phone: '+15550001001', name }));
	await runWith({ text: '=Hi {{ $json.name }}, {{ $json.name.trim() }}' }, items);
	expect(textsTo()).toEqual(texts.map((text) => `Hi ${text}, ${text}`));
});

test('a date is sent as ISO 8601, without quotes', async () => {
	await runWith({ text: '={{ DateTime.fromISO("2030-01-31T10:00:00.000Z", { zone: "utc" }) }}' });
	expect(textsTo()).toEqual(['2030-01-31T10:00:00.000Z']);
});

/** Columns are read without n8n. If n8n treats a text specially, n8n evaluates it. */
test.each<[string, IDataObject, string]>([
	['=Hi {{$json.name}}, {{ $json.a.b }}!', { name: 'Ann', a: { b: 'Bea' } }, 'Hi Ann, Bea!'],
	['={{ $json["First Name"] }} {{ $json[\'2\'] }}', { 'First Name': 'Ann', 2: 'b' }, 'Ann b'],
	[
		'={{ $json.n }} {{ $json.no }} {{ $json.none }}',
		{ n: 0.5, no: 'false', none: 0 },
		'0.5 false 0',
	],
	['={{ $json.n }}', { n: 1e21 }, '1e+21'],
	['={{ $json.a.length }} {{ $json.a[0] }}', { a: 'xyz' }, '3 x'],
	['=\\{{ $json.n }} {{ $json.n }}', { n: 1 }, '\\{{ $json.n }} 1'],
	["=it's `$5` }} {{ $json.n }}\n}}", { n: '$& {{ 1 }}' }, "it's `$5` }} $& {{ 1 }}\n}}"],
])('the text %j of %j is %j', async (text, json, expected) => {
	await runWith({ text }, [{ phone: '+15550001001', ...json }]);
	expect(textsTo()).toEqual([expected]);
});

test('a column has the value that n8n gives the same expression in parentheses, which the node leaves to n8n', async () => {
	const value = fc.oneof(
		...[fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.boolean()],
		...[fc.constant(null), fc.object(), fc.array(fc.string())],
	);
	const columns = ['$json.value', '$json["value"]', "$json['a b'].c_1", '$json.value.length'];
	const row = fc.record({ value, 'a b': fc.record({ c_1: value }) }, { requiredKeys: [] });
	const check = async (rows: object[], column: string) => {
		const items = rows.map((row) => ({ phone: '+15550001001', ...row }));
		const outcomes = [];
		for (const code of [column, `(${column})`]) {
			service.sandbox.reset();
			const parameters = { ...send, text: `=[{{ ${code} }}]` };
			const { outputs } = await service.run({ parameters, items, onError: 'continueErrorOutput' });
			const refused = outputs[1].map(({ pairedItem }) => pairedItem);
			outcomes.push({ texts: textsTo(), refused });
		}
		expect(outcomes[0]).toEqual(outcomes[1]);
	};
	const rows = fc.array(row, { minLength: 1, maxLength: 50 });
	await fc.assert(fc.asyncProperty(rows, fc.constantFrom(...columns), check), { numRuns: 20 });
});

describe('a text of any pieces', () => {
	const pieces = [
		...['Hi ', '\n', '}', '$json.n', '{{ $json.n }}', '{{ $json.t }}', "{{ $json['a.b'] }}"],
		...['{{ $json.n + 1 }}', '{{ `a` }}', '{{ $workflow.id }}', '{{ $json.none }}'],
		...['{{ $itemIndex }}', '{{ $input.item.json.n }}', '{{ $input.all().length }}'],
		...["{{ $('Start').first().json.n }}", "{{ $('Start').all()[$itemIndex].json.n }}"],
		...['{{ $max($json.n, 0) }}', "{{ $if($json.n > 1, 'a', 'b') }}", '{{ $max(1, 2) }}'],
	];
	/** What n8n treats specially. */
	const odd = ['{{', '{', '}}', '\\', '"a"', '{{ "x}}" }}'];
	/** n8n's own values for the field Text, or its errors. */
	let given: unknown[];

	let execute: (this: IExecuteFunctions) => Promise<unknown>;
	const node = () => service.engine.loaded.node('businessMessaging');

	beforeAll(() => {
		execute = Reflect.get(node(), 'execute') as typeof execute;
		Reflect.set(node(), 'execute', async function (this: IExecuteFunctions) {
			const indexes = [...this.getInputData().keys()];
			given = indexes.map((index) => attempt(() => this.getNodeParameter('text', index)));
			return await execute.call(this);
		});
	});

	afterAll(() => void Reflect.set(node(), 'execute', execute));

	const check = async (chosen: string[]) => {
		service.sandbox.reset();
		const items = [1, 2].map((n) => ({ n, t: `t${n}`, 'a.b': `ab${n}`, none: '' }));
		const parameters = { ...sendText, text: `=.${chosen.join('')}` };
		await service.run({ parameters, items, onError: 'continueErrorOutput' });
		const isPlain = !chosen.some((piece) => odd.includes(piece));
		if (isPlain || textsTo().length > 0) expect(textsTo()).toEqual(given.map(String));
	};

	test.each([
		['is sent as n8n evaluates it', pieces],
		[
			'is sent as n8n evaluates it, or refused where braces are not closed or escaped',
			[...pieces, ...odd],
		],
	])('%s', async (_, all) => {
		const chosen = fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 6 });
		await fc.assert(fc.asyncProperty(chosen, check), { numRuns: 60 });
	});
});

describe('n8n evaluates', () => {
	const counted = '/* counted */';
	const three = people.map((person) => ({ ...person, name: 'Anna', counted: 7, counted_: '' }));

	test.each<[string, INodeParameters, number]>([
		[
			'a list of excluded numbers once for all items',
			{
				audienceRules: {
					excludeNumbers: `={{ $('Start').all().map((row) => row.json.none ?? '') ${counted} }}`,
					allowEmptyList: true,
				},
			},
			1,
		],
		[
			'a text that does not use the item once for all items',
			{ text: `=From {{ $("Start").first().json.name.trim() ${counted} }}, {{ $workflow.id }}` },
			1,
		],
		[
			'the expressions of a text once for each item',
			{ text: `={{ $json.name.trim() ${counted} }} {{ $json.name.trim() }}, {{ $itemIndex }}` },
			3,
		],
		[
			'an expression about the run once, even in a text about the item',
			{ text: `={{ $json.name.trim() }} {{ $input.first().json.name.trim() ${counted} }}` },
			1,
		],
		[
			'no column',
			{ text: '=Hi {{ $json.counted }}, {{ $json["counted"] }}{{ $json.counted_ }}' },
			0,
		],
		['a field once for each item', { text: `={{ $json.name.trim() ${counted} }}` }, 3],
	])('%s', async (_, parameters, times) => {
		const asked = jest.spyOn(Expression.prototype, 'resolveSimpleParameterValue');
		expect((await runWith(parameters, three)).error).toBeUndefined();
		const evaluations = asked.mock.calls.filter(([text]) => String(text).includes('counted'));
		expect([textsTo().length, evaluations.length]).toEqual([3, times]);
	});
});

/** All expressions by which n8n gives access to the item, and some similar ones. */
test.each([
	'$json["ph" + "one"]',
	'$binary && $json.phone',
	'$data.phone',
	'$input.item.json.phone',
	'$input.all()[$itemIndex].json.phone',
	'$input["item"].json.phone',
	"$('Start').item.json.phone",
	"$('Start').itemMatching($itemIndex).json.phone",
	"$('Start').pairedItem($itemIndex).json.phone",
	"$('Start').all()[$position].json.phone",
	"$('Start')['it' + 'em'].json.phone",
	'$node["Start"].json.phone',
	"$items('Start')[$thisItemIndex].json.phone",
	'$item($itemIndex).$json.phone',
	'$thisItem.json.phone',
	"$evaluateExpression('{' + '{ $json.phone }' + '}')",
	'$parameter.to',
	'\\u0024json.phone',
	'((phone = $json.phone) => phone)()',
	'`${$json.phone}`',
])('{{ %s }} gives each person their own value', async (code) => {
	const { error } = await runWith({ text: `={{ ${code} }}` }, people);
	expect(error).toBeUndefined();
	expect(
		service
			.sent()
			.map(({ phone, text }) => [phone, text])
			.sort(),
	).toEqual(people.map(({ phone }) => [phone, phone]));
});

test.each([
	'Math.random()',
	'$now.toMillis() + Math.random()',
	'[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => n * $json.n).randomItem()',
])('{{ %s }} is a new random value for each item', async (code) => {
	const items = people.map((person, n) => ({ ...person, n: 10 ** n }));
	await runWith({ text: `={{ ${code} }}` }, items);
	expect(new Set(textsTo()).size).toBe(3);
});

test("expressions run on n8n's default engine if Node.js supports it", () => {
	const canRun = Number.parseInt(process.versions.node, 10) >= 24;
	expect(Expression.getActiveImplementation?.()).toBe(canRun ? 'vm' : 'legacy');
});
