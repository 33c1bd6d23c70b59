/** What the documents point to: pictures that exist and say what they show, and files and headings that exist. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import MarkdownIt from 'markdown-it';

import { operations } from '../../nodes/BusinessMessaging/description';
import { valuesOf, variationPointNames } from '../../sandbox/variants';
import { filesBelow, root } from '../support/build';

const documents = [
	'README.md',
	'CONTRIBUTING.md',
	'CHANGELOG.md',
	'examples/README.md',
	...filesBelow('docs'),
].filter((name) => name.endsWith('.md'));

const parse = (file: string) =>
	new MarkdownIt({ html: true }).parse(readFileSync(path.join(root, file), 'utf8'), {});
const inline = (file: string) => parse(file).flatMap(({ children }) => children ?? []);

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

test.each(documents)('every link and picture of %s is there', (document) => {
	const targets = inline(document).flatMap((token) =>
		['href', 'src'].flatMap((name) => token.attrGet(name) ?? []),
	);
	expect(targets.filter((target) => isBroken(document, target))).toEqual([]);
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

test('every test that a document names is there', () => {
	const named = documents.flatMap((document) =>
		[...readFileSync(path.join(root, document), 'utf8').matchAll(/`([\w/]+\.test\.ts)`/g)].map(
			([, file]) => path.join('test', file.replace(/^test\//, '')),
		),
	);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('every open point of the sandbox stands in the table of assumptions, and nothing else', () => {
	const page = readFileSync(path.join(root, 'docs/api-assumptions.md'), 'utf8');
	const named = [...page.matchAll(/`variant ([\w-]+)`/g)].map(([, name]) => name);
	expect([...new Set(named)].sort()).toEqual([...variationPointNames].sort());
	expect(variationPointNames.filter((name) => valuesOf(name).length < 2)).toEqual([]);
});

test('the README names every operation', () => {
	const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
	const section = readme.split(/^## /m).find((text) => text.startsWith('All operations'))!;
	const rows = [...section.matchAll(/^\| (\w+) \| (.+) \|$/gm)];
	const named = rows.flatMap(([, resource, names]) =>
		names.split(', ').map((name) => `${resource.toLowerCase()}: ${name}`),
	);
	const expected = operations.map(({ resource, name }) => `${resource}: ${name}`);
	expect(named.sort()).toEqual(['resource: Operations', ...expected].sort());
});
