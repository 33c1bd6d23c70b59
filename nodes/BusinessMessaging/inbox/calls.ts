/** The calls between Send and Wait, triggers and waiting runs, over n8n's public address. */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { isRecord } from '../jsonValues';
import { pause } from '../transport/deadline';
import type { Run, RunState } from './core';
import type { CallResult, Calls, TriggerRequest, TriggerResponse } from './ports';
import { fromRecord } from './records';
import { seal, unseal } from './seal';

/**
 * Event names of our own, which no service delivers: for calls of a trigger; to ask a run whether it still waits; and
 * to give a run its replies.
 */
export const inboxEvent = 'business-messaging.inbox';
export const pollEvent = 'business-messaging.poll';
export const repliesEvent = 'business-messaging.replies';

/** How old a call may be, ms. */
const maxAgeMs = 300_000;
/** Timeouts, ms. Before n8n continues an execution, it reads all of it, which takes long with thousands of items on a busy machine. */
const callTimeoutMs = 10_000;
const maxResumeMs = 300_000;
/** A large request may take longer: ms for each character. */
const msPerCharacter = 0.01;

type Context = Pick<IExecuteFunctions | IHookFunctions | IWebhookFunctions, 'helpers'>;

/** Content before encryption, with its receiver and the time. */
interface Sealed<T> {
	at: number;
	to: string;
	content: T;
}

function sealFor(secret: string, to: string, content: unknown): string {
	const sealed: Sealed<unknown> = { at: Date.now(), to, content };
	return seal(secret, JSON.stringify(sealed));
}

/** Decrypts the content of a call. @returns undefined if it was encrypted with another key, for another receiver or too long ago */
function openFor(secret: string, to: string, body: unknown): unknown {
	const data = isRecord(body) && isRecord(body.data) ? body.data : {};
	const text = unseal(secret, data.sealed);
	const sealed = parse(text) as Partial<Sealed<unknown>> | undefined;
	const isValid = sealed?.to === to && Math.abs(Date.now() - (sealed.at ?? 0)) <= maxAgeMs;
	return isValid ? sealed.content : undefined;
}

function parse(text?: string): unknown {
	return text === undefined ? undefined : JSON.parse(text);
}

/** The current time, and calls to triggers with n8n's helpers. */
export function callsOf(context: Context, secret: string): Calls {
	return {
		now: () => Date.now(),
		pause,
		callTrigger: async (url, request) => await callTrigger(context, secret, url, request),
	};
}

async function callTrigger(
	context: Context,
	secret: string,
	url: string,
	request: TriggerRequest,
): Promise<CallResult> {
	const sealed = sealFor(secret, url, request);
	const response = await post(context, url, { event: inboxEvent, data: { sealed } });
	if (!response) return undefined;
	const { statusCode, body } = response;
	if (statusCode === 200 && isRecord(body) && typeof body.inbox === 'string')
		return body as unknown as TriggerResponse;
	// n8n's own response when the workflow was started
	const isStarted = statusCode === 200 && (isEmpty(body) || isRecord(body));
	if (request.is === 'late' && isStarted) return { inbox: 'yes', isStarted: true };
	if (statusCode === 403 && isRecord(body)) return { inbox: 'no' };
	return statusCode === 404 && messageOf(body) !== '' ? 'gone' : undefined;
}

/** The message in a response of n8n, which each of its refusals has; empty for anything else. */
function messageOf(body: unknown): string {
	return isRecord(body) && typeof body.message === 'string' ? body.message : '';
}

function isEmpty(body: unknown): boolean {
	return body === undefined || body === null || body === '';
}

/**
 * Decrypts a call to a trigger.
 *
 * @param own the trigger's URL
 * @returns undefined if it was made with another key, for another trigger, or too long ago
 */
export function openRequest(
	secret: string,
	body: unknown,
	own: string,
): TriggerRequest | undefined {
	return openFor(secret, own, body) as TriggerRequest | undefined;
}

/** Decrypts the replies that a run gets. @param id of the run */
export function openReplies(secret: string, body: unknown, id: string): Run | undefined {
	const content = openFor(secret, id, body) as { own: string; record: string } | undefined;
	return content && fromRecord(id, content.record, content.own);
}

/**
 * Gives a run its replies, or without a record asks the run whether it still waits.
 *
 * @param own URL of the trigger
 * @param record the replies, see toRecord
 */
export async function callRun(
	context: Context,
	secret: string,
	{ id, url }: Pick<Run, 'id' | 'url'>,
	own: string,
	record?: string,
): Promise<RunState> {
	if (record === undefined) return stateOf(id, await post(context, url, { event: pollEvent }));
	const data = { sealed: sealFor(secret, id, { own, record }) };
	return stateOf(id, await post(context, url, { event: repliesEvent, data }, maxResumeMs));
}

/** The state of a run. Only a response of n8n or of our node counts: a proxy may respond with any page and any status. */
function stateOf(id: string, response?: Response): RunState {
	const { statusCode, body } = response ?? {};
	if (statusCode === 200 && isRecord(body)) {
		if (body.waiting === true) return 'waiting';
		return body.accepted === id ? 'accepted' : 'unknown';
	}
	// n8n's page for an execution that has ended without an error
	if (statusCode === 200)
		return String(body).includes('No action required') ? 'finished' : 'unknown';
	const message = messageOf(body);
	if (statusCode === 409) return stateOfConflict(message);
	// deleted, waiting in another round of a loop, or with a URL that an earlier installation of n8n has signed
	if (statusCode === 410 || (statusCode === 404 && message !== '')) return 'gone';
	if (statusCode === 500 && /^Cannot read propert/.test(message)) return 'broken';
	return statusCode === 401 ? 'stopped' : 'unknown';
}

function stateOfConflict(message: string): RunState {
	if (message.includes('running')) return 'running';
	if (message.includes('error')) return 'stopped';
	return message.includes('finished') ? 'finished' : 'unknown';
}

interface Response {
	statusCode: number;
	body: unknown;
}

/** Calls a URL of this n8n. @returns undefined without a response */
async function post(
	context: Context,
	url: string,
	body: object,
	timeout = callTimeoutMs,
): Promise<Response | undefined> {
	const json = JSON.stringify(body);
	const request = context.helpers.httpRequest({
		method: 'POST',
		url,
		headers: { 'Content-Type': 'application/json' },
		body: json,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout: Math.round(timeout + json.length * msPerCharacter),
	}) as Promise<Response>;
	return await request.catch(() => undefined);
}
