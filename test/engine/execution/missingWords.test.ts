/** The words that an expression makes of a missing value, e.g. "Hello undefined": nobody gets them, unless somebody has written them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { locator, sendText, useService } from '../../../harness/engine/service';

const service = useService();
const phone = '+15550001001';
const send = async (parameters: INodeParameters, json: IDataObject = {}) =>
	await service.run({
		parameters: { ...sendText, to: phone, ...parameters },
		items: [
			{ phone, name: 'Anna', sheet: 'undefined', empty: null, german: 'um null Uhr', ...json },
		],
	});

const variables = (value: string) => ({
	operation: 'sendTemplate',
	...{ template: locator('login_code', 'name'), language: locator('en_US', 'code') },
	variables: { mappingMode: 'defineBelow', value: { body_1: value } },
});
const made = (word: string) => `gives "${word}" for a missing value`;
const noValue = 'has no value';

test.each<[code: string, problem: string]>([
	['"Hello " + $json.nmae', made('undefined')],
	["$json.name + $json.nmae + '!'", made('undefined')],
	['`Hello ${$json.nmae}`', made('undefined')],
	['`Hello ${$json.nmae ?? undefined}`', made('undefined')],
	['"Hello ".concat($json.nmae)', made('undefined')],
	['"Hello X".replace("X", $json.nmae)', made('undefined')],
	['["Hello", String($json.nmae)].join(" ")', made('undefined')],
	["typeof $json.name === 'undefined' ? '' : 'Hello ' + $json.nmae", made('undefined')],
	["$('Start').item.json.name + $('Start').item.json.nmae", made('undefined')],
	['/* "undefined" */ "Hello " + $json.nmae', made('undefined')],
	['"Hello " + $json.sheet', made('undefined')],
	['"Hello " + $json.empty', made('null')],
	['$json.name + $json.empty', made('null')],
	['$json.empty + $json.name', made('null')],
	['$json.german + $json.empty', made('null')],
	['"Total: " + $json.price * 2', made('NaN')],
	['"Total: " + ($json.price * 2).toFixed(2)', made('NaN')],
	['($json.price * 2).toFixed(2) + " €"', made('NaN')],
	['"Hello " + $json', 'gives "[object Object]"'],
	['$json.sheet', noValue],
	['$json.sheet.trim()', noValue],
	['$json["sheet"] ?? "x"', noValue],
	['String($json.nmae)', noValue],
	['`${$json.empty}`', noValue],
	['($json.price * 2).toFixed(2)', noValue],
])(
	'{{ %s }} %s: nothing is sent, whether it is the whole text or a part of it',
	async (code, problem) => {
		for (const text of [
			`={{ ${code} }}`,
			`=Dear customer, {{ ${code} }}!`,
			`=C:\\ {{ ${code} }}`,
		]) {
			const { error } = await send({ text });
			expect(error?.message).toContain(problem);
			expect(error?.message).toMatch(/in 'Text' .*\[item 0\]$/);
			expect(error?.context?.sendStatus).toBe('notSent');
		}
		expect(service.requests()).toEqual([]);
	},
);

describe('an error of a spreadsheet, a word of a database, and a name of spaces', () => {
	const words = [
		...['#N/A', '#REF!', '#VALUE!', '#DIV/0!', '#NAME?', '#NUM!', '#NULL!', '#ERROR!', '#SPILL!'],
		...['#NV', '#BEZUG!', '#ÜBERLAUF!', '#¡REF!', '#¿NOMBRE?', '#Н/Д', 'Err:502', ' #N/A\n'],
		...['null', 'NULL', 'None', 'NaN', 'NaT', '<NA>', 'undefined', 'Invalid date', 'Invalid Date'],
		...[' ', '\u00a0\t', '\u200b', '\u3164'],
	];
	const wrong = words.map((name) => ({ phone, name }));
	const run = async (parameters: object) =>
		await service.run({
			parameters: { ...sendText, to: phone, ...parameters },
			items: wrong,
			onError: 'continueRegularOutput',
		});

	test.each<[string, object]>([
		['inside a text', { text: '=Hello {{ $json.name }}, welcome' }],
		['inside a text, after a change', { text: '=Hello {{ $json.name.slice(0) }}, welcome' }],
		['from another node', { text: "=Hello {{ $('Start').item.json.name }}, welcome" }],
		['as a variable', variables('={{ $json.name }}')],
		['inside a variable', variables('=Mrs. {{ $json.name }}')],
	])('are refused %s', async (_, parameters) => {
		const { outputs } = await run(parameters);
		const sent = outputs[0].filter(({ json }) => json.sendStatus !== 'notSent');
		expect(sent).toEqual([]);
		expect(service.sent()).toEqual([]);
	});

	test('are refused if a calculation has put them into a text', async () => {
		const { outputs } = await run({ text: '={{ "Hello " + $json.name.trim() }}' });
		const refused = outputs[0].filter(({ json }) =>
			/for a missing value/.test(String(json.reason)),
		);
		expect(refused).toHaveLength(words.filter((word) => /[\p{L}\p{N}]/u.test(word)).length - 1);
	});

	test('are named, with advice that fits', async () => {
		const inText = await send({ text: '=Hello {{ $json.name }}' }, { name: '#N/A' });
		expect(inText.error?.message).toBe(
			`{{ $json.name }} in 'Text' has no value, only "#N/A" [item 0]`,
		);
		expect(inText.error?.description).toContain('Correct the value in your data.');
		expect(inText.error?.description).toContain("{{ $json.name ?? '' }}");
		const blank = await send(variables('={{ $json.name }}'), { name: ' ' });
		expect(blank.error?.message).toBe(
			"{{ $json.name }} in 'Body 1' has no value, only spaces [item 0]",
		);
		expect(blank.error?.description).toContain("{{ $json.name || 'customer' }}");
		expect(blank.error?.description).not.toContain('empty text');
	});

	test('are sent if somebody has written them, or as a part of other words', async () => {
		const texts = [
			'=#N/A, NULL, None of {{ $json.name }}',
			'={{ $json.missing ?? "#N/A" }}',
			"=Hello {{ $json.missing ?? 'None' }}",
			"={{ ['a', 'b'].join(' ') }}",
			"=Hello{{ $json.missing ? 'x' : ' ' }}",
			'=Hello{{ "\\n" }}{{ $json.missing ?? "\\t" }}',
			'={{ "Hello " + $json.other }}',
		];
		for (const text of texts) await send({ text }, { name: 'None Smith', other: '#N/A Ltd.' });
		for (const name of ['#1', '#A12', '#sale!', 'NONE', 'Nones', 'N/A', '-', '#', 'Nullify', '😀'])
			await send({ text: '={{ $json.name }}' }, { name });
		expect(service.sent().map(({ text }) => text)).toEqual([
			...[
				'#N/A, NULL, None of None Smith',
				'#N/A',
				'Hello None',
				'a b',
				'Hello ',
				'Hello\n\t',
				'Hello #N/A Ltd.',
			],
			...['#1', '#A12', '#sale!', 'NONE', 'Nones', 'N/A', '-', '#', 'Nullify', '😀'],
		]);
	});
});

test.each<[code: string, text: string]>([
	['$json.german', 'um null Uhr'],
	['$json.german.trim()', 'um null Uhr'],
	['"Bis " + $json.german', 'Bis um null Uhr'],
	["$('Start').item.json.german", 'um null Uhr'],
	["$('Start').first().json['german'].replace('um', 'bis')", 'bis null Uhr'],
	["$('Start').item.json.german ?? ''", 'um null Uhr'],
	["$('Start').item.json.nmae || $input.item.json.german", 'um null Uhr'],
	['"null Uhr, " + $json.name', 'null Uhr, Anna'],
	['`null Uhr, ${$json.name}`', 'null Uhr, Anna'],
	['$json.nmae ?? "null"', 'null'],
	['"È annullato: " + $("Start").item.json.italian', 'È annullato: annullato'],
	['"Bitte " + $json.german.replace("um null Uhr", "Nullen").toLowerCase()', 'Bitte nullen'],
])('{{ %s }} gives %j, as somebody has written the word', async (code, expected) => {
	await send({ text: `={{ ${code} }}` }, { italian: 'annullato' });
	await send({ text: `={{ ${code} }}, undefined, null and NaN` }, { italian: 'annullato' });
	const texts = service.sent().map(({ text }) => text);
	expect(texts).toEqual([expected, `${expected}, undefined, null and NaN`]);
});

test("the error's advice works", async () => {
	const { error } = await send({ text: '={{ "Hello " + $json.nmae }}' });
	const advice = ['{{ "Hello " + ($json.name ?? "") }}', 'Hello {{ $json.name }}'];
	for (const text of advice) {
		expect(error?.description).toContain(text);
		await send({ text: `=${text}` });
	}
	await send({ text: `=${advice[0]}` }, { name: null });
	expect(service.sent().map(({ text }) => text)).toEqual(['Hello Anna', 'Hello Anna', 'Hello ']);
});

const once = (campaign: string) => ({ sendOnce: true, campaign });

test.each<[string, (value: string) => object]>([
	['a variable of a template', variables],
	['a campaign', once],
	['Exclude Segment', (value) => ({ audienceRules: { excludeSegment: value } })],
	['the name of a contact', (name) => ({ resource: 'contact', operation: 'create', phone, name })],
])('such a word is refused in %s', async (_, parametersOf) => {
	const { error } = await send(parametersOf('={{ "order-" + $json.nmae }}') as INodeParameters);
	expect(error?.message).toContain(made('undefined'));
	expect(service.requests()).toEqual([]);
});

test('in JSON, null is a value', async () => {
	const value = '={{ JSON.stringify({ a: $json.empty }) }}';
	const components =
		'={{ JSON.stringify([{ type: "body", parameters: [{ type: "text", text: "x", a: $json.empty }] }]) }}';
	const field = [{ name: 'extra', type: 'json', value }];
	const { error } = await send({
		...variables(''),
		specifyVariables: 'json',
		componentsJson: components,
		additionalFields: { field },
	});
	expect(error).toBeUndefined();
	expect(service.requests('sendTemplate')).toMatchObject([
		{ body: { extra: { a: null }, components: [{ parameters: [{ a: null }] }] } },
	]);
});
