/** What becomes of each message if nothing goes wrong, by the rules of docs/send-and-wait.md alone. */
import { sortBy } from 'lodash';

import { type Execution, type Kind, type Written, repeats } from './parts';
import type { World } from './world';

/** Within this time, ms, it is not certain what came first. */
const blurMs = 1_000;
const groupMs = 8_000;

/** A question to a person, as a careful reader of the documentation sees it. */
interface Open {
	execution: Execution;
	/** What did not fit, and the reply. */
	words: Written[];
	reply: Written[];
}

/** Messages that became something else than expected: which, what was expected, and what it is. */
export function unexpectedIn(world: World): Array<[id: string, expected: string, is: string]> {
	const { schedule, written, executions } = world;
	const isPlain = schedule.actions.every(({ is }) => ['ask', 'write', 'list'].includes(is));
	const hasDied = executions.some(({ state, waitsAt }) => state === 'dead' || waitsAt === Infinity);
	if (!isPlain || hasDied || schedule.setting.trouble > 0) return [];
	return [...new Set(written.map(({ phone }) => phone))].flatMap((phone) => ofPerson(world, phone));
}

function ofPerson(world: World, phone: string): Array<[string, string, string]> {
	const { executions, written, schedule, inbox } = world;
	const questions = executions
		.filter(({ asked }) => asked.has(phone))
		.map((execution): Open => ({ execution, words: [], reply: [] }));
	const messages = sortBy(
		written.filter((one) => one.phone === phone),
		'at',
	);
	const ordinary: Written[] = [];
	for (const [index, message] of messages.entries()) {
		const previous = messages[index - 1] as Written | undefined;
		const isAtOnce = previous !== undefined && message.at - previous.at < blurMs;
		if (isAtOnce || executions.some((one) => isBlurred(one, message))) return [];
		const expected = next(questions, message, schedule.setting.refusesRepetitions);
		if (expected === undefined) return [];
		if (expected === 'ordinary') ordinary.push(message);
	}
	const idsOf = (some: Written[]) =>
		some.map(({ id }) => id).sort((one, two) => (one < two ? -1 : 1));
	const own = idsOf(messages);
	const outputs = questions.map(({ execution, words, reply }): [string, string, string] => [
		`the output of ${execution.id} for ${phone}`,
		idsOf(reply.length > 0 ? reply : words.slice(-1)).join(),
		own.filter((id) => execution.output.includes(id)).join(),
	]);
	const isOptOut = ({ text }: Written) => text === 'STOP';
	const started: [string, string, string] = [
		`what ${phone} has started`,
		idsOf(messages.filter((one) => isOptOut(one) || ordinary.includes(one))).join(),
		own.filter((id) => inbox.started.includes(id)).join(),
	];
	return [...outputs, started].filter(([, expected, is]) => expected !== is);
}

/** Whether a message was written while it is not certain if the question is open. */
function isBlurred(execution: Execution, { phone, at }: Written): boolean {
	const { phones, startedAt, asked, until, waitsAt, failing } = execution;
	if (!phones.includes(phone)) return false;
	const knownAt = failing.length > 0 ? waitsAt : (asked.get(phone) ?? waitsAt);
	const isAsking = startedAt - blurMs < at && at < knownAt + blurMs;
	return isAsking || Math.abs(at - until) < blurMs;
}

function fits(kind: Kind, text: string): boolean {
	if (kind === 'approval') return text === 'yes';
	return kind === 'choice' ? text === 'Blue' : true;
}

/** What the next message becomes; undefined if this is not certain. */
function next(
	questions: Open[],
	message: Written,
	isRefused: boolean,
): 'ordinary' | 'taken' | undefined {
	const { at, text, quoted, phone } = message;
	const asked = questions.filter(({ execution }) => execution.startedAt < at);
	const quotedOnes = asked.filter(({ execution }) => execution.questions.get(phone) === quoted);
	// The inbox knows the ID of a question when it knows the next part of the people, or all.
	if (quotedOnes.some(({ execution }) => at < execution.waitsAt + blurMs)) return undefined;
	const candidates = quotedOnes.length > 0 ? quotedOnes : asked;
	if (candidates.some((one) => Math.abs(endOf(one) - at) < blurMs)) return undefined;
	const open = candidates.filter((one) => at < one.execution.until && at < endOf(one));
	const [first, second] = sortBy(open, ({ execution }) => -execution.startedAt);
	if (first === undefined) return 'ordinary';
	if (second && first.execution.startedAt - second.execution.startedAt < 1) return undefined;
	const fitting = sortBy(open, ({ execution }) => -execution.startedAt).find(({ execution }) =>
		fits(execution.kind, text),
	);
	const repeated = first.words.filter((one) => one.text !== 'STOP').length;
	const isAskedAgain = repeated < repeats && !isRefused;
	if (fitting) fitting.reply.push(message);
	else if (text === 'STOP' || isAskedAgain) first.words.push(message);
	else first.reply.push(message);
	return 'taken';
}

/** Until when messages belong to a question. */
function endOf({ execution, reply }: Open): number {
	const [first] = reply;
	if (first === undefined) return Infinity;
	return execution.kind === 'grouped' ? reply[reply.length - 1].at + groupMs : first.at;
}
