/** What the documents point to is there, and what they list is complete. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { uniq } from 'lodash';
import MarkdownIt from 'markdown-it';

import { operations } from '../../nodes/BusinessMessaging/description';
import { variationPointNames } from '../../sandbox/variants';
import { exampleNames } from '../../tools/examples';
import { filesBelow, readText, root } from '../support/files';

const others = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'];
const documents = [...others, ...filesBelow('docs')].filter((name) => name.endsWith('.md'));

const parse = (file: string) => new MarkdownIt({ html: true }).parse(readText(file), {});
const inline = (file: string) => parse(file).flatMap(({ children }) => children ?? []);
/** What a pattern's group finds in a document, each once, in alphabetical order. */
const named = (file: string, pattern: RegExp) =>
	uniq([...readText(file).matchAll(pattern)].map(([, name]) => name)).sort();

/** The anchors that GitHub and npm make of a document's headings. */
function anchors(file: string): string[] {
	const tokens = parse(file);
	return tokens
		.filter((_, index) => tokens[index - 1]?.type === 'heading_open')
		.map(({ content }) =>
			content
				.toLowerCase()
				.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
				.replaceAll(' ', '-'),
		);
}

/** Whether a link or picture of a document leads to a file of this repository, and to a heading of it. */
function isBroken(document: string, target: string): boolean {
	if (/^[a-z]+:/i.test(target)) return false;
	const [name, anchor] = target.split('#').map(decodeURIComponent);
	const file = name ? path.join(path.dirname(document), name) : document;
	if (!existsSync(path.join(root, file))) return true;
	return anchor !== undefined && file.endsWith('.md') && !anchors(file).includes(anchor);
}

test.each(documents)('every link, picture and test that %s names is there', (document) => {
	const targets = inline(document).flatMap((token) =>
		['href', 'src'].flatMap((name) => token.attrGet(name) ?? []),
	);
	expect(targets.filter((target) => isBroken(document, target))).toEqual([]);
	const tests = named(document, /`(?:test\/)?([\w/]+\.test\.ts)`/g);
	expect(tests.filter((file) => !existsSync(path.join(root, 'test', file)))).toEqual([]);
});

test('every picture says in words what is seen, and every picture that is kept is shown somewhere', () => {
	const pictures = documents.flatMap((document) =>
		inline(document)
			.filter(({ type }) => type === 'image')
			.map((token) => ({ src: token.attrGet('src') ?? '', words: token.content }))
			.filter(({ src }) => !src.startsWith('https://')) // badges
			.map(({ src, words }) => ({ file: path.join(path.dirname(document), src), words })),
	);
	expect(pictures.filter(({ words }) => words.length < 20)).toEqual([]);
	const shown = pictures.map(({ file }) => file);
	expect(filesBelow('docs/pictures').filter((file) => !shown.includes(file))).toEqual([]);
});

test('the tables of assumptions and examples are complete', () => {
	const assumed = named('docs/api-assumptions.md', /`variant ([\w-]+)`/g);
	expect(assumed).toEqual([...variationPointNames].sort());
	expect(named('examples/README.md', /\]\(([\w-]+)\.json\)/g)).toEqual(exampleNames().sort());
});

test('the README names every operation', () => {
	const section = readText('README.md')
		.split(/^## /m)
		.find((text) => text.startsWith('All operations'))!;
	const rows = [...section.matchAll(/^\| (\w+) \| (.+) \|$/gm)].slice(1);
	const listed = rows.flatMap(([, resource, names]) =>
		names.split(', ').map((name) => `${resource.toLowerCase()}: ${name}`),
	);
	expect(listed.sort()).toEqual(
		operations.map(({ resource, name }) => `${resource}: ${name}`).sort(),
	);
});
