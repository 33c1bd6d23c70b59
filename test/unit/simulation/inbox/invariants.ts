/** What must hold after each schedule, judged by what people wrote, what runs got and which workflows started. */
import { countBy } from 'lodash';

import type { Execution, Written } from './parts';
import type { World } from './world';

/** What each invariant means. */
export const invariants = {
	lost: 'each message reaches a run or starts a workflow, or the question is repeated after it',
	twice: 'no message reaches two runs, or one run twice',
	alsoStarted: 'no message that a run has got starts a workflow as well',
	lateTwice: 'no message starts a workflow twice because it came too late for its run',
	swallowed: 'a message that starts one workflow starts all of them',
	missed: 'a reply to an open question is no ordinary message',
	undelivered: 'no message is refused until the service gives up',
	neverEnded: 'each run gets its replies before n8n itself ends it',
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
		'a process is killed after a run or a workflow has got a reply, before this is stored',
	publishing: 'a trigger is being published when a run begins to ask, and cannot be told',
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
/** Within this time, a call that takes long, and its repetition, are over. */
const callMs = 30_000;

/** What the course of a schedule has broken. */
export function faultsOf(world: World): Fault[] {
	const faults: Fault[] = [];
	const ofSchedule = excuseOf(world);
	const add = (invariant: Invariant, subject: string, excuse?: Exception) =>
		faults.push({ invariant, subject, excuse: ofSchedule ?? excuse });
	const { executions, triggers, written, schedule } = world;
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
		const hasStarted = triggers.some((trigger) => trigger.started.includes(id));
		const isThere = inRuns + late > 0 || hasStarted || message.isRepeatedFor;
		const isUnidentified = !canBeRecognized(world, message);
		if (!isThere && made.length > 0) add('lost', id, isUnidentified ? 'unidentified' : undefined);
		if (inRuns > 1) add('twice', id, excuse);
		if (inRuns > 0 && started + late > 0) add('alsoStarted', id, excuse);
		if (late > 1) add('lateTwice', id, excuse);
		if (started > 0 && started < made.length) add('swallowed', id, excuse);
		if (started > 0 && isReply(world, message)) add('missed', id, excuse);
	}
	const isDisturbed = schedule.actions.some(({ is }) => is === 'kill' || is === 'publish');
	for (const { id, state, isEndedByLimit } of executions) {
		if (state === 'waiting' || state === 'asking') add('neverEnded', id);
		if (isEndedByLimit && !isDisturbed && schedule.setting.trouble === 0) add('neverEnded', id);
	}
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
	return canBeRecognized(world, message) ? undefined : 'unidentified';
}

function isKilledWhileHandingOver(
	{ executions, triggers, kills }: World,
	{ id }: Written,
): boolean {
	const got = executions.flatMap(({ output, acceptedAt }) =>
		output.includes(id) ? acceptedAt : [],
	);
	const late = triggers.flatMap((trigger) =>
		trigger.late.flatMap((one) => (one.id === id ? one.at : [])),
	);
	return [...got, ...late].some((at) => kills.some((kill) => at <= kill && kill < at + callMs));
}

function isWhilePublishing(
	{ executions, publications }: World,
	{ at, id, phone }: Written,
): boolean {
	const runs = executions.filter(({ output, asked }) => output.includes(id) || asked.has(phone));
	const isDuring = ({ from, to }: { from: number; to: number }, run: Execution) =>
		run.startedAt < to + callMs && run.waitsAt > from && at > from - callMs && at < to + callMs;
	return publications.some((one) => runs.some((run) => isDuring(one, run)));
}

/** A message without ID and time is recognized if its sender was asked before, writes nothing equal, and no process is lost meanwhile. */
function canBeRecognized(
	{ executions, written, schedule }: World,
	{ isCertain, phone, text, at, id }: Written,
): boolean {
	if (isCertain) return true;
	const isEqual = (one: Written) => one.id !== id && one.phone === phone && one.text === text;
	const isEarly = executions.some(({ asked }) => (asked.get(phone) ?? 0) > at);
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
