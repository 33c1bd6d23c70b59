/**
 * Sentences of the documents on which people rely (promises/), each with what fails if it is false. A number in a
 * sentence must be the value of a constant or field of the nodes, or stand inside a test that the sentence names.
 */
import { memoize } from 'lodash';
import ts from 'typescript';

import { properties } from '../../nodes/BusinessMessaging/nodeProperties';
import { BusinessMessagingApi } from '../../credentials/BusinessMessagingApi.credentials';
import { triggerProperties } from '../../nodes/BusinessMessaging/trigger/triggerDescription';
import { filesBelow, readText } from '../../harness/engine/files';
import { receiving } from './promises/receiving';
import { sending } from './promises/sending';

const promises = [...sending, ...receiving];

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

const numerals = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const units: Record<string, number> = {
	...{ second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000, month: 1, year: 1 },
	...{ KB: 1024, MB: 1024 ** 2, million: 1e6 },
};
const aNumber = new RegExp(
	`(?<![\\w.])(\\d[\\d,]*(?:\\.\\d+)*|${[...numerals.slice(2), 'twenty'].join('|')})(?:[ -](${Object.keys(units).join('|')})s?)?\\b`,
	'gi',
);

/** The numbers in a sentence, each with the values that it can have in code: as it is, or in ms or bytes. */
function numbersIn(sentence: string): Map<string, number[]> {
	const prose = sentence.replaceAll(
		/\]\([^)]*\)|`[^`]*`|n8n \d[\d.]*|\d+\.\d+\.\d+|\d+ languages|\b[45]\d\d\b(?!,)/g,
		'',
	);
	const found = [...prose.matchAll(aNumber)].map(
		([words, number, unit = '']): [string, number[]] => {
			const word = number.toLowerCase();
			const count = numerals.includes(word)
				? numerals.indexOf(word)
				: word === 'twenty'
					? 20
					: Number(number.replaceAll(',', ''));
			return [words, [count, count * (units[unit] ?? units[unit.toLowerCase()] ?? 1)]];
		},
	);
	return new Map(found);
}

const parse = memoize((file: string) =>
	ts.createSourceFile(file, readText(file), ts.ScriptTarget.ES2022, true),
);

/** The source of the tests whose title contains these words; or of rows of a table, if they begin with such a title. */
function testSource(file: string, title: string): string {
	const source = parse(file);
	const found: string[] = [];
	const look = (node: ts.Node): void => {
		const isTest = ts.isCallExpression(node) && /^(test|describe)/.test(node.getText(source));
		const isRow = ts.isArrayLiteralExpression(node);
		const [first] = isTest ? node.arguments : isRow ? node.elements : [];
		if (first && inOneLine(first.getText(source).replaceAll('\\', '')).includes(title))
			found.push(node.getText(source));
		ts.forEachChild(node, look);
	};
	look(source);
	if (found.length === 0) throw new Error(`${file} has no test "${title}".`);
	return found.join('\n');
}

const perUnit: Record<string, number> = { Minutes: 60_000, Seconds: 1_000, Days: 86_400_000 };

/** The value of a constant, which is a number or a product: as it is, and in ms. @param file with an extension, or below the nodes' folder */
function constant(file: string, name: string): number[] {
	const place = file.includes('.') ? file : `nodes/BusinessMessaging/${file}.ts`;
	const [, product] = new RegExp(`\\b${name} = ([\\w* ]+)`).exec(readText(place)) ?? [];
	if (product === undefined) throw new Error(`${file} has no constant ${name}.`);
	const value = product
		.split(' * ')
		.map((one) => (/^\d/.test(one) ? Number(one.replaceAll('_', '')) : constant(file, one)[0]))
		.reduce((one, other) => one * other);
	const unit = /[A-Z][a-z]+$/.exec(name)?.[0] ?? '';
	return [value, value * (perUnit[unit] ?? 1)];
}

/** A bound or the default of all fields with this name, as the editor gets them. */
function ofFields(name: string, what: string): number[] {
	const values: unknown[] = [];
	const fields = [properties, triggerProperties, new BusinessMessagingApi().properties];
	JSON.stringify(fields, (_, value: Record<string, unknown> | null) => {
		if (value?.name === name) values.push(value[what], (value.typeOptions as typeof value)?.[what]);
		return value;
	});
	const found = values.filter((value) => typeof value === 'number');
	if (found.length === 0) throw new Error(`No field ${name} has a ${what}.`);
	return found.flatMap((value) => [value, value * 1_000, value * 1024]);
}

/** The numbers in a piece of code. */
const literals = (code: string) => [
	...[...code.matchAll(/\d[\d_,]*/g)].map(([text]) => Number(text.replaceAll(/[_,]/g, ''))),
	...[...numbersIn(code).values()].flat(),
];

/** The numbers of what proves a sentence. @throws Error if there is no such thing */
function proved(proof: string): number[] {
	const [, file, what] = /^(\S+?): (.+)$/.exec(proof)!;
	if (file === 'field') return ofFields(...(what.split(' ') as [string, string]));
	if (file.endsWith('.test.ts')) return literals(testSource(`test/${file}`, what));
	if (/^\w+$/.test(what)) return constant(file, what);
	throw new Error(`What is "${proof}"?`);
}

test.each(promises)('$page: $sentence', ({ page, sentence, provedBy, confirmed }) => {
	expect(inOneLine(readText(page))).toContain(sentence);
	expect(confirmed).toMatch(/^\d{4}-\d\d-\d\d [\da-f]{8}$/);
	expect(provedBy).not.toEqual([]);
	const known = provedBy.flatMap(proved);
	const unproved = [...numbersIn(sentence)].filter(
		([, values]) => !values.some((value) => known.includes(value)),
	);
	expect(unproved.map(([words]) => words)).toEqual([]);
});

/** What reads like a promise: it says that something is so each time, or gives a bound. */
const promising =
	/\b(never|always|at most|at the latest|at least|nobody|only once|certainly)\b|(nothing|no \w+) (is|are) (ever )?(sent|lost|doubled|used twice)/i;
/** What reads so, but promises nothing of these nodes: advice, and what n8n or a service does. */
const otherwise =
	/nobody (can )?knows?|if nobody has opted out|never with your API key|any other one never begins|\*Always Output Data\*/i;

/** The sentences of a document, and the cells of its tables. */
function sentencesOf(page: string): string[] {
	const text = readText(page).replaceAll(/```[^]*?```/g, '');
	const blocks = text.split(/\n\s*\n|\n(?=[-|] |\d+\. )/).filter((block) => !block.startsWith('#'));
	return blocks.flatMap((block) => inOneLine(block).split(/(?<=[.!?]) (?=[A-Z*`"[])| \| /));
}

const forUsers =
	/^docs\/(campaigns|monitoring|sandbox|send-and-wait|service-requirements|trigger)\.md$/;

test.each(['README.md', ...filesBelow('docs').filter((name) => forUsers.test(name))])(
	'every promise of %s is listed',
	(page) => {
		const own = promises.filter((one) => one.page === page).map(({ sentence }) => sentence);
		// What is listed may be a part of a sentence, or more than one.
		const isListed = (sentence: string) =>
			own.some((listed) => sentence.includes(listed.slice(0, 40)) || listed.includes(sentence));
		const found = sentencesOf(page).filter((one) => promising.test(one) && !otherwise.test(one));
		expect(found.filter((sentence) => !isListed(sentence))).toEqual([]);
	},
);

test('each row of docs/limits.md with a number is listed', () => {
	const isNumber = (row: string) => numbersIn(row.split(' | ')[1] ?? '').size > 0;
	const rows = readText('docs/limits.md').split('\n').filter(isNumber);
	const listed = promises.filter(({ page }) => page === 'docs/limits.md');
	expect(rows.length).toBeGreaterThan(15);
	const others = rows.filter((row) => !listed.some(({ sentence }) => row.includes(sentence)));
	expect(others.filter((row) => !row.includes("n8n's default"))).toEqual([]);
});
