/** What must hold after each schedule, judged by what people wrote, what runs got and which workflows started. */
import { countBy } from 'lodash';

import { graceMs } from '../../../../nodes/BusinessMessaging/inbox/core';

import { type CutOff, type Execution, type Written, repeats } from './parts';
import { type World, nextEventMs } from './world';

/** What each invariant means. */
export const invariants = {
	lost: 'each message reaches a run or starts a workflow, or the question is repeated after it',
	twice: 'no message reaches two runs, or one run twice',
	alsoStarted: 'no message that a run has got starts a workflow as well',
	lateTwice: 'no message starts a workflow twice because it came too late for its run',
	swallowed: 'a message that starts one workflow starts all of them',
	missed: 'a reply to an open question is no ordinary message, and does not come too late',
	repeated: 'a question is repeated as often as its node says, at most',
	misread: 'what somebody writes whom a run has not asked does not reach it',
	undelivered: 'no message is refused until the service gives up',
	neverEnded: 'each run gets its replies before n8n itself ends it',
	overwritten: 'an older copy that is written back is replaced within about ten minutes',
	unbounded: 'nothing of a run is stored for ever',
	broken: 'nothing throws, and everything ends',
};
export type Invariant = keyof typeof invariants;

/** What cannot hold, and is said in docs/send-and-wait.md or docs/adr/0006-send-and-wait.md. */
export const exceptions = {
	withoutRouting: 'two processes are behind one URL, without routing by path',
	killedAfterOlderCopy:
		'a process is killed while an execution has an older copy, or soon after it was written back',
	killedWhileHandingOver:
		'a process is killed after a workflow has got a late reply, before this is stored; or a run, and nothing happens until n8n itself would have ended it',
	killedWhileRepeating:
		'a process is killed after it has repeated a question, before this is stored: the question may be repeated once more',
	publishing:
		'a trigger is being published: a run that begins to ask cannot tell it, or it does not know yet which questions are open, or nobody responds to it',
	unreachable:
		'a run cannot call a trigger that is not the owner for a minute while it asks: then a reply may also start the workflow of this trigger',
	withoutQuestion:
		'somebody whose question fails writes while the run asks: the workflow of the owner gets it as late, others as usual or not',
	unidentified:
		'a message without ID and time comes twice, around the question or a restart: nothing tells it from an equal one',
};
export type Exception = keyof typeof exceptions;

/** An invariant that is broken, for a message or a run, and what excuses it. */
export interface Fault {
	invariant: Invariant;
	subject: string;
	excuse?: Exception;
}

const slackMs = 150_000;
/** A run asks on without a trigger that it could not call for about this time. */
const unreachableMs = 50_000;
/** How long after its last silence a trigger may not know all people whom a run asks. */
const tellAgainMs = 60_000;
/** Within this time, a call that takes long, and its repetition, are over. */
const callMs = 30_000;

/** What the course of a schedule has broken. */
export function faultsOf(world: World): Fault[] {
	const faults: Fault[] = [];
	const ofSchedule = excuseOf(world);
	const add = (invariant: Invariant, subject: string, excuse?: Exception) =>
		faults.push({ invariant, subject, excuse: ofSchedule ?? excuse });
	const { executions, triggers, written, schedule, overwritten } = world;
	const outputs = countBy(executions.flatMap(({ output }) => output));
	const lateStarts = countBy(triggers.flatMap(({ late }) => late.map(({ id }) => id)));
	for (const message of written) {
		const { id, text, outcomes } = message;
		const inRuns = outputs[id] ?? 0;
		const late = lateStarts[id] ?? 0;
		const made = [...outcomes.values()];
		const started = text === 'STOP' ? 0 : made.filter((one) => one === 'started').length;
		const excuse = excuseFor(world, message);
		if (made.includes('givenUp') || made.includes('pending')) add('undelivered', id);
		const isUnidentified = !canBeRecognized(world, message);
		if (message.isLost && made.length > 0)
			add('lost', id, isUnidentified ? 'unidentified' : undefined);
		if (inRuns > 1) add('twice', id, excuse);
		if (inRuns > 0 && started + late > 0) add('alsoStarted', id, excuse);
		if (late > 1) add('lateTwice', id, excuse);
		const isLateAt = (at: string) =>
			triggers.some(({ url, late }) => url === at && late.some((one) => one.id === id));
		const isSwallowed = [...outcomes].some(([url, how]) => how !== 'started' && !isLateAt(url));
		const isUnasked = isWithoutQuestion(world, message) ? 'withoutQuestion' : undefined;
		if (started > 0 && isSwallowed) add('swallowed', id, excuse ?? isUnasked);
		const mayBeLate = executions.filter(({ phones }) => phones.includes(message.phone)).length > 1;
		const isMissed = started > 0 || (late > 0 && !mayBeLate);
		if (isMissed && isReply(world, message)) add('missed', id, excuse);
	}
	for (const { id, repeated } of executions)
		for (const [phone, keys] of repeated) {
			const own = written.filter((one) => one.phone === phone);
			const isUnidentified = own.some((one) => !canBeRecognized(world, one));
			const isKilled = [...keys.values()].some((at) => isKilledSoonAfter(world, at));
			const excuse = isKilled ? 'killedWhileRepeating' : undefined;
			if (keys.size > repeats)
				add('repeated', `${id} ${phone}`, isUnidentified ? 'unidentified' : excuse);
		}
	for (const { id, asked, output } of executions)
		for (const message of written)
			if (output.includes(message.id) && !asked.has(message.phone)) add('misread', id);
	const isDisturbed = schedule.actions.some(({ is }) => is === 'kill' || is === 'publish');
	for (const { id, state, isEndedByLimit } of executions) {
		if (state === 'waiting' || state === 'asking') add('neverEnded', id);
		if (isEndedByLimit && !isDisturbed && schedule.setting.trouble === 0) add('neverEnded', id);
	}
	for (const id of overwritten) add('overwritten', id);
	for (const { url, stored } of triggers) {
		const { inbox = {} } = JSON.parse(stored) as { inbox?: Record<string, string> };
		if (Object.keys(inbox).some((name) => name !== 'settled')) add('unbounded', url);
	}
	return faults;
}

/** What excuses a whole schedule. */
export function excuseOf({ schedule, kills, olderCopies }: World): Exception | undefined {
	const { processes, isRouted } = schedule.setting;
	if (processes > 1 && !isRouted) return 'withoutRouting';
	const isAfter = kills.some((kill) =>
		olderCopies.some(({ from, to }) => from <= kill && kill < to + callMs),
	);
	return isAfter ? 'killedAfterOlderCopy' : undefined;
}

function excuseFor(world: World, message: Written): Exception | undefined {
	if (isKilledWhileHandingOver(world, message)) return 'killedWhileHandingOver';
	if (isWhilePublishing(world, message)) return 'publishing';
	if (isUnreachable(world, message)) return 'unreachable';
	return canBeRecognized(world, message) ? undefined : 'unidentified';
}

function isKilledWhileHandingOver(world: World, { id }: Written): boolean {
	const { executions, triggers, begin, schedule } = world;
	const last = Math.max(...schedule.actions.map(({ at }) => at)) * 1_000;
	const nextEvent = begin + last + nextEventMs;
	const got = executions.flatMap(({ output, acceptedAt, until }) =>
		output.includes(id) && until + graceMs < nextEvent + callMs ? acceptedAt : [],
	);
	const late = triggers.flatMap((trigger) =>
		trigger.late.flatMap((one) => (one.id === id ? one.at : [])),
	);
	return [...got, ...late].some((at) => isKilledSoonAfter(world, at));
}

function isKilledSoonAfter({ kills }: World, at: number): boolean {
	return kills.some((kill) => at <= kill && kill < at + callMs);
}

function isWhilePublishing(
	{ executions, publications }: World,
	{ at, id, phone, outcomes }: Written,
): boolean {
	const isAround = ({ from, to }: { from: number; to: number }) =>
		at > from - callMs && at < to + callMs;
	const learning = publications
		.filter((one) => isAround(one) || (!one.hasLearned && at > one.from))
		.map(({ url }) => url);
	const starting = [...outcomes].filter(([, outcome]) => outcome === 'started');
	if (starting.length > 0 && starting.every(([url]) => learning.includes(url))) return true;
	const runs = executions.filter(({ output, asked }) => output.includes(id) || asked.has(phone));
	const isDuring = ({ from, to }: { from: number; to: number }, run: Execution) =>
		run.startedAt < to + callMs && run.waitsAt > from;
	return publications.filter(isAround).some((one) => runs.some((run) => isDuring(one, run)));
}

/**
 * Whether a run that asks the sender of a message could not call the triggers that are not the owner. They do not know
 * the sender until the run can call them again; if it had asked everybody by then, they never do.
 */
function isUnreachable({ executions }: World, { phone, at }: Written): boolean {
	return executions.some(({ phones, cutOffs, lostCallsAt, endedAskingAt }) => {
		const isFor = (cutOff: CutOff) => {
			if (cutOff.from !== 'others' || cutOff.lastsMs <= unreachableMs) return false;
			const until = lastSilence(cutOff.until, lostCallsAt);
			return at < until + tellAgainMs || endedAskingAt < until + callMs;
		};
		return phones.includes(phone) && cutOffs.some(isFor);
	});
}

/** When a trigger was last silent: a call that tells it again may be lost too. */
function lastSilence(until: number, lostCallsAt: number[]): number {
	const last = lostCallsAt.findLast((at) => until < at && at < until + tellAgainMs);
	return last === undefined ? until : lastSilence(last, lostCallsAt);
}

/** Whether the question to the sender of a message has failed while it was written. */
function isWithoutQuestion({ executions }: World, { phone, at }: Written): boolean {
	return executions.some(({ phones, asked, startedAt, endedAskingAt }) => {
		const isDuring = startedAt < at && at < endedAskingAt + callMs;
		return isDuring && phones.includes(phone) && !asked.has(phone);
	});
}

/** A message without ID and time is recognized if its sender was asked before, writes nothing equal, and no process is lost meanwhile. */
function canBeRecognized(
	{ executions, written, schedule }: World,
	{ isCertain, phone, text, at, id }: Written,
): boolean {
	if (isCertain) return true;
	const isEqual = (one: Written) => one.id !== id && one.phone === phone && one.text === text;
	const askedAt = ({ asked, phones }: Execution) =>
		asked.get(phone) ?? (phones.includes(phone) ? Infinity : 0);
	const isEarly = executions.some((one) => askedAt(one) > at);
	const isDisturbed = schedule.actions.some(({ is }) => is === 'kill' || is === 'publish');
	return !isEarly && !isDisturbed && !written.some(isEqual);
}

/** Whether a message is certainly the reply to a question: the first one after it, long before the time is up. */
function isReply({ executions, written }: World, { phone, at, id }: Written): boolean {
	const asked = executions.filter((one) => (one.asked.get(phone) ?? Infinity) < at - 100);
	const open = asked.filter(({ state, isStopped, until, output }) => {
		const isAlive = state === 'over' && !isStopped && until > at + slackMs;
		return isAlive && !written.some((one) => one.phone === phone && output.includes(one.id));
	});
	const latest = Math.max(...open.map((one) => one.asked.get(phone) ?? 0));
	const isEarlier = (one: Written) => one.at < at && one.at > latest - slackMs;
	const earlier = written.some((one) => one.phone === phone && one.id !== id && isEarlier(one));
	return open.length > 0 && !earlier;
}
