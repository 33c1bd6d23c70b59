/**
 * What a listed template is and wants to be filled in with. The specification names only `template` and `language`; the
 * rest is read in the shapes that services of this kind use (assumption): parts in upper or lower case, variables with
 * numbers or names, one record for each language or one with all of them.
 */
import { uniqBy } from 'lodash';

import { type ServiceRecord, isRecord, parseJson, readId } from './read';

/** The parts of a template that hold variables. */
export type TemplatePart = 'header' | 'body' | 'button';

/** A place of a template that a message fills in. */
export interface TemplateVariable {
	part: TemplatePart;
	/** Number of the button among all buttons, from 1; for buttons only. */
	button?: number;
	/** What stands between the braces: a number as text, or a name. */
	name: string;
	/** The text around it, variables included. */
	text: string;
}

/** A template in one language. */
export interface Template {
	id?: string;
	name: string;
	/** Locale code; undefined if the service shows none. */
	language?: string;
	/** Approval in the service's words. */
	status?: string;
	approval: 'approved' | 'notApproved' | 'unknown';
	/** In the order of header, body, buttons; the numbered ones of a part by number, else as they appear. */
	variables: TemplateVariable[];
	/** Whether a message needs the URL of a PDF. `unknown`: unless one is attached, which the service does not show. */
	headerPdf: 'none' | 'optional' | 'needed' | 'unknown';
	/** The words of a part without buttons: its text, or the format of a header that has none. */
	header?: string;
	body?: string;
	footer?: string;
	/** The labels of the buttons. */
	buttons: string[];
}

const nameKeys = ['name', 'template', 'templateName', 'template_name', 'elementName'];
const languageKeys = ['language', 'locale', 'languageCode', 'language_code', 'lang'];
const statusKeys = ['status', 'approvalStatus', 'approval_status', 'state'];
const attachedKeys = [
	'headerDocumentAttached',
	'header_document_attached',
	'documentAttached',
	'hasHeaderDocument',
];
const listKeys = ['translations', 'languages', 'localizations', 'versions'];

const approvedWords = /^(approved|active|enabled|live|published)$/i;
const refusedWords =
	/pending|review|submitted|draft|reject|paused|disabled|inactive|deleted|declined/i;

/** The templates of one listed record: one, or one for each of its languages; none without a name. */
export function readTemplates(record: ServiceRecord): Template[] {
	const list = listKeys
		.map((key) => record[key])
		.find((value) => Array.isArray(value) && value.length > 0) as unknown[] | undefined;
	if (!list) return readTemplate(record);
	return list.flatMap((entry) =>
		readTemplate({ ...record, ...(isRecord(entry) ? entry : { language: entry }) }),
	);
}

function readTemplate(record: ServiceRecord): Template[] {
	const name = firstText(record, nameKeys);
	if (!name) return [];
	const status = firstText(record, statusKeys);
	const parts = readParts(record);
	const header = parts.find(({ type }) => type === 'header');
	const buttons = parts.flatMap(({ type, fields }) =>
		type === 'buttons' ? recordsOf(fields.buttons) : type === 'button' ? [fields] : [],
	);
	const isText = header && header.format === 'text';
	return [
		{
			id: readId(record),
			name,
			language: firstText(record, languageKeys),
			status,
			approval: !status
				? 'unknown'
				: approvedWords.test(status)
					? 'approved'
					: refusedWords.test(status)
						? 'notApproved'
						: 'unknown',
			variables: [
				...(isText ? variablesOf('header', header.text) : []),
				...parts
					.filter(({ type }) => type === 'body')
					.flatMap(({ text }) => variablesOf('body', text)),
				...buttons.flatMap(({ url }, index) => variablesOf('button', textOf(url), index + 1)),
			],
			headerPdf: header?.format === 'document' ? pdfOf(record) : 'none',
			header: header && (isText ? header.text : header.format),
			body: parts.find(({ type }) => type === 'body')?.text,
			footer: parts.find(({ type }) => type === 'footer')?.text,
			buttons: buttons.map(({ text, title }) => textOf(text) || textOf(title)),
		},
	];
}

/** Source of the rule: specification, field `headerDocumentUrl`. */
function pdfOf(record: ServiceRecord): Template['headerPdf'] {
	const category = textOf(record.category);
	if (category && !/utility/i.test(category)) return 'optional';
	const attached = attachedKeys
		.map((key) => record[key])
		.find((value) => typeof value === 'boolean');
	if (attached === undefined) return 'unknown';
	return attached ? 'optional' : 'needed';
}

interface Part {
	/** In lower case. */
	type: string;
	/** In lower case; `text` unless told otherwise. */
	format: string;
	text: string;
	fields: ServiceRecord;
}

/** The components of a template: a list, the same as JSON text, or fields named after the parts. */
function readParts(record: ServiceRecord): Part[] {
	const components = recordsOf(record.components ?? record.structure);
	if (components.length > 0) return components.map(toPart);
	return ['header', 'body', 'footer', 'buttons'].flatMap((type) => {
		const value = record[type];
		if (value === undefined || value === null) return [];
		if (type === 'buttons') return [toPart({ type, buttons: value })];
		return [toPart({ type, ...(isRecord(value) ? value : { text: value }) })];
	});
}

function toPart(fields: ServiceRecord): Part {
	const { type, format, text } = fields;
	return {
		type: textOf(type).toLowerCase(),
		format: textOf(format).toLowerCase() || 'text',
		text: textOf(text),
		fields,
	};
}

function recordsOf(value: unknown): ServiceRecord[] {
	const list = typeof value === 'string' ? parseJson(value) : value;
	return Array.isArray(list) ? list.filter(isRecord) : [];
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The first usual key with a text, or with a record that has one, e.g. `{ "language": { "code": "en_US" } }`. */
function firstText(record: ServiceRecord, keys: string[]): string | undefined {
	const values = keys
		.map((key) => record[key])
		.map((value) => (isRecord(value) ? (value.code ?? value.name) : value));
	return values.map(textOf).find(Boolean);
}

/** A variable in a text, e.g. `{{1}}` or `{{ customer }}`; its group is the name. */
export const variablePattern = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** The distinct variables of a text, e.g. of "Hi {{1}}, meet {{2}}". */
function variablesOf(part: TemplatePart, text: string, button?: number): TemplateVariable[] {
	const found = [...text.matchAll(variablePattern)].map(([, name]) => ({
		part,
		...(button && { button }),
		name,
		text,
	}));
	const distinct = uniqBy(found, 'name');
	const areNumbered = distinct.every(({ name }) => /^\d+$/.test(name));
	return areNumbered ? distinct.sort((a, b) => Number(a.name) - Number(b.name)) : distinct;
}
