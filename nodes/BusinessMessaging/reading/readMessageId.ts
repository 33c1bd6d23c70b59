/** Finds the ID of a message in the response to a send, in the places that services use (assumption). */
import { isObject } from 'lodash';

import type { ServiceRecord } from '../jsonValues';
import { type ServiceResponse, plainName, readRecord } from './readResponse';

/** Names of fields, as `plainName` gives them. */
const messageIds = /^((message|msg|sms)(id|uuid|guid|sid|reference|identifier)|wamid)$/;
const ids = /^(id|uuid|guid|sid|uid)$/;
/** Texts that mean that there is no value. */
export const nothing = /^(\s*|-|null|none|nil|undefined|nan|n\/?a)$/i;

/** The ID in the response to a send. @param own the records that may be the message, the outermost first */
export function readMessageId(
	{ headers, body }: ServiceResponse,
	own: ServiceRecord[],
): string | undefined {
	const inBody = isObject(body) ? idInRecords(body, own) : bareId(body);
	return inBody ?? idInHeaders(headers);
}

function idInRecords(body: unknown, own: ServiceRecord[]): string | undefined {
	const main = readRecord(body, 'message');
	const records = own.includes(main) ? [main, ...own] : own;
	for (const names of [messageIds, ids])
		for (const record of records) {
			const id = idIn(record, names);
			if (id !== undefined) return id;
		}
	return undefined;
}

/** Whether a record has an ID, so that it is probably the message. */
export function hasMessageId(record: ServiceRecord): boolean {
	return idIn(record, messageIds) !== undefined || idIn(record, ids) !== undefined;
}

function idIn(record: ServiceRecord, names: RegExp): string | undefined {
	for (const [name, value] of Object.entries(record)) {
		const id = names.test(plainName(name)) ? asMessageId(value) : undefined;
		if (id !== undefined) return id;
	}
	return undefined;
}

/** The ID that is the whole body, e.g. `m_77`: one word with a digit, or a number other than an HTTP status. */
export function bareId(body: unknown): string | undefined {
	const text = asMessageId(body)?.trim();
	if (text === undefined || !/^[\w.:@+/=-]+$/.test(text) || !/\d/.test(text)) return undefined;
	const isCode =
		/^e[\W_]*\d+$|^(err|error|fail|failed|failure|rejected|refused|invalid|no|nok|not)[\W_\d]|^[2-5]\d\d$/i;
	return isCode.test(text) ? undefined : text;
}

/** The ID in a header such as `X-Message-Id`, or at the end of `Location`. */
function idInHeaders(headers: Record<string, unknown>): string | undefined {
	for (const [name, value] of Object.entries(headers)) {
		const key = plainName(name);
		if (/^x?(message|msg)id$/.test(key)) return asMessageId(value);
		const [last = '', parent = ''] = String(value)
			.split(/[?#]/)[0]
			.split('/')
			.filter(Boolean)
			.reverse();
		const isId = /\d/.test(last) || /^(messages?|sms)$/i.test(parent);
		if (key === 'location' && isId) return asMessageId(last);
	}
	return undefined;
}

function asMessageId(value: unknown): string | undefined {
	if (typeof value === 'number')
		return Number.isFinite(value) && value > 0 ? String(value) : undefined;
	const isId =
		typeof value === 'string' && !nothing.test(value) && !/^(-\d+|[0-]+|true|false)$/i.test(value);
	return isId ? value : undefined;
}
