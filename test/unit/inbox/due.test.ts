/** When a run gets its replies, and what the response of n8n says about a run. */
import { callRun } from '../../../nodes/BusinessMessaging/inbox/calls';
import { type Run, repliesDueAt } from '../../../nodes/BusinessMessaging/inbox/core';

const until = 1_000;
const replied = (moreUntil?: number) => ({ messages: [{}], moreUntil });
const silent = { messages: [] };
const notAsked = { messages: [], isNotAsked: true };

test.each<[string, object[], number]>([
	['everybody has replied', [replied(), replied()], 0],
	['the last person may be writing more', [replied(), replied(9)], 9],
	['an earlier person may be writing more', [replied(9), replied()], 9],
	['several people may be writing more', [replied(7), replied(9), replied(8)], 9],
	['a person may be writing more when the time is up', [replied(until + 1)], until],
	['a person has not replied', [replied(9), silent], until],
	['the only person without a reply was not asked', [replied(9), notAsked], 9],
	['nobody was asked', [notAsked], 0],
])('if %s, the run gets its replies at the right time', (_, people, due) => {
	const run = { isWhole: true, isOver: false, until, people: new Map(people.entries()) };
	expect(repliesDueAt(run as unknown as Run)).toBe(due);
});

const page = '<p>No action required</p>';
const conflict = (what: string) => ({ message: `The execution "1" ${what}.` });

test.each<[number, unknown, string]>([
	[200, { waiting: true }, 'waiting'],
	[200, { accepted: 'run-1' }, 'accepted'],
	[200, { accepted: 'run-2' }, 'unknown'],
	[200, page, 'finished'],
	[200, '<p>Welcome</p>', 'unknown'],
	[401, {}, 'stopped'],
	[404, conflict('does not exist'), 'gone'],
	[404, page, 'unknown'],
	[409, conflict('is running already'), 'running'],
	[409, conflict('has finished with error'), 'stopped'],
	[409, conflict('has finished already'), 'finished'],
	[409, page, 'unknown'],
	[410, {}, 'gone'],
	[500, { message: "Cannot read properties of undefined (reading 'node')" }, 'broken'],
	[500, { message: 'database is locked' }, 'unknown'],
	[502, page, 'unknown'],
])('after the response %d %j, the state of the run is "%s"', async (statusCode, body, state) => {
	const context = { helpers: { httpRequest: async () => ({ statusCode, body }) } };
	const run = { id: 'run-1', url: 'https://n8n.test/webhook-waiting/1' };
	expect(await callRun(context as never, 'secret', run, 'https://n8n.test/own')).toBe(state);
});
