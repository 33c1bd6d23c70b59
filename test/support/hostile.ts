/** Deliveries that mean no good, the same for one seed, and whether a receiver takes longer over them than over honest ones. */
import fc from 'fast-check';

/** A delivery that must not start anything. */
export interface Attack {
	/** Which kind of attack it is. */
	name: string;
	body: string;
	headers: Record<string, string>;
	/** The URL that it goes to, made of the registered one. */
	urlOf: (registered: string) => string;
}

/** Sends a body to a URL, by default the registered one, and gives the status of the answer. */
export type Deliver = (
	body: string,
	headers?: Record<string, string>,
	urlOf?: Attack['urlOf'],
) => Promise<number>;

/** The trigger's filter during the attacks: with each further letter, JavaScript's own engine takes twice as long over some texts. */
export const evilPattern = '^(\\w+\\s?)*$';

const customer = '+15550001111';
const event = (data: object) =>
	JSON.stringify({ event: 'message.received', data: { from: customer, text: 'Hello', ...data } });

/** The trigger takes no larger ones unless told, bytes. */
const sizeLimit = 1_000_000;

/** An event that the trigger wants. @param size bytes to fill, as far as an empty event is smaller and no limit in the way */
export function honestBody(id: string, size = 0): string {
	const [part, empty] = [{ a: 1 }, event({ id, more: [] })];
	const parts = Math.max(
		0,
		Math.floor((Math.min(size, sizeLimit) - empty.length) / (JSON.stringify(part).length + 1)),
	);
	return event({ id, more: Array.from({ length: parts }, () => part) });
}

/** The event that has to be delivered before the attacks, which then repeat it. */
export const replayed = honestBody('replayed');

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const json = (value: unknown) => JSON.stringify(value) ?? 'null';
const unwantedKinds = [
	'message.read',
	'MESSAGE.RECEIVED',
	' message.received',
	'message.received\u0000',
	'*',
	'__proto__',
	'constructor',
	'x'.repeat(100_000),
];
const letter = (letters: number) => fc.nat(letters - 1);

/** Bodies under the right secret. */
const bodies: Record<string, fc.Arbitrary<string>> = {
	'any JSON': fc.json({ maxDepth: 5 }),
	'an envelope of any types': fc
		.record(
			{
				event: fc.oneof(fc.anything(), fc.constantFrom(...unwantedKinds)),
				data: fc.anything(),
				id: fc.anything(),
			},
			{ requiredKeys: [] },
		)
		.map((value) => json(value))
		.filter((body) => !body.includes('message.received"')),
	'data that is no object': fc
		.oneof(fc.constantFrom(null, [], true, ''), fc.double(), fc.string(), fc.array(fc.jsonValue()))
		.map((data) => json({ event: 'message.received', data })),
	'a kind that was not chosen': fc
		.constantFrom(...unwantedKinds)
		.map((kind) => json({ event: kind, data: {} })),
	'a prototype': fc.constantFrom(
		'{"__proto__":{"event":"message.received","data":{}},"constructor":1}',
		'{"event":{"__proto__":"message.received"},"data":{"__proto__":{}}}',
	),
	'deep nesting': fc
		.constantFrom(101, 1_000, 20_000)
		.map((depth) => `{"event":"message.received","data":${nested(depth)}}`),
	'deep lists': fc
		.constantFrom(101, 20_000)
		.map(
			(depth) =>
				`{"event":"message.received","data":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
		),
	'a huge field': fc
		.nat(200_000)
		.map((length) => json({ event: 'message.read', data: { text: 'x'.repeat(length) } })),
	'a body over the limit': fc.constant(event({ id: 'large', text: 'x'.repeat(1_100_000) })),
	'JSON cut off': letter(20).map((rest) => replayed.slice(0, -1 - rest)),
	'JSON and more': fc
		.string({ minLength: 1 })
		.filter((more) => more.trim() !== '')
		.map((more) => replayed + more),
	'a key given twice': fc.constant('{"event":"message.received","event":1,"data":{}}'),
	'any text': fc.string({ unit: 'binary', maxLength: 500 }),
	'a text that a pattern chokes on': fc
		.integer({ min: 18, max: 24 })
		.map((length) => event({ id: `choke ${length}`, text: `${'a'.repeat(length)}!` })),
	'a replay': fc.constant(replayed),
};

const urls: Array<(url: string) => string> = [
	(url) => url.split('?')[0],
	(url) => `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`,
	(url) => `${url}A`,
	(url) => url.replace('token=', 'token[]='),
	(url) => url.replace('token=', 'token=&token='),
	(url) => url.replace('token=', 'Token='),
	(url) => url.replace(/token=.*/, 'token='),
	(url) => url.replace(/token=.*/, 'token=%00'),
	(url) => url.replace(/token=.*/, `token=${'x'.repeat(2_000)}`),
	(url) => url.replace(/token=.*/, 'token=..%2f..'),
];
const types = [
	'application/json',
	'application/json; charset=utf-16',
	'text/plain',
	'application/octet-stream',
	'application/x-www-form-urlencoded',
	'',
];

const contentType = fc.constantFrom(...types).map((type) => ({ 'Content-Type': type }));
const asIs = (url: string) => url;
const withBadBody = Object.entries(bodies).map(([name, body]) =>
	fc.record({ name: fc.constant(name), body, headers: contentType, urlOf: fc.constant(asIs) }),
);
const withBadSecret = fc.record({
	name: fc.constant('a wrong secret'),
	body: fc.nat(1_000).map((n) => honestBody(`forged ${n}`)),
	headers: contentType,
	urlOf: fc.constantFrom(...urls),
});

/** Attacks of all kinds, a fifth of them with a wrong secret. */
export function attacks(count: number, seed: number): Attack[] {
	const weighted = withBadBody.map((arbitrary) => ({ weight: 4, arbitrary }));
	return fc.sample(
		fc.oneof(...weighted, { weight: withBadBody.length, arbitrary: withBadSecret }),
		{ numRuns: count, seed },
	);
}

/** How long some deliveries took, ms each. */
export async function timed<T>(task: () => Promise<T>): Promise<{ result: T; ms: number }> {
	const start = performance.now();
	const result = await task();
	return { result, ms: performance.now() - start };
}

const tries = 10;
const slack = { factor: 1.5, ms: 5 };

/**
 * Measures attacks against honest deliveries of the same size, in turn and one at a time. The best of several tries
 * counts for each, as a busy machine makes some slow, but never all of one and none of the other. Before each one goes a
 * call without a secret, as n8n answers faster the longer it had nothing to do.
 *
 * @param honest gives an honest body of a size in bytes, new with each call
 * @returns the attacks that take longer
 */
export async function slowOnes(
	suspects: Attack[],
	deliver: Deliver,
	honest: (size: number) => string,
): Promise<string[]> {
	const measure = async (send: () => Promise<number>) => {
		await deliver('{}', {}, (url) => url.split('?')[0]);
		return (await timed(send)).ms;
	};
	const slow: string[] = [];
	for (const { name, body, headers, urlOf } of suspects) {
		const best = { attack: Infinity, honest: Infinity };
		const isSlow = () => best.attack > best.honest * slack.factor + slack.ms;
		for (let n = 0; n < tries && (n < 2 || isSlow()); n++) {
			best.honest = Math.min(
				best.honest,
				await measure(async () => await deliver(honest(body.length))),
			);
			best.attack = Math.min(
				best.attack,
				await measure(async () => await deliver(body, headers, urlOf)),
			);
		}
		if (isSlow())
			slow.push(
				`${name} (${body.length} characters): ${best.attack.toFixed(1)} ms, honest ${best.honest.toFixed(1)} ms`,
			);
	}
	return slow;
}

/** The slowest attacks of each kind. */
export function slowest(
	measured: Array<{ attack: Attack; ms: number }>,
	ofEachKind: number,
): Attack[] {
	const sorted = [...measured].sort((a, b) => b.ms - a.ms);
	const kinds = new Set(sorted.map(({ attack }) => attack.name));
	return [...kinds]
		.flatMap((kind) => sorted.filter(({ attack }) => attack.name === kind).slice(0, ofEachKind))
		.map(({ attack }) => attack);
}
