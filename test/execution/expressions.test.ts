/** Expressions in the fields of the node: what n8n passes over in silence is refused before anything is sent. */
import fc from 'fast-check';
import {
	type IDataObject,
	type IExecuteFunctions,
	type INodeParameters,
	Workflow,
} from 'n8n-workflow';

import { FieldReader } from '../../nodes/BusinessMessaging/execution/expressions';
import { textField } from '../../nodes/BusinessMessaging/operations/fieldBuilders';
import { start } from '../support/helperNodes';
import { useService } from '../support/service';

const service = useService();
const send: INodeParameters = {
	resource: 'message',
	operation: 'sendText',
	to: '={{ $json.phone }}',
	text: 'Hi',
};
const people: IDataObject[] = [
	{ phone: '+15550001001', name: 'Anna', parcel: { id: 7 } },
	{ phone: '+15550001002', name: null },
	{ phone: '+15550001003', name: '', parcel: { id: '' } },
];

describe('a value that is missing inside a text', () => {
	test('stops the run before anything is sent, and names item, field and expression', async () => {
		const text = '=Hello {{ $json.name }}, your parcel {{ $json.parcel.id }} is here';
		const { error } = await service.run({ parameters: { ...send, text }, items: people });
		expect(error).toMatchObject({
			message: "{{ $json.name }} in 'Text' gives no value [item 1]",
			description: expect.stringContaining('nothing was sent'),
			context: { itemIndex: 1, sendStatus: 'notSent' },
		});
		expect(service.sent()).toEqual([]);
	});

	test('fails its item alone if the node continues on errors', async () => {
		const text = '=Hello {{ $json.name }}, your parcel {{ $json.parcel.id }} is here';
		const { outputs } = await service.run({
			parameters: { ...send, text },
			items: people,
			onError: 'continueErrorOutput',
		});
		expect(outputs[1].map(({ json }) => json.phone)).toEqual(['+15550001002']);
		expect(service.sent().map((message) => message.text)).toEqual([
			'Hello Anna, your parcel 7 is here',
			'Hello , your parcel  is here',
		]);
	});

	test.each([
		['{{ $json.nmae }}', "write {{ $json.nmae ?? '' }}."],
		['{{$json["Last Name"]}}', 'write {{ $json["Last Name"] ?? \'\' }}.'],
		['{{ $json.customer.name }}', "write {{ $json.customer?.name ?? '' }}."],
		['{{ $json.name["of"].birth }}', 'write {{ $json.name?.["of"]?.birth ?? \'\' }}.'],
		['{{ $json.name.shout() }}', 'have the expression give an empty text instead.'],
		['{{ undefinedName }}', 'have the expression give an empty text instead.'],
		['{{ Number($json.name) }}', 'have the expression give an empty text instead.'],
		['{{ null }}', 'have the expression give an empty text instead.'],
	])('%s is refused, with advice for a value that may be missing', async (expression, advice) => {
		const run = async (text: string) =>
			await service.run({ parameters: { ...send, text }, items: [people[0]] });
		const { error } = await run(`=Hello ${expression}!`);
		expect(error).toMatchObject({
			message: `${expression} in 'Text' gives no value [item 0]`,
			description: expect.stringContaining(advice),
		});
		expect(service.sent()).toEqual([]);
		const [, advised] = /write (.*)\.$/.exec(advice) ?? [];
		if (advised === undefined) return;
		await run(`=Hello ${advised}!`);
		expect(service.sent().map((message) => message.text)).toEqual(['Hello !']);
	});

	test('is refused in the variables of a template as well', async () => {
		const { error } = await service.run({
			parameters: {
				resource: 'message',
				operation: 'sendTemplate',
				to: '+15550001000',
				template: { __rl: true, mode: 'name', value: 'welcome' },
				language: { __rl: true, mode: 'code', value: 'en_US' },
				variables: {
					mappingMode: 'defineBelow',
					value: { body_1: '=Dear {{ $json.nmae }}', body_2: 'x' },
				},
			},
		});
		expect(error?.message).toBe("{{ $json.nmae }} in 'Variables' gives no value [item 0]");
		expect(service.calls('sendTemplate')).toBe(0);
	});
});

test.each([
	['={{ $json.name. }}', '{{ $json.name. }}'],
	['=Hello {{ $json.name }}, {{ foo( }}', '{{ foo( }}'],
	['={{ $("Nobody").item.json.name }}', '{{ $("Nobody").item.json.name }}'],
])('an expression that fails is named: %s', async (text, expression) => {
	const { error } = await service.run({ parameters: { ...send, text }, items: [people[0]] });
	expect(error?.message).toContain(`The expression ${expression} in 'Text' failed: `);
	expect(error?.message).toMatch(/\[item 0\]$/);
	expect(service.sent()).toEqual([]);
});

test('an expression that gives nothing for a required field is named', async () => {
	const parameters = { ...send, to: '={{ $json.customer.phone }}' };
	const { error } = await service.run({ parameters, items: people });
	expect(error).toMatchObject({
		message: "'Recipient Phone Number' is empty [item 0]",
		description: expect.stringContaining(
			"{{ $json.customer.phone }} in 'Recipient Phone Number' gives no value.",
		),
	});
});

test('a date is sent as ISO 8601, without quotes', async () => {
	const text = '={{ DateTime.fromISO("2030-01-31T10:00:00.000Z", { zone: "utc" }) }}';
	await service.run({ parameters: { ...send, text }, items: [people[0]] });
	expect(service.sent().map((message) => message.text)).toEqual(['2030-01-31T10:00:00.000Z']);
});

describe('columns are read as n8n reads them', () => {
	/** A field of a node with an item, read by us and by n8n itself. */
	function read(saved: string, json: IDataObject): { ours: () => unknown; n8ns: () => unknown } {
		const node = { id: '1', name: 'Node', type: 'test', typeVersion: 1, position: [0, 0] };
		const workflow = new Workflow({
			nodes: [{ ...node, position: [0, 0], parameters: {} }],
			connections: {},
			active: false,
			nodeTypes: {
				getByName: () => start,
				getByNameAndVersion: () => start,
				getKnownTypes: () => ({}),
			},
		});
		const evaluate = (value: string) =>
			workflow.expression.getParameterValue(
				value,
				null,
				0,
				0,
				'Node',
				[{ json }],
				'trigger',
				{},
			) as unknown;
		const context = {
			getNode: () => ({ ...node, parameters: { text: saved } }),
			getInputData: () => [{ json }],
			getNodeParameter: () => evaluate(saved),
			evaluateExpression: (expression: string) => evaluate(`=${expression}`),
		} as unknown as IExecuteFunctions;
		const field = textField({ displayName: 'Text', name: 'text' });
		return { ours: () => new FieldReader(context).read(field, 0), n8ns: () => evaluate(saved) };
	}

	const name = fc.oneof(
		fc.stringMatching(/^[A-Za-z_]\w{0,5}$/),
		fc.string({ maxLength: 8 }),
		fc.constantFrom('First Name', 'constructor', '__proto__', 'length', 'to', 'json', '0'),
	);
	const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.jsonValue());
	const text = fc.oneof(
		fc.string(),
		fc.constantFrom('', 'Hello ', '\\{{ 1 }}', '\\\\', "it's `$5`", '}}', '\n'),
	);
	const part = fc.record({
		name,
		value,
		before: text,
		space: fc.constantFrom('', ' ', '\n'),
		isQuoted: fc.boolean(),
		isNested: fc.boolean(),
	});

	test('whatever is in a text', () => {
		let compared = 0;
		fc.assert(
			fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), text, (parts, after) => {
				const keyOf = ({ name: key, isQuoted }: (typeof parts)[number]) =>
					isQuoted ? `["${key}"]` : `.${key}`;
				const saved = parts
					.map(
						(one) =>
							`${one.before}{{${one.space}$json${one.isNested ? '.a' : ''}${keyOf(one)}${one.space}}}`,
					)
					.join('');
				const top = Object.fromEntries(parts.map((one) => [one.name, one.value]));
				const json = { ...top, a: top } as IDataObject;
				const { ours, n8ns } = read(`=${saved}${after}`, json);
				let expected: unknown;
				try {
					expected = n8ns();
				} catch {
					return; // n8n refuses names that programs use to break out of its sandbox
				}
				try {
					expect(ours()).toEqual(expected);
					compared++;
				} catch (error) {
					if (!/gives no value/.test((error as Error).message)) throw error;
				}
			}),
			{ numRuns: 2_000 },
		);
		expect(compared).toBeGreaterThan(200);
	});
});
