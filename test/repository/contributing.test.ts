/**
 * Checks that the instructions of CONTRIBUTING.md for a new operation work, and that nothing that depends on the
 * operations is out of date.
 */
import { existsSync } from 'node:fs';

import { uniq } from 'lodash';

import { type Endpoint, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { operations } from '../../nodes/BusinessMessaging/nodeProperties';
import type { Operation } from '../../nodes/BusinessMessaging/operations/operation';
import { callsOf, withDerivedRows } from '../../scripts/assumptions';
import { filesBelow, readText } from '../../harness/engine/files';
import { presentShape, readSaved } from '../../harness/savedWorkflows';

describe('the sample of a new operation', () => {
	const [, section] = readText('CONTRIBUTING.md').split('\n## Add an operation\n');
	const file = /`(nodes\/[\w/]+\.ts)`/.exec(section)![1];
	const code = /```ts\n([^]+?)```/.exec(section)![1].replaceAll(/^ {3}/gm, '');

	test('is in the file that its resource and value name, and repeats no operation', () => {
		const [, resource] = /resource: '(\w+)'/.exec(code)!;
		const [, value] = /value: '(\w+)'/.exec(code)!;
		expect(file).toBe(`nodes/BusinessMessaging/operations/${resource}/${value}.ts`);
		expect(operations.map((one) => `${one.resource} ${one.value}`)).not.toContain(
			`${resource} ${value}`,
		);
	});

	test('needs at most 6 files by hand, also with a new endpoint', () => {
		const [usual] = section.split('\n## ')[0].split('\n| Only for |');
		// A folder counts too: a file in it has to be changed.
		const named = usual.matchAll(/`((?:nodes|sandbox|harness|docs|test)\/[\w/.-]+|\w+\.md)`/g);
		expect(new Set([...named].map(([, name]) => name)).size).toBe(6);
	});

	test('names files that exist', () => {
		const named = [...section.matchAll(/`((?:nodes|sandbox|harness|docs)\/[\w/.-]+)`/g)];
		const others = named.map(([, name]) => name).filter((name) => name !== file);
		expect(others.length).toBeGreaterThan(5);
		expect(others.filter((name) => !existsSync(name))).toEqual([]);
	});
});

test('each endpoint has an operation', () => {
	const called = new Set(operations.map(({ endpoint }) => endpoint));
	for (const [name, endpoint] of Object.entries<Endpoint>(endpoints))
		expect([name, called.has(endpoint)]).toEqual([name, true]);
});

test('docs/api-assumptions.md has a row for each call, and none for another one', () => {
	const page = readText('docs/api-assumptions.md');
	const hint = 'npm run docs -- assumptions';
	expect({ hint, page }).toEqual({ hint, page: withDerivedRows(page) });
	const named = page.matchAll(/`(?:GET|POST|PUT|PATCH|DELETE) \/v1[\w/:]+`/g);
	const calls = Object.values(endpoints).flatMap(callsOf);
	expect(uniq([...named].map(([call]) => call)).sort()).toEqual(calls.sort());
});

/** Sentences that are true only as long as there are no operations of some kind. */
const claims: Array<{ file: string; sentence: string; ends: (operation: Operation) => boolean }> = [
	{
		file: 'docs/privacy.md',
		sentence:
			'Delete the contact and the conversation in the service. The nodes have no operation for this',
		ends: ({ resource, endpoint }) =>
			['contact', 'conversation'].includes(resource) && 'DELETE' === endpoint.methods['/v1'],
	},
	{
		file: 'docs/adr/0009-contact-index.md',
		sentence: 'The specification has no way to look up a contact by phone number',
		ends: ({ resource, endpoint }) =>
			resource === 'contact' && 'phone' in (endpoint.query?.shape ?? {}),
	},
];

describe('sentences that say that there is no such operation', () => {
	// The lines of a comment in code begin with an asterisk.
	const inOneLine = (file: string) => readText(file).replaceAll(/\s+(?:\* )?/g, ' ');

	test.each(claims)('$file: $sentence', ({ file, sentence, ends }) => {
		expect(inOneLine(file)).toContain(sentence);
		const falseSince = operations.filter(ends).map(({ resource, name }) => `${resource}: ${name}`);
		expect({ file, sentence, falseSince }).toEqual({ file, sentence, falseSince: [] });
	});

	test('are all in the table above', () => {
		const absence =
			/\b(?:no (?:\w+ )?|only )(?:operation|endpoint)s?\b.{0,60}|\bno way to (?:look|find|read|change|delete)\b.{0,60}/g;
		const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md'];
		const below = ['docs', 'examples', 'nodes'].flatMap(filesBelow);
		const files = [...pages, ...below].filter((file) => /\.(?:md|ts|json)$/.test(file));
		const others = files.flatMap((file) => {
			const known = claims.filter((claim) => claim.file === file);
			const text = known.reduce(
				(rest, { sentence }) => rest.replace(sentence, ''),
				inOneLine(file),
			);
			return (text.match(absence) ?? []).map((words) => `${file}: ${words}`);
		});
		expect(others).toEqual([]);
	});
});

test('what workflows save is recorded for this version', () => {
	const { version } = JSON.parse(readText('package.json')) as { version: string };
	const hint = 'npm run docs -- saved';
	expect({ hint, shape: readSaved(version).shape }).toEqual({ hint, shape: presentShape() });
});
