/** Reads listed templates. Only names and languages are specified; all else is an assumption, and may be undefined. */
import { at, compact, groupBy, isEmpty, pickBy, sortBy, uniq, upperFirst } from 'lodash';

import { type ServiceRecord, isRecord } from '../jsonValues';
import { fieldsOf, readId } from './readResponse';

/** A variable of a template. */
export interface TemplateVariable {
	/** ID from the part and the name, e.g. `header_1`, `body_customer`, or `button2_1` in the second button. */
	id: string;
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
	/** Whether the status says clearly that the template cannot be sent. */
	isRefused: boolean;
	/** In the order of header, body, buttons; numbered ones by number. Undefined if the text is not known. */
	variables?: TemplateVariable[];
	/** For a document header, or one of unknown kind: whether a message needs the URL of a PDF. */
	pdf?: 'needed' | 'optional';
	/** The text of the header, or `[PDF]`, `[Image]` and the like. */
	header?: string;
	body?: string;
	footer?: string;
	/** The labels of the buttons, and the addresses that they open. */
	buttons: Array<{ text: string; url?: string }>;
}

const nameKey = /^((template|element)_?)?name$|^template$/i;
const languageKey = /^(language|locale|lang)(_?code)?$/i;
const statusKey = /^(approval_?)?(status|state)$/i;
const listKeys = ['translations', 'languages', 'localizations', 'versions'];

/** A status with which a template cannot be sent. It must match as a whole: "Active - Quality pending" can be sent. */
const refusal =
	/^((in|under) review|pending( (review|approval|deletion))?|submitted|draft|rejected|declined|paused|disabled|inactive|deleted)$/;

/** The templates in one listed record: one, or one for each of its languages; none if the record has no name. */
export function readTemplates(record: ServiceRecord): Template[] {
	const name = textAt(record, nameKey);
	if (!name) return [];
	const list = at(record, listKeys).find((value) => Array.isArray(value) && !isEmpty(value));
	return ((list ?? [record]) as unknown[]).map((entry) => {
		const own = isRecord(entry) ? entry : { language: entry };
		return readTemplate(name, { ...record, ...own });
	});
}

function readTemplate(name: string, record: ServiceRecord): Template {
	const status = textAt(record, statusKey);
	const parts = groupBy(partsOf(record), ({ type }) => writtenText(type).toLowerCase());
	const [header, body, footer] = ['header', 'body', 'footer'].map((type) => parts[type]?.at(0));
	const lists = (parts.buttons ?? []).flatMap((part) => recordsIn(part.buttons));
	const buttons = [...(parts.button ?? []), ...lists];
	const format = formatOf(header);
	const headerText = ['', 'text'].includes(format) ? writtenText(header?.text) : '';
	const text = writtenText(body?.text);
	const variables = [
		...variablesOf('header', headerText),
		...variablesOf('body', text),
		...buttons.flatMap(({ url }, index) => variablesOf(`button${index + 1}`, writtenText(url))),
	];
	return {
		id: readId(record, 'template'),
		name,
		language: textAt(record, languageKey),
		status,
		isRefused: refusal.test(status?.toLowerCase().replaceAll(/[\s_-]+/g, ' ') ?? ''),
		variables: text ? variables : undefined,
		pdf: header && !format && !headerText ? 'optional' : pdfOf(record, format),
		header:
			headerText ||
			(format && `[${format === 'document' ? 'PDF' : upperFirst(format)}]`) ||
			undefined,
		body: text || undefined,
		footer: writtenText(footer?.text) || undefined,
		buttons: buttons.map(({ text: words, title, url }) => ({
			text: writtenText(words) || writtenText(title),
			...(writtenText(url) && { url: writtenText(url) }),
		})),
	};
}

/** The parts of a template: a list of records with a `type`, under any name. */
function partsOf(record: ServiceRecord): ServiceRecord[] {
	const lists = fieldsOf(record).map(({ value }) => recordsIn(value));
	const has = (type: RegExp) => (list: ServiceRecord[]) =>
		list.some((one) => type.test(writtenText(one.type)));
	return lists.find(has(/^body$/i)) ?? lists.find(has(/^(header|footer|buttons?)$/i)) ?? [];
}

/** What a header contains, e.g. `text` or `document`; empty if it does not say so. */
function formatOf(header: ServiceRecord = {}): string {
	const format = writtenText(header.format).toLowerCase();
	const isNamed = Object.values(header).some((value) =>
		/^(document|pdf)$/i.test(writtenText(value)),
	);
	const isDocument = isNamed && !writtenText(header.text);
	return format || (isDocument ? 'document' : '');
}

/** Source: specification, field `headerDocumentUrl`. How a service shows an attached PDF is an assumption. */
function pdfOf(record: ServiceRecord, format: string): Template['pdf'] {
	if (format !== 'document') return undefined;
	const isAttached = Object.entries(record).find(
		([key, value]) => /document|attach/i.test(key) && typeof value === 'boolean',
	)?.[1];
	const category = writtenText(record.category) || 'utility';
	return isAttached === false && /utility/i.test(category) ? 'needed' : 'optional';
}

function recordsIn(value: unknown): ServiceRecord[] {
	return Array.isArray(value) ? value.filter(isRecord) : [];
}

function writtenText(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The text in the first matching field, which may hold a record: `{ "language": { "code": "en_US" } }`. */
function textAt(record: ServiceRecord, key: RegExp): string | undefined {
	const values = Object.values(pickBy(record, (_, name) => key.test(name)));
	const texts = values.map((value) =>
		writtenText(isRecord(value) ? (value.code ?? value.name) : value),
	);
	return texts.find(Boolean);
}

/** A variable in a text, e.g. `{{1}}` or `{{ größe }}`; its group is the name, with the spaces around it. */
export const variablePattern = /\{\{([^{}]+)\}\}/g;

function variablesOf(part: string, text: string): TemplateVariable[] {
	const found = [...text.matchAll(variablePattern)].map(([, name]) => name.trim());
	const names = uniq(compact(found));
	const areNumbered = names.every((name) => /^\d+$/.test(name));
	const inOrder = areNumbered ? sortBy(names, Number) : names;
	return inOrder.map((name) => ({ id: `${part}_${name}`, text }));
}
