/**
 * Reading what the specification does not show: lists, records, identifiers and the words of an error, in the shapes
 * that services of this kind use. Every choice here is an assumption; unknown fields pass through untouched.
 */
import { isPlainObject } from 'lodash';

/** A JSON object as the service sent it. */
export type ServiceRecord = Record<string, unknown>;

const listKeys = ['data', 'items', 'results', 'records', 'contacts', 'templates', 'conversations', 'webhooks'];
const idKeys = ['id', '_id', 'uuid', 'messageId', 'message_id'];
const messageKeys = ['message', 'error', 'detail', 'details', 'title', 'description', 'reason', 'error_description'];

/** Whether a value is a JSON object (no array, no null). */
export function isRecord(value: unknown): value is ServiceRecord {
	return isPlainObject(value);
}

/** Levels of JSON beyond which n8n could not store it, and no service means well. */
export const greatestDepth = 100;

/** Whether a value is nested more than a number of levels deep. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}

/**
 * The records of a listing: a bare array, an array under a usual key, under the only array-valued key, or one level
 * deeper under `data`. An empty answer is an empty list.
 *
 * @returns undefined if the answer holds no list
 */
export function readList(body: unknown): ServiceRecord[] | undefined {
	const list = findList(body);
	return list?.map((entry) => (isRecord(entry) ? entry : { value: entry }));
}

/** `Array.isArray` without its `any`. */
function isList(value: unknown): value is unknown[] {
	return Array.isArray(value);
}

function findList(body: unknown): unknown[] | undefined {
	if (body === undefined || body === null || body === '') return [];
	if (isList(body)) return body;
	if (!isRecord(body)) return undefined;
	const usual = listKeys.map((key) => body[key]).find(isList);
	if (usual) return usual;
	const arrays = Object.values(body).filter(isList);
	if (arrays.length === 1) return arrays[0];
	const nested = listKeys.map((key) => body[key]).find(isRecord);
	return nested ? findList(nested) : undefined;
}

/** A single record: bare, or under `data`. Text and empty bodies give an empty record. */
export function readRecord(body: unknown): ServiceRecord {
	if (Array.isArray(body)) return readRecord(body[0]);
	if (!isRecord(body)) return {};
	return isRecord(body.data) ? body.data : body;
}

/** The identifier of a record as a string, from the usual keys, also one level deeper; undefined if there is none. */
export function readId(record: unknown): string | undefined {
	if (!isRecord(record)) return undefined;
	for (const key of idKeys) {
		const id = record[key];
		if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
	}
	const inner = [record.data, record.message].find(isRecord);
	return inner && readId(inner);
}

/**
 * The service's own words about an error, from the shapes in common use (`message`, `error`, `error.message`,
 * `errors[0].message`, `detail`, `title`, …), with the name of the field where one is given.
 *
 * @returns undefined if no words were found (an HTML page of a proxy, an empty body)
 */
export function readErrorMessage(body: unknown): string | undefined {
	if (typeof body === 'string') return readText(body);
	if (Array.isArray(body)) return joinMessages(body);
	if (!isRecord(body)) return undefined;
	const errors = Array.isArray(body.errors) ? joinMessages(body.errors) : readFieldErrors(body.errors);
	const own = messageKeys.map((key) => body[key]).map(readErrorMessage).find(Boolean);
	if (!own) return errors;
	const field = [body.field, body.param, body.path].find((value) => typeof value === 'string');
	const named = field && !own.includes(String(field)) ? `${String(field)}: ${own}` : own;
	return errors && !named.includes(errors) ? `${named} (${errors})` : named;
}

function readText(text: string): string | undefined {
	const trimmed = text.trim();
	return trimmed === '' || trimmed.startsWith('<') ? undefined : trimmed.slice(0, 500);
}

function joinMessages(list: unknown[]): string | undefined {
	return list.slice(0, 5).map(readErrorMessage).filter(Boolean).join('; ') || undefined;
}

/** Errors by field, e.g. `{ "errors": { "to": ["is required"] } }`. */
function readFieldErrors(errors: unknown): string | undefined {
	if (!isRecord(errors)) return undefined;
	const parts = Object.entries(errors).slice(0, 5);
	return parts.map(([field, value]) => `${field}: ${readErrorMessage(value) ?? 'invalid'}`).join('; ') || undefined;
}
