/** Calls between our nodes: each is valid once, for its receiver, and only with content of the expected form. */
import { omit } from 'lodash';
import { z } from 'zod';

import { CallReader, openResponse, sealCall } from '../../../nodes/BusinessMessaging/inbox/calls';
import { requestSchema } from '../../../nodes/BusinessMessaging/inbox/protocol';
import { SteadyClock } from '../../../nodes/BusinessMessaging/inbox/steadyClock';
import { arrivalOf, own } from './parts';

const minuteMs = 60_000;
const start = 1_900_000_000_000;

/** A process that started at `start`; `now` is n8n's clock, which was put back by `backMs`. */
function make() {
	const clock = { now: start + minuteMs, backMs: 0 };
	const reader = new CallReader({
		now: () => clock.now - clock.backMs,
		startedAt: () => start - clock.backMs,
	});
	const call = (content: unknown, at = clock.now - clock.backMs) =>
		JSON.parse(JSON.stringify(sealCall('key', own, content, at).body)) as object;
	return { clock, reader, call };
}

const what = (more: object) => {
	const arrival = omit(arrivalOf({ key: 'm' }), 'firstAt');
	const messages = [{ arrival: { ...arrival, ...more }, name: 'p.1', ageMs: 0 }];
	return { is: 'what', from: { trigger: own, registeredAt: 0 }, messages };
};

test('what a message does not have is absent on the other side, too', () => {
	const { reader, call } = make();
	const opened = reader.open('key', own, call(what({})), requestSchema);
	expect(opened).toMatchObject({ content: what({}) });
	expect(JSON.stringify(opened)).not.toContain('time');
});

test.each<[what: string, content: unknown]>([
	['a time that is no number', what({ time: Number.NaN })],
	['a message without a key', what({ key: undefined })],
	[
		'a message from the future of its trigger',
		{ ...what({}), messages: [{ ...what({}).messages[0], ageMs: -1 }] },
	],
	['an unknown request', { is: 'unknown' }],
	['nothing', undefined],
])('a call with %s is refused', (_, content) => {
	const { reader, call } = make();
	expect(reader.open('key', own, call(content), requestSchema)).toBeUndefined();
});

test('a call is valid once', () => {
	const { reader, call } = make();
	const body = call({ is: 'hello' });
	expect(reader.open('key', own, body, requestSchema)).toMatchObject({ content: { is: 'hello' } });
	expect(reader.open('key', own, body, requestSchema)).toBeUndefined();
});

test("a call from before the process started, or before n8n's clock was put back, has to be made again; later ones count", () => {
	const { clock, reader, call } = make();
	expect(reader.open('key', own, call({ is: 'hello' }, start - 1), requestSchema)).toBe('notNow');
	const underWay = call({ is: 'hello' });
	clock.backMs = 10 * minuteMs;
	expect(reader.open('key', own, underWay, requestSchema)).toBe('notNow');
	expect(reader.open('key', own, call({ is: 'hello' }), requestSchema)).toBeInstanceOf(Object);
});

test('a response counts only if it is sealed for this call and has the expected form', () => {
	const { reader } = make();
	const { once, body } = sealCall('key', own, { is: 'hello' }, start + minuteMs);
	const opened = reader.open('key', own, body, requestSchema);
	if (!opened || opened === 'notNow') throw new Error('not opened');
	const schema = z.object({ inbox: z.literal('yes') });
	const response = opened.respond({ inbox: 'yes' });
	expect(openResponse('key', once, response, schema)).toEqual({ inbox: 'yes' });
	expect(openResponse('key', 'another', response, schema)).toBeUndefined();
	expect(openResponse('key', once, opened.respond({ inbox: 'maybe' }), schema)).toBeUndefined();
	expect(openResponse('key', once, { inbox: 'yes' }, schema)).toBeUndefined();
});

test('a clock for what came first never goes back, and is later than all that was stored', () => {
	const world = { now: 1_000 };
	const clock = new SteadyClock(() => world.now);
	const seen = [1_000, 1_500, 400, 450, 2_000].map((now) => {
		world.now = now;
		return clock.now();
	});
	expect(seen).toEqual([1_000, 1_500, 1_500, 1_550, 3_100]);
	clock.learn(9_000);
	expect(clock.now()).toBe(9_000);
});
