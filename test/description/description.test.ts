/**
 * n8n's own lint rules and UX rules, held on what the editor really gets: the built descriptions. The lint reads literal objects
 * in source files and cannot follow properties that are put together by code, so a description is written out as the source
 * file it would be.
 */
import path from 'node:path';

import { Linter } from 'eslint';
import {
	type ICredentialType,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	Workflow,
} from 'n8n-workflow';
import tseslint from 'typescript-eslint';

import { filesBelow, readText, root } from '../support/files';

const manifest = JSON.parse(readText('package.json')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

/** An object of a built file's class, fresh from the file: n8n's loader replaces icons and adds to the description. */
function instance<T>(file: string) {
	const className = path.basename(file).split('.')[0];
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
	const module = require(path.join(root, file)) as Record<string, new () => T>;
	const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
	return { className, source, built: new module[className]() };
}

const nodes = manifest.n8n.nodes.map((file) => instance<INodeType>(file));
const [credential] = manifest.n8n.credentials.map((file) => instance<ICredentialType>(file));

/** The plugin as far as it is used here; it has no types, and its configs are in ESLint's old format. */
interface NodesBasePlugin {
	rules: Record<string, unknown>;
	configs: Record<'nodes' | 'credentials', { rules: Linter.RulesRecord }>;
}

/** In an environment called "test" the plugin takes every file for a node called Test. */
function loadPlugin(): NodesBasePlugin {
	const environment = process.env.NODE_ENV;
	process.env.NODE_ENV = 'production';
	try {
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would come too early
		return require('eslint-plugin-n8n-nodes-base') as NodesBasePlugin;
	} finally {
		process.env.NODE_ENV = environment;
	}
}
const plugin = loadPlugin();
const { nodes: forNodes, credentials: forCredentials } = plugin.configs;
const credentialRules: Linter.RulesRecord = {
	...forCredentials.rules,
	// Wants a slug of n8n's own documentation, where another rule of the same set wants a community credential's URL.
	'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
};

/** Source text of a value: objects with bare keys and strings in single quotes, as the rules know them. */
function literal(value: unknown): string {
	if (typeof value === 'string')
		return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
	if (Array.isArray(value)) return `[\n${value.map((entry) => `${literal(entry)},\n`).join('')}]`;
	if (typeof value !== 'object' || value === null) return String(value);
	const entries = Object.entries(value)
		.filter(([, entry]) => entry !== undefined && typeof entry !== 'function')
		// The order of keys, for which there is a rule, means nothing in a built object.
		.sort(([a], [b]) => Number(b === 'displayName') - Number(a === 'displayName'))
		.map(([key, entry]) => `${/^[\w$]+$/.test(key) ? key : literal(key)}: ${literal(entry)},\n`);
	return `{\n${entries.join('')}}`;
}

/** What is wrong with the source of a class, one line each. */
function lint(filename: string, code: string, rules: Linter.RulesRecord): string[] {
	const config = {
		files: ['**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		plugins: { 'n8n-nodes-base': plugin },
		rules,
	};
	const lines = code.split('\n');
	return new Linter()
		.verify(code, [config] as Linter.Config[], { filename })
		.map(({ ruleId, message, line }) => `${ruleId}: ${message}: ${lines[line - 1]?.trim()}`);
}

const lintNode = ({ className, source, built }: (typeof nodes)[number]) =>
	lint(
		source,
		`export class ${className} implements INodeType { description: INodeTypeDescription = ${literal(built.description)}; }`,
		forNodes.rules,
	);

describe("all of n8n's lint rules hold for", () => {
	test.each(nodes)('$className', (node) => {
		expect(lintNode(node)).toEqual([]);
	});

	test('the credential', () => {
		const { className, source, built } = credential;
		const types = { properties: ': INodeProperties[]', authenticate: ': IAuthenticateGeneric' };
		const fields = Object.entries(built).map(
			([name, value]) => `${name}${types[name as 'properties'] ?? ''} = ${literal(value)};\n`,
		);
		const code = `export class ${className} implements ICredentialType {\n${fields.join('')}}`;
		expect(lint(source, code, credentialRules)).toEqual([]);
	});

	test('what is built by code, where one is broken', () => {
		const [{ built, ...node }] = nodes;
		const description = structuredClone(built.description);
		const field = description.properties.find(({ type }) => type === 'string')!;
		field.description = 'One sentence with a period.';
		expect(lintNode({ ...node, built: { description } })).toEqual([
			expect.stringContaining('node-param-description-excess-final-period'),
		]);
	});
});

type Option = NonNullable<INodeProperties['options']>[number];
const isProperty = (option: Option): option is INodeProperties => 'type' in option;
const isChoice = (option: Option): option is INodePropertyOptions =>
	'value' in option && !('type' in option);
const choicesOf = ({ options = [] }: INodeProperties) => options.filter(isChoice);

/** A property, with those beside it and those of the whole node, which its display conditions can name. */
interface Placed {
	property: INodeProperties;
	siblings: INodeProperties[];
	all: INodeProperties[];
	path: string;
}

/** All properties, each before those within it. */
function allProperties(siblings: INodeProperties[], prefix: string, all = siblings): Placed[] {
	return siblings.flatMap((property) => {
		const { name, options = [], displayOptions: { show = {} } = {} } = property;
		const place = `${prefix}.${name} (${Object.values(show).flat().map(String).join(', ')})`;
		const groups = options.flatMap((option) => ('values' in option ? option.values : []));
		const inner = [...options.filter(isProperty), ...groups];
		return [{ property, siblings, all, path: place }, ...allProperties(inner, place, all)];
	});
}

const withoutText = ['notice', 'callout', 'fixedCollection', 'collection', 'hidden'];

/** What is wrong with a property, by the rule. */
const rules: Record<string, (placed: Placed) => boolean> = {
	'has its values as soon as a group is added': ({ property: { type, typeOptions, ...one } }) =>
		type === 'fixedCollection' &&
		!typeOptions?.multipleValues &&
		!('values' in (one.default as object)),
	'shows examples as placeholders': ({ property: { type, placeholder = 'e.g. ' } }) =>
		['string', 'number', 'json', 'dateTime'].includes(type) && !placeholder.startsWith('e.g. '),
	'explains in sentences every field that the user fills in': ({ property }) => {
		const { name, type, description, displayName } = property;
		const isExplained = description && description.toLowerCase() !== displayName.toLowerCase();
		const isFilledIn = !withoutText.includes(type) && !['resource', 'operation'].includes(name);
		const texts = [description, ...choicesOf(property).map((choice) => choice.description)];
		const isNoSentence = texts.some((text) => text !== undefined && !/^[^a-z\s]/.test(text));
		return (isFilledIn && !isExplained) || isNoSentence;
	},
	'lets the user pick from a list before typing an identifier': ({ property }) => {
		const { name, type, modes = [], default: initial } = property;
		if (type !== 'resourceLocator') return /Id$/.test(name) && type !== 'hidden';
		return modes[0]?.type !== 'list' || (initial as { mode?: string }).mode !== modes[0].name;
	},
	'depends on nothing that is not there': ({ property, siblings, all }) => {
		const { show = {}, hide = {} } = property.displayOptions ?? {};
		return [...Object.entries(show), ...Object.entries(hide)].some(([condition, values = []]) => {
			if (condition.startsWith('@')) return false;
			const [name] = condition.replace(/^\//, '').split(/[.[]/);
			const named = (condition.startsWith('/') ? all : siblings).filter((one) => one.name === name);
			const known: unknown[] = named.flatMap(choicesOf).map(({ value }) => value);
			const isMissing = (value: unknown) => typeof value === 'string' && !known.includes(value);
			return named.length === 0 || (known.length > 0 && values.some(isMissing));
		});
	},
};

test.each(Object.entries(rules))('every field %s', (_, isWrong) => {
	const placed = [
		...nodes.flatMap(({ className, built }) =>
			allProperties(built.description.properties, className),
		),
		...allProperties(credential.built.properties, credential.className),
	];
	expect(placed.filter(isWrong).map((one) => one.path)).toEqual([]);
});

test('every operation has its file and its line in operations/index.ts', () => {
	const folder = 'nodes/BusinessMessaging/operations';
	const definition = /^export const \w+(: Operation = | = \w*[oO]peration[(<])/m;
	const files = filesBelow(folder).filter((file) => definition.test(readText(file)));
	const lines = readText(`${folder}/index.ts`).trim().split('\n').slice(1);
	expect(lines).toEqual(
		files.map((file) => `export * from '.${file.slice(folder.length, -'.ts'.length)}';`),
	);
});

test('the canvas shows what a node does, in the words of its operation', () => {
	const node = nodes[0].built;
	const parameters = { resource: 'contact', operation: 'upsert', phone: '+15550001000' };
	const place = { id: '1', name: 'Node', type: 'test', typeVersion: 1 };
	const find = () => node;
	const { expression, nodes: placed } = new Workflow({
		nodes: [{ ...place, position: [0, 0], parameters }],
		connections: {},
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
	});
	const { subtitle } = node.description;
	const shown = expression.getSimpleParameterValue(placed.Node, subtitle, 'internal', {});
	expect(shown).toBe('Create or Update Contact');
});
