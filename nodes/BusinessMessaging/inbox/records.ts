/** A run as a short text (a record): n8n stores it, and Send and Wait and the inbox send it to each other. */
import { isEqual, omitBy } from 'lodash';
import { z } from 'zod';

import { defaultAnswer, expectedSchema } from '../operations/sending/questionFields';
import type { Misfit, Person, Question, Run } from './core';
import { isWaitingUrl, rootOf } from './urls';

/** Values that a record leaves out. */
const defaults: Omit<Question, 'asked'> = defaultAnswer();

/** Flags: 1 if the text was cut, plus 2 for an opt-out. */
const storedMessage = z
	.tuple([z.string(), z.string().nullable(), z.string()]) // key, text, respondedAt
	.rest(z.union([z.string().nullable(), z.number()])); // messageId, flags, askedAgain
type StoredMessage = z.infer<typeof storedMessage>;

const storedPerson = z.tuple([
	z.number(), // item
	z.string(), // to
	z.number(), // question
	z.number().nullable(), // since, ms after the run began to ask; null if it is not known
	z.string().nullable(), // askedMessageId
	z.number(), // toldAt, whole seconds after the run began to ask
	/** In this order: messages, isValid, moreUntil, misfits, sender, isEnded. Those without a value are left out. */
	z
		.object({
			m: z.array(storedMessage),
			a: z.boolean(),
			u: z.number(),
			r: z.array(storedMessage),
			s: z.string(),
			e: z.literal(true),
		})
		.partial(),
]);
type StoredPerson = z.infer<typeof storedPerson>;

const storedQuestion = expectedSchema
	.extend({ givesUnanswered: z.boolean(), q: z.string() })
	.partial();
type StoredQuestion = z.infer<typeof storedQuestion>;

const storedRun = z.tuple([
	/**
	 * Separated by spaces: execution, node and signature of the URL; startedAt in base 36; seconds from then to `until`; 0
	 * while people are asked, 1 if all were, 2 if the run has waited too.
	 */
	z.string(),
	z.array(storedQuestion),
	z.array(storedPerson),
	/** The URL if it does not have the usual form, otherwise empty. */
	z.string(),
	z.string(), // workflow
]);

const waitingPath = 'webhook-waiting';
const form = new RegExp(`^${waitingPath}/(\\d+)/((?!~)[^/?]+)\\?wait=([\\w-]+)&signature=(\\w+)$`);

/** Shortens bytes in hex: in base64, they take two thirds of the length. */
function shorten(hex: string): string {
	const short = `~${Buffer.from(hex.replace(/-/g, ''), 'hex').toString('base64url')}`;
	return lengthen(short) === hex ? short : hex;
}

function lengthen(short: string): string {
	if (!short.startsWith('~')) return short;
	const hex = Buffer.from(short.slice(1), 'base64url').toString('hex');
	return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : hex;
}

/** The texts of people that were written before: most people of a run do not change. */
const written = new WeakMap<Person, string>();

function toPersonJson(person: Person, startedAt: number): string {
	const known = written.get(person);
	if (known !== undefined) return known;
	const { item, to, question, since, askedMessageId, toldAt, messages, misfits } = person;
	const told = Math.floor((toldAt - startedAt) / 1_000);
	const rest = {
		...(messages.length > 0 && { m: messages.map(toStored) }),
		...(person.isValid !== undefined && { a: person.isValid }),
		...(person.moreUntil !== undefined && { u: person.moreUntil }),
		...(misfits.length > 0 && { r: misfits.map(toStored) }),
		...(person.sender !== undefined && { s: person.sender }),
		...(person.isEnded && { e: person.isEnded }),
	};
	const sinceStart = since === 0 ? null : since - startedAt;
	const stored: StoredPerson = [item, to, question, sinceStart, askedMessageId, told, rest];
	const json = JSON.stringify(stored);
	written.set(person, json);
	return json;
}

function toStored(message: Misfit): StoredMessage {
	const { key, text, respondedAt, messageId, isCut, isOptOut, askedAgain } = message;
	const flags = (isCut ? 1 : 0) + (isOptOut ? 2 : 0);
	const rest = [messageId ?? null, flags, askedAgain ?? null];
	while (rest.length > 0 && !rest[rest.length - 1]) rest.pop();
	return [key, text, respondedAt, ...rest];
}

function toMessage([key, text, respondedAt, messageId, flags, askedAgain]: StoredMessage): Misfit {
	return {
		...{ key, text, respondedAt },
		...(typeof messageId === 'string' && { messageId }),
		...((Number(flags) & 1) !== 0 && { isCut: true as const }),
		...((Number(flags) & 2) !== 0 && { isOptOut: true as const }),
		...(typeof askedAgain === 'string' && { askedAgain }),
	};
}

/** A run as text. @param own URL of the trigger that keeps it */
export function toRecord(run: Run, own: string): string {
	const { id, url, startedAt } = run;
	const [, execution = '', node = '', wait, signature = ''] =
		form.exec(url.slice(rootOf(url).length)) ?? [];
	const isUsual = wait === id && urlOf(own, execution, node, id, signature) === url;
	const head = [
		isUsual ? execution : '',
		isUsual ? shorten(node) : '',
		isUsual ? shorten(signature) : '',
		startedAt.toString(36),
		// Rounded down, so that the inbox never takes a wait that n8n has ended itself for one that has got its replies.
		Math.floor((run.until - startedAt) / 1_000),
		(run.isAsked ? 1 : 0) + (run.hasWaited ? 1 : 0),
	].join(' ');
	const questions = JSON.stringify(run.questions.map(toStoredQuestion));
	const people = [...run.people.values()].map((person) => toPersonJson(person, startedAt));
	const [otherUrl, workflow] = [isUsual ? '' : url, run.workflow].map((text) =>
		JSON.stringify(text),
	);
	return `[${JSON.stringify(head)},${questions},[${people.join()}],${otherUrl},${workflow}]`;
}

function toStoredQuestion({ asked, ...question }: Question): StoredQuestion {
	const isDefault = (value: unknown, name: string) =>
		isEqual(value, (defaults as Record<string, unknown>)[name]);
	return { ...omitBy(question, isDefault), ...(asked !== '' && { q: asked }) };
}

function urlOf(own: string, execution: string, node: string, wait: string, signature: string) {
	return `${rootOf(own)}${waitingPath}/${execution}/${node}?wait=${wait}&signature=${signature}`;
}

/** Reads a record. @param own URL of the trigger that keeps it @returns undefined if it is no run, or of another n8n */
export function fromRecord(id: string, text: string | undefined, own: string): Run | undefined {
	const record = storedRun.safeParse(parse(text ?? ''));
	if (!record.success) return undefined;
	const [head, questions, people, otherUrl, workflow] = record.data;
	const [execution, node, signature, started36, until, state] = head.split(' ');
	const url = otherUrl || urlOf(own, execution, lengthen(node), id, lengthen(signature));
	if (!isWaitingUrl(url, own)) return undefined;
	const startedAt = Number.parseInt(started36, 36);
	return {
		...{ id, url, workflow, startedAt, heardAt: startedAt },
		until: startedAt + Number(until) * 1_000,
		isAsked: state !== '0',
		...(state === '2' && { hasWaited: true as const }),
		questions: questions.map(({ q: asked = '', ...one }) => ({ ...defaults, asked, ...one })),
		people: new Map(people.map((one) => [one[0], toPerson(one, startedAt)])),
	};
}

function toPerson(
	[item, to, question, since, id, told, rest]: StoredPerson,
	startedAt: number,
): Person {
	return {
		...{ item, to, question, askedMessageId: id },
		since: since === null ? 0 : startedAt + since,
		toldAt: startedAt + told * 1_000,
		messages: (rest.m ?? []).map(toMessage),
		...(rest.a !== undefined && { isValid: rest.a }),
		...(rest.u !== undefined && { moreUntil: rest.u }),
		...(rest.s !== undefined && { sender: rest.s }),
		...(rest.e && { isEnded: rest.e }),
		misfits: (rest.r ?? []).map(toMessage),
	};
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
