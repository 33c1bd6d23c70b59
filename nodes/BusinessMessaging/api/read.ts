/**
 * Reading what the specification does not show: lists, records and identifiers, in the shapes that services of this
 * kind use. Every choice here is an assumption; unknown fields pass through untouched.
 */
/** A JSON object as the service sent it. */
export type ServiceRecord = Record<string, unknown>;

const resources = [
	'messages',
	'contacts',
	'templates',
	'conversations',
	'webhooks',
	'campaigns',
	'agents',
	'accounts',
	'tokens',
];
const listKeys = ['data', 'items', 'results', 'records', ...resources, '_embedded'];
const recordKeys = ['data', ...resources, ...resources.map((name) => name.replace(/s$/, ''))];
/** What may stand beside a record without being a part of it. */
const besides = /^(success|ok|result|status|status_?code|code|message|meta|metadata|links)$/i;
const idKeys = ['id', '_id', 'uuid', 'messageId', 'message_id', 'messageUuid', 'message_uuid'];
const totalKeys = [
	'total',
	'totalCount',
	'total_count',
	'totalItems',
	'total_items',
	'totalElements',
];
const metadataKeys = ['meta', 'metadata', 'pagination', 'paging', 'data'];
/** Under which names the URL of a webhook may stand. */
export const webhookUrlKeys = [
	'url',
	'callbackUrl',
	'callback_url',
	'webhookUrl',
	'webhook_url',
	'endpoint',
	'target',
	'target_url',
];

/** Whether a JSON value is an object (no array, no null). */
export function isRecord(value: unknown): value is ServiceRecord {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined if it is none. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Levels of JSON beyond which n8n could not store it, and no service means well. */
export const greatestDepth = 100;

/** Whether a JSON value is nested more than a number of levels deep. Goes through every answer, so it makes nothing anew. */
export function isDeeper(value: unknown, levels: number): boolean {
	if (!isNested(value)) return false;
	if (levels === 0) return true;
	// a plain child is not worth a call
	if (isList(value)) {
		for (const child of value) if (isNested(child) && isDeeper(child, levels - 1)) return true;
		return false;
	}
	for (const name in value)
		if (isNested(value[name]) && isDeeper(value[name], levels - 1)) return true;
	return false;
}

function isNested(value: unknown): value is ServiceRecord {
	return typeof value === 'object' && value !== null;
}

/**
 * The records of a listing: a bare array, an array under a usual key, under the only array-valued key, or one level
 * deeper under `data`. An empty answer is an empty list.
 *
 * @returns undefined if the answer holds no list
 */
export function readList(body: unknown): ServiceRecord[] | undefined {
	const list = findList(body);
	if (list?.every(isRecord)) return list;
	return list?.map((entry) => (isRecord(entry) ? entry : { value: entry }));
}

/** `Array.isArray` without its `any`. */
function isList(value: unknown): value is unknown[] {
	return Array.isArray(value);
}

function findList(body: unknown): unknown[] | undefined {
	if (body === undefined || body === null || body === '') return [];
	const usual = readEnvelope(body);
	if (usual || !isRecord(body)) return usual;
	const arrays = Object.values(body).filter(isList);
	if (arrays.length === 1) return arrays[0];
	const nested = listKeys.map((key) => body[key]).find(isRecord);
	return nested && findList(nested);
}

/** The list of an answer that certainly is one: bare, or under a usual key, also one level deeper. */
export function readEnvelope(body: unknown): unknown[] | undefined {
	if (isList(body)) return body;
	if (!isRecord(body)) return undefined;
	const places = listKeys.map((key) => body[key]);
	const inner = places.filter(isRecord).flatMap((place) => listKeys.map((key) => place[key]));
	return [...places, ...inner].find(isList);
}

/** How many records a listing has in all, if it says so. */
export function readTotal(body: unknown): number | undefined {
	if (!isRecord(body)) return undefined;
	const places = [body, ...metadataKeys.map((key) => body[key]).filter(isRecord)];
	return places
		.flatMap((place) => totalKeys.map((key) => place[key]))
		.find((total) => typeof total === 'number');
}

/**
 * A single record: bare, under `data`, or under the name of its resource, there also as the only one of a list. Text and
 * empty bodies give an empty record.
 */
export function readRecord(body: unknown): ServiceRecord {
	if (isList(body)) return readRecord(body[0]);
	if (!isRecord(body)) return {};
	if (isRecord(body.data)) return body.data;
	const [key, ...others] = Object.keys(body).filter(
		(name) => !besides.test(name) || isRecord(body[name]),
	);
	const only = others.length === 0 && recordKeys.includes(key) ? body[key] : undefined;
	if (isRecord(only)) return only;
	return isList(only) && only.length === 1 && isRecord(only[0]) ? only[0] : body;
}

/** The address of a registered webhook, under one of the usual names or whatever else holds one. */
export function readWebhookUrl(record: ServiceRecord): string | undefined {
	const isAddress = (value: unknown): value is string =>
		typeof value === 'string' && /^https?:\/\//i.test(value);
	return [...webhookUrlKeys.map((key) => record[key]), ...Object.values(record)].find(isAddress);
}

/** The identifier of a record as a string, from the usual keys, also one level deeper; undefined if there is none. */
export function readId(record: unknown): string | undefined {
	if (!isRecord(record)) return undefined;
	for (const key of idKeys) {
		const id = record[key];
		if ((typeof id === 'string' && id !== '') || typeof id === 'number') return String(id);
	}
	const [inner] = [record.data, record.message, record.messages]
		.map((value) => (isList(value) ? value[0] : value))
		.filter(isRecord);
	return inner && readId(inner);
}
