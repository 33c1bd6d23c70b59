/** Malicious deliveries: none starts an execution, makes the node fail, or keeps it busy. */
import fc from 'fast-check';
import { chunk, uniq } from 'lodash';

import { Triggers, useService } from '../support/service';

const service = useService();
const triggers = new Triggers(service);

const count = 1_000;
const atOnce = 20;
const seed = Number(process.env.TEST_SEED ?? 1);

interface Attack {
	body: string;
	/** The URL that it goes to, made of the registered one. */
	urlOf: (registered: string) => string;
}

const event = (data: object) =>
	JSON.stringify({
		event: 'message.received',
		data: { from: '+15550001111', text: 'Hello', ...data },
	});
const replayed = event({ id: 'replayed' });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const depths = fc.constantFrom(101, 20_000);
const unwantedKinds = fc.constantFrom(
	'message.read',
	'MESSAGE.RECEIVED',
	'message.received\u0000',
	'__proto__',
	'x'.repeat(100_000),
);
const isWanted = (body: string) => body.includes('message.received"');

/** Bodies under the right secret. */
const bodies = fc.oneof(
	fc.json({ maxDepth: 5 }),
	fc
		.record({ event: fc.anything(), data: fc.anything(), id: fc.anything() }, { requiredKeys: [] })
		.map((value) => JSON.stringify(value) ?? 'null')
		.filter((body) => !isWanted(body)),
	fc
		.oneof(fc.constantFrom(null, [], true, ''), fc.double(), fc.string())
		.map((data) => JSON.stringify({ event: 'message.received', data })),
	unwantedKinds.map((kind) => JSON.stringify({ event: kind, data: {} })),
	fc.constant('{"event":{"__proto__":"message.received"},"data":{"__proto__":{}}}'),
	depths.map((depth) => `{"event":"message.received","data":${nested(depth)}}`),
	depths.map((depth) => `{"event":"message.received","data":{"a":${lists(depth)}}}`),
	fc.constant(event({ id: 'large', text: 'x'.repeat(1_100_000) })),
	fc.nat(19).map((rest) => replayed.slice(0, -1 - rest)),
	fc
		.string({ minLength: 1 })
		.filter((more) => more.trim() !== '')
		.map((more) => replayed + more),
	fc.constant('{"event":"message.received","event":1,"data":{}}'),
	fc.string({ unit: 'binary', maxLength: 500 }),
	fc.constant(replayed),
);

const wrongSecrets: Array<(url: string) => string> = [
	(url) => url.split('?')[0],
	(url) => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
	(url) => url.replace('token=', 'token[]='),
	(url) => url.replace('token=', 'token=&token='),
	(url) => url.replace(/token=.*/, 'token=%00'),
	(url) => url.replace(/token=.*/, `token=${'x'.repeat(2_000)}`),
];
const types = ['application/json', 'application/json; charset=utf-16', 'text/plain', ''];
const rightUrl = (url: string) => url;

const attacks: fc.Arbitrary<Attack> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ body: bodies, urlOf: fc.constant(rightUrl) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			body: fc.nat(1_000).map((n) => event({ id: `forged ${n}` })),
			urlOf: fc.constantFrom(...wrongSecrets),
		}),
	},
);

test(`${count} hostile deliveries start nothing, and honest ones still do (TEST_SEED=${seed})`, async () => {
	const trigger = await triggers.active();
	const url = triggers.urlOf(trigger);
	const deliver = async ({ body, urlOf }: Attack, index = 0) => {
		const headers = { 'Content-Type': types[index % types.length] };
		return (await triggers.deliver(trigger, body, headers, urlOf(url))).status;
	};
	expect(await deliver({ body: replayed, urlOf: rightUrl })).toBe(200);

	const statuses: number[] = [];
	for (const some of chunk(fc.sample(attacks, { numRuns: count, seed }), atOnce))
		statuses.push(...(await Promise.all(some.map(deliver))));
	expect(uniq(statuses).sort()).toEqual([200, 400, 401, 413, 422]);
	expect(trigger.executions).toHaveLength(1);
	expect(await deliver({ body: event({ id: 'honest' }), urlOf: rightUrl })).toBe(200);
	expect(trigger.executions).toHaveLength(2);
}, 120_000);
