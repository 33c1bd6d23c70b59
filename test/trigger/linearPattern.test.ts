/** The regular expressions of the filters: they mean what they mean in JavaScript, and never take long. */
import { compilePattern } from '../../nodes/BusinessMessaging/trigger/linearPattern';
import { numbers } from './support';

const texts = [
	'',
	'a',
	'b',
	'aa',
	'ab',
	'ba',
	'aab',
	'abab',
	'abc',
	'ABC',
	'a b',
	' a',
	'b ',
	'1',
	'12',
	'a1',
	'1a',
	'_',
	'-',
	'a-b',
	'a.b',
	'ä',
	'Ä',
	'é',
	'😀',
	'a😀b',
	'a\nb',
	'\n',
	'^',
	'$',
	'(',
	'#12',
];

const native = (pattern: string) => {
	const expression = new RegExp(pattern, 'iu');
	return (text: string) => expression.test(text);
};

test.each([
	'a',
	'ab|ba',
	'^a',
	'b$',
	'^$',
	'^a$|^b$',
	'a*',
	'^a*$',
	'^a+b$',
	'a?b',
	'^(ab)+$',
	'^(?:ab|ba)*$',
	'(?<x>a)b',
	'a{2}',
	'^a{1,}b',
	'^(a|b){2,3}$',
	'^a{0}$',
	'^.$',
	'^..$',
	'a.b',
	'\\d+',
	'^\\w+$',
	'\\W',
	'\\s',
	'\\ba\\b',
	'\\Ba',
	'[a-c]{3}',
	'[^a-z]',
	'^[^\\d\\s]+$',
	'\\.',
	'\\^',
	'\\(',
	'#?\\d',
	'\\p{L}',
	'^\\p{L}+$',
	'\\u{1F600}',
	'\\u00e4',
	'\\xe4',
	'\\n',
	'a*?b',
	'(a*)*b',
	'(|a)b',
	'(a|)(b|)$',
	'[\\]a]',
	'[.]',
	'ä',
	'😀',
])('%s is found where JavaScript finds it', (pattern) => {
	const [ours, theirs] = [compilePattern(pattern), native(pattern)];
	expect(texts.filter(ours)).toEqual(texts.filter(theirs));
});

test('thousands of random patterns are found where JavaScript finds them', () => {
	const random = numbers(42);
	const pick = <T>(list: T[]) => list[random(list.length)];
	const build = (depth: number): string => {
		const atom = () =>
			depth > 0 && random(3) === 0
				? `(${build(depth - 1)})`
				: pick(['a', 'b', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$']);
		const repeated = (part: string) =>
			/^(\\b|\^|\$)$/.test(part)
				? part
				: part + pick(['', '', '*', '+', '?', '{2}', '{1,2}', '*?']);
		const sequence = () => Array.from({ length: random(4) }, () => repeated(atom())).join('');
		return random(4) === 0 ? `${sequence()}|${sequence()}` : sequence();
	};
	for (let n = 0; n < 3_000; n++) {
		const pattern = build(2);
		expect([pattern, texts.filter(compilePattern(pattern))]).toEqual([
			pattern,
			texts.filter(native(pattern)),
		]);
	}
});

// JavaScript's own engine would not come to an end with these.
test.each([
	'(a+)+$',
	'^(a|a)*$',
	'^(a*)*$',
	'(a|aa)+$',
	'(.*)*x',
	'^(\\w+\\s?)*$',
	'(.*a){12}$',
	'a*a*a*a*a*a*a*b',
])('%s ends soon on a text made for it', (pattern) => {
	expect(compilePattern(pattern)(`${'a'.repeat(4_999)}!`)).toBe(false);
});

test('looks at the first 5,000 characters', () => {
	const isFound = compilePattern('end');
	expect([isFound(`${'x'.repeat(4_997)}end`), isFound(`${'x'.repeat(4_998)}end`)]).toEqual([
		true,
		false,
	]);
});
