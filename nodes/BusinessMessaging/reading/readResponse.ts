/**
 * Reads what the specification does not show (assumption), by its structure; names decide only between candidates. The
 * time that these functions take grows in proportion to the size of the response.
 */
import { isObject, minBy, sumBy } from 'lodash';

import { foldText } from '../foldText';
import { type ServiceRecord, isRecord, textOrJson } from '../jsonValues';

/** A response of the service. */
export interface ServiceResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Parsed JSON; text, if the body is not JSON; undefined for an empty body. */
	body: unknown;
}

/** A field of a response; `parent` is the name of the field that it is in, empty at the top. */
export interface ResponseField {
	name: string;
	value: unknown;
	parent: string;
	/** 1 at the top, 0 for the whole response. */
	depth: number;
}

/** How many levels are searched; `data.meta.pagination.total` is on the fourth. */
const envelopeDepth = 4;
/** Names of fields that contain a list or a record; and names of the metadata fields next to them. */
const around = /^(data|items?|results?|records?|_embedded)$/i;
const beside =
	/^(success|ok|result|status|status_?code|code|message|errors?|warnings?|included|_?meta(data)?|_?links?|paging|pagination)$/i;

/** `Array.isArray`, but with `unknown` instead of `any`. */
function isList(value: unknown): value is unknown[] {
	return Array.isArray(value);
}

/**
 * A time as services write it, in ms since 1970: a date, or Unix time in seconds or ms. NaN for anything else. Without a time
 * zone, it is UTC: the zone of n8n's server says nothing about the service (assumption).
 */
export function asMilliseconds(time: unknown): number {
	const text = textOrJson(time).trim();
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) > 1e11 ? Number(text) : Number(text) * 1000;
	return Date.parse(/[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? `${text}Z` : text);
}

/** A number, also in a text; NaN for a list or a record, on which JavaScript's own conversion may throw. */
export function asNumber(value: unknown): number {
	return Number(textOrJson(value));
}

/** A switch as services write it: as a boolean, a text or a number; undefined for anything else. */
export function readFlag(value: unknown): boolean | undefined {
	if (isObject(value)) return undefined;
	const text = String(value).trim().toLowerCase();
	if (['true', 'yes', 'y', 'on'].includes(text)) return true;
	if (['false', 'no', 'n', 'off'].includes(text)) return false;
	return /^-?\d+$/.test(text) ? Number(text) > 0 : undefined;
}

/** A name in lower case, only letters and digits: `contactid` for `contact_id`, `contactId` and `CONTACT_İD`. */
export function plainName(name: string): string {
	return foldText(name).replace(/[^\p{L}\p{N}]/gu, '');
}

/** A response and its fields, those nearest to the top first. Fields inside lists are left out. */
export function fieldsOf(body: unknown): ResponseField[] {
	const fields: ResponseField[] = [{ name: '', value: body, parent: '', depth: 0 }];
	for (const { name: parent, value, depth } of fields) {
		if (!isRecord(value) || depth === envelopeDepth) continue;
		for (const name of Object.keys(value))
			fields.push({ name, value: value[name], parent, depth: depth + 1 });
	}
	return fields;
}

/** The names of the fields of a response, for an error. Values may be secret. */
export function fieldNames(body: unknown): string {
	const fields = fieldsOf(isList(body) ? body[0] : body);
	const shown = fields.filter(({ name }) => /^[a-z_][\w-]{0,39}$/i.test(name)).slice(0, 20);
	const names = shown.map(({ name, parent }) => (parent ? `${parent}.${name}` : name));
	return names.join(', ') || 'none';
}

function isNamedAfter(kind: string | undefined, name: string): boolean {
	return kind !== undefined && [kind, `${kind}s`].includes(plainName(name));
}

/**
 * The records of the list in a response, wherever it is; none if the response is empty. Undefined if there is no list,
 * or if it is not clear which of several it is. `kind` is e.g. `contact`.
 */
export function readList(body: unknown, kind?: string): ServiceRecord[] | undefined {
	if (body === undefined || body === null || body === '') return [];
	const lists = fieldsOf(body)
		.filter(({ value }) => isList(value) || value === null)
		.map((field) => ({ rank: rankOf(field, kind), list: isList(field.value) ? field.value : [] }));
	const best = minBy(lists, 'rank');
	if (!best || best.rank === Infinity) return undefined;
	const equals = lists.filter(({ rank: other, list }) => other === best.rank && list.length > 0);
	if (equals.length > 1) return undefined;
	const [{ list }] = [...equals, best];
	return list.map((entry) => (isRecord(entry) ? entry : { value: entry }));
}

/** How well a field fits as the list of this kind of record; the least value fits best, and Infinity does not fit. */
function rankOf({ name, value, depth }: ResponseField, kind?: string): number {
	const isUsual = name === '' || name === 'data';
	if (value === null) return isUsual || isNamedAfter(kind, name) ? 25 + depth : Infinity;
	if (isUsual) return depth;
	if (isNamedAfter(kind, name)) return 10 + depth;
	if (beside.test(name)) return Infinity;
	if (kind !== undefined && plainName(name).includes(kind)) return 20 + depth;
	return (isList(value) && value.some(isRecord) ? 30 : 40) + depth;
}

/** Fields that contain a list or stand next to it. Figures in others, e.g. `segments.total`, are not about the list. */
export const aboutList =
	/^(|data|response|results?|records?|items?|list|meta(data)?|info|summary|hits|collection|paging|pagination|pager|page(info)?)$/;
/** Fields in which more names, e.g. `of` in `pagination.of`, mean the number of all records. */
const aboutPages = /^(paging|pagination|pager|page(info)?|meta(data)?)$/;
const allRecords =
	/^(of|all|available|overall|entries|(record|item|result|row|element|hit|doc|document|object)s)$/;
/** Words in the names of totals: words for the number of all records, and for records of any kind. */
const totalWords =
	/total|count|number|num|of|all|x|available|size|length|entry|entries|(record|item|result|row|element|hit|doc|document|object)s?/g;

/**
 * Figures that may be the number of all records of a list, by `parent.name`. With any other word in its name, e.g.
 * `total_opted_out`, a figure counts something else. Only the whole list shows which figure is its total.
 */
export function readTotals(
	body: unknown,
	headers: Record<string, unknown>,
	kind = '',
): Map<string, number> {
	const isTotal = ({ name, parent }: ResponseField): boolean => {
		const words = plainName(name);
		const kinds = kind ? [`${kind}s`, kind] : [];
		const others = kinds.reduce((rest, word) => rest.replace(word, ''), words);
		const isAbout = aboutList.test(plainName(parent)) || kinds.includes(plainName(parent));
		if (aboutPages.test(plainName(parent)) && (allRecords.test(words) || kinds.includes(words)))
			return true;
		return isAbout && /total|count/.test(words) && others.replace(totalWords, '') === '';
	};
	const fields = [...fieldsOf(body), ...fieldsOf(headers)].filter(
		(field) => !isObject(field.value) && /^\d{1,15}$/.test(String(field.value)) && isTotal(field),
	);
	return new Map(fields.map(({ name, parent, value }) => [`${parent}.${name}`, Number(value)]));
}

/** Words in the names of numbers about a response, and about the pages of a list. */
const statusWords = /status|code|success|ok|error|errno|result|version|timestamp|time|id/g;
const pageWords =
	/pages?|limit|offset|skip|start|end|index|per|current|first|last|next|previous|prev|^(from|to)$/g;

/** How many numbers are figures, wherever they are. Beside a list, numbers about its pages are none. */
export function countFigures(value: unknown, isList: boolean, name = ''): number {
	if (isObject(value))
		return sumBy(Object.entries(value), ([key, child]) => countFigures(child, isList, key));
	if (typeof value !== 'number') return 0;
	const words = plainName(name).replace(statusWords, '');
	const others = isList ? words.replace(pageWords, '').replace(totalWords, '') : words;
	return others === '' ? 0 : 1;
}

/** The list in a response, if it is the whole body or has a usual name; undefined if the response may be something else. */
export function readEnvelope(body: unknown, kind?: string): unknown[] | undefined {
	if (!isRecord(body)) return isList(body) ? body : undefined;
	return readEnvelope(body[envelopeOf(body, kind)], kind);
}

/** A single record: the whole body, or a record that is surrounded only by metadata. Empty for a text or an empty body. */
export function readRecord(body: unknown, kind?: string): ServiceRecord {
	if (!isRecord(body)) return isList(body) ? readRecord(body[0], kind) : {};
	const name = isRecord(body.data) ? 'data' : envelopeOf(body, kind);
	const isAlone = Object.keys(body).every((other) => other === name || beside.test(other));
	const content = isList(body[name]) && body[name].length === 1 ? body[name][0] : body[name];
	return isRecord(content) && (isAlone || name === 'data') ? content : body;
}

/** The name of the field with the content; empty if there is none. */
function envelopeOf(body: ServiceRecord, kind: string | undefined): string {
	const names = Object.keys(body).filter((name) => isObject(body[name]));
	const isOnly = Object.keys(body).length === 1;
	return names.find((name) => isOnly || around.test(name) || isNamedAfter(kind, name)) ?? '';
}

/** The URL of a registered webhook: the field that is named after it, or the first one that holds a URL. */
export function readWebhookUrl(record: ServiceRecord): string | undefined {
	const urls = fieldsOf(record).filter(
		({ value }) => typeof value === 'string' && /^https?:\/\//i.test(value),
	);
	const named = urls.find(({ name }) => /^(url|callback|webhook|endpoint|target)/i.test(name));
	return (named ?? urls[0])?.value as string | undefined;
}

function asId(value: unknown): string | undefined {
	const isId = typeof value === 'number' || (typeof value === 'string' && value !== '');
	return isId ? String(value) : undefined;
}

/** The ID of a record as text, at the top or one level deeper; undefined if no field is named like one. */
export function readId(record: unknown, kind = 'message'): string | undefined {
	if (!isRecord(record)) return undefined;
	const own = asId(record.id) ?? asId(record._id) ?? asId(record.uuid);
	if (own !== undefined) return own;
	const names = [`${kind}id`, `${kind}uuid`];
	const named = Object.keys(record).find((name) => names.includes(plainName(name)));
	if (named !== undefined) return asId(record[named]);
	const inner = [record.data, record[kind], record[`${kind}s`]].find(isObject);
	return readId(isList(inner) ? inner[0] : inner, kind);
}

/** What tells records apart: the ID, which may be that of a group or a position, with the phone, URL or name beside it. */
export function recordKey(record: ServiceRecord, kind: string): string {
	const id = readId(record, kind);
	const { phone, url, name, language } = record;
	return JSON.stringify(id === undefined ? record : [id, phone ?? url ?? [name, language]]);
}
