/** What the current nodes save in workflows: which parameters there are, where they are shown, and their types, defaults and options. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { omit } from 'lodash';
import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyCollection,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { BusinessMessagingApi } from '../credentials/BusinessMessagingApi.credentials';
import { BusinessMessaging } from '../nodes/BusinessMessaging/BusinessMessaging.node.ts';
import { BusinessMessagingTrigger } from '../nodes/BusinessMessaging/BusinessMessagingTrigger.node.ts';
import { everyOperation } from './engine/everyOperation';
import { filesBelow, root } from './engine/files';

/** A node as a saved workflow contains it. */
export interface SavedNode {
	typeVersion: number;
	parameters: INodeParameters;
}

/** What workflows saved with one version contain. */
export interface SavedByVersion {
	/** Nodes that ran in that version, by their operation, e.g. `message sendText`. */
	nodes: Record<string, SavedNode>;
	shape: SavedShape;
}

/**
 * By node, `typeVersion` and place, e.g. `businessMessaging 1 resource=message operation=sendText`: a line for each
 * thing on which a workflow may rely. n8n does not save a parameter that has its default, so defaults count too.
 */
export type SavedShape = Record<string, string[]>;

export const action = new BusinessMessaging().description;
export const trigger = new BusinessMessagingTrigger().description;
const credential = new BusinessMessagingApi();

/** Send and Wait has no row in {@link everyOperation}, because it waits and has no output at first. */
export const asking = 'message sendAndWait';
const question: INodeParameters = {
	to: '=+1555000100{{ $json.n }}',
	message: 'Tuesday?',
	responseType: 'choice',
	choices: 'Yes, No',
	options: { concurrency: 2 },
};
const events: INodeParameters = {
	events: ['message.received', 'message.read'],
	simplify: false,
	options: { otherEvents: 'contact.created' },
};

/** The shape of the current nodes, or of another action node together with the trigger. */
export function presentShape(node: INodeTypeDescription = action): SavedShape {
	const { name, properties } = credential;
	return shapeOf([node, trigger, { name, properties }]);
}

/** Nodes that the current version saves and that run. */
export function presentNodes(): Record<string, SavedNode> {
	const operations = Object.entries(everyOperation).map(
		([name, { parameters }]): [string, INodeParameters | undefined] => [name, parameters],
	);
	const actions = [...operations, [asking, question] as const].map(([name, own]) => {
		const [resource, operation] = name.split(' ');
		return [name, { typeVersion: 1, parameters: { resource, operation, ...own } }];
	});
	const triggers = [trigger.version]
		.flat()
		.map((typeVersion) => [`trigger ${typeVersion}`, { typeVersion, parameters: events }]);
	return Object.fromEntries([...actions, ...triggers]) as Record<string, SavedNode>;
}

function shapeOf(
	types: Array<Pick<INodeTypeDescription, 'name' | 'properties'> & { version?: number | number[] }>,
): SavedShape {
	const lines = types.flatMap(({ name, version, properties }) =>
		version === undefined
			? properties.flatMap((property) => linesOf(property, [name], '', 0))
			: [version].flat().flatMap((one) => linesOfVersion(name, one, properties)),
	);
	const places = [...new Set(lines.map(([place]) => place))].sort();
	return Object.fromEntries(
		places.map((place) => [
			place,
			lines
				.filter(([one]) => one === place)
				.map(([, line]) => line)
				.sort(),
		]),
	);
}

/** The parts of an older shape that are missing in the current one, one line each. */
export function lostOf(older: SavedShape, present: SavedShape): string[] {
	return Object.entries(older).flatMap(([place, lines]) =>
		lines.filter((line) => !present[place]?.includes(line)).map((line) => `${place}: ${line}`),
	);
}

/** Where a parameter is shown, and what is saved there. */
type Line = [place: string, text: string];

function linesOfVersion(name: string, version: number, properties: INodeProperties[]): Line[] {
	const place = `${name} ${version}`;
	return [[place, 'exists'], ...properties.flatMap((one) => linesOf(one, [place], '', version))];
}

function linesOf(
	property: INodeProperties,
	conditions: string[],
	path: string,
	version: number,
): Line[] {
	if (property.type === 'notice') return []; // a notice saves nothing
	if (!isInVersion(property, version)) return [];
	const name = path + property.name;
	const own = [
		`${name} is ${property.type}, by default ${JSON.stringify(property.default)}`,
		...valuesOf(property).map((value) => `${name} may be ${value}`),
	];
	return placesOf(property, conditions).flatMap((place) => [
		...own.map((text): Line => [place.join(' '), text]),
		...partsOf(property).flatMap(({ prefix, part }) =>
			linesOf(part, place, `${name}.${prefix}`, version),
		),
	]);
}

/** Whether n8n shows a parameter for a version of a node, judging only by its conditions on `@version`. */
function isInVersion({ displayOptions }: INodeProperties, typeVersion: number): boolean {
	const show = displayOptions?.show?.['@version'];
	const hide = displayOptions?.hide?.['@version'];
	const ofVersion = {
		...(show && { show: { '@version': show } }),
		...(hide && { hide: { '@version': hide } }),
	};
	const property = { displayOptions: ofVersion } as INodeProperties;
	return NodeHelpers.displayParameter({}, property, { typeVersion }, null);
}

/** Each combination of values of other parameters with which the parameter is shown. */
function placesOf({ displayOptions }: INodeProperties, conditions: string[]): string[][] {
	const show = omit(displayOptions?.show, '@version');
	const hide = omit(displayOptions?.hide, '@version');
	const hidden = Object.keys(hide).length > 0 ? [`unless ${JSON.stringify(hide)}`] : [];
	return Object.entries(show).reduce<string[][]>(
		(places, [name, values = []]) =>
			places.flatMap((place) =>
				values.map((value) => [
					...place,
					`${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
				]),
			),
		[[...conditions, ...hidden]],
	);
}

/** The options of a field, or the ways to choose a record. */
function valuesOf({ type, options = [], modes = [] }: INodeProperties): string[] {
	if (type === 'options' || type === 'multiOptions')
		return options.flatMap((option) => ('value' in option ? JSON.stringify(option.value) : []));
	return modes.map(({ name }) => `given by ${name}`);
}

function partsOf({
	type,
	options = [],
}: INodeProperties): Array<{ prefix: string; part: INodeProperties }> {
	if (type === 'collection')
		return (options as INodeProperties[]).map((part) => ({ prefix: '', part }));
	if (type !== 'fixedCollection') return [];
	return (options as INodePropertyCollection[]).flatMap(({ name, values }) =>
		values.map((part) => ({ prefix: `${name}.`, part })),
	);
}

const folder = 'test/n8n/compat/saved';

/** The versions for which a file exists. */
export function savedVersions(): string[] {
	return filesBelow(folder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => path.basename(file, '.json'));
}

/** What workflows saved with a version contain. @throws Error that says how to write the file */
export function readSaved(version: string): SavedByVersion {
	if (!savedVersions().includes(version))
		throw new Error(`\`npm run docs -- saved\` writes ${folder}/${version}.json.`);
	return JSON.parse(readFileSync(fileOf(version), 'utf8')) as SavedByVersion;
}

/** Writes what the current nodes save, as the file of this version. */
export function writeSaved(version: string, saved: SavedByVersion): void {
	writeFileSync(fileOf(version), `${JSON.stringify(saved, null, '\t')}\n`);
}

function fileOf(version: string): string {
	return path.join(root, folder, `${version}.json`);
}
