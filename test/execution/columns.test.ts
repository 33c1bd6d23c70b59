/** Reading columns gives what n8n's own evaluation gives. */
import fc from 'fast-check';
import { type GenericValue, type IDataObject, Workflow } from 'n8n-workflow';

import { columnReader } from '../../nodes/BusinessMessaging/execution/columns';
import { start } from '../support/helperNodes';

const workflow = new Workflow({
	nodes: [
		{ id: '1', name: 'Node', type: 'test', typeVersion: 1, position: [0, 0], parameters: {} },
	],
	connections: {},
	active: false,
	nodeTypes: {
		getByName: () => start,
		getByNameAndVersion: () => start,
		getKnownTypes: () => ({}),
	},
});
const evaluated = (saved: unknown, json: IDataObject) =>
	workflow.expression.getParameterValue(
		saved as string,
		null,
		0,
		0,
		'Node',
		[{ json }],
		'trigger',
		{},
	);

/** n8n refuses names that programs use to break out of its sandbox. */
function isRefused(saved: string, json: IDataObject): boolean {
	try {
		evaluated(saved, json);
		return false;
	} catch (error) {
		return /security concerns|invalid constructor/.test((error as Error).message);
	}
}

const name = fc.oneof(
	fc.stringMatching(/^[A-Za-z_]\w{0,5}$/),
	fc.string({ maxLength: 8 }),
	fc.constantFrom('First Name', 'constructor', '__proto__', 'length', 'to', 'json', '0'),
);
const value = fc.oneof(
	fc.string(),
	fc.double({ noNaN: true }),
	fc.integer(),
	fc.boolean(),
	fc.constant(null),
	fc.jsonValue(),
);
const space = fc.constantFrom('', ' ', '\n', '  ');
const text = fc.oneof(
	fc.string(),
	fc.constantFrom('', 'Hello ', ', your order: ', '\\{{ 1 }}', "it's `$5`", '{{', '}}', '\n'),
);

/** A field as the editor or a person writes it, and an item that has most of its columns. */
const fieldAndItem = fc
	.array(
		fc.record({
			name,
			value,
			before: text,
			inner: space,
			isQuoted: fc.boolean(),
			isThere: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 3 },
	)
	.chain((parts) => fc.record({ parts: fc.constant(parts), after: text, isBare: fc.boolean() }))
	.map(({ parts, after, isBare }) => {
		const placeholder = ({ name: key, inner, isQuoted }: (typeof parts)[number]) =>
			`{{${inner}$json${isQuoted ? `["${key}"]` : `.${key}`}${inner}}}`;
		const field = isBare
			? placeholder(parts[0])
			: parts.map((part) => part.before + placeholder(part)).join('') + after;
		const json = Object.fromEntries(
			parts.filter(({ isThere }) => isThere).map(({ name: key, value: own }) => [key, own]),
		);
		return { saved: `=${field}`, json: json };
	});

test('whatever is read is what n8n gives', () => {
	let read = 0;
	fc.assert(
		fc.property(fieldAndItem, ({ saved, json }) => {
			const own = columnReader(saved)?.(json);
			if (own === undefined || isRefused(saved, json)) return;
			read++;
			expect(own).toEqual(evaluated(saved, json));
		}),
		{ numRuns: 2_000 },
	);
	expect(read).toBeGreaterThan(200);
});

const anna: IDataObject = {
	phone: '+15550001111',
	'First Name': 'Anna',
	orders: 3,
	address: { city: 'Rome' },
	empty: null,
};

test.each<[unknown, unknown]>([
	['={{ $json.phone }}', '+15550001111'],
	["={{ $json['First Name'] }}", 'Anna'],
	[
		'=Hello {{ $json["First Name"] }},\nyou have {{$json.orders}} orders.',
		'Hello Anna,\nyou have 3 orders.',
	],
	['={{ $json.orders }}', 3],
	[
		{ value: { body_1: '={{ $json.phone }}', body_2: 'fixed' }, schema: [{ id: 'body_1' }] },
		{ value: { body_1: '+15550001111', body_2: 'fixed' }, schema: [{ id: 'body_1' }] },
	],
])('reads %j', (saved, expected) => {
	expect(columnReader(saved)?.(anna)).toEqual(expected);
	expect(evaluated(saved, anna)).toEqual(expected);
});

test.each<GenericValue>([
	'={{ $json.missing }}',
	'={{ $json.empty }}',
	'={{ $json.address }}',
	'={{ $json.address.city }}',
	'={{ $json.phone.slice(1) }}',
	'={{ $json.toString }}',
	'={{ $("Other").item.json.phone }}',
	'={{ $json.phone + 1 }}',
	'=\\{{ $json.phone }}',
	{ value: { body_1: '={{ $json.missing }}' } },
])('leaves %j to n8n', (saved) => {
	expect(columnReader(saved)?.(anna)).toBeUndefined();
});
