/** What becomes of replies if n8n's response to their hand-over is lost, or n8n restarts meanwhile. */
import type { RunState } from '../../../nodes/BusinessMessaging/inbox/core';
import type { Keeper } from '../../../nodes/BusinessMessaging/inbox/keeper';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { byItem, inboxWith, messageOf, own, personOf, runOf } from './parts';

const misfits = [messageOf('Perhaps')]; // after which the person was asked again
const person = personOf(0, { misfits, messages: [messageOf('Yes')], isValid: true });
const run = runOf({ people: byItem([person]), hasWaited: true });
const running = (calls: number) => Array.from({ length: calls }, (): RunState => 'running');

const untilForgotten = async (keeper: Keeper) => {
	for (let turn = 0; turn < 500 && keeper.known.runs.size > 0; turn++) await Promise.resolve();
	await new Promise((resolve) => setImmediate(resolve));
	expect(keeper.known.runs.size).toBe(0);
};

const gotThem: string[] = [];
const areLate = ['Perhaps', 'Yes'];

test.each<[what: string, states: RunState[], late: string[]]>([
	['the run waits for something else', ['unknown', 'gone'], gotThem],
	['the run goes on for minutes', ['unknown', ...running(40), 'finished'], gotThem],
	['a user has stopped it', ['unknown', 'stopped'], areLate],
	['nothing was lost: the run does not exist', ['gone'], areLate],
	['nothing was lost: the run goes on without them', running(40), areLate],
])('a lost response, then %s', async (_, states, expected) => {
	const { keeper, late } = inboxWith({ states });
	keeper.known.restore(run);
	await untilForgotten(keeper);
	expect(late).toEqual(expected);
});

test.each<[what: string, states: RunState[], late: string[]]>([
	['the run waits for something else: it had them before', ['gone'], gotThem],
	['the run has not got them', ['waiting', 'accepted'], gotThem],
	['a user has stopped it', ['stopped'], areLate],
])('a restart while the run is due, then %s', async (_, states, expected) => {
	const { keeper, late } = inboxWith({ states });
	keeper.load({ stored: { [run.id]: toRecord(run, own) } });
	await untilForgotten(keeper);
	expect(late).toEqual(expected);
});
