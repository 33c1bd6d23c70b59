/** Calls between Send and Wait, triggers and runs: what goes out, and what a response means. */
import {
	callRun,
	callsOf,
	openReplies,
	openRequest,
} from '../../../nodes/BusinessMessaging/inbox/calls';
import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { TriggerRequest } from '../../../nodes/BusinessMessaging/inbox/ports';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { seal } from '../../../nodes/BusinessMessaging/inbox/seal';

const secret = 'service and key';
const trigger = 'https://n8n.test/webhook/a/webhook';
const now = 1_900_000_000_000;
const page = '<p>Welcome</p>';
const missing = { code: 404, message: 'The requested webhook is not registered.' };

interface Sent {
	url: string;
	body: string;
	timeout: number;
}

/** n8n's helpers with one response to all requests, or none. */
function contextWith(statusCode?: number, body?: unknown) {
	const sent: Sent[] = [];
	const httpRequest = async (request: Sent) => {
		sent.push(request);
		if (statusCode === undefined) throw new Error('socket hang up');
		return { statusCode, body };
	};
	return { sent, context: { helpers: { httpRequest } } as never };
}

const hello: TriggerRequest = { is: 'hello' };
const late: TriggerRequest = { is: 'late', id: 'run', run: '[]', keys: ['key'] };

const responses: Array<[TriggerRequest, number | undefined, unknown, unknown]> = [
	[hello, 200, { inbox: 'yes' }, { inbox: 'yes' }],
	[hello, 200, { inbox: 'other', owner: trigger }, { inbox: 'other', owner: trigger }],
	[late, 200, { inbox: 'busy' }, { inbox: 'busy' }],
	[hello, 500, { inbox: 'yes' }, undefined],
	[hello, 200, { inbox: 1 }, undefined],
	[late, 500, { message: 'Error in workflow' }, undefined],
	[late, 503, '', undefined],
	[late, 403, {}, { inbox: 'no' }],
	[late, 404, missing, 'gone'],
	[hello, 403, { message: 'Not from this n8n' }, { inbox: 'no' }],
	[hello, 403, page, undefined],
	[hello, 401, { message: 'Not from this n8n' }, undefined],
	[hello, 404, missing, 'gone'],
	[hello, 404, page, undefined],
	[hello, 404, {}, undefined],
	[hello, 404, '', undefined],
	[hello, 502, missing, undefined],
	[hello, undefined, undefined, undefined],
];
for (const body of [undefined, null, '', {}, { message: 'Workflow was started' }]) {
	responses.push([hello, 200, body, undefined]);
	responses.push([late, 200, body, { inbox: 'yes', isStarted: true }]); // n8n's own response
}
for (const body of [page, [page], 7]) {
	responses.push([hello, 200, body, undefined]);
	responses.push([late, 200, body, undefined]);
}

test.each(responses)(
	'%j: after the response %p %j, the result is %j',
	async (request, status, body, result) => {
		const { context } = contextWith(status, body);
		expect(await callsOf(context, secret).callTrigger(trigger, request)).toEqual(result);
	},
);

test('a call to a trigger can be decrypted only by that trigger, and n8n gives it no redirect', async () => {
	const { context, sent } = contextWith(200, {});
	await callsOf(context, secret).callTrigger(trigger, late);
	const [{ body, timeout, ...rest }] = sent;
	expect(rest).toEqual({
		...{ method: 'POST', url: trigger, headers: { 'Content-Type': 'application/json' } },
		...{ json: true, returnFullResponse: true },
		...{ ignoreHttpStatusErrors: true, disableFollowRedirect: true },
	});
	expect(timeout).toBe(10_000 + Math.round(body.length / 100));
	const content = JSON.parse(body) as { event: string };
	expect(content.event).toBe('business-messaging.inbox');
	expect(openRequest(secret, content, trigger)).toEqual(late);
	expect(openRequest('another key', content, trigger)).toBeUndefined();
	expect(openRequest(secret, content, `${trigger}s`)).toBeUndefined();
});

const sealedAt = (at?: number, to = trigger) => ({
	data: { sealed: seal(secret, JSON.stringify({ at, to, content: hello })) },
});

test.each([
	[0, true],
	[-300_000, true],
	[-300_001, false],
	[300_000, true],
	[300_001, false],
])('a call that was made %d ms from now is accepted: %p', (difference, isAccepted) => {
	jest.spyOn(Date, 'now').mockReturnValue(now);
	const opened = openRequest(secret, sealedAt(now + difference), trigger);
	expect(opened).toEqual(isAccepted ? hello : undefined);
});

test.each([
	...[undefined, null, '', 'text', [], {}, { data: null }, { data: 'text' }, { data: {} }],
	...[{ data: { sealed: 7 } }, { data: { sealed: 'AAAA' } }],
	...[sealedAt(), sealedAt(Date.now(), 'https://n8n.test/webhook/b/webhook')],
])('a call with the body %j is refused', (body) => {
	expect(openRequest(secret, body, trigger)).toBeUndefined();
});

const id = 'AAAAAAAAAAA';
const run: Run = {
	...{ id, url: `https://n8n.test/webhook-waiting/1/node?wait=${id}&signature=${'a'.repeat(64)}` },
	...{ owner: trigger, triggers: [], startedAt: now, until: now + 60_000, leaseUntil: now },
	...{ isWhole: true, isOver: false, started: [], notAsked: [], questions: [], people: new Map() },
};

test('a run can read only replies that are for it, and were encrypted with the same key', async () => {
	const { context, sent } = contextWith(200, { accepted: id });
	expect(await callRun(context, secret, run, trigger, toRecord(run, trigger))).toBe('accepted');
	const [{ url, body, timeout }] = sent;
	expect(url).toBe(run.url);
	expect(timeout).toBe(300_000 + Math.round(body.length / 100));
	const content = JSON.parse(body) as { event: string };
	expect(content.event).toBe('business-messaging.replies');
	expect(openReplies(secret, content, id)).toEqual(run);
	expect(openReplies(secret, content, 'BBBBBBBBBBB')).toBeUndefined();
	expect(openReplies('another key', content, id)).toBeUndefined();
});

test('a run is asked whether it still waits by a call that contains nothing else', async () => {
	const { context, sent } = contextWith(200, { waiting: true });
	expect(await callRun(context, secret, run, trigger)).toBe('waiting');
	const [{ url, body, timeout }] = sent;
	expect([url, timeout]).toEqual([run.url, 10_000]);
	expect(JSON.parse(body)).toEqual({ event: 'business-messaging.poll' });
});

test.each<[number | undefined, unknown, string]>([
	[undefined, undefined, 'unknown'],
	[200, { waiting: 'true' }, 'unknown'],
	[200, { message: 'No action required' }, 'unknown'],
	[200, undefined, 'unknown'],
	[201, { waiting: true }, 'unknown'],
	[201, '<p>No action required</p>', 'unknown'],
	[401, page, 'stopped'],
	[403, { waiting: true }, 'unknown'],
	[404, { message: '' }, 'unknown'],
	[404, {}, 'unknown'],
	[404, { message: 404 }, 'unknown'],
	[409, { message: 'The execution "1" is locked.' }, 'unknown'],
	[410, page, 'gone'],
	[500, { message: 'Error: Cannot read properties of undefined' }, 'unknown'],
	[500, page, 'unknown'],
	[503, { message: 'The execution "1" is running already.' }, 'unknown'],
	[502, { message: 'Cannot read properties of undefined' }, 'unknown'],
])('after the response %p %j, the state of a run is "%s"', async (status, body, state) => {
	const { context } = contextWith(status, body);
	expect(await callRun(context, secret, run, trigger)).toBe(state);
});
