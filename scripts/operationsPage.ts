/** docs/operations.md: each operation with its fields and one real output, and what the trigger outputs. */
import {
	countBy,
	groupBy,
	intersection,
	isEqual,
	map,
	omit,
	partition,
	sortBy,
	uniqBy,
	upperFirst,
	type Dictionary,
} from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { eventKinds } from '../nodes/BusinessMessaging/api/events';
import { operations, localOperations } from '../nodes/BusinessMessaging/nodeProperties';
import { triggerProperties } from '../nodes/BusinessMessaging/trigger/triggerDescription';

/** One item of the output of each operation, by resource and value, e.g. `message sendText`, and of each event, by its type. */
export type Outputs = Dictionary<unknown>;

const fieldsOf = (one: { fields: readonly object[] }) => one.fields as INodeProperties[];

/** Fields that belong to another field, e.g. those of Options; undefined for a field with a value of its own. */
function fieldsIn({ type, options = [] }: INodeProperties): INodeProperties[] | undefined {
	if (type === 'collection') return options as INodeProperties[];
	if (type !== 'fixedCollection') return undefined;
	return options.flatMap((group) => ('values' in group ? group.values : []));
}

/** Fields and all that belong to them. */
const withParts = (fields: readonly INodeProperties[]): INodeProperties[] =>
	fields.flatMap((field) => [field, ...withParts(fieldsIn(field) ?? [])]);

const order = [
	'message',
	'campaign',
	'contact',
	'conversation',
	'template',
	'webhook',
	'analytics',
	'account',
];

const all = sortBy([...operations, ...localOperations], ({ resource }) => order.indexOf(resource));
const allFields = all.flatMap(fieldsOf);
const known = withParts([...allFields, ...triggerProperties]);

/** The label of a value of a field: the name of a choice, or on and off. */
function labelOf({ options = [] }: INodeProperties, value: unknown): string {
	const choice = options.find((one) => 'value' in one && one.value === value);
	return (
		choice?.name ?? (typeof value === 'boolean' ? ['off', 'on'][Number(value)] : String(value))
	);
}

/** When the editor shows a field, e.g. `if Message Type is Text`. */
function conditionsOf({ displayOptions = {} }: INodeProperties): string[] {
	const { show = {}, hide = {} } = displayOptions;
	const words = ([name, values = []]: [string, unknown[]?], verb: string) => {
		const other = known.find(
			(field) =>
				field.name === name.replace('/', '') &&
				values.every((value) => labelOf(field, value) !== value),
		);
		if (!other) return [];
		const rest = (other.options ?? []).filter(
			(one) => 'value' in one && !values.includes(one.value),
		);
		const isShort = verb !== '' || values.length <= rest.length + 1;
		const labels = isShort ? values.map((value) => labelOf(other, value)) : map(rest, 'name');
		return `if ${other.displayName} is ${isShort ? verb : 'not '}${labels.join(' or ')}`;
	};
	return [
		...('@tool' in show ? ['for AI tools'] : []),
		...Object.entries(show).flatMap((one) => words(one as [string, unknown[]], '')),
		...Object.entries(hide).flatMap((one) => words(one as [string, unknown[]], 'not ')),
	];
}

const inOneSentence = (text: string) => (/[.…]$/.test(text) ? text : `${text}.`);

/** What the page says of a field. Fields for which it says the same are one field. */
function wordsOf(field: INodeProperties): string {
	const { displayName, type, default: standard, required, description, options = [] } = field;
	const list = /ptions$/.test(type) ? options.map(({ name }) => name).join(', ') : '';
	const defaults = [standard]
		.flat()
		.map((value) => labelOf(field, value))
		.join(', ');
	const isTelling = typeof standard !== 'object' || Array.isArray(standard);
	const facts = [
		...(required ? ['required'] : []),
		...conditionsOf(field),
		...(isTelling && defaults !== '' && defaults.length < 40 ? [`default: ${defaults}`] : []),
	];
	return [
		`**${displayName}**${facts.length > 0 ? ` (${facts.join('; ')})` : ''}`,
		...(description ? [`: ${inOneSentence(description.replaceAll(/<\/?code>/g, '`'))}`] : []),
		...(list ? [` Choices: ${list}.`] : []),
	].join('');
}

/** The lines of fields, indented below the field to which they belong. */
function linesOf(fields: readonly INodeProperties[], indent = ''): string[] {
	return fields
		.filter(({ type }) => type !== 'notice')
		.flatMap((field) => [
			`${indent}- ${wordsOf(field)}`,
			...linesOf(fieldsIn(field) ?? [], `${indent}  `),
		]);
}

/** The collections whose fields differ between operations, so that the page names each field alone. */
const isMixed = ({ name }: INodeProperties) => ['options', 'updateFields'].includes(name);
const single = (field: INodeProperties) => (isMixed(field) ? (fieldsIn(field) ?? []) : [field]);
const countOf = countBy(allFields.flatMap(single), (field) => linesOf([field]).join());
/** Whether several operations have this field. */
const isShared = (field: INodeProperties) =>
	field.type !== 'notice' && countOf[linesOf([field]).join()] > 1;

/** An item as JSON, in lines of at most 120 characters if its fields allow it. */
function json(output: unknown): string[] {
	const fields = Object.entries(output as object).map(
		([name, value]) => `"${name}":${JSON.stringify(value)}`,
	);
	const lines: string[] = [];
	for (const field of fields) {
		const longer = `${lines.at(-1)}, ${field}`;
		if (lines.length > 0 && longer.length < 118) lines.splice(-1, 1, longer);
		else lines.push(field);
	}
	return ['', '```json', `{${lines.join(',\n ')}}`, '```', ''];
}

/** The names of the fields that an operation shares with others. */
function sharedNames(operation: (typeof all)[number]): string {
	const names = fieldsOf(operation).flatMap((field) => {
		const shared = map(single(field).filter(isShared), 'displayName');
		if (shared.length === 0) return [];
		return isMixed(field) ? `*${field.displayName}* (${shared.join(', ')})` : shared;
	});
	return names.join(', ');
}

/** The page says the same of two fields, except when the editor shows them. */
const isAlike = (one: INodeProperties, other: INodeProperties) =>
	isEqual(linesOf([omit(one, 'displayOptions')]), linesOf([omit(other, 'displayOptions')]));

/** The lines of fields of one operation alone. Of fields that an earlier operation has, too, only the names. */
function ownLines(operation: (typeof all)[number]): string[] {
	const earlier = all.slice(0, all.indexOf(operation));
	const sourceOf = (field: INodeProperties) =>
		earlier.find((one) => fieldsOf(one).some((other) => isAlike(field, other)))?.name;
	const own = fieldsOf(operation).filter(
		(field) => isMixed(field) || (field.type !== 'notice' && !isShared(field)),
	);
	const [copied, others] = partition(own, (field) => !isMixed(field) && sourceOf(field));
	const references = Object.entries(groupBy(copied, sourceOf)).map(([name, fields]) => {
		const condition = intersection(...fields.map(conditionsOf)).map((words) => `, ${words}`);
		return `- As in *${name}*${condition.join('')}: ${map(fields, 'displayName').join(', ')}`;
	});
	const lines = others.flatMap((field) => {
		if (!isMixed(field)) return linesOf([field]);
		const parts = single(field).filter((one) => !isShared(one));
		return parts.length > 0 ? [`- ${wordsOf(field)}`, ...linesOf(parts, '  ')] : [];
	});
	return [...lines, ...references];
}

/** The section of one operation. Of fields that several operations have, only the names. */
function sectionOf(operation: (typeof all)[number], outputs: Outputs): string[] {
	const { resource, name, value, description } = operation;
	const names = sharedNames(operation);
	const first = all.find((one) => sharedNames(one) === names)!;
	const same = `as ${upperFirst(first.resource)}: ${first.name}`;
	const also = first === operation || names.length < 2 * same.length ? names : same;
	return [
		...[`### ${upperFirst(resource)}: ${name}`, '', inOneSentence(description), ''],
		...ownLines(operation),
		...(names ? [`- [Also](#fields-of-several-operations): ${also}`] : []),
		...json(outputs[`${resource} ${value}`]),
	];
}

/** The page. @param outputs from runs against the sandbox */
export function operationsPage(outputs: Outputs): string {
	const ofOptions = allFields.filter(isMixed).flatMap(single);
	const shared = uniqBy(allFields.flatMap(single).filter(isShared), (field) =>
		linesOf([field]).join(),
	);
	const [options, others] = partition(shared, (field) => ofOptions.includes(field));
	const [received, ...receipts] = eventKinds;
	return [
		'# Operations',
		'',
		'What each operation is for, its fields, and one item of its output. `npm run docs` writes this page: the fields come from the nodes,',
		'and each output from a run against the [sandbox](sandbox.md). Your service may return more or other fields.',
		'',
		'*Default* is the value of a field, and that of an option when you add it. Before you add them, rules, filters, *Signature*, *Group',
		'Messages*, *Messages per Minute* and *Simultaneous Requests* have no effect, and all other options have their default.',
		'',
		'## Operations of the node',
		'',
		...all.flatMap((one) => sectionOf(one, outputs)),
		'## Fields of several operations',
		'',
		...linesOf(others),
		'- **Options** and **Update Fields**',
		...linesOf(options, '  '),
		'',
		'## The trigger',
		'',
		...linesOf(triggerProperties),
		'',
		'What it outputs for each event, with *Simplify*:',
		'',
		...[`**${received.name}**`, ...json(outputs[received.value])],
		...[`**${map(receipts, 'name').join(', ')}**, e.g.`, ...json(outputs[receipts[0].value])],
	]
		.join('\n')
		.trimEnd()
		.concat('\n');
}
