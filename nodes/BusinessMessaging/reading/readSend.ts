/**
 * Reads the response to a send: whether the service has taken the message. The specification promises an ID for texts.
 * Everything else that means yes or no is an assumption: docs/api-assumptions.md, "What says yes and no after a send".
 */
import { isObject, omitBy, words } from 'lodash';

import { type ServiceRecord, isRecord, textOrJson } from '../jsonValues';
import { type ServiceResponse, plain, readFlag, readRecord } from './readResponse';

/** The meaning of a response: the message was taken, was certainly not taken, or may have been taken. */
export interface SendReading {
	verdict: 'sent' | 'refused' | 'uncertain';
	/** The ID of the message, if the response has one. */
	messageId?: string;
}

/**
 * What one field means. `weakNo` counts only if no other field says anything: `sent: false` may mean "not yet", and a
 * word may be the text of the message itself.
 */
type Says = 'yes' | 'no' | 'weakNo' | 'unclear' | undefined;

/** A record that may describe the message; `depth` is 0 for the whole response. */
interface Layer {
	record: ServiceRecord;
	depth: number;
}

/** Names of fields, as `plain` gives them. Fields inside of other records, e.g. of a contact, are not about the message. */
const envelope =
	/^(data|attributes|payload|items?|records?|body|recipients?|sms|embedded|output)$|(results?|responses?|messages?)(data)?$/;
const success = /^(is|was|has)?(success|successful|succeeded|ok|okay|accepted)$/;
const progress = /^(is|was)?(sent|queued|enqueued|scheduled|submitted)$/;
const error =
	/^(is|has)?(errors?|err|failed|failures?|fail|faults?|exceptions?|rejected|rejections?|refused)(code|message|msg|text|description|desc|details?|reason|name|type|info|title|number|status)?$/;
const status =
	/^(message|delivery|send|sms|response|result|request|return|ret)?(status|state|result|outcome|code)(code|text|message|name|description)?$/;
const messageFields = /^(message|msg)$/;
const messageIds = /^((message|msg|sms)(id|uuid|guid|sid|reference|identifier)|wamid)$/;
const ids = /^(id|uuid|guid|sid|uid)$/;
/** Names inside of a status that is a record. */
const statusParts = /^(code|name|group|groupname|value|text|description|status)$/;

const yesWords = setOf(
	'ok okay success successful successfully succeeded accepted queued enqueued sent submitted pending scheduled',
	'processing processed sending delivered read created received dispatched enroute buffered initiated routed done completed',
);
const noWords = setOf(
	'error errors err fail failed failure rejected reject refused denied declined invalid undelivered undeliverable',
	'unsent unsuccessful unauthorized forbidden blocked blacklisted cancelled canceled expired insufficient exceeded',
	'exhausted suspended disabled missing required unsupported unsubscribed limited throttled low empty dropped discarded',
	'aborted unable cannot nok ko no not never bad wrong',
);
/** Texts that mean that there is no value. */
const nothing = /^(\s*|-|null|none|nil|undefined|nan|n\/?a)$/i;

const maxLayers = 50;
const maxDepth = 5;

/** Whether the service has taken a message. A clear no outweighs an ID. If a yes and a no have the same weight, the result is uncertain. */
export function readSend({ statusCode, headers, body }: ServiceResponse): SendReading {
	const layers = layersOf(body);
	const evidence = layers.flatMap(({ record, depth }) =>
		Object.entries(record).map(([name, value]) => ({ says: sayOf(plain(name), value), depth })),
	);
	if (!isObject(body)) evidence.push({ says: sayOfBare(body, statusCode), depth: 0 });
	const messageId = readMessageId(body, layers) ?? idInHeaders(headers);
	const depthsOf = (wanted: Says) =>
		evidence.filter(({ says }) => says === wanted).map(({ depth }) => depth);
	const [yes, no, unclear] = [depthsOf('yes'), depthsOf('no'), depthsOf('unclear')];
	const isYes = yes.length > 0 || messageId !== undefined;
	// A no inside a record is about the message. It outweighs a yes outside of this record, which is about the call.
	const isContradicted = Math.max(...yes) >= Math.max(...no);
	if (unclear.length > 0 || (no.length > 0 && isContradicted))
		return { verdict: 'uncertain', messageId };
	if (no.length > 0) return { verdict: 'refused', messageId };
	if (isYes) return { verdict: 'sent', messageId };
	return { verdict: depthsOf('weakNo').length > 0 ? 'refused' : 'uncertain' };
}

/** The records that may describe the message, the outermost first. */
function layersOf(body: unknown): Layer[] {
	const layersLeft: Array<{ value: unknown; depth: number }> = [{ value: body, depth: 0 }];
	const layers: Layer[] = [];
	for (const { value, depth } of layersLeft) {
		if (layers.length >= maxLayers || depth > maxDepth) break;
		if (Array.isArray(value)) {
			const entries = value.slice(0, maxLayers);
			layersLeft.push(...entries.map((entry: unknown) => ({ value: entry, depth: depth + 1 })));
		} else if (isRecord(value)) {
			layers.push({ record: value, depth });
			const inner = Object.keys(value).filter((name) => envelope.test(plain(name)));
			layersLeft.push(...inner.map((name) => ({ value: value[name], depth: depth + 1 })));
		}
	}
	return layers;
}

function sayOf(name: string, value: unknown): Says {
	if (success.test(name)) return sayOfFlag(value);
	if (progress.test(name)) return sayOfFlag(value) === 'no' ? 'weakNo' : sayOfFlag(value);
	if (error.test(name)) return sayOfError(value);
	if (status.test(name)) {
		const isMessage = isRecord(value) && envelope.test(name);
		return sayOfStatus(isMessage ? withoutTexts(value) : value, /code$/.test(name));
	}
	return messageFields.test(name) ? sayOfMessage(value) : undefined;
}

/** A record such as `result` without what may be the customer's: with an ID, it is probably the message itself. */
function withoutTexts(record: ServiceRecord): ServiceRecord {
	const isMessage = (idIn(record, messageIds) ?? idIn(record, ids)) !== undefined;
	const texts = isMessage ? /^(text|name|description|value)$/ : /^text$/;
	return omitBy(
		record,
		(value, name) =>
			texts.test(plain(name)) ||
			(plain(name) === 'name' && (isRecord(value) || /\s/.test(textOrJson(value).trim()))),
	);
}

/** What a field such as `message` means, which may hold the text of the message itself: only a single word counts. */
function sayOfMessage(value: unknown): Says {
	if (typeof value !== 'string' || /\s/.test(value.trim())) return undefined;
	const said = sayOfWords(value);
	if (said === 'no') return 'weakNo';
	return said === 'yes' ? 'yes' : undefined;
}

function sayOfFlag(value: unknown): Says {
	const flag = readFlag(value);
	if (flag !== undefined) return flag ? 'yes' : 'no';
	return typeof value === 'string' && sayOfWords(value) === 'no' ? 'no' : undefined;
}

/**
 * What a status or a code means. 200 to 299 only repeats the HTTP status of the response. 1 has no meaning: it is a
 * success at some services and a failure at others.
 */
function sayOfStatus(value: unknown, isCode: boolean): Says {
	if (isRecord(value)) {
		const parts = Object.entries(value).filter(([name]) => statusParts.test(plain(name)));
		return strongest(
			parts.map(([, part]) => (isObject(part) ? undefined : sayOfStatus(part, false))),
		);
	}
	if (typeof value === 'boolean') return sayOfFlag(value);
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string') return undefined;
	if (/^\s*-?\d+\s*$/.test(text)) return sayOfNumber(Number(text), isCode);
	return /^\s*(true|false)\s*$/i.test(text) ? sayOfFlag(text) : sayOfWords(text);
}

function sayOfNumber(code: number, isCode: boolean): Says {
	if (code === 0 && isCode) return 'yes';
	if (code === 408 || (code >= 500 && code < 600)) return 'unclear'; // as with the HTTP status of a response
	return code < 0 || (code >= 400 && code < 500) ? 'no' : undefined;
}

/** What an error field means: no, unless it is empty or says that there is no error. */
function sayOfError(value: unknown, depth = 0): Says {
	if (isObject(value)) {
		if (depth > 1) return 'no';
		const parts = Object.values(value).slice(0, maxLayers) as unknown[];
		const said = strongest(parts.map((part) => sayOfError(part, depth + 1)));
		return said === 'yes' ? undefined : said; // a zero beside other values means nothing
	}
	if (typeof value === 'boolean') return value ? 'no' : 'yes';
	const text = typeof value === 'number' ? String(value) : value;
	if (typeof text !== 'string' || nothing.test(text)) return undefined;
	if (/^\s*-?\d+\s*$/.test(text)) {
		const code = Number(text);
		return sayOfNumber(code, true) ?? (code >= 200 && code < 300 ? undefined : 'no');
	}
	if (/^\s*(true|false)\s*$/i.test(text)) return readFlag(text) ? 'no' : 'yes';
	return sayOfWords(text) ?? 'no';
}

function strongest(all: Says[]): Says {
	return (['unclear', 'no', 'yes'] as const).find((one) => all.includes(one));
}

/** What a text such as `queued`, `REJECTED_NETWORK`, `OUT_OF_CREDIT` or `notSent` means. */
function sayOfWords(text: string): Says {
	const apart = ` ${words(text).join(' ').toLowerCase()} `;
	if (/timed? ?out/.test(apart)) return 'unclear';
	const list = apart
		.replace(/ (no|without|0) ?errors?(?= )/g, ' ok')
		.replace(/ out of(?= )/g, ' no')
		.split(' ');
	if (list.some((word) => noWords.has(word))) return 'no';
	return list.some((word) => yesWords.has(word)) ? 'yes' : undefined;
}

/** What a response without a record means: a text, a number, a boolean, or an empty body. */
function sayOfBare(body: unknown, statusCode: number): Says {
	// The statuses Created, Accepted and No Content mean yes. A 200 without the promised ID may come from any program
	// between n8n and the service.
	if (body === undefined) return [201, 202, 204].includes(statusCode) ? 'yes' : undefined;
	return bareId(body) === undefined ? sayOfStatus(body, false) : undefined;
}

function readMessageId(body: unknown, layers: Layer[]): string | undefined {
	if (!isObject(body)) return bareId(body);
	const own = layers.map(({ record }) => record);
	const main = readRecord(body, 'message');
	const records = own.includes(main) ? [main, ...own] : own;
	for (const names of [messageIds, ids])
		for (const record of records) {
			const id = idIn(record, names);
			if (id !== undefined) return id;
		}
	return undefined;
}

function idIn(record: ServiceRecord, names: RegExp): string | undefined {
	for (const [name, value] of Object.entries(record)) {
		const id = names.test(plain(name)) ? asMessageId(value) : undefined;
		if (id !== undefined) return id;
	}
	return undefined;
}

/** The ID that is the whole body, e.g. `m_77`: one word with a digit, or a number other than an HTTP status. */
function bareId(body: unknown): string | undefined {
	const text = asMessageId(body)?.trim();
	if (text === undefined || !/^[\w.:@+/=-]+$/.test(text) || !/\d/.test(text)) return undefined;
	const [first = ''] = /^[a-z]+/i.exec(text) ?? [];
	const isError = /^e[\W_]*\d+$/i.test(text) || noWords.has(first.toLowerCase());
	return isError || /^[2-5]\d\d$/.test(text) ? undefined : text;
}

/** The ID in a header such as `X-Message-Id`, or at the end of `Location`. */
function idInHeaders(headers: Record<string, unknown>): string | undefined {
	for (const [name, value] of Object.entries(headers)) {
		const key = plain(name);
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

function setOf(...lines: string[]): Set<string> {
	return new Set(lines.flatMap((line) => line.split(' ')));
}
