/** What must hold after each schedule, judged by what people wrote, what runs got and which workflows started. */
import { groupBy, sortBy, sumBy, uniq } from 'lodash';

import { graceMs } from '../../../../nodes/BusinessMessaging/inbox/core';

import { unexpectedIn } from './oracle';
import { type Execution, type Written, contentOf, repeats, storedOf } from './parts';
import type { World } from './world';

/** What each invariant means. */
export const invariants = {
	lost: 'each message reaches a run or starts a workflow; after a repeated question, the last words of the person count',
	twice: 'no message reaches two runs, or one run twice',
	alsoStarted: 'no message that a run has got starts a workflow as well',
	lateTwice: 'no message starts a workflow twice because it came too late for its run',
	swallowed: 'a message that starts the workflow of the inbox starts all others that want it',
	missed: 'a reply to an open question is no ordinary message, and does not come too late',
	repeated: 'a question is repeated as often as its node says, at most',
	misread:
		'what somebody writes whom a run has not asked, or does not wait for any more, does not reach it, nor the quote of another question',
	unexpected: 'if nothing goes wrong, each message becomes what the rules say',
	undelivered: 'no message is refused until the service gives up',
	neverEnded: 'each run gets its replies before n8n itself ends it',
	failed: 'a run that nothing disturbs does not fail, however slowly it asks',
	unbounded: 'nothing of a run is stored for ever',
	broken: 'nothing throws, and everything ends',
};
export type Invariant = keyof typeof invariants;

/** What cannot hold for a message, and is said in docs/send-and-wait.md. */
export const exceptions = {
	killedWhileHandingOver:
		'a process was killed seconds after a run, or a workflow as late, had got this message',
	killedAfterOlderCopy:
		'this message came before an older copy was written back, and a process was killed within a minute',
	killedAfterKeyChange:
		'the API key was changed, and a process was killed before the open questions were encrypted again, so that the next one could not read them',
	killedWhileRepeating: 'a process was killed seconds after the question was repeated',
	unidentified:
		'nothing identifies this message, and a process was killed between two deliveries of it, or of it and an equal message that came within a minute of the clock of n8n; or it is one of several equal messages, and a trigger was published or a response was lost then, or the inbox had said goodbye and no run had asked anybody since; or a trigger was published and the clock put back',
	withoutClock:
		'nothing says when this message was written, or the clock of n8n was put back; and a process was killed between two deliveries of it, or the inbox was not published then',
	lostAtTheEnd:
		'a run has got this message in the last seconds before n8n itself ends the wait, and the response was lost',
	askedWhileLeaving:
		'its sender was asked by a run that began while the inbox said goodbye to the other triggers and was unpublished',
	justPublished:
		'after a goodbye of the inbox, this message came to a trigger that was just being published, and did not know yet that there is an inbox again',
	absent:
		'the inbox was not published when this message came to a trigger that was first published meanwhile, or whose URL is registered by hand',
};
export type Exception = keyof typeof exceptions;

/** An invariant that is broken, for a message or a run, and what excuses it. */
export interface Fault {
	invariant: Invariant;
	subject: string;
	excuse?: Exception;
}

const slackMs = 150_000;
/** Within this time, equal messages before and after a restart count as one. */
const sameMs = 60_000;
/** Within this time, a call that takes long, and its repetition, are over. */
const callMs = 30_000;
/** Within this time, what an older copy has overwritten is stored again. */
const storedAgainMs = 45_000;

/** What the course of a schedule has broken. */
export function faultsOf(world: World): Fault[] {
	const faults: Fault[] = [];
	const { executions, written, inbox } = world;
	const add = (invariant: Invariant, subject: string, excuse?: Exception) =>
		faults.push({ invariant, subject, excuse });
	for (const { message, uses, outcomes, hasStarted } of judged(world)) {
		const { id, text } = message;
		const excuse = excuseFor(world, message);
		const inRuns = uses.filter((use) => use === 'run').length;
		const late = uses.filter((use) => use === 'late').length;
		const made = [...outcomes.values()];
		const started = text === 'STOP' ? 0 : made.filter((is) => is === 'started').length;
		const isThere = uses.length > 0 || hasStarted || started > 0;
		if (made.includes('givenUp') || made.includes('pending')) add('undelivered', id, excuse);
		if (!isThere && made.length > 0) add('lost', id, excuse);
		if (inRuns > 1) add('twice', id, excuse);
		if (inRuns > 0 && started + late > 0) add('alsoStarted', id, excuse);
		if (late > 1) add('lateTwice', id, excuse);
		const isOrdinary = outcomes.get(inbox.url) === 'started';
		if (isOrdinary && made.includes('taken')) add('swallowed', id, excuse);
		const mayBeLate = executions.filter(({ phones }) => phones.includes(message.phone)).length > 1;
		const isMissed = started > 0 || (late > 0 && !mayBeLate);
		if (isMissed && isReply(world, message)) add('missed', id, excuse);
	}
	for (const execution of executions) {
		const { id, repeated, output, asked } = execution;
		for (const [phone, keys] of repeated)
			if (keys.size > repeats) add('repeated', `${id} ${phone}`, repetitionExcuse(world, phone));
		for (const message of written.filter((one) => output.includes(one.id)))
			if (
				!asked.has(message.phone) ||
				quotesAnother(world, message, id) ||
				isAfterTheEnd(world, message, execution)
			)
				add('misread', id, excuseFor(world, message));
	}
	const isDisturbed = world.schedule.actions.some(({ is }) =>
		['kill', 'publish', 'page', 'changeKey'].includes(is),
	);
	const isCalm = !isDisturbed && world.schedule.setting.trouble === 0;
	for (const [subject, expected, is] of unexpectedIn(world))
		add('unexpected', `${subject} is ${is} instead of ${expected}`);
	for (const { id, state, isEndedByLimit, failure } of executions) {
		if (state === 'waiting' || state === 'asking') add('neverEnded', id);
		if (isEndedByLimit && isCalm) add('neverEnded', id);
		if (failure !== undefined && isCalm) add('failed', id);
	}
	const { inbox: stored = {} } = storedOf(inbox);
	const left = Object.keys(stored).filter((name) => !['settled', 'by'].includes(name));
	if (left.length > 0) add('unbounded', left.join());
	return faults;
}

type Outcome = 'started' | 'taken' | 'pending' | 'givenUp';

/** What became of a message: where it was used, and what each trigger has made of it. */
interface Judged {
	message: Written;
	uses: Array<'run' | 'late' | 'repeat'>;
	outcomes: Map<string, Outcome>;
	/** Whether it has started a workflow, maybe although it is a reply. */
	hasStarted: boolean;
}

function judged(world: World): Judged[] {
	const { written, executions, inbox, triggers } = world;
	const outputs = executions.flatMap(({ output }) => output);
	// Of somebody whose words did not fit, a run gets the last ones, or a later reply.
	const repeatedAfter = executions.flatMap(({ repeated, output, keys: got }) =>
		[...repeated].flatMap(([phone, keys]) => {
			const hasReply = written.some((one) => one.phone === phone && output.includes(one.id));
			return hasReply ? [...keys].filter((key) => !got.includes(key)) : [];
		}),
	);
	const all = written.map((message): Judged => {
		const { id, isCertain } = message;
		const late = inbox.late.filter((one) => one.id === id);
		return {
			message,
			uses: [
				...outputs.filter((one) => one === id).map(() => 'run' as const),
				...late.map(() => 'late' as const),
				...(isCertain && repeatedAfter.includes(id) ? ['repeat' as const] : []),
			],
			outcomes: new Map([...message.outcomes].map(([url, { is }]) => [url, is])),
			hasStarted: triggers.some(({ started }) => started.includes(id)),
		};
	});
	const groups = groupBy(
		all.filter(({ message }) => !message.isCertain),
		({ message }) => contentOf(message),
	);
	for (const [content, group] of Object.entries(groups)) {
		const keys = uniq(repeatedAfter.filter((key) => key.startsWith(`${content}~`)));
		distribute(group, keys.length, inbox.url);
	}
	return all;
}

/**
 * Nobody can tell equal messages of a person apart that have neither an ID nor a time, so only the numbers count: how many were used,
 * and how many have started each workflow. Each use goes to a message that has not started the workflow of the inbox, if there is one.
 */
function distribute(group: Judged[], repetitions: number, inbox: string): void {
	const uses = [
		...group.flatMap((one) => one.uses),
		...Array.from({ length: repetitions }, () => 'repeat' as const),
	];
	const order = ['taken', undefined, 'pending', 'givenUp', 'started'];
	const users = sortBy(group, ({ outcomes }) => order.indexOf(outcomes.get(inbox)));
	for (const one of group) one.uses = [];
	for (const [index, use] of uses.entries()) users[index % users.length].uses.push(use);
	const byUse = sortBy(users, (one) => one.uses.length === 0);
	for (const url of uniq(group.flatMap(({ outcomes }) => [...outcomes.keys()]))) {
		const there = byUse.filter(({ outcomes }) => outcomes.has(url));
		const made = outcomesAt(url, there);
		for (const [index, one] of there.entries()) one.outcomes.set(url, made[index]);
	}
}

/**
 * What a trigger has made of equal messages, first the replies. Without its response, the service delivers a message again. That starts
 * the workflow again, and may be the delivery of another one of them, so that this one is taken for the reply.
 */
function outcomesAt(url: string, there: Judged[]): Outcome[] {
	const count = (urls: string[]) => urls.filter((one) => one === url).length;
	const made = there.map(({ outcomes }) => outcomes.get(url) as Outcome);
	const [starts, lost] = (['starts', 'lostStarts'] as const).map((name) =>
		sumBy(there, ({ message }) => count(message[name])),
	);
	const started = made.filter((is) => is === 'started').length;
	const taken = made.filter((is) => is === 'taken').length;
	const used = there.filter(({ uses }) => uses.length > 0).length;
	let again = Math.min(started - (starts - lost), used - taken);
	const known = made.map((is) => (is === 'started' && again-- > 0 ? 'taken' : is));
	return sortBy(known, (is) => is !== 'taken');
}

/** What excuses a message, or an equal one that cannot be told from it. */
function excuseFor(world: World, message: Written): Exception | undefined {
	const equal = equalOf(world, message);
	if (equal.some((one) => isKilledWhileHandingOver(world, one))) return 'killedWhileHandingOver';
	if (isUnreadable(world, message)) return 'killedAfterKeyChange';
	if (isUnidentified(world, equal)) return 'unidentified';
	if (isWithoutClock(world, message)) return 'withoutClock';
	if (equal.some((one) => isLostAtTheEnd(world, one))) return 'lostAtTheEnd';
	if (equal.some((one) => isOverwritten(world, one))) return 'killedAfterOlderCopy';
	if (isAskedWhileLeaving(world, message)) return 'askedWhileLeaving';
	if (isJustPublished(world, message)) return 'justPublished';
	return isAbsent(world, equal) ? 'absent' : undefined;
}

/** Whether a message has started the workflow of another trigger in the seconds in which that was published. */
function isJustPublished({ goodbyes, unpublished, inbox }: World, { outcomes }: Written): boolean {
	if (goodbyes.length === 0) return false;
	return [...outcomes].some(
		([trigger, { is, at }]) =>
			trigger !== inbox.url &&
			is === 'started' &&
			unpublished.some(({ url, to }) => url === trigger && to <= at && at <= to + callMs),
	);
}

/** Whether a run was asking the sender while the inbox, which had no open question yet, said goodbye. */
function isAskedWhileLeaving({ goodbyes, executions }: World, { phone }: Written): boolean {
	return executions.some(
		({ phones, startedAt, waitsAt }) =>
			phones.includes(phone) && goodbyes.some(({ from, to }) => startedAt <= to && from <= waitsAt),
	);
}

/** Whether a trigger that did not know the inbox has got a message while the inbox was not published. */
function isAbsent({ absences, triggers }: World, equal: Written[]): boolean {
	return absences.some(({ from, to }) => {
		// A trigger whose URL is registered by hand looks for the inbox only when it gets its first message.
		const isNew = triggers.some(
			({ registeredAt, isManual }) =>
				isManual || (from - callMs < registeredAt && registeredAt < to),
		);
		return isNew && equal.some(({ at }) => from - callMs <= at && at <= to + callMs);
	});
}

/** A message with all that have the same content, if nothing identifies it. */
function equalOf({ written }: World, message: Written): Written[] {
	if (message.isCertain) return [message];
	return written.filter((one) => !one.isCertain && contentOf(one) === contentOf(message));
}

function repetitionExcuse(world: World, phone: string): Exception | undefined {
	const own = world.written.filter((one) => one.phone === phone);
	return own.some(({ repeatedAt }) => repeatedAt && isKilledSoonAfter(world, repeatedAt))
		? 'killedWhileRepeating'
		: undefined;
}

function isKilledWhileHandingOver(world: World, { id }: Written): boolean {
	const got = world.executions.flatMap(({ output, acceptedAt }) =>
		output.includes(id) ? acceptedAt : [],
	);
	const late = world.inbox.late.flatMap((one) => (one.id === id ? one.at : []));
	return [...got, ...late].some((at) => isKilledSoonAfter(world, at));
}

/** Whether what n8n had stored of a message, or of the question to its sender, was overwritten, and the process was killed before it was stored again. */
function isOverwritten(
	{ kills, olderCopies, inbox, executions }: World,
	message: Written,
): boolean {
	const { outcomes, at, phone } = message;
	const handled = outcomes.get(inbox.url)?.at ?? at;
	const told = executions.flatMap((one) => (one.phones.includes(phone) ? one.startedAt : []));
	return olderCopies.some(({ url, from, to }) => {
		const isOlder = url === inbox.url && [handled, ...told].some((time) => time <= to);
		return isOlder && kills.some((kill) => from <= kill.at && kill.at < to + storedAgainMs);
	});
}

/** Whether the inbox could not read, after a restart, what n8n had stored of questions, maybe also of that to the sender. */
function isUnreadable({ unreadable, executions }: World, { phone }: Written): boolean {
	const told = executions.filter(({ phones }) => phones.includes(phone));
	return unreadable.some((at) => told.some(({ startedAt }) => startedAt <= at));
}

/** Whether nothing can tell a second delivery of a message from an equal message. */
function isUnidentified(world: World, equal: Written[]): boolean {
	const { kills, publications, schedule } = world;
	if (equal[0].isCertain) return false;
	if (equal.length > 1 && equal.some(({ at }) => isUnasked(world, at))) return true;
	if (publications.length > 0 && schedule.actions.some(({ is }) => is === 'putBack')) return true;
	const isPublished = equal.some(({ at }) =>
		publications.some((one) => Math.abs(one - at) < callMs),
	);
	const isLost = equal.some(({ hasLostResponse }) => hasLostResponse);
	if (equal.length > 1 && (isPublished || isLost)) return true;
	// After a restart, n8n's clock counts; before it, a clock that is never put back.
	return equal.some((one) =>
		equal
			.filter((other) => other.at <= one.at && one.clock - sameMs < arrivalOf(other))
			.some(({ at }) => kills.some((kill) => at <= kill.at && kill.at <= one.handledAt)),
	);
}

/** Whether other triggers may not have asked the inbox about a message: it had said goodbye, and no run had asked anybody since. */
function isUnasked({ goodbyes, executions }: World, at: number): boolean {
	const asked = executions.flatMap((one) => [...one.asked.values()]);
	return goodbyes.some(({ to }) => to <= at && !asked.some((time) => to <= time && time <= at));
}

/** When a message first reached n8n. The service may have tried for a while before. */
function arrivalOf({ at, outcomes }: Written): number {
	const times = [...outcomes.values()].map((one) => one.at);
	return times.length > 0 ? Math.max(at, Math.min(...times)) : at;
}

/** Whether a process was killed between the deliveries of a message, or the inbox was not published, and nothing says whether it was written before the question. */
function isWithoutClock(world: World, { at, handledAt, isCertain }: Written): boolean {
	const { kills, putBacks, unpublished, inbox, schedule } = world;
	const isBetween = (time: number) => at <= time && time <= handledAt;
	const isUnknown = !schedule.setting.showsClock || !isCertain || putBacks.some(isBetween);
	const wasAway = unpublished.some(
		({ url, from, to }) => url === inbox.url && from <= handledAt && at <= to,
	);
	return isUnknown && (wasAway || kills.some((kill) => isBetween(kill.at)));
}

/** Whether n8n has accepted a message just before it would have ended the wait itself, and its response was lost. */
function isLostAtTheEnd({ executions }: World, { id }: Written): boolean {
	return executions.some(({ output, acceptedAt, until, isAcceptedUnheard }) => {
		const isAtTheEnd = acceptedAt > until + graceMs - callMs;
		return output.includes(id) && isAcceptedUnheard && isAtTheEnd;
	});
}

/** Whether a process was killed before n8n could store what had happened. The inbox stores nothing while it is not published. */
function isKilledSoonAfter({ kills, unpublished, inbox }: World, since: number): boolean {
	const gaps = unpublished.filter(({ url, from, to }) => {
		return url === inbox.url && from < since + callMs && since < to;
	});
	const end = Math.max(since, ...gaps.map(({ to }) => to)) + callMs;
	return kills.some(({ at }) => since <= at && at < end);
}

/** Whether a message quotes the question of another run, which the inbox certainly knew then. */
function quotesAnother({ executions }: World, { phone, quoted, at }: Written, id: string): boolean {
	const other = executions.find((one) => one.id !== id && one.questions.get(phone) === quoted);
	return quoted !== undefined && other !== undefined && other.waitsAt < at;
}

/** Whether a message was written after the wait for its sender had certainly ended. A reply that had begun goes on. */
function isAfterTheEnd(
	{ ends, written }: World,
	{ phone, at }: Written,
	{ waitsAt, output }: Execution,
): boolean {
	const reply = written.filter((one) => one.phone === phone && output.includes(one.id));
	return ends.some(
		(end) =>
			end.phone === phone &&
			waitsAt < end.at &&
			end.confirmedAt < at &&
			!reply.some((one) => one.at <= end.confirmedAt),
	);
}

/** Whether a message is certainly the reply to a question: the first one after it, long before the time is up. */
function isReply(
	{ executions, written, ends }: World,
	{ phone, at, id, quoted }: Written,
): boolean {
	if (ends.some((end) => end.phone === phone && end.at <= at + slackMs)) return false;
	const all = executions.filter((one) => (one.asked.get(phone) ?? Infinity) < at - 100);
	const quotedOnes = executions.filter(({ questions }) => questions.get(phone) === quoted);
	const asked = quotedOnes.length > 0 ? quotedOnes.filter((one) => all.includes(one)) : all;
	const open = asked.filter(({ state, isStopped, until, output }) => {
		const isAlive = state === 'over' && !isStopped && until > at + slackMs;
		return isAlive && !written.some((one) => one.phone === phone && output.includes(one.id));
	});
	const latest = Math.max(...open.map((one) => one.asked.get(phone) ?? 0));
	const isEarlier = (one: Written) => one.at < at && one.at > latest - slackMs;
	const earlier = written.some((one) => one.phone === phone && one.id !== id && isEarlier(one));
	return open.length > 0 && !earlier;
}
