/** What the documents point to: pictures that exist and say what they show, and files and headings that exist. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

import MarkdownIt from 'markdown-it';

import { filesBelow, root } from '../support/build';

const documents = [
	'README.md',
	'CONTRIBUTING.md',
	'CHANGELOG.md',
	'examples/README.md',
	...filesBelow('docs'),
].filter((name) => name.endsWith('.md'));
const longestPicture = 300_000;
const longestAnimation = 1_500_000;

const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const parse = (text: string) => new MarkdownIt({ html: true }).parse(text, {});

interface Reference {
	file: string;
	target: string;
	words: string;
}

/** The pictures or links of a document, with the alt text or without words. */
function references(file: string, type: 'image' | 'link_open', attribute: string): Reference[] {
	const inline = parse(read(file)).flatMap(({ children }) => children ?? []);
	return inline
		.filter((token) => token.type === type)
		.map((token) => ({ file, target: token.attrGet(attribute) ?? '', words: token.content }));
}

/** How GitHub and npm call the places that headings make. */
function anchors(file: string): string[] {
	const tokens = parse(read(file));
	const titles = tokens
		.filter((_, index) => tokens[index - 1]?.type === 'heading_open')
		.map(({ content }) => content);
	return titles.map((title) =>
		title
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

const isElsewhere = (target: string) => /^[a-z]+:/i.test(target);
const pathOf = ({ file, target }: Reference) =>
	path.join(root, path.dirname(file), decodeURIComponent(target.split('#')[0]));
const shown = ({ file, target }: Reference) => `${file}: ${target}`;

const pictures = documents.flatMap((file) => references(file, 'image', 'src'));

test('every picture is there, small enough, and says in words what is seen', () => {
	expect(pictures.length).toBeGreaterThan(0);
	expect(
		pictures
			.filter((picture) => isElsewhere(picture.target) || !existsSync(pathOf(picture)))
			.map(shown),
	).toEqual([]);
	expect(pictures.filter(({ words }) => words.length < 20).map(shown)).toEqual([]);
	const limitOf = (file: string) =>
		readFileSync(file).includes('acTL') ? longestAnimation : longestPicture;
	expect(
		pictures
			.filter((picture) => statSync(pathOf(picture)).size > limitOf(pathOf(picture)))
			.map(shown),
	).toEqual([]);
});

test('every picture that is kept is shown somewhere', () => {
	const used = pictures.map((picture) => path.relative(root, pathOf(picture)));
	expect(filesBelow('docs/pictures').filter((file) => !used.includes(file))).toEqual([]);
});

test('every link leads to a file, and to a heading of it', () => {
	const links = documents
		.flatMap((file) => references(file, 'link_open', 'href'))
		.filter(({ target }) => !isElsewhere(target));
	expect(links.length).toBeGreaterThan(0);
	const isBroken = (link: Reference) => {
		const [name, anchor] = [
			link.target.startsWith('#') ? path.join(root, link.file) : pathOf(link),
			link.target.split('#')[1],
		];
		if (!existsSync(name)) return true;
		return (
			anchor !== undefined &&
			name.endsWith('.md') &&
			!anchors(path.relative(root, name)).includes(anchor)
		);
	};
	expect(links.filter(isBroken).map(shown)).toEqual([]);
});
