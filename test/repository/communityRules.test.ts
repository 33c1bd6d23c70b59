/**
 * The rules for community nodes that n8n's repository has and the published lint plugin does not have yet, held on what users get: the
 * built descriptions, the files beside them and package.json.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import { uniq } from 'lodash';
import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

import { filesBelow, readText, root } from '../../harness/engine/files';

const FOLDER = 'nodes/BusinessMessaging';

/** A class from its built file, without the changes that n8n's loader makes. */
function build<T>(file: string, className: string): T {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
	const module = require(path.join(root, 'dist', `${file}.js`)) as Record<string, new () => T>;
	return new module[className]();
}

const nodeNames = ['BusinessMessaging', 'BusinessMessagingTrigger'];
const descriptions = nodeNames.map(
	(name) => build<INodeType>(`${FOLDER}/${name}.node`, name).description,
);
const credential = build<ICredentialType>(
	'credentials/BusinessMessagingApi.credentials',
	'BusinessMessagingApi',
);
interface Codex {
	categories: string[];
	alias: string[];
}
const codices = nodeNames.map(
	(name) => JSON.parse(readText(`${FOLDER}/${name}.node.json`)) as Codex,
);
const manifest = JSON.parse(readText('package.json')) as {
	license: string;
	keywords: string[];
	repository: object;
};
const sources = filesBelow('nodes').filter((file) => file.endsWith('.ts'));

/** All properties; each comes before those inside it. */
function allProperties(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => {
		const { options = [] } = property;
		const groups = options.flatMap((option) => ('values' in option ? option.values : []));
		const inner = [...options.filter((option) => 'type' in option), ...groups];
		return [property, ...allProperties(inner)];
	});
}
const fields = descriptions.flatMap(({ properties }) => allProperties(properties));
const lists = fields
	.filter(({ type }) => type === 'options' || type === 'multiOptions')
	.map(({ name, options = [] }) => ({
		name,
		names: options.map((option) => option.name),
		values: options.map((option) => ('value' in option ? option.value : undefined)),
	}));
const isUnique = (all: unknown[]) => uniq(all).length === all.length;

/** n8n's list of categories for community nodes. AI is left out, because it is for nodes made with n8n's AI SDK. */
const categories = [
	...['Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting'],
	...['Marketing & Content', 'Miscellaneous', 'Productivity', 'Sales', 'Utility'],
];

/** The better contrast of an icon's colours with a background, computed as in the Web Content Accessibility Guidelines. */
function contrast(file: string, background: string): number {
	const colours = [...readText(file).matchAll(/(?:fill|stroke|stop-color)="(#[\da-f]+)"/gi)];
	const dark = luminance(background);
	const ratios = colours.map(([, colour]) => {
		const [low, high] = [dark, luminance(colour)].sort((a, b) => a - b);
		return (high + 0.05) / (low + 0.05);
	});
	return Math.max(...ratios);
}

/** @param colour e.g. `#fff` or `#0B7A75` */
function luminance(colour: string): number {
	const hex = colour.slice(1);
	const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit) : hex.match(/../g)!;
	const [red, green, blue] = digits
		.map((digit) => parseInt(digit, 16) / 255)
		.map((value) => (value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** For each rule, a check that what it forbids does not occur. The list is complete, see below. */
const checks: Record<string, () => void> = {
	'cred-class-name-field-conventions': () => expect(credential.name).toMatch(/^[a-z]\w*Api$/),
	'cred-class-name-suffix': () => expect(credential.constructor.name).toMatch(/Api$/),
	'cred-filename-against-convention': () =>
		expect(filesBelow('credentials').filter((file) => file.endsWith('.ts'))).toEqual([
			`credentials/${credential.constructor.name}.credentials.ts`,
		]),
	'hint-max-length': () => {
		const ofNodes = descriptions.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
		const ofFields = fields.flatMap(({ hint }) => hint ?? []);
		expect(ofNodes).not.toEqual([]);
		const hints = [...ofNodes, ...ofFields].filter((hint) => !hint.startsWith('='));
		expect(hints.filter((hint) => hint.length > 120)).toEqual([]);
	},
	'icon-contrast': () => {
		expect(contrast(`${FOLDER}/businessMessaging.svg`, '#ffffff')).toBeGreaterThan(3);
		expect(contrast(`${FOLDER}/businessMessaging.dark.svg`, '#2b2b2b')).toBeGreaterThan(3);
	},
	'no-ai-codex-category': () =>
		expect(codices.flatMap((codex) => codex.categories)).not.toContain('AI'),
	'no-asterisk-in-option-names': () =>
		expect(lists.flatMap(({ names }) => names).join()).not.toContain('*'),
	// So n8n does not list the node under Human in the loop. The aliases make a search for these words find it.
	'no-codex-subcategories': () => {
		for (const codex of codices) expect(codex).not.toHaveProperty('subcategories');
	},
	'no-duplicate-param-options': () => {
		const doubled = lists.filter(({ names, values }) => !isUnique(names) || !isUnique(values));
		expect(doubled.map(({ name }) => name)).toEqual([]);
	},
	'no-hardcoded-ids': () => {
		const kinds = 'partner|affiliate|reseller|account|tenant|customer|client';
		const assigned = new RegExp(`\\b(${kinds})_?id['"]?\\s*[:=]\\s*['"\`]`, 'i');
		expect(sources.filter((file) => assigned.test(readText(file)))).toEqual([]);
	},
	'no-logic-or-flow-nodes': () =>
		expect(JSON.stringify(codices.map((codex) => codex.categories))).not.toMatch(/Logic|Flow/),
	'no-monorepo': () => expect(manifest.repository).not.toHaveProperty('directory'),
	'node-class-description-name-camelcase': () => {
		for (const { name } of descriptions) expect(name).toMatch(/^[a-z][a-zA-Z\d]*$/);
	},
	'node-class-description-non-core-color': () =>
		expect(JSON.stringify(descriptions.map(({ defaults }) => defaults))).not.toMatch(/#ff6d5a/i),
	'node-filename-against-convention': () =>
		expect(descriptions.map(({ name }) => name[0].toUpperCase() + name.slice(1))).toEqual(
			nodeNames,
		),
	'options-sorted-alphabetically': () => {
		const isSorted = (names: string[]) =>
			[...names].sort((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' })).join() ===
			names.join();
		const unsorted = lists.filter(({ names }) => !isSorted(names));
		expect(unsorted.map(({ name, names }) => ({ name, names }))).toEqual([]);
	},
	'require-community-node-keyword': () =>
		expect(manifest.keywords).toContain('n8n-community-node-package'),
	'require-continue-on-fail': () => {
		// the rule searches for this call in the method itself
		const [, execute = ''] = readText(`${FOLDER}/BusinessMessaging.node.ts`).split(
			'async execute(',
		);
		expect(execute.split('\n\t}\n')[0]).toContain('this.continueOnFail()');
	},
	'require-mit-license': () => expect(manifest.license).toBe('MIT'),
	'require-param-default': () =>
		expect(fields.filter((field) => field.default === undefined)).toEqual([]),
	'single-credential-per-node': () => {
		for (const { credentials } of descriptions) expect(credentials).toHaveLength(1);
	},
	'valid-codex-categories': () => {
		for (const codex of codices)
			expect(categories).toEqual(expect.arrayContaining(codex.categories));
	},
	'valid-node-categories': () => {
		for (const codex of codices) expect(codex.categories).not.toEqual([]);
	},
};

/** Rules for which there is no check here: why they are met all the same, or why we do not follow them. */
const explained = {
	'node-operation-error-itemindex':
		'One function makes every error of an item and requires its index; the tests of all operations check the index.',
	'non-required-fields-in-collection':
		"Only a warning. Fields that most users look for stay visible, as in n8n's own nodes: Mode, Send Once, Limit, Simplify, the variables of a template.",
	'open-ended-node-fields':
		'Only a warning. JSON fields appear only after the user has chosen Using JSON; form fields are the default.',
	'prefer-declarative-style':
		'A run shares one rate limit, keeps the order for each recipient, and remembers what was sent.',
};

test.each(Object.entries(checks))('%s', (_, check) => check());

test('these are 27 rules, as CONTRIBUTING.md says, and the lint checks none of them already', () => {
	const listed = [...Object.keys(checks), ...Object.keys(explained)];
	expect(uniq(listed)).toHaveLength(27);
	expect(readText('CONTRIBUTING.md')).toContain('checks the 27 rules');
	const plugin = 'node_modules/@n8n/eslint-plugin-community-nodes/dist/rules';
	const files = readdirSync(path.join(root, plugin)).filter((file) => file.endsWith('.js'));
	const published = files
		.map((file) => path.basename(file, '.js'))
		.filter((rule) => rule !== 'index');
	expect(published).toContain('no-dead-files');
	expect(readText('CONTRIBUTING.md')).toContain(`all ${published.length} rules`);
	expect(listed.filter((rule) => published.includes(rule))).toEqual([]);
});

test('the panel of nodes finds the node by what it can do with people', () => {
	expect(codices[0].alias).toEqual(expect.arrayContaining(['human in the loop', 'approval']));
});
