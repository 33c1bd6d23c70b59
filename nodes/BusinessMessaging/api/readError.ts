/**
 * Reading errors, whose shape the specification does not show: the service's own words in the shapes that services of this
 * kind use. Every choice here is an assumption.
 */
import { type ServiceRecord, isRecord, readId } from './read';

/** Where the words stand, the more telling ones first; often beside a mere code under `error` or `title`. */
const wordKeys = [
	'error_description',
	'message',
	'developer_message',
	'detail',
	'description',
	'reason',
	'msg',
	'info',
	'text',
	'errorMessage',
	'error_message',
	'error',
	'details',
	'title',
];
/** What says more than the words. */
const furtherKeys = ['error_data', 'details', 'error_user_msg', 'invalid_params'];
const fieldKeys = ['field', 'param', 'parameter', 'path'];
const longestText = 500;
const mostErrors = 5;

/**
 * The service's own words about an error (`message`, `error`, `error.message`, `errors[0].message`, `detail`, `title`, …, the
 * heading of a proxy's page), with the name of the field where one is given.
 *
 * @returns undefined if no words were found
 */
export function readErrorMessage(body: unknown): string | undefined {
	if (typeof body === 'string') return readText(body);
	if (Array.isArray(body)) return joinMessages(body);
	if (!isRecord(body)) return undefined;
	const errors = Array.isArray(body.errors)
		? joinMessages(body.errors)
		: readFieldErrors(body.errors);
	const own =
		firstWords(wordKeys.map((key) => body[key])) ??
		(errors ? undefined : firstWords(Object.values(body).filter(isContainer)));
	if (!own) return errors;
	const field = fieldKeys.map((key) => body[key]).find((value) => typeof value === 'string');
	const named = field && !own.includes(field) ? `${field}: ${own}` : own;
	const further = errors ?? firstWords(furtherKeys.map((key) => body[key]));
	return further && !named.includes(further) ? `${named} (${further})` : named;
}

/** Whether an answer with a status of success says that the request was refused, as some services do. */
export function isRefusal(body: unknown): boolean {
	if (!isRecord(body) || readId(body) !== undefined) return false;
	return (
		['success', 'ok', 'result'].some((key) => body[key] === false) ||
		(isErrorStatus(body) && readErrorMessage(body) !== undefined)
	);
}

function isErrorStatus({ status }: ServiceRecord): boolean {
	return typeof status === 'string' && /^(error|fail)$/i.test(status);
}

const isContainer = (value: unknown) => typeof value === 'object';

function firstWords(values: unknown[]): string | undefined {
	return values.map(readErrorMessage).find(Boolean);
}

function readText(text: string): string | undefined {
	const trimmed = text.trim();
	return (
		(trimmed.startsWith('<') ? readMarkup(trimmed) : trimmed).slice(0, longestText) || undefined
	);
}

/** The heading of a page, or the message of an XML document. */
function readMarkup(markup: string): string {
	const inner =
		['message', 'faultstring', 'h1', 'title']
			.map((tag) => new RegExp(`<${tag}[^>]*>([^<]+)<`, 'i').exec(markup)?.[1])
			.find(Boolean) ?? '';
	return inner
		.replace(/&lt;/g, '<')
		.replace(/&gt;/g, '>')
		.replace(/&quot;/g, '"')
		.replace(/&#0?39;/g, "'")
		.replace(/&amp;/g, '&')
		.replace(/\s+/g, ' ')
		.trim();
}

function joinMessages(list: unknown[]): string | undefined {
	return list.slice(0, mostErrors).map(readErrorMessage).filter(Boolean).join('; ') || undefined;
}

/** Errors by field, e.g. `{ "errors": { "to": ["is required"] } }`. */
function readFieldErrors(errors: unknown): string | undefined {
	if (!isRecord(errors)) return undefined;
	const parts = Object.entries(errors).slice(0, mostErrors);
	return (
		parts.map(([field, value]) => `${field}: ${readErrorMessage(value) ?? 'invalid'}`).join('; ') ||
		undefined
	);
}
