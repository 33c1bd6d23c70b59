/** The calls between our nodes, over n8n's public address: sealed, valid once, for one receiver, for five minutes. */
import { randomUUID } from 'crypto';
import { escapeRegExp } from 'lodash';
import { z } from 'zod';

import { BoundedMap } from '../boundedMap';
import { isRecord } from '../jsonValues';
import { pause } from '../transport/deadline';
import { type Run, type RunState, handOverOf } from './core';
import { type CallResult, type Calls, inboxResponseSchema } from './protocol';
import { toRecord } from './records';
import { seal, unseal } from './seal';
import { executionOf } from './urls';

/** The event name of our calls, which no service delivers. */
export const callEvent = 'business-messaging.call';
/** The message with status 401: the call has another key, or was received before. */
export const refusal =
	'The node that sent this request has another API key, or the request was already received once';

/** How old a call may be, ms. */
const maxAgeMs = 300_000;
/** Timeouts, ms. To continue an execution, n8n reads all of it: slow with thousands of items on a busy machine. */
const callTimeoutMs = 10_000;
const maxResumeMs = 300_000;
/** A large request may take longer: ms for each character. */
const msPerCharacter = 0.01;

/** n8n's function for HTTP requests. */
export interface Http {
	httpRequest(options: {
		method: 'POST';
		url: string;
		headers: Record<string, string>;
		body: string;
		json: boolean;
		returnFullResponse: boolean;
		ignoreHttpStatusErrors: boolean;
		disableFollowRedirect: boolean;
		timeout: number;
	}): Promise<unknown>;
}

/** A request before encryption. */
const sealedSchema = z.object({
	/** ms since 1970. */
	at: z.number(),
	to: z.string(),
	once: z.string(),
	content: z.unknown(),
});

/** A request that was decrypted. */
export interface Opened<T> {
	content: T;
	respond: (content: unknown) => { sealed: string };
}

/** Reads calls in one process: it remembers the recent ones, so that each is valid once. */
export class CallReader {
	/** The `once` of each recent request. */
	private readonly used = new BoundedMap<string, true>({
		maxSize: 100_000,
		maxAgeMs: 2 * maxAgeMs,
	});

	/** `startedAt`: when the process started, by n8n's clock as it goes now. */
	constructor(private readonly clock: { now(): number; startedAt(): number }) {}

	/**
	 * Decrypts a call to a receiver: the URL of a trigger, or the ID of a run.
	 * @returns undefined if it has another key or receiver, was received before, or has another content; `notNow` if it
	 * was made before this process started, or by another time than n8n's clock shows: then the sender makes another one
	 */
	open<T>(
		keyId: string,
		to: string,
		body: unknown,
		schema: z.ZodType<T>,
	): Opened<T> | 'notNow' | undefined {
		const data = isRecord(body) && isRecord(body.data) ? body.data : {};
		const call = parseSealed(keyId, data.sealed, sealedSchema);
		if (call?.to !== to || this.used.has(call.once)) return undefined;
		const isNow = Math.abs(this.clock.now() - call.at) <= maxAgeMs;
		if (!isNow || call.at < this.clock.startedAt()) return 'notNow';
		const { once } = call;
		this.used.set(once, true);
		const content = schema.safeParse(call.content);
		if (!content.success) return undefined;
		return {
			content: content.data,
			respond: (response) => ({ sealed: seal(keyId, JSON.stringify({ once, response })) }),
		};
	}
}

/** Decrypts a text. @returns undefined if it has another key or another form */
function parseSealed<T>(keyId: string, sealed: unknown, schema: z.ZodType<T>): T | undefined {
	const text = unseal(keyId, sealed);
	return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
}

const loadedAt = Date.now();
// If n8n's clock is put back, this process has started earlier by that clock: its calls must not count as too early.
const reader = new CallReader({
	now: () => Date.now(),
	startedAt: () => Math.min(loadedAt, Date.now() - performance.now()),
});

/** Decrypts a call in this process, see CallReader. */
export const openCall: CallReader['open'] = (...call) => reader.open(...call);

/** A call, encrypted, and the `once` by which its response is recognized. */
export function sealCall(keyId: string, to: string, content: unknown, now: number) {
	const once = randomUUID();
	const sealed = seal(keyId, JSON.stringify({ at: now, to, once, content }));
	return { once, body: { event: callEvent, data: { sealed } } };
}

/** The content of a response. @returns undefined if none of our nodes has sealed it for this call */
export function openResponse<T>(
	keyId: string,
	once: string,
	body: unknown,
	schema: z.ZodType<T>,
): T | undefined {
	const sealed = isRecord(body) ? body.sealed : undefined;
	const answer = parseSealed(keyId, sealed, z.object({ once: z.string(), response: schema }));
	return answer?.once === once ? answer.response : undefined;
}

/** The current time, and calls to triggers. @param keyIdOf reads the key at each call, since it may change */
export function callsOf(http: Http, keyIdOf: () => Promise<string>): Calls {
	return {
		now: () => Date.now(),
		pause,
		callTrigger: async (url, content) =>
			await callTrigger(http, await keyIdOf().catch(() => undefined), url, content),
	};
}

async function callTrigger(
	http: Http,
	keyId: string | undefined,
	url: string,
	content: unknown,
): Promise<CallResult> {
	if (keyId === undefined) return undefined;
	const response = await call(http, keyId, url, url, content, inboxResponseSchema);
	if (!response) return undefined;
	if (response.opened) return response.opened;
	const { statusCode, body } = response;
	const message = messageOf(body);
	if (statusCode === 401 && message === refusal) return 'refused';
	const isOfN8n = isRecord(body) && body.code === 404 && message.includes('is not registered');
	return statusCode === 404 && isOfN8n ? 'gone' : undefined;
}

/** Gives a run its replies, or only asks whether it still waits. @param own URL of the trigger */
export async function callRun(
	http: Http,
	keyId: string,
	run: Run,
	own: string,
	isHandOver: boolean,
): Promise<RunState> {
	const record = isHandOver ? toRecord(handOverOf(run), own) : undefined;
	const timeoutMs = isHandOver ? maxResumeMs : callTimeoutMs;
	const content: RunCall = { own, record };
	const response = await call(http, keyId, run.url, run.id, content, runResponseSchema, timeoutMs);
	return response ? runStateOf(run.url, response) : 'unknown';
}

/** A call to a run: its replies as a record, or without them, whether it still waits. */
export const runCallSchema = z.object({ own: z.string(), record: z.string().optional() });
type RunCall = z.infer<typeof runCallSchema>;

/** The response of a run. */
export const runResponseSchema = z.object({ state: z.enum(['accepted', 'waiting', 'gone']) });

/** n8n's words for the state of an execution. */
const states: Array<[words: string, state: RunState]> = [
	['does not exist', 'gone'],
	['is running already', 'running'],
	['has finished with error', 'stopped'],
	['has finished already', 'finished'],
];

/** Only a response of n8n or of our node counts: a proxy may respond with any page and any status. */
function runStateOf(
	url: string,
	response: CallResponse<z.infer<typeof runResponseSchema>>,
): RunState {
	const { statusCode, body, opened } = response;
	if (opened) return opened.state;
	if (!isRecord(body)) return stateOfPage(String(body));
	const message = messageOf(body);
	const id = escapeRegExp(executionOf(url));
	const [, words] = new RegExp(`^The execution "${id}"? (.+)\\.$`).exec(message) ?? [];
	const named = states.find(([one]) => one === words)?.[1];
	// What n8n has stored of a crashed execution lacks something.
	const isBroken = statusCode === 500 && /^Cannot read propert/.test(message);
	return named ?? (isBroken ? 'running' : 'unknown');
}

/** A page of n8n says that the execution has ended without an error, or that the signature does not fit any more. */
function stateOfPage(html: string): RunState {
	const [, title] = /<title>(.*?)<\/title>/.exec(html) ?? [];
	if (title === 'No action required') return 'finished';
	return title === 'Invalid Form Link' ? 'gone' : 'unknown';
}

/** The message that each refusal of n8n has; empty for anything else. */
function messageOf(body: unknown): string {
	return isRecord(body) && typeof body.message === 'string' ? body.message : '';
}

/** A response; `opened` is its content if one of our nodes has sealed it for this request. */
interface CallResponse<T> {
	statusCode: number;
	body: unknown;
	opened?: T;
}

async function call<T>(
	http: Http,
	keyId: string,
	url: string,
	to: string,
	content: unknown,
	schema: z.ZodType<T>,
	timeout = callTimeoutMs,
): Promise<CallResponse<T> | undefined> {
	const { once, body } = sealCall(keyId, to, content, Date.now());
	const json = JSON.stringify(body);
	const sent = http.httpRequest({
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/json' },
		body: json,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: Math.round(timeout + json.length * msPerCharacter),
	}) as Promise<CallResponse<T>>;
	const response = await sent.catch(() => undefined);
	return response && { ...response, opened: openResponse(keyId, once, response.body, schema) };
}
