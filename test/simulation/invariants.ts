/** What must hold after each schedule, judged by what people wrote, what runs got and which workflows started. */
import { countBy } from 'lodash';

import type { Schedule, World, Written } from './world';

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
	broken: 'nothing throws',
};
export type Invariant = keyof typeof invariants;

/** Why a schedule may break an invariant: see docs/adr/0006-send-and-wait.md. */
export const exceptions = {
	unrouted: 'two processes behind one URL, without routing by path',
	killedAfterOlderCopy: 'a process is killed after an execution has written back an older copy',
};
export type Exception = keyof typeof exceptions;

/** What a schedule has that excuses it. */
export function exceptionOf({ setting, actions }: Schedule): Exception | undefined {
	if (setting.processes > 1 && !setting.isRouted) return 'unrouted';
	const has = (is: string) => actions.some((action) => action.is === is);
	const writesBack = has('olderCopy') || has('publish');
	return has('kill') && writesBack ? 'killedAfterOlderCopy' : undefined;
}

const slackMs = 150_000;

/** The invariants that a course has broken, with the message or run. */
export function faultsOf(world: World): Array<[Invariant, string]> {
	const faults: Array<[Invariant, string]> = [];
	const { executions, triggers, written, schedule } = world;
	const outputs = countBy(executions.flatMap(({ output }) => output));
	const lates = countBy(triggers.flatMap(({ late }) => late));
	for (const message of written.filter((one) => canBeRecognized(world, one))) {
		const { id, text, outcomes } = message;
		const inRuns = outputs[id] ?? 0;
		const late = lates[id] ?? 0;
		const made = [...outcomes.values()];
		const isOptOut = text === 'STOP';
		const started = isOptOut ? 0 : made.filter((one) => one === 'started').length;
		if (made.includes('givenUp') || made.includes('pending')) faults.push(['undelivered', id]);
		const isThere = inRuns + late > 0 || made.includes('started') || message.isRepeatedFor;
		if (!isThere && made.length > 0) faults.push(['lost', id]);
		if (inRuns > 1) faults.push(['twice', id]);
		if (inRuns > 0 && started + late > 0) faults.push(['alsoStarted', id]);
		if (late > 1) faults.push(['lateTwice', id]);
		if (started > 0 && started < made.length) faults.push(['swallowed', id]);
		if (started > 0 && isReply(world, message)) faults.push(['missed', id]);
	}
	const isDisturbed = schedule.actions.some(({ is }) => is === 'kill' || is === 'publish');
	for (const { id, state, isEndedByLimit } of executions) {
		if (state === 'waiting' || state === 'asking') faults.push(['neverEnded', id]);
		if (isEndedByLimit && !isDisturbed && schedule.setting.trouble === 0)
			faults.push(['neverEnded', id]);
	}
	for (const { url, stored } of triggers) {
		const { inbox = {} } = JSON.parse(stored) as { inbox?: Record<string, string> };
		if (Object.keys(inbox).some((name) => name !== 'settled')) faults.push(['unbounded', url]);
	}
	return faults;
}

/**
 * A message without ID and time is recognized if its sender was asked before, writes nothing equal, and no process is lost meanwhile:
 * nothing tells it from an equal one.
 */
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
	const earlier = written.some((one) => one.phone === phone && one.id !== id && one.at < at && one.at > latest - slackMs);
	return open.length > 0 && !earlier;
}
