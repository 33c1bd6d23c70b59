/** A run as a short text (a record): n8n stores it, and Send and Wait and the inbox send it to each other. */
import { isEqual, omitBy } from 'lodash';

import { defaultAnswer } from '../operations/sending/questionFields';
import type { Message, Person, Question, Run } from './core';
import { isWaitingUrl, rootOf } from './urls';

/** Values that a record leaves out. */
const defaults: Omit<Question, 'asked'> = defaultAnswer();

/** What most runs do not have; `url` only if it has not the usual form. */
type Rare = Partial<Pick<Run, 'notAsked' | 'url'>>;
/** `flags`: 1 if the text was cut, plus 2 if the message also starts workflows. */
type StoredMessage = [
	key: string,
	text: string | null,
	at: string,
	id?: string | null,
	flags?: number,
];
type StoredPerson = [
	item: number,
	to: string,
	question: number,
	/** `Person.since` in ms after the run began to ask; null if it is not known. */
	since: number | null,
	askedMessageId: string | null,
	/** `Person.toldAt` in whole seconds after the run began to ask. */
	told: number,
	/** In this order: messages, isValid, moreUntil, repeatedAfter, sender. Those without a value are left out. */
	rest?: {
		m?: StoredMessage[];
		a?: boolean;
		u?: number;
		r?: string[];
		s?: string;
	},
];
type StoredRun = [
	/**
	 * Separated by spaces: execution, node and signature of the URL; startedAt in base 36; seconds from then to `until`; 0
	 * while people are asked, 1 if all were, 2 if the run has waited too.
	 */
	head: string,
	questions: Array<Partial<Question> & { q?: string }>,
	people: StoredPerson[],
	rare?: Rare,
];

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
	const { item, to, question, since, askedMessageId, toldAt, messages, repeatedAfter } = person;
	const told = Math.floor((toldAt - startedAt) / 1_000);
	const rest = {
		...(messages.length > 0 && { m: messages.map(toStored) }),
		...(person.isValid !== undefined && { a: person.isValid }),
		...(person.moreUntil !== undefined && { u: person.moreUntil }),
		...(repeatedAfter.length > 0 && { r: repeatedAfter }),
		...(person.sender !== undefined && { s: person.sender }),
	};
	const stored: unknown[] = [item, to, question, since && since - startedAt, askedMessageId, told];
	if (since === 0) stored[3] = null;
	if (Object.keys(rest).length > 0) stored.push(rest);
	const json = JSON.stringify(stored);
	written.set(person, json);
	return json;
}

function toStored({ key, text, respondedAt, messageId, isCut, startsToo }: Message): StoredMessage {
	const flags = (isCut ? 1 : 0) + (startsToo ? 2 : 0);
	if (flags > 0) return [key, text, respondedAt, messageId ?? null, flags];
	return messageId === undefined ? [key, text, respondedAt] : [key, text, respondedAt, messageId];
}

function toMessage([key, text, respondedAt, messageId, flags = 0]: StoredMessage): Message {
	return {
		...{ key, text, respondedAt },
		...(messageId != null && { messageId }),
		...((flags & 1) !== 0 && { isCut: true }),
		...((flags & 2) !== 0 && { startsToo: true as const }),
	};
}

/** A run as text. @param own URL of the trigger that keeps it */
export function toRecord(run: Run, own: string): string {
	const { id, url, startedAt, notAsked } = run;
	const [, execution = '', node = '', wait, signature = ''] =
		form.exec(url.slice(rootOf(url).length)) ?? [];
	const isUsual = wait === id && urlOf(own, execution, node, id, signature) === url;
	const rare: Rare = {
		...(notAsked.length > 0 && { notAsked }),
		...(!isUsual && { url }),
	};
	const head = [
		isUsual ? execution : '',
		isUsual ? shorten(node) : '',
		isUsual ? shorten(signature) : '',
		startedAt.toString(36),
		// Rounded down, so that the inbox never takes a wait that n8n has ended itself for one that has got its replies.
		Math.floor((run.until - startedAt) / 1_000),
		(run.isWhole ? 1 : 0) + (run.hasWaited ? 1 : 0),
	].join(' ');
	const questions = JSON.stringify(run.questions.map(toStoredQuestion));
	const people = [...run.people.values()].map((person) => toPersonJson(person, startedAt));
	const tail = Object.keys(rare).length > 0 ? `,${JSON.stringify(rare)}` : '';
	return `[${JSON.stringify(head)},${questions},[${people.join()}]${tail}]`;
}

function toStoredQuestion({ asked, ...question }: Question): Partial<Question> & { q?: string } {
	const isDefault = (value: unknown, name: string) =>
		isEqual(value, (defaults as Record<string, unknown>)[name]);
	return { ...omitBy(question, isDefault), ...(asked !== '' && { q: asked }) };
}

function urlOf(own: string, execution: string, node: string, wait: string, signature: string) {
	return `${rootOf(own)}${waitingPath}/${execution}/${node}?wait=${wait}&signature=${signature}`;
}

/** Reads a record. @param own URL of the trigger that keeps it @returns undefined if it is no run, or of another n8n */
export function fromRecord(id: string, text: string | undefined, own: string): Run | undefined {
	const record = parse(text ?? '');
	if (!Array.isArray(record) || record.length < 3) return undefined;
	const [head, questions, people, rare = {}] = record as StoredRun;
	const [execution, node, signature, started36, until, state] = head.split(' ');
	const url = rare.url ?? urlOf(own, execution, lengthen(node), id, lengthen(signature));
	if (!isWaitingUrl(url, own)) return undefined;
	const startedAt = Number.parseInt(started36, 36);
	return {
		...{ id, url, startedAt, heardAt: startedAt },
		until: startedAt + Number(until) * 1_000,
		isWhole: state !== '0',
		...(state === '2' && { hasWaited: true as const }),
		questions: questions.map(({ q: asked = '', ...one }) => ({ ...defaults, asked, ...one })),
		people: new Map(people.map((one) => [one[0], toPerson(one, startedAt)])),
		notAsked: rare.notAsked ?? [],
	};
}

function toPerson(
	[item, to, question, since, id, told, rest = {}]: StoredPerson,
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
		repeatedAfter: rest.r ?? [],
	};
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
