/**
 * n8n's own lint rules and UX rules, held on what the editor really gets: the built descriptions. The lint reads literal objects
 * in source files and cannot follow properties that are put together by code, so a description is written out as the source
 * file it would be.
 */
import path from 'node:path';

import { Linter } from 'eslint';
import { compact, map } from 'lodash';
import { type ICredentialType, type INodeProperties, type INodeType, Workflow } from 'n8n-workflow';
import tseslint from 'typescript-eslint';

import { localOperations, operations } from '../../../nodes/BusinessMessaging/nodeProperties';
import { filesBelow, readText, root } from '../../../harness/engine/files';

/** The nodes, loaded directly from their built files, because n8n's loader replaces icons and adds to the description. */
const nodes = ['BusinessMessaging', 'BusinessMessagingTrigger'].map((className) => {
	const file = `nodes/BusinessMessaging/${className}.node`;
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
	const module = require(path.join(root, 'dist', file)) as Record<string, new () => INodeType>;
	return { className, source: `${file}.ts`, description: new module[className]().description };
});

/** The plugin as far as it is used here; it has no types, and its configs are in ESLint's old format. */
interface NodesBasePlugin {
	rules: Record<string, unknown>;
	configs: { nodes: { rules: Linter.RulesRecord } };
}

/** Loads the plugin. In an environment called "test", it takes every file for a node called Test. */
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

/** What is wrong with the source of a node, one line each. */
function lint({ className, source, description }: (typeof nodes)[number]): string[] {
	const code = `export class ${className} implements INodeType { description: INodeTypeDescription = ${literal(description)}; }`;
	const config = {
		files: ['**/*.ts'],
		languageOptions: { parser: tseslint.parser },
		plugins: { 'n8n-nodes-base': plugin },
		rules: plugin.configs.nodes.rules,
	};
	const lines = code.split('\n');
	return new Linter()
		.verify(code, [config] as Linter.Config[], { filename: source })
		.map(({ ruleId, message, line }) => `${ruleId}: ${message}: ${lines[line - 1]?.trim()}`);
}

describe("n8n's lint rules", () => {
	test.each(nodes)('hold for all of $className', (node) => {
		expect(lint(node)).toEqual([]);
	});

	test('find mistakes in a description that is built by code', () => {
		const description = structuredClone(nodes[0].description);
		const field = description.properties.find(({ type }) => type === 'string')!;
		field.description = 'One sentence with a period.';
		expect(lint({ ...nodes[0], description })).toEqual([
			expect.stringContaining('node-param-description-excess-final-period'),
		]);
	});
});

/** A property, with the properties beside it and those of the whole node: its display conditions can name both. */
interface Placed {
	property: INodeProperties;
	siblings: INodeProperties[];
	all: INodeProperties[];
}

/** All properties, each before those within it. */
function allProperties(siblings: INodeProperties[], all = siblings): Placed[] {
	return siblings.flatMap((property) => {
		const { options = [] } = property;
		const groups = options.flatMap((option) => ('values' in option ? option.values : []));
		const inner = [...options.filter((option) => 'type' in option), ...groups];
		return [{ property, siblings, all }, ...allProperties(inner, all)];
	});
}

/** Whether a condition names a field that is not there, or a value that the field cannot have: then it is never shown. */
function isNeverMet({ siblings, all }: Placed, condition: string, values: unknown[]): boolean {
	if (condition.startsWith('@')) return false;
	const [name] = condition.replace(/^\//, '').split(/[.[]/);
	const named = (condition.startsWith('/') ? all : siblings).filter((one) => one.name === name);
	const choices = named.flatMap(({ options = [] }) => options);
	const known: unknown[] = choices.flatMap((choice) => ('value' in choice ? choice.value : []));
	const isMissing = (value: unknown) => typeof value === 'string' && !known.includes(value);
	return named.length === 0 || (known.length > 0 && values.some(isMissing));
}

test.each(nodes)(
	'no field of $className depends on a field that does not exist',
	({ description }) => {
		const wrong = allProperties(description.properties).filter((placed) => {
			const { show = {}, hide = {} } = placed.property.displayOptions ?? {};
			const conditions = [...Object.entries(show), ...Object.entries(hide)];
			return conditions.some(([name, values = []]) => isNeverMet(placed, name, values));
		});
		expect(wrong.map(({ property }) => property)).toEqual([]);
	},
);

test.each(nodes)(
	'in $className, each list and each group of fields says which of the two it is, so that older versions of n8n save a group with its defaults',
	({ description }) => {
		const properties = allProperties(description.properties).map(({ property }) => property);
		const collections = properties.filter(({ type }) => type === 'fixedCollection');
		const kinds = collections.map(({ typeOptions }) => typeOptions?.multipleValues);
		expect(kinds).toContain(false);
		expect(kinds).not.toContain(undefined);
	},
);

/** All texts in a part of a description, as people see them: without HTML tags, expressions and values. */
function textsIn(value: unknown, key = ''): string[] {
	if (typeof value === 'string')
		return /^(default|value|displayCondition|subtitle)$/.test(key) || value.startsWith('=')
			? []
			: [value.replace(/<[^>]*>/g, '')];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([inner, one]) => textsIn(one, inner));
}

const credential = () => {
	const file = path.join(root, 'dist/credentials/BusinessMessagingApi.credentials');
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file
	const { BusinessMessagingApi } = require(file) as Record<string, new () => ICredentialType>;
	return new BusinessMessagingApi();
};

test.each([
	...nodes.map(({ className, description }) => [className, description] as const),
	['the credential', credential()] as const,
])('no text of %s is longer than 150 characters', (_, description) => {
	const texts = textsIn(description);
	expect(texts.length).toBeGreaterThan(20);
	expect(texts.filter((text) => text.length > 150)).toEqual([]);
});

test('the default operation of each resource is the most used one, and saved workflows rely on it', () => {
	const [{ description }] = nodes;
	const fields = description.properties.filter(({ name }) => name === 'operation');
	const defaults = fields.map((field) => [
		field.displayOptions?.show?.resource?.[0],
		field.default,
	]);
	expect(Object.fromEntries(defaults)).toEqual({
		account: 'getCurrent',
		analytics: 'getMessageStatistics',
		campaign: 'getRecipients',
		contact: 'upsert',
		conversation: 'getAll',
		message: 'sendText',
		template: 'getAll',
		webhook: 'getAll',
	});
});

test('the editor shows the fields of an operation in their order, although operations share some', () => {
	const [{ description }] = nodes;
	const shownFor = (resource: string, value: string) =>
		description.properties.filter(({ displayOptions: { show = {} } = {} }) => {
			const [resources, values] = ['resource', 'operation'].map(
				(name) => show[name] ?? show[`/${name}`],
			);
			return resources?.includes(resource) && values?.includes(value);
		});
	for (const { resource, value, fields } of [...operations, ...localOperations])
		expect(map(shownFor(resource, value), 'name')).toEqual(map(fields, 'name'));
});

test('every placeholder shows a value, after "e.g.", or says what to do', () => {
	const properties = [
		...nodes.flatMap(({ description }) => description.properties),
		...credential().properties,
	];
	const placeholders = allProperties(properties).flatMap(({ property: { placeholder, modes } }) =>
		compact([placeholder, ...map(modes, 'placeholder')]),
	);
	const wrong = placeholders.filter((text) => !/^(e\.g\. \S|Add [A-Z]|Choose…$)/.test(text));
	expect(wrong).toEqual([]);
	expect(placeholders.length).toBeGreaterThan(50);
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
	const [node] = nodes;
	const parameters = { resource: 'contact', operation: 'upsert', phone: '+15550001000' };
	const place = { id: '1', name: 'Node', type: 'test', typeVersion: 1 };
	const find = () => node;
	const { expression, nodes: placed } = new Workflow({
		nodes: [{ ...place, position: [0, 0], parameters }],
		connections: {},
		active: false,
		nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
	});
	const shown = expression.getSimpleParameterValue(
		placed.Node,
		node.description.subtitle,
		'internal',
		{},
	);
	expect(shown).toBe('Create or Update Contact');
});
