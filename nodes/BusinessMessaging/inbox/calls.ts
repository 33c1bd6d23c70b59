/** The calls between our nodes, over n8n's public address: sealed, valid once, for one receiver, for five minutes. */
import { randomUUID } from 'crypto';
import { escapeRegExp } from 'lodash';

import { BoundedMap } from '../boundedMap';
import { isRecord } from '../jsonValues';
import { pause } from '../transport/deadline';
import { type Run, type RunState, handOverOf } from './core';
import type { CallResult, Calls, InboxResponse } from './protocol';
import { fromRecord, toRecord } from './records';
import { seal, unseal } from './seal';

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
interface Sealed {
	at: number;
	to: string;
	once: string;
	content: unknown;
}

/** The `once` of each recent request. Older requests, and those from before this process started, are refused. */
const used = new BoundedMap<string, true>({ maxSize: 100_000, maxAgeMs: 2 * maxAgeMs });
const startedAt = Date.now();

/** A request that was decrypted. */
export interface Opened {
	content: unknown;
	respond: (content: unknown) => { sealed: string };
}

/**
 * Decrypts a call to a receiver: the URL of a trigger, or the ID of a run.
 * @returns undefined if it has another key or receiver, is too old, or was received before; `tooEarly` if it was made
 * before this process started: then the sender has to make another one
 */
export function openCall(
	keyId: string,
	to: string,
	body: unknown,
): Opened | 'tooEarly' | undefined {
	const data = isRecord(body) && isRecord(body.data) ? body.data : {};
	const text = unseal(keyId, data.sealed);
	const call = text === undefined ? undefined : (JSON.parse(text) as Partial<Sealed>);
	if (call?.to !== to || typeof call.once !== 'string' || used.has(call.once)) return undefined;
	if (Math.abs(Date.now() - (call.at ?? 0)) > maxAgeMs) return undefined;
	if ((call.at ?? 0) < startedAt) return 'tooEarly';
	const { once, content } = call;
	used.set(once, true);
	return {
		content,
		respond: (response) => ({ sealed: seal(keyId, JSON.stringify({ once, response })) }),
	};
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
	const response = await call(http, keyId, url, url, content);
	if (!response) return undefined;
	if (response.opened) return response.opened as InboxResponse;
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
	const response = await call(http, keyId, run.url, run.id, { own, record }, timeoutMs);
	return response ? runStateOf(run.url, response) : 'unknown';
}

/** The replies in a call of the trigger; undefined if it only asks whether the run waits. */
export function repliesIn(content: unknown, id: string): Run | undefined {
	const { own, record } = content as { own: string; record?: string };
	return fromRecord(id, record, own);
}

/** n8n's words for the state of an execution. */
const states: Array<[words: string, state: RunState]> = [
	['does not exist', 'gone'],
	['is running already', 'running'],
	['has finished with error', 'stopped'],
	['has finished already', 'finished'],
];

/** Only a response of n8n or of our node counts: a proxy may respond with any page and any status. */
function runStateOf(url: string, { statusCode, body, opened }: CallResponse): RunState {
	if (opened) return (opened as { state: RunState }).state;
	if (!isRecord(body)) return stateOfPage(String(body));
	const message = messageOf(body);
	const id = escapeRegExp(new URL(url).pathname.split('/').at(-2));
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
export interface CallResponse {
	statusCode: number;
	body: unknown;
	opened?: unknown;
}

async function call(
	http: Http,
	keyId: string,
	url: string,
	to: string,
	content: unknown,
	timeout = callTimeoutMs,
): Promise<CallResponse | undefined> {
	const once = randomUUID();
	const sealed = seal(
		keyId,
		JSON.stringify({ at: Date.now(), to, once, content } satisfies Sealed),
	);
	const json = JSON.stringify({ event: callEvent, data: { sealed } });
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
	}) as Promise<CallResponse>;
	const response = await sent.catch(() => undefined);
	const text = unseal(keyId, isRecord(response?.body) ? response.body.sealed : undefined);
	const answer =
		text === undefined ? undefined : (JSON.parse(text) as { once: string; response: unknown });
	return response && { ...response, opened: answer?.once === once ? answer.response : undefined };
}
