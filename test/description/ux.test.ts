/** n8n's UX rules, held on what the editor really gets: the built descriptions, with everything that code puts together. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { ICredentialType, INodeProperties, INodeType } from 'n8n-workflow';

import { operations } from '../../nodes/BusinessMessaging/description';
import type { Operation } from '../../nodes/BusinessMessaging/operations/operation';
import { filesBelow, root } from '../support/build';
import { lintCredential, lintNode } from './officialRules';
import { allProperties, isChoice, type PlacedProperty } from './properties';

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

/** The class of a built file, fresh from the file: n8n's loader replaces icons and adds to the description. */
function instance<T>(file: string): {
	className: string;
	source: string;
	built: T;
} {
	const className = path.basename(file).split('.')[0];
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a built file, known by its name only
	const module = require(path.join(root, file)) as Record<string, new () => T>;
	return {
		className,
		source: file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
		built: new module[className](),
	};
}

const nodes = manifest.n8n.nodes.map((file) => instance<INodeType>(file));
const credentials = manifest.n8n.credentials.map((file) => instance<ICredentialType>(file));
const described = [
	...nodes.map(({ className, built }) => [className, built.description.properties] as const),
	...credentials.map(({ className, built }) => [className, built.properties] as const),
];

/** The paths of the properties for which something holds. */
function pathsOf(
	properties: PlacedProperty[],
	holds: (property: INodeProperties, siblings: INodeProperties[]) => boolean,
): string[] {
	return properties
		.filter(({ property, siblings }) => holds(property, siblings))
		.map((placed) => placed.path);
}

describe("n8n's own rules", () => {
	test.each(nodes.map((node) => [node.className, node] as const))(
		'all hold for %s',
		(_, { className, source, built }) => {
			expect(lintNode(source, className, built.description)).toEqual([]);
		},
	);

	test.each(credentials.map((entry) => [entry.className, entry] as const))(
		'all hold for %s',
		(_, { className, source, built }) => {
			expect(lintCredential(source, className, built)).toEqual([]);
		},
	);

	test('are really applied to what is built by code', () => {
		const [{ className, source, built }] = nodes;
		const description = structuredClone(built.description);
		const [field] = description.properties.filter(({ type }) => type === 'string');
		field.displayName = 'wrong case';
		field.description = 'One sentence with a period.';
		expect(lintNode(source, className, description)).toEqual(
			expect.arrayContaining([
				expect.stringContaining('node-param-display-name-miscased'),
				expect.stringContaining('node-param-description-excess-final-period'),
			]),
		);
	});
});

describe.each(described)('%s', (_, properties) => {
	const all = allProperties(properties);

	test('offers choices in alphabetical order', () => {
		const names = ({ options = [] }: INodeProperties) =>
			options.filter(isChoice).map(({ name }) => name);
		const unsorted = (property: INodeProperties) =>
			names(property).some((name, i, list) => i > 0 && name.localeCompare(list[i - 1]) < 0);
		expect(pathsOf(all, unsorted)).toEqual([]);
	});

	test('shows examples as placeholders', () => {
		const isTyped = ({ type }: INodeProperties) =>
			['string', 'number', 'json', 'dateTime'].includes(type);
		const wrong = ({ placeholder }: INodeProperties) =>
			placeholder !== undefined && !placeholder.startsWith('e.g. ');
		expect(pathsOf(all, (property) => isTyped(property) && wrong(property))).toEqual([]);
	});

	test('writes descriptions as sentences', () => {
		const texts = ({ description, options = [] }: INodeProperties) => [
			description,
			...options.filter(isChoice).map((choice) => choice.description),
		];
		const isWrong = (text?: string) => text !== undefined && !/^[^a-z\s]/.test(text);
		expect(pathsOf(all, (property) => texts(property).some(isWrong))).toEqual([]);
	});

	test('explains every field that the user fills in', () => {
		const explains = ({ description, type, displayName }: INodeProperties) => {
			if (['notice', 'callout', 'fixedCollection', 'collection', 'hidden'].includes(type))
				return true;
			return description !== undefined && description.toLowerCase() !== displayName.toLowerCase();
		};
		const isChosen = ({ name }: INodeProperties) => ['resource', 'operation'].includes(name);
		expect(pathsOf(all, (property) => !isChosen(property) && !explains(property))).toEqual([]);
	});

	test('lets the user pick from a list before typing an identifier', () => {
		const locators = all.filter(({ property }) => property.type === 'resourceLocator');
		expect(
			pathsOf(
				locators,
				({ modes = [], default: initial }) =>
					modes[0]?.type !== 'list' || (initial as { mode?: string }).mode !== modes[0].name,
			),
		).toEqual([]);
	});

	test('depends on nothing that is not there', () => {
		const conditions = ({ displayOptions: { show = {}, hide = {} } = {} }: INodeProperties) => [
			...Object.entries(show),
			...Object.entries(hide),
		];
		const choices = (name: string, siblings: INodeProperties[]) =>
			siblings
				.filter((sibling) => sibling.name === name.replace(/^\//, ''))
				.flatMap(({ options = [] }) => options.filter(isChoice).map(({ value }) => value));
		const isMissing = (name: string, values: unknown[], siblings: INodeProperties[]) => {
			if (name.startsWith('@')) return false;
			const among = name.startsWith('/') ? properties : siblings;
			const known = choices(name, among);
			const [field] = name.replace(/^\//, '').split(/[.[]/);
			if (!among.some((sibling) => sibling.name === field)) return true;
			return (
				known.length > 0 &&
				values.some((value) => typeof value === 'string' && !known.includes(value))
			);
		};
		const isDangling = (property: INodeProperties, siblings: INodeProperties[]) =>
			conditions(property).some(([name, values]) => isMissing(name, values ?? [], siblings));
		expect(pathsOf(all, isDangling)).toEqual([]);
	});
});

test('every operation has its file and its line in operations/index.ts', () => {
	const folder = 'nodes/BusinessMessaging/operations';
	const definesOperation = (file: string) =>
		/^export const \w+(: Operation = | = \w*[oO]peration[(<])/m.test(
			readFileSync(path.join(root, file), 'utf8'),
		);
	const files = filesBelow(folder).filter(definesOperation);
	const lines = readFileSync(path.join(root, folder, 'index.ts'), 'utf8')
		.trim()
		.split('\n')
		.slice(1);
	expect(files.length).toBeGreaterThan(0);
	expect(lines).toEqual(
		files.map((file) => `export * from '.${file.slice(folder.length, -'.ts'.length)}';`),
	);
});

describe('the operations', () => {
	const isListing = ({ value }: Operation) => value === 'getAll';

	test('that list records let the user choose how many, and the first ones by default', () => {
		const listings = operations.filter(isListing);
		expect(listings.length).toBeGreaterThan(0);
		for (const { fields } of listings) {
			expect(fields.slice(0, 2).map(({ name, default: value }) => [name, value])).toEqual([
				['returnAll', false],
				['limit', 50],
			]);
			expect(fields[1].displayOptions).toEqual({ show: { returnAll: [false] } });
		}
	});

	test('choose records from lists instead of asking for identifiers', () => {
		const typed = operations.flatMap(({ fields, action }) =>
			fields
				.filter(({ name, type }) => /Id$/.test(name) && type !== 'resourceLocator')
				.map(({ name }) => `${action}: ${name}`),
		);
		expect(typed).toEqual([]);
	});
});
