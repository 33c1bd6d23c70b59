/** A run as a short text (a record). n8n stores it with the trigger, and Send and Wait and the triggers send it to each other. */
import { isEqual, omitBy, pickBy } from 'lodash';

import { defaultAnswer } from '../operations/sending/questionFields';
import type { Message, Person, Question, Run } from './core';
import { isWaitingUrl, rootOf } from './urls';

/** Values that a record leaves out. */
const defaults: Omit<Question, 'asked'> = defaultAnswer();

/** The parts of a run that most runs do not have. */
type Rare = Partial<
	Pick<Run, 'owner' | 'triggers' | 'handing' | 'got' | 'started' | 'notAsked'> & { url: string }
>;
type StoredMessage = [key: string, text: string | null, at: string, id?: string, isCut?: boolean];
type StoredPerson = [
	item: number,
	to: string,
	question: number,
	/** `Person.since` in ms after the run began to ask: as text if the service says it, else as number; null if not known. */
	since: number | string | null,
	askedMessageId: string | null,
	rest?: {
		m?: StoredMessage[];
		/** Whether the reply fits the question (isAccepted). */
		a?: boolean;
		/** Until when further messages belong to the reply (moreUntil). */
		u?: number;
		/** Keys of the messages after which the question was repeated (repeatedAfter). */
		r?: string[];
		/** Name of a sender without a number (sender). */
		s?: string;
		/** Whether the person was not asked (isNotAsked). */
		n?: boolean;
	},
];
type StoredRun = [
	/**
	 * Separated by spaces: execution, node and signature of the run's URL; when the run began to ask, in base 36; for how
	 * many seconds from then replies count; for how many seconds from then the asker counts as alive; flags: 1 if all
	 * were asked, plus 2 if the run is over.
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

const seconds = (ms: number) => Math.ceil(ms / 1_000);

/** The texts of people that were written before: most people of a run do not change. */
const written = new WeakMap<Person, string>();

function toPersonJson(person: Person, startedAt: number): string {
	const known = written.get(person);
	if (known !== undefined) return known;
	const { item, to, question, askedMessageId, messages, ...rest } = person;
	const more = pickBy({
		m: messages.map(toStored),
		a: rest.isAccepted,
		u: rest.moreUntil,
		r: rest.repeatedAfter,
		s: rest.sender,
		n: rest.isNotAsked,
	}, isThere); // prettier-ignore
	const stored: unknown[] = [item, to, question, toSince(person, startedAt), askedMessageId];
	if (Object.keys(more).length > 0) stored.push(more);
	const json = JSON.stringify(stored);
	written.set(person, json);
	return json;
}

function toSince({ since, isSince }: Person, startedAt: number): number | string | null {
	if (since === 0) return null;
	return isSince ? String(since - startedAt) : since - startedAt;
}

function isThere(value: unknown): boolean {
	return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function toStored({ key, text, respondedAt, messageId, isCut }: Message): StoredMessage {
	if (isCut) return [key, text, respondedAt, messageId, true];
	return messageId === undefined ? [key, text, respondedAt] : [key, text, respondedAt, messageId];
}

function toMessage([key, text, respondedAt, messageId, isCut]: StoredMessage): Message {
	return {
		...{ key, text, respondedAt },
		...(messageId != null && { messageId }),
		...(isCut && { isCut }),
	};
}

/**
 * A run as text.
 *
 * @param own URL of the trigger that keeps it
 */
export function toRecord(run: Run, own: string): string {
	const { id, url, startedAt, owner, triggers, handing, got, started, notAsked } = run;
	const [, execution = '', node = '', wait, signature = ''] =
		form.exec(url.slice(rootOf(url).length)) ?? [];
	const isUsual = wait === id && urlOf(own, execution, node, id, signature) === url;
	const rare: Rare = pickBy(
		{
			owner: owner === own ? undefined : owner,
			triggers: run.isWhole ? [] : triggers,
			...{ handing, started, notAsked },
			got: isEqual(got, handing) && got ? ['*'] : got,
			url: isUsual ? undefined : url,
		},
		(value, name) => isThere(value) || (name === 'handing' && value !== undefined),
	);
	const head = [
		isUsual ? execution : '',
		isUsual ? shorten(node) : '',
		isUsual ? shorten(signature) : '',
		startedAt.toString(36),
		// Rounded down, so that the owner never takes a wait that n8n has ended itself for one that has got its replies.
		Math.floor((run.until - startedAt) / 1_000),
		seconds(run.leaseUntil - startedAt),
		(run.isWhole ? 1 : 0) + (run.isOver ? 2 : 0),
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

/**
 * Reads the text of a run.
 *
 * @param own URL of the trigger that keeps it
 * @returns undefined if the text is not a run, or the run belongs to another n8n
 */
export function fromRecord(id: string, text: string | undefined, own: string): Run | undefined {
	const record = parse(text ?? '');
	if (!Array.isArray(record) || record.length < 3) return undefined;
	const [head, questions, people, rare = {}] = record as StoredRun;
	const [execution, node, signature, started36, ...numbers] = head.split(' ');
	const [until, lease, flags] = numbers.map(Number);
	const usual = urlOf(own, execution, lengthen(node), id, lengthen(signature));
	const url = rare.url ?? usual;
	if (!isWaitingUrl(url, own)) return undefined;
	const startedAt = Number.parseInt(started36, 36);
	return {
		...{ id, url, owner: rare.owner ?? own, triggers: rare.triggers ?? [], startedAt },
		until: startedAt + until * 1_000,
		leaseUntil: startedAt + lease * 1_000,
		isWhole: (flags & 1) !== 0,
		isOver: (flags & 2) !== 0,
		...(rare.handing && { handing: rare.handing }),
		...(rare.got && { got: isEqual(rare.got, ['*']) ? (rare.handing ?? []) : rare.got }),
		started: rare.started ?? [],
		questions: questions.map(({ q: asked = '', ...one }) => ({ ...defaults, asked, ...one })),
		people: new Map(people.map((one) => [one[0], toPerson(one, startedAt)])),
		notAsked: rare.notAsked ?? [],
	};
}

function toPerson(
	[item, to, question, since, id, rest = {}]: StoredPerson,
	startedAt: number,
): Person {
	return {
		...{ item, to, question, askedMessageId: id },
		since: since === null ? 0 : startedAt + Number(since),
		...(typeof since === 'string' && { isSince: true as const }),
		messages: (rest.m ?? []).map(toMessage),
		...(rest.a !== undefined && { isAccepted: rest.a }),
		...(rest.u !== undefined && { moreUntil: rest.u }),
		...(rest.s !== undefined && { sender: rest.s }),
		...(rest.n && { isNotAsked: true as const }),
		repeatedAfter: rest.r ?? [],
	};
}

/** Parses JSON from outside. @returns undefined for any other text */
function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return undefined;
	}
}
