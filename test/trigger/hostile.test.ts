/** Bodies and callers that mean no good: none starts an execution, none makes the node fail. */
import { useService } from '../support/service';
import { Triggers, numbers, received } from './support';

const service = useService();
const triggers = new Triggers(service);

const count = 1_000;
const atOnce = 20;

const random = numbers(7);
const pick = <T>(list: T[]): T => list[random(list.length)];
const nested = (depth: number, inner = '1') => `${'{"a":'.repeat(depth)}${inner}${'}'.repeat(depth)}`;
const junk = () => pick<unknown>([null, true, 0, -1, 1e308, '', 'x', [], {}, [[]], { event: 'message.received' }, '\u0000', '😀', '__proto__', 'x'.repeat(5_000)]);

/** Bodies that are no event, or one that was not chosen. */
const bodies: Array<() => string> = [
	() => JSON.stringify(junk()),
	() => JSON.stringify({ event: junk(), data: junk() }),
	() => JSON.stringify({ event: 'message.received', data: pick([null, [], 'x', 1, [received()]]) }),
	() => JSON.stringify({ event: pick(['message.read', 'MESSAGE.RECEIVED', ' message.received', 'message.received\u0000', '*', '__proto__', 'constructor', 'x'.repeat(100_000)]), data: {} }),
	() => '{"__proto__":{"event":"message.received","data":{}},"constructor":1}',
	() => `{"event":"message.received","data":${nested(pick([101, 5_000, 50_000]))}}`,
	() => `{"event":"message.received","data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
	() => JSON.stringify(received()).slice(0, -1 - random(20)),
	() => `${JSON.stringify(received())},`,
	() => `\ufeff${JSON.stringify(received())}x`,
	() => Array.from({ length: random(200) }, () => String.fromCharCode(random(65_536))).join(''),
	() => '{"event":"message.received","event":1,"data":{}}',
];

const changes: Array<(url: string) => string> = [
	(url) => url.split('?')[0],
	(url) => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
	(url) => `${url}A`,
	(url) => url.replace('token=', 'token[]='),
	(url) => url.replace('token=', 'token=&token='),
	(url) => url.replace('token=', 'Token='),
	(url) => url.replace(/token=.*/, `token=${encodeURIComponent(pick(['', '\u0000', 'x'.repeat(2_000), '%', '../..']))}`),
];
const types = ['application/json', 'application/json; charset=utf-16', 'text/plain', 'application/octet-stream', 'application/x-www-form-urlencoded', ''];

test(`${count} of them`, async () => {
	const trigger = await triggers.active();
	const url = triggers.urlOf(trigger);
	await triggers.deliver(trigger, received());
	trigger.executions.length = 0;
	const statuses = new Set<number>();
	const attack = async () => {
		const headers = { 'Content-Type': pick(types) };
		const kind = random(4);
		const sent =
			kind === 0
				? await triggers.deliver(trigger, received({ id: `new ${random(1_000)}` }), headers, pick(changes)(url))
				: await triggers.deliver(trigger, kind === 1 ? received() : pick(bodies)(), headers, url);
		statuses.add(sent.status);
	};
	for (let n = 0; n < count; n += atOnce) await Promise.all(Array.from({ length: atOnce }, attack));
	expect(trigger.executions).toEqual([]);
	expect([...statuses].sort()).toEqual([200, 400, 401, 422]);
	expect((await triggers.deliver(trigger, received({ id: 'honest' }))).status).toBe(200);
	expect(trigger.executions).toHaveLength(1);
}, 120_000);
