/** Reads the errors of the service. The specification does not show their shape: all of this is an assumption. */
import { at, compact, isEmpty, isObject, pickBy, unescape } from 'lodash';

import { type ServiceRecord, isRecord, textOrJson } from '../jsonValues';
import { asNumber, readFlag, readId } from './readResponse';

/** Fields with the message, the clearest ones first: `error` and `title` often contain only a code. */
const wordKeys = [
	...['error_description', 'message', 'developer_message', 'detail', 'description', 'reason'],
	...['msg', 'info', 'text', 'errorMessage', 'error_message', 'error', 'details', 'title'],
];
const furtherKeys = ['error_data', 'details', 'error_user_msg', 'invalid_params'];
const fieldKeys = ['field', 'param', 'parameter', 'path'];
/** Elements of a proxy's page or an XML document that contain the message. */
const elements = ['message', 'faultstring', 'h1', 'title'];
const maxText = 500;
const maxErrors = 5;
/** The greatest number of objects and arrays that are read, so that no response takes long. */
const maxPlaces = 100;

/**
 * The service's error message (`message`, `errors[0].message`, `detail`, …, the heading of a proxy's page), with
 * the name of the field if there is one; undefined without a message. No object is `visited` twice.
 */
export function readErrorMessage(body: unknown, visited = new Set<unknown>()): string | undefined {
	if (typeof body === 'string') return readPlainText(body.trim());
	if (!isObject(body) || visited.has(body) || visited.size >= maxPlaces) return undefined;
	visited.add(body);
	const read = (value: unknown) => readErrorMessage(value, visited);
	if (Array.isArray(body)) return join(body.slice(0, maxErrors).map(read));
	const record = body as ServiceRecord;
	const { errors } = record;
	const list = isRecord(errors) ? readFields(errors, read) : read(errors);
	const inner = list ? [] : Object.values(record).filter(isObject);
	const words = readFirst([...at(record, wordKeys), ...inner], read);
	if (!words) return list;
	const field = at(record, fieldKeys).find((value) => typeof value === 'string');
	const named = field && !words.includes(field) ? `${field}: ${words}` : words;
	const further = list ?? readFirst(at(record, furtherKeys), read);
	return further && !named.includes(further) ? `${named} (${further})` : named;
}

/** Whether a refusal says that the service has the message already. Any of its texts may say so: this only makes a no uncertain. */
export function saysItExists(body: unknown): boolean {
	const values = textOrJson(body).replace(/"[^"]*":(?!true)/g, '');
	return /duplicate|already.{0,9}(accept|sen[dt]|exist|queued|received|process|deliver|submit)/i.test(
		values,
	);
}

/** Whether a response with a status such as 200 says that the request was refused, as some services do. */
export function isRefusal(body: unknown): boolean {
	if (!isRecord(body)) return false;
	// Lists beside a number may contain further figures, e.g. for each template.
	const said = pickBy(
		body,
		(value, name) =>
			!(Array.isArray(value) && value.some(isRecord)) ||
			/^(errors?|messages?|details)$/i.test(name),
	);
	const isNo = ([name, value]: [string, unknown]) =>
		/^(success|ok)$/i.test(name) &&
		readFlag(value) === false &&
		// A number may count something, e.g. messages. It means no only beside an error message.
		(!/\d/.test(String(value)) || readErrorMessage(said) !== undefined);
	if (Object.entries(body).some(isNo)) return true;
	// A record that is no error may have fields with these names too.
	if (readId(body) !== undefined) return false;
	const isError = typeof body.status === 'string' && /^(error|fail)$/i.test(body.status);
	const codes = at(body, ['status', 'statusCode', 'status_code', 'code']).map(asNumber);
	const isErrorCode = codes.some((code) => code >= 400 && code < 600);
	const error = isError || isErrorCode ? body : onlyErrorOf(body);
	return body.result === false || readErrorMessage(error) !== undefined;
}

/** The error in a response, if all other fields are plain texts, e.g. the ID of the request. */
function onlyErrorOf({ error, errors, ...others }: ServiceRecord): unknown {
	const isOnly = Object.values(others).every(
		(value) => value === null || typeof value === 'string',
	);
	const isError = (value: unknown) => (isObject(value) ? !isEmpty(value) : value);
	const given = isRecord(errors) ? pickBy(errors, isError) : errors; // a field with nothing in it has no error
	return isOnly ? { error, errors: given } : undefined;
}

type Read = (value: unknown) => string | undefined;

const join = (messages: Array<string | undefined>) => compact(messages).join('; ') || undefined;

function readFirst(values: unknown[], read: Read): string | undefined {
	for (const value of values) {
		const words = read(value);
		if (words) return words;
	}
	return undefined;
}

/** Errors by field, e.g. `{ "to": ["is required"] }`. */
function readFields(errors: ServiceRecord, read: Read): string | undefined {
	const fields = Object.entries(errors).slice(0, maxErrors);
	return join(fields.map(([field, value]) => `${field}: ${read(value) ?? 'invalid'}`));
}

/** The text itself; for a page or an XML document, the text of the first element that has one. */
function readPlainText(text: string): string | undefined {
	if (!text.startsWith('<')) return text.slice(0, maxText) || undefined;
	const found = elements.map(
		(name) => new RegExp(`<${name}[^<>]*>\\s*([^<\\s][^<]*)`, 'i').exec(text)?.[1],
	);
	return unescape(found.find(Boolean)?.slice(0, maxText)).replace(/\s+/g, ' ').trim() || undefined;
}
