/** What holds for every source file of what is shipped. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { filesBelow, root } from '../support/build';
import { repeatedPassages } from './passages';

const files = [...filesBelow('nodes'), ...filesBelow('credentials')]
	.filter((name) => name.endsWith('.ts'))
	.map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));

test('no rule of the linter is switched off', () => {
	expect(files.length).toBeGreaterThan(0);
	expect(
		files
			.filter(({ text }) => /eslint-disable|@ts-(ignore|nocheck)/.test(text))
			.map(({ name }) => name),
	).toEqual([]);
});

test('no passage of six lines stands twice', () => {
	expect(repeatedPassages(files, 6)).toEqual([]);
});

test('a passage that stands twice is found, whatever stands between its lines', () => {
	const passage = [
		'const a = 1;',
		'const b = 2;',
		'call(a,',
		'\tb);',
		'if (a) {',
		'\treturn b;',
		'}',
	];
	const once = passage.join('\n');
	const again = [
		"import { x } from 'y';",
		'',
		...passage.flatMap((line) => [`\t${line}`, '\t// a comment', '']),
	].join('\n');
	expect(
		repeatedPassages(
			[
				{ name: 'a.ts', text: once },
				{ name: 'b.ts', text: again },
			],
			6,
		),
	).toEqual(['b.ts:3 = a.ts:1: const a = 1;']);
	expect(
		repeatedPassages(
			[
				{ name: 'a.ts', text: once },
				{ name: 'b.ts', text: again.replace('= 2', '= 3') },
			],
			6,
		),
	).toEqual([]);
});
