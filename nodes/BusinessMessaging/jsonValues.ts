/** JSON values, of the service and of the user. */
import { compact, isObject, truncate } from 'lodash';

/** A JSON object as the service sent it. */
export type ServiceRecord = Record<string, unknown>;

/** Whether a JSON value is an object (no array, no null). */
export function isRecord(value: unknown): value is ServiceRecord {
	return isObject(value) && !Array.isArray(value);
}

/** Whether a field has no value. */
export function isEmptyValue(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Whether a JSON value has more levels than n8n can store. */
export function isTooDeep(value: unknown, levels = 100): boolean {
	if (!isObject(value)) return false;
	return levels === 0 || Object.values(value).some((child) => isTooDeep(child, levels - 1));
}

/** A value as text: empty for a missing value, ISO 8601 for a date, JSON for lists and objects. */
export function textOrJson(value: unknown): string {
	if (value === undefined || value === null || Number.isNaN(value)) return '';
	if (typeof value === 'string') return value;
	const json = JSON.stringify(value) ?? '';
	return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

/** The entries of a list that a user has written, without empty ones. */
export function splitList(text: string, separator = /[,;\n]/): string[] {
	return compact(text.split(separator).map((entry) => entry.trim()));
}

/** A text of the user as an error shows it: at most 100 characters. */
export const quoted = (text: string) => truncate(text.trim(), { length: 100 });
