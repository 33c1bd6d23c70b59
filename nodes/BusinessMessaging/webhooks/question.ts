/** The calls between Send and Wait, the trigger and a waiting run, over n8n's public address. */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

import { isRecord } from '../api/read';
import { expectedSchema } from '../operations/message/question';
import { pause } from '../transport/deadline';
import { seal, unseal } from './seal';

/** Internal kinds of event that no service delivers: questions for a trigger; for a run, whether it waits, and its answers. */
export const questionEvent = 'business-messaging.questions';
export const pollEvent = 'business-messaging.poll';
export const answersEvent = 'business-messaging.answers';

/** At most this many people are asked in one run. */
export const maxPeople = 10_000;
/** How long after the time limit n8n ends a wait that nothing else has ended, ms. */
export const graceMs = 60_000;

const messageSchema = z.object({
	/** null for a message without text. */
	text: z.string().nullable(),
	/** Whether the text was longer. */
	isCut: z.boolean().optional(),
	messageId: z.string().optional(),
	/** Time of the message as the service writes it, or of its arrival. */
	respondedAt: z.string(),
	/** Identifies the message, see deduplicationKeyOf. */
	key: z.string().optional(),
});

/** A message of an answer. */
export type AnswerMessage = z.infer<typeof messageSchema>;

const answerSchema = z.object({
	/** One, or those that are grouped. */
	messages: z.array(messageSchema).min(1),
	/** Whether it is what was asked for. */
	isAccepted: z.boolean(),
	/** Until when more messages can belong to it, ms since 1970. */
	until: z.number().optional(),
});

/** What somebody has answered. */
export type Answer = z.infer<typeof answerSchema>;

/**
 * Index of the item; phone number, E.164; index in `expected`; when the question was sent by the service's clock in ms, 0
 * if the service does not say, null if not sent yet; the answer so far.
 */
const personSchema = z.tuple([
	z.number(),
	z.string(),
	z.number(),
	z.number().nullable(),
	answerSchema.nullable(),
]);

/** Somebody who is asked. */
export type Person = z.infer<typeof personSchema>;

/** The questions of one run of a node. */
export const questionsSchema = z.object({
	run: z.string().max(100),
	/** The signed URL that resumes the execution. */
	url: z.string().max(2_000),
	/** When the run began to ask, and until when answers count, ms since 1970. */
	asked: z.number(),
	until: z.number(),
	expected: z.array(expectedSchema).max(maxPeople),
	people: z.array(personSchema).max(maxPeople),
	/** The items whose questions were under way at this report: the reply may come before the service's response. */
	underWay: z.array(z.number()).max(maxPeople).optional(),
	/** Counts the reports of the run. The same one may arrive twice, if its response was lost. */
	report: z.number().optional(),
	/** Whether all questions were sent: people without a time are not asked any more. */
	isWhole: z.boolean(),
});

/** Questions as they are sent and stored. */
export type Questions = z.infer<typeof questionsSchema>;

const requestSchema = z.object({
	/** When the request was made, ms since 1970. */
	at: z.number(),
	/** The URL of the trigger that it is for. */
	trigger: z.string(),
	questions: questionsSchema.optional(),
	/** Instead of questions: the name of what another process knows. If this process knows something else, it responds with that. */
	known: z.string().optional(),
	/** Instead of questions: everything that another process knows, see OpenQuestions. */
	state: z.string().optional(),
	/** The run is over without any questions. */
	isOver: z.boolean().optional(),
});

/** A request to a trigger. */
export type QuestionRequest = z.infer<typeof requestSchema>;

/** Timeout in ms: n8n reads the whole execution before it continues, which takes long with thousands of items on a busy machine. */
const maxResumeMs = 300_000;
const maxAttempts = 3;
/** How old a request may be, ms. */
const maxAgeMs = 300_000;

/**
 * Opens a request.
 *
 * @param trigger the URL to which it came
 * @returns undefined if it was made with another key, for another trigger or too long ago, or contains a URL of another
 * n8n
 */
export function openRequest(
	serviceId: string,
	body: unknown,
	trigger: string,
): QuestionRequest | undefined {
	const sealed = isRecord(body) && isRecord(body.data) ? body.data.sealed : undefined;
	const request = requestSchema.safeParse(unseal(serviceId, sealed)).data;
	const url = request?.questions?.url;
	if (request?.trigger !== trigger || Math.abs(Date.now() - request.at) > maxAgeMs)
		return undefined;
	return url === undefined || isOwnRun(url, trigger) ? request : undefined;
}

/** Whether a URL resumes an execution of the n8n to which a trigger belongs. */
export function isOwnRun(url: string, trigger: string): boolean {
	// A node without a webhook ID has its workflow's ID and its name in the URL.
	const roots = [trigger, trigger.replace(/\/[^/]+$/, '')].map(rootOf);
	return roots.some((root) => isWaitingUrl(url, root));
}

type Context = Pick<IExecuteFunctions | IHookFunctions | IWebhookFunctions, 'helpers'>;

/** The address of the n8n to which a URL of a webhook or of a waiting execution belongs, with a slash at the end. */
export function rootOf(url: string): string {
	const { origin, pathname } = new URL('../..', url);
	return `${origin}${pathname}`;
}

/** Whether a URL is that of an execution of ours that waits at an n8n. */
export function isWaitingUrl(url: string, root: string): boolean {
	const form = /^[\w-]+\/\w+\/[^/?]+\?(?=.*\bwait=[\w-]{36})(?=.*\bsignature=)/;
	return isBelow(url, root) && form.test(url.slice(root.length));
}

/** Whether a registered URL is that of a trigger of ours, at the n8n of a waiting execution. */
export function isTriggerUrl(url: string, waitingUrl: string): boolean {
	const root = rootOf(waitingUrl);
	const form = /^(?!webhook-test\/)[^?]+\/webhook\?token=[\w-]{43}$/;
	return isBelow(url, root) && form.test(url.slice(root.length));
}

/** Also as it is read: no `..` leads elsewhere. */
function isBelow(url: string, root: string): boolean {
	return url.startsWith(root) && URL.canParse(url) && new URL(url).href === url;
}

/** The response of a trigger. */
export interface TriggerResponse {
	/** Identifies the process of n8n that has responded. */
	process?: unknown;
	/** `yes`, or `full` if it waits for too many people; anything else if it accepts no questions. */
	inbox?: unknown;
	/** How much it knows of a run that waits: the number of people, plus the number of those who were asked. */
	known?: unknown;
	/** Everything that it knows, see OpenQuestions, if it differs from the request. */
	state?: unknown;
}

/** Tells a trigger of questions, or asks what it knows. @returns undefined without a response */
export async function callTrigger(
	context: Context,
	serviceId: string,
	request: Omit<QuestionRequest, 'at'>,
): Promise<TriggerResponse | undefined> {
	const { origin, pathname } = new URL(request.trigger);
	for (let attempt = 1; ; attempt++) {
		const content = { ...request, trigger: `${origin}${pathname}`, at: Date.now() };
		const body = {
			event: questionEvent,
			data: { sealed: seal(serviceId, JSON.stringify(content)) },
		};
		const response = await post(context, request.trigger, body);
		if (response && response.statusCode < 500) return isRecord(response.body) ? response.body : {};
		if (attempt === maxAttempts) return undefined;
		await pause(attempt * 1_000);
	}
}

/** Calls several triggers. @returns the state of each inbox */
export async function callTriggers(
	context: Context,
	serviceId: string,
	triggers: string[],
	request: Omit<QuestionRequest, 'at' | 'trigger'>,
): Promise<unknown[]> {
	const call = async (trigger: string) =>
		(await callTrigger(context, serviceId, { ...request, trigger }))?.inbox;
	return await Promise.all(triggers.map(call));
}

/** After this number of responses from known processes, there is no other one. */
const maxRepeats = 3;
const maxProcesses = 20;

/**
 * Several processes of n8n may share a URL. Each of them must know who will be asked before anybody replies, so
 * that none treats a reply as an ordinary message.
 *
 * @param tell informs the process that responds next, and returns its name
 * @returns the number of processes
 */
export async function tellProcesses(tell: () => Promise<unknown>): Promise<number> {
	const known = new Set<unknown>();
	for (let repeats = 0; repeats < maxRepeats && known.size < maxProcesses; ) {
		const name = await tell();
		repeats = known.has(name) ? repeats + 1 : 0;
		known.add(name);
	}
	return known.size;
}

/** Calls a URL of this n8n. @returns undefined without a response of it, also from a process that still opens its database */
async function post(
	context: Context,
	url: string,
	body: object,
	timeout = 10_000,
): Promise<{ statusCode: number; body: unknown } | undefined> {
	const request = context.helpers.httpRequest({
		method: 'POST',
		url,
		body,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		timeout,
	}) as Promise<{ statusCode: number; body: unknown }>;
	const response = await request.catch(() => undefined);
	return String(response?.body).startsWith('n8n is starting up') ? undefined : response;
}

/** Answers by the item that asks. */
export type Answers = Array<[item: number, answer: Answer]>;

/**
 * What became of a run that waited: `ended` if it was stopped or deleted; `unknown` also while n8n has not stored the
 * wait yet: then it responds with 409 and "running", or 500.
 */
export type RunState = 'waiting' | 'resumed' | 'ended' | 'unknown';

/** Asks a run whether it still waits, or gives it the answers. */
export async function callRun(
	context: Context,
	url: string,
	event: typeof pollEvent | typeof answersEvent,
	data: { answers?: Answers } = {},
): Promise<RunState> {
	const timeout = event === answersEvent ? maxResumeMs : undefined;
	const { statusCode = 0, body } = (await post(context, url, { event, data }, timeout)) ?? {};
	if (statusCode === 200 && isRecord(body) && body.waiting === true) return 'waiting';
	// n8n responds with a page if the execution has succeeded; our webhook responds if the execution waits in another round
	if (statusCode === 200 || statusCode === 410) return 'resumed';
	const isRunning = statusCode === 409 && /running/.test(JSON.stringify(body));
	// While n8n restarts, a proxy may respond with 404 and an HTML page.
	const isProxy = statusCode === 404 && !isRecord(body);
	const isEnded = [401, 404, 409].includes(statusCode) && !isRunning && !isProxy;
	return isEnded ? 'ended' : 'unknown';
}

/**
 * Gives a run its answers: repeats the call until n8n accepts them, the run is over, or `isWanted` is false.
 *
 * @returns false if the run may not have got them
 */
export async function resume(
	context: Context,
	url: string,
	answers: () => Answers,
	isWanted: () => boolean,
): Promise<boolean> {
	for (let attempt = 0; isWanted(); attempt++) {
		const state = await callRun(context, url, answersEvent, { answers: answers() });
		if (state === 'resumed' || state === 'ended') return true;
		await pause(Math.min(50 * 2 ** attempt, 10_000));
	}
	return false;
}

/** Reads the answers that a run receives. */
export function readAnswers(data: unknown): Map<number, Answer> {
	const schema = z.object({ answers: z.array(z.tuple([z.number(), answerSchema])) });
	return new Map(schema.parse(data).answers);
}
