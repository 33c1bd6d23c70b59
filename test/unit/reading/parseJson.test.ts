/** JSON of services: large identifiers digit for digit, all else as JavaScript reads it. */
import fc from 'fast-check';

import { parseJson } from '../../../nodes/BusinessMessaging/reading/parseJson';

const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

/** Writes a value as JSON: a bigint as the number that it is. */
function write(value: unknown): string {
	if (typeof value === 'bigint') return String(value);
	if (Array.isArray(value)) return `[${value.map(write).join(' , ')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).map(([name, inner]) => `${write(name)} :${write(inner)}`);
	return `{${fields.join(',')}}`;
}

const isLarge = (value: bigint) => value > BigInt(2 ** 53 - 1) || value < -BigInt(2 ** 53 - 1);

/** What comes of a value. */
function expected(value: unknown): unknown {
	if (typeof value === 'bigint') return isLarge(value) ? String(value) : Number(value);
	if (Array.isArray(value)) return value.map(expected);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expected(inner)]));
}

/** Whether a number is one that JSON shows with a fraction or exponent, or that needs neither. */
const isExact = (n: number) =>
	!Object.is(n, -0) && (!Number.isInteger(n) || Number.isSafeInteger(n) || Math.abs(n) >= 1e21);

const confusing = fc.constantFrom(
	'9007199254740993',
	'"9007199254740993',
	'\\": 9007199254740993, "',
	'\\\\',
	'[9007199254740993,',
	'\u2028\n',
);
const texts = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.array(confusing).map((all) => all.join('')),
);
const { tree } = fc.letrec((tie) => ({
	leaf: fc.oneof(
		fc.bigInt({ min: -(BigInt(10) ** BigInt(25)), max: BigInt(10) ** BigInt(25) }),
		fc.integer({ min: -3, max: 3 }).map((n) => BigInt(2 ** 53) + BigInt(n)),
		fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isExact),
		fc.constantFrom(0.1234567890123456789, 1e300, 5e-324, null, true, false),
		texts,
	),
	tree: fc.oneof(
		{ depthSize: 'small' },
		tie('leaf'),
		fc.array(tie('tree')),
		fc.dictionary(
			texts.filter((name) => name !== '__proto__'),
			tie('tree'),
		),
	),
}));

test(`whole numbers beyond 2^53 become text, and nothing else changes (TEST_SEED=${seed})`, () => {
	fc.assert(
		fc.property(tree, (value) => {
			expect(parseJson(write(value))).toEqual(expected(value));
		}),
		{ seed, numRuns: 1_000 },
	);
});

test('IDs that differ in the last digit stay different', () => {
	const body = '{"data":[{"id":9007199254740992},{"id":9007199254740993}],"sum":1.5e20}';
	expect(parseJson(body)).toEqual({
		data: [{ id: '9007199254740992' }, { id: '9007199254740993' }],
		sum: 1.5e20,
	});
});

test.each([
	['ten million escapes', '\\n'.repeat(1e7)],
	['ten million quotation marks', '\\"'.repeat(1e7)],
	['ten million backslashes', '\\\\'.repeat(1e7)],
])('a text with %s is read', (_, text) => {
	expect(parseJson(`{"text":"${text}","id":9007199254740993}`)).toMatchObject({
		id: '9007199254740993',
	});
});

test.each([
	...['', '{', '{"id":9007199254740993', '"9007199254740993', 'a 9007199254740993', '"\\'],
	'"9007199254740993\\',
])('%s is not JSON', (text) => {
	expect(parseJson(text)).toBeUndefined();
});
