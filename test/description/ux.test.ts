/** n8n's UX rules, held on what the editor really gets: the built descriptions, with everything that code puts together. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import {
	type ICredentialType,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	Workflow,
} from 'n8n-workflow';

import { operations } from '../../nodes/BusinessMessaging/description';
import { filesBelow, root } from '../support/build';
import { lintCredential, lintNode } from './officialRules';

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

/** The class of a built file, fresh from the file: n8n's loader replaces icons and adds to the description. */
function instance<T>(file: string) {
	const className = path.basename(file).split('.')[0];
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
	const module = require(path.join(root, file)) as Record<string, new () => T>;
	const source = file.replace(/^dist\//, '').replace(/\.js$/, '.ts');
	return { className, source, built: new module[className]() };
}

const nodes = manifest.n8n.nodes.map((file) => instance<INodeType>(file));
const credentials = manifest.n8n.credentials.map((file) => instance<ICredentialType>(file));

type Option = NonNullable<INodeProperties['options']>[number];
const isProperty = (option: Option): option is INodeProperties => 'type' in option;
const isChoice = (option: Option): option is INodePropertyOptions =>
	'value' in option && !('type' in option);

/** A property, with those beside it, which its display conditions can name. */
interface Placed {
	property: INodeProperties;
	siblings: INodeProperties[];
	path: string;
}

/** All properties, each before those within it. */
function allProperties(siblings: INodeProperties[], prefix = ''): Placed[] {
	return siblings.flatMap((property) => {
		const { name, options = [], displayOptions: { show = {} } = {} } = property;
		const place = `${prefix}${name} (${Object.values(show).flat().map(String).join(', ')})`;
		const groups = options.flatMap((option) => ('values' in option ? option.values : []));
		const inner = [...options.filter(isProperty), ...groups];
		return [{ property, siblings, path: place }, ...allProperties(inner, `${place}.`)];
	});
}

test.each(nodes)("all of n8n's rules hold for $className", ({ className, source, built }) => {
	expect(lintNode(source, className, built.description)).toEqual([]);
});

test.each(credentials)("all of n8n's rules hold for $className", ({ className, source, built }) => {
	expect(lintCredential(source, className, built)).toEqual([]);
});

test("n8n's rules are really applied to what is built by code", () => {
	const [{ className, source, built }] = nodes;
	const description = structuredClone(built.description);
	const [field] = description.properties.filter(({ type }) => type === 'string');
	field.displayName = 'wrong case';
	field.description = 'One sentence with a period.';
	const wrong = ['node-param-display-name-miscased', 'node-param-description-excess-final-period'];
	const messages = lintNode(source, className, description);
	expect(messages).toEqual(
		expect.arrayContaining(wrong.map((rule) => expect.stringContaining(rule))),
	);
});

const withoutText = ['notice', 'callout', 'fixedCollection', 'collection', 'hidden'];
const choicesOf = ({ options = [] }: INodeProperties) => options.filter(isChoice);

/** What is wrong with a property, by the rule. */
const rules: Record<string, (placed: Placed, all: INodeProperties[]) => boolean> = {
	'offers choices in alphabetical order': ({ property }) =>
		choicesOf(property).some(
			({ name }, i, list) => i > 0 && name.localeCompare(list[i - 1].name) < 0,
		),
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
	'depends on nothing that is not there': ({ property, siblings }, all) => {
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
const described: Array<[string, INodeProperties[]]> = [
	...nodes.map(({ className, built }): [string, INodeProperties[]] => [
		className,
		built.description.properties,
	]),
	...credentials.map(({ className, built }): [string, INodeProperties[]] => [
		className,
		built.properties,
	]),
];

describe.each(described)('%s', (_, properties) => {
	test.each(Object.entries(rules))('%s', (_name, isWrong) => {
		const wrong = allProperties(properties).filter((placed) => isWrong(placed, properties));
		expect(wrong.map((placed) => placed.path)).toEqual([]);
	});
});

test('every operation has its file and its line in operations/index.ts', () => {
	const folder = 'nodes/BusinessMessaging/operations';
	const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
	const definition = /^export const \w+(: Operation = | = \w*[oO]peration[(<])/m;
	const files = filesBelow(folder).filter((file) => definition.test(read(file)));
	const lines = read(`${folder}/index.ts`).trim().split('\n').slice(1);
	expect(files.length).toBeGreaterThan(0);
	expect(lines).toEqual(
		files.map((file) => `export * from '.${file.slice(folder.length, -'.ts'.length)}';`),
	);
});

test('operations that list records let the user choose how many, and the first ones by default', () => {
	const listings = operations.filter(({ value }) => value === 'getAll');
	expect(listings.length).toBeGreaterThan(0);
	for (const { fields } of listings)
		expect(fields.slice(0, 2)).toMatchObject([
			{ name: 'returnAll', default: false },
			{ name: 'limit', default: 50, displayOptions: { show: { returnAll: [false] } } },
		]);
});

test('the canvas shows what a node does, in the words of its operation', () => {
	const node = nodes[0].built;
	const parameters = { resource: 'contact', operation: 'upsert', phone: '+15550001000' };
	const place = { id: '1', name: 'Node', type: 'test', typeVersion: 1 };
	const workflow = new Workflow({
		nodes: [{ ...place, position: [0, 0], parameters }],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => node,
			getByNameAndVersion: () => node,
			getKnownTypes: () => ({}),
		},
	});
	const subtitle = workflow.expression.getSimpleParameterValue(
		workflow.nodes.Node,
		node.description.subtitle,
		'internal',
		{},
	);
	expect(subtitle).toBe('Create or update contact');
});
