/** The security page names tests that are there. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from '../support/build';

const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');

/** The named tests, by file: `file.test.ts`: "name", "name"; */
function namedTests(text: string): Array<[string, string]> {
	return [...text.matchAll(/`([\w/]+\.test\.ts)`: ((?:"(?:\\.|[^"\\])+"(?:, )?)+)/g)].flatMap(
		([, file, names]) =>
			[...names.matchAll(/"((?:\\.|[^"\\])+)"/g)].map(([, name]): [string, string] => [
				file,
				name.replaceAll('\\"', '"'),
			]),
	);
}

const named = namedTests(page);

function isThere(file: string, name: string): boolean {
	const source = readFileSync(path.join(root, 'test', file), 'utf8');
	return ["'", '`', '"'].some((quote) =>
		source.replaceAll(/\(\s+/g, '(').includes(`(${quote}${name}${quote},`),
	);
}

test('every test that the security page names is there', () => {
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter(([file, name]) => !isThere(file, name))).toEqual([]);
});

test('every row of the page names a test, and every file of the review is named', () => {
	const rows = page.split('\n').filter((line) => /^\| (?!Tried|---)/.test(line));
	expect(rows.filter((row) => namedTests(row).length === 0)).toEqual([]);
	const reviewed = filesBelow('test/security').filter(
		(file) => file.endsWith('.test.ts') && !file.endsWith('page.test.ts'),
	);
	expect(reviewed.filter((file) => !named.some(([name]) => file === `test/${name}`))).toEqual([]);
});
