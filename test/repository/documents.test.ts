/** Documents and files that users read and import: links lead somewhere, tables are complete, and examples are valid. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { sync as execaSync } from 'execa';
import { omit, uniq } from 'lodash';
import MarkdownIt from 'markdown-it';
import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { BusinessMessaging } from '../../nodes/BusinessMessaging/BusinessMessaging.node';
import { BusinessMessagingTrigger } from '../../nodes/BusinessMessaging/BusinessMessagingTrigger.node';
import { intentPhrases } from '../../nodes/BusinessMessaging/webhooks/intent';
import { controlWords } from '../../sandbox/controls';
import { changeableSchema } from '../../sandbox/options';
import { variationPointNames } from '../../sandbox/variants';
import { exampleNames } from '../../harness/examples';
import type { WorkflowFile } from '../../harness/n8n/client';
import { filesBelow, readText, root } from '../../harness/engine/files';
import { areas, engines } from '../n8n/compat/engines';
import { nodeIssues } from '../../harness/engine/nodeIssues';

const others = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'examples/README.md'];
const documents = [...others, ...filesBelow('docs')].filter((name) => name.endsWith('.md'));

const parse = (file: string) => new MarkdownIt({ html: true }).parse(readText(file), {});
const inline = (file: string) => parse(file).flatMap(({ children }) => children ?? []);
/** The texts that a pattern's group matches in a document, without repetitions, in alphabetical order. */
const named = (file: string, pattern: RegExp) =>
	uniq([...readText(file).matchAll(pattern)].map(([, name]) => name)).sort();

/** The anchors that GitHub and npm make of a document's headings. */
function anchors(file: string): string[] {
	const tokens = parse(file);
	const headings = tokens.filter((_, index) => tokens[index - 1]?.type === 'heading_open');
	return headings.map(({ content }) =>
		content
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
			.replaceAll(' ', '-'),
	);
}

/** Whether a link or picture leads to no file of this repository, or to no heading of it. */
function isBroken(document: string, target: string): boolean {
	if (/^[a-z]+:/i.test(target)) return false;
	const [name, anchor] = target.split('#').map(decodeURIComponent);
	const file = name ? path.join(path.dirname(document), name) : document;
	if (!existsSync(path.join(root, file))) return true;
	return anchor !== undefined && file.endsWith('.md') && !anchors(file).includes(anchor);
}

test.each(documents)('every link, picture and test that %s names exists', (document) => {
	const targets = inline(document).flatMap((token) =>
		['href', 'src'].flatMap((name) => token.attrGet(name)?.toString() ?? []),
	);
	expect(targets.filter((target) => isBroken(document, target))).toEqual([]);
	const tests = named(document, /`(?:test\/)?([\w/]+\.test\.ts)`/g);
	// Documents may leave out test/, or the folder of the project.
	const places = ['.', 'unit', 'engine', 'service', 'n8n'].map((name) =>
		path.join(root, 'test', name),
	);
	const isThere = (file: string) => places.some((place) => existsSync(path.join(place, file)));
	expect(tests.filter((file) => !isThere(file))).toEqual([]);
});

test.each(documents)('%s repeats no word', (document) => {
	const repeated = /(?<![\w-])(\p{L}{2,})(?: +| *\n)\1(?![\w-])/gu;
	const prose = readText(document).replace(/```[^]*?```|`[^`]*`|\|/g, ' · ');
	expect(prose.match(repeated)).toBeNull();
});

test('every link to the README in nodes and credential leads to one of its headings', () => {
	const code = [...filesBelow('nodes'), ...filesBelow('credentials')].filter((name) =>
		/\.(ts|json)$/.test(name),
	);
	const links = code.flatMap((file) => [
		...readText(file).matchAll(/your-organization\/n8n-nodes-business-messaging#([\w-]+)/g),
	]);
	expect(links.length).toBeGreaterThanOrEqual(3);
	// GitHub's name for the whole file.
	const headings = ['readme', ...anchors('README.md')];
	expect(links.map(([, anchor]) => anchor).filter((anchor) => !headings.includes(anchor))).toEqual(
		[],
	);
});

test('every test that the table of older versions of n8n names exists', () => {
	const files = Object.values(areas).flatMap((names) =>
		names.map((name) => `test/engine/${name}.test.ts`),
	);
	expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test('every reason for which an item is skipped is explained', () => {
	const reasons = named('nodes/BusinessMessaging/execution/item.ts', /^\t\| '(\w+)'/gm);
	expect(reasons.length).toBeGreaterThan(5);
	const explained = named('docs/campaigns.md', /`(\w+)`/g);
	expect(reasons.filter((reason) => !explained.includes(reason))).toEqual([]);
});

test('every error that the table of older versions of n8n expects is one of the nodes, or of a test', () => {
	const sources = filesBelow('nodes').filter((file) => file.endsWith('.ts'));
	const wordsOf = (area: string) => engines.flatMap(({ lacks }) => lacks[area]?.words ?? []);
	const missing = Object.entries(areas).flatMap(([area, names]) => {
		const files = [...sources, ...names.map((name) => `test/engine/${name}.test.ts`)];
		const texts = files.map(readText);
		return uniq(wordsOf(area)).filter((words) => !texts.some((text) => text.includes(words)));
	});
	expect(missing).toEqual([]);
});

test('the tables of assumptions and examples are complete', () => {
	const assumed = named('docs/api-assumptions.md', /`variant ([\w-]+)`/g);
	expect(assumed).toEqual([...variationPointNames].sort());
	expect(named('examples/README.md', /\]\(([\w-]+)\.json\)/g)).toEqual(exampleNames().sort());
});

test('the page of the sandbox names every control, and every option that can be changed', () => {
	const controls = named('docs/sandbox.md', /^\| `((?:GET|POST|PATCH|DELETE) \S+)` \|/gm);
	expect(controls).toEqual(Object.keys(controlWords).sort());
	const options = named('docs/sandbox.md', /^\| `\{ "(\w+)"/gm);
	expect(options).toEqual(Object.keys(changeableSchema.shape).sort());
});

test('the table of opt-out and opt-in words names all of them', () => {
	const words = readText('docs/opt-out-words.md');
	for (const cells of intentPhrases) expect(words).toContain(`| ${cells.join(' | ')} |\n`);
	expect(words.split('\n| ')).toHaveLength(intentPhrases.length + 3);
});

test('documents, examples and the form name the number of languages that the nodes know', () => {
	const texts = [...documents, ...filesBelow('nodes'), ...filesBelow('examples')].map(readText);
	const counts = texts.flatMap((text) => [...text.matchAll(/\b(\d+|dozen) languages/g)]);
	expect(counts.length).toBeGreaterThanOrEqual(3);
	expect(uniq(counts.map(([, count]) => count))).toEqual([String(intentPhrases.length)]);
});

test('the table of the project structure names every folder, and the imports of each are restricted', () => {
	const [, table] = readText('CONTRIBUTING.md').split('## Project structure\n');
	const rows = table.split('\n## ')[0].match(/^\| `.*$/gm) ?? [];
	const listed = rows.flatMap((row) =>
		[...row.split(' | ')[0].matchAll(/`([^`]+)`/g)].map(([, folder]) => folder),
	);
	const files = execaSync('git', ['ls-files', '--', ':*/*'], { cwd: root }).stdout.split('\n');
	const folders = uniq(files.map((file) => file.split('/')[0])).sort();
	expect(uniq(listed.map((folder) => folder.split('/')[0])).sort()).toEqual(folders);
	expect(listed.filter((folder) => !existsSync(path.join(root, folder)))).toEqual([]);
	// `npm run lint` refuses all imports of these folders that are not allowed there.
	const withCode = uniq(
		files.filter((file) => /\.tsx?$/.test(file)).map((file) => file.split('/')[0]),
	);
	const rules = readText('.dependency-cruiser.cjs');
	expect(withCode.filter((folder) => !new RegExp(`^\t${folder}: \\[`, 'm').test(rules))).toEqual(
		[],
	);
});

test('the newest tested n8n, and the oldest with everything, are those of the README and of the page of versions', () => {
	const complete = engines.filter(({ lacks }) => Object.keys(lacks).length === 0);
	const [newest, oldest] = [complete[0].n8n, complete.at(-1)!.n8n.replace(/\.0$/, '')];
	for (const page of ['README.md', 'docs/compatibility.md'])
		expect(readText(page)).toMatch(
			new RegExp(`${oldest} or newer\\b[^|]*\\b${newest} is the newest`),
		);
});

test('an output in the README has only fields of an output on the page of operations', () => {
	const outputsIn = (page: string) =>
		[...readText(page).matchAll(/```json\n([^]*?)```/g)].map(([, json]) =>
			Object.keys(JSON.parse(json) as object),
		);
	// `approved` is there only for an approval, and the page shows a free text.
	const known = outputsIn('docs/operations.md').map((fields) => [...fields, 'approved']);
	const shown = outputsIn('README.md');
	expect(shown).toHaveLength(3);
	for (const fields of shown)
		expect(known.some((one) => fields.every((field) => one.includes(field)))).toBe(true);
});

describe('each message that Troubleshooting explains exists in the nodes', () => {
	const sources = [...filesBelow('nodes'), ...filesBelow('credentials')]
		.filter((name) => name.endsWith('.ts'))
		.map((name) => readText(name).replaceAll("\\'", "'"));
	const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| `'));
	const [, inReadme] = readText('README.md').split('\n## Troubleshooting\n');
	const rows = [rowsOf(inReadme.split('\n## ')[0]), rowsOf(readText('docs/troubleshooting.md'))];
	const messages = rows
		.flat()
		.flatMap((row) =>
			[...row.split(' | ')[0].matchAll(/`([^`]+)`/g)].map(([, message]) => message),
		);

	test('two are in the README, as the other page says, and none is in both', () => {
		expect(rows.map(({ length }) => length)).toEqual([2, expect.any(Number)]);
		expect(rows[1].length).toBeGreaterThan(5);
		expect(uniq(messages)).toEqual(messages);
	});

	test.each(messages)('%s', (message) => {
		const parts = message.split(/["']?…["']?/).map((words) => words.trim());
		const missing = parts.filter((part) => !sources.some((source) => source.includes(part)));
		expect(missing).toEqual([]);
	});
});

const ours = 'n8n-nodes-business-messaging.';
const action = new BusinessMessaging().description;
/**
 * The descriptions, by the part of the node type after the package's name. n8n makes the tool from the action node,
 * with a description for the AI.
 */
const descriptions: Record<string, INodeTypeDescription> = {
	businessMessaging: action,
	businessMessagingTrigger: new BusinessMessagingTrigger().description,
	businessMessagingTool: { ...action, name: 'businessMessagingTool' },
};

const isNote = ({ type }: INode) => type === 'n8n-nodes-base.stickyNote';

describe.each(exampleNames())('the example %s', (name) => {
	const text = readText(`examples/${name}.json`);
	const file = JSON.parse(text) as WorkflowFile;
	const nodes = file.nodes.filter((node) => !isNote(node));

	test('uses our nodes as they are', () => {
		const mine = nodes.filter(({ type }) => type.startsWith(ours));
		const issues = mine.flatMap((node) => {
			const parameters = omit(node.parameters, 'descriptionType', 'toolDescription');
			return nodeIssues({ ...node, parameters }, descriptions[node.type.slice(ours.length)]);
		});
		expect(mine).not.toEqual([]);
		expect(issues).toEqual([]);
	});

	test('has a note that says what it does and what to do first, and a picture in one of the pages about examples', () => {
		const notes = file.nodes.filter(isNote).map(({ parameters }) => String(parameters.content));
		expect(notes[0]).toMatch(/^## [^\n]+\n[^]+\n### (Before you|To try it)[^\n]*\n1\. /);
		const pages = ['README.md', 'examples/README.md'].map(readText).join('');
		// A trigger with one step, or with its tools, shows nothing.
		if (nodes.length > 2 && name !== 'mcp-server')
			expect(pages).toContain(`docs/pictures/${name}.png)`);
	});

	test('sends nothing when somebody clicks, until its mode is changed', () => {
		const after = (from: string): string[] =>
			uniq(
				Object.values(file.connections[from] ?? {}).flatMap((outputs) =>
					outputs.flatMap((targets) => (targets ?? []).map(({ node }) => node)),
				),
			);
		const isSend = (one?: INode) => /^send/.test(String(one?.parameters.operation));
		// A run ends at the first step that only previews, or waits there for a reply to a question that was not sent.
		const firstSends = (from: string, seen = new Set<string>()): INode[] =>
			after(from).flatMap((next) => {
				if (seen.has(next)) return [];
				seen.add(next);
				const one = nodes.find((node) => node.name === next);
				return isSend(one) ? [one!] : firstSends(next, seen);
			});
		const clicked = nodes.filter(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		const sending = clicked.flatMap((one) => firstSends(one.name));
		expect(sending.filter(({ parameters }) => parameters.mode !== 'preview')).toEqual([]);
	});

	// Customers who write at the same moment start runs at the same time. n8n lets only one of them create the table, and
	// the others fail.
	test('tries again what writes to a data table', () => {
		const writes = /^(create|insert|upsert|update|deleteRows)$/;
		const once = nodes.filter(
			({ type, parameters, retryOnFail }) =>
				type === 'n8n-nodes-base.dataTable' &&
				writes.test(String(parameters.operation)) &&
				!retryOnFail,
		);
		expect(once.map((node) => node.name)).toEqual([]);
	});

	test('counts its nodes right', () => {
		const notes = file.nodes.filter(isNote).map(({ parameters }) => String(parameters.content));
		const [, count] = /the (\w+) \*\*Business Messaging\*\* nodes/.exec(notes[0]) ?? [];
		const ofAction = nodes.filter(({ type }) => type === `${ours}businessMessaging`);
		const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven'];
		expect([undefined, words[ofAction.length]]).toContain(count);
	});

	test('holds nothing but a workflow: no credentials, no data of a run, nothing of the n8n it comes from', () => {
		expect(Object.keys(file).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		expect(file.nodes.filter(({ credentials }) => credentials)).toEqual([]);
		expect(text).not.toMatch(/bearer|api[_-]?key|password|secret"|sk-\w{8}/i);
	});

	test('has each node connected', () => {
		const links = Object.entries(file.connections).flatMap(([from, types]) =>
			Object.values(types).flatMap((outputs) =>
				outputs.flatMap((targets) => (targets ?? []).flatMap(({ node }) => [from, node])),
			),
		);
		expect(uniq(links).sort()).toEqual(nodes.map((node) => node.name).sort());
	});
});
