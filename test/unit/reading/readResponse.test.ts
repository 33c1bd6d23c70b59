/** Responses that nobody has described are read in a time in proportion to their size, and times in any time zone. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { range } from 'lodash';
import { isTooDeep } from '../../../nodes/BusinessMessaging/jsonValues';
import * as reading from '../../../nodes/BusinessMessaging/reading/readResponse';
import { isRefusal, readErrorMessage } from '../../../nodes/BusinessMessaging/reading/readError';
import { readSend } from '../../../nodes/BusinessMessaging/reading/readSend';
import { readTemplates } from '../../../nodes/BusinessMessaging/reading/readTemplates';

const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);

type Reader = (body: unknown) => unknown;

const ofBody = Object.entries(reading).filter(([name]) => name.startsWith('read'));
const readers = new Map<string, Reader>([
	...(ofBody as Array<[string, Reader]>),
	['readTemplates', readTemplates as Reader],
	['isTooDeep', (body) => isTooDeep(body, 1_000)],
	['isRefusal', isRefusal],
	['readSend', (body) => readSend({ statusCode: 200, headers: {}, body })],
	['readErrorMessage', (body) => readErrorMessage(body)],
]);

/** Reads a JSON value, and counts how often a property of it, or of anything inside, is looked at. */
function looksOf(reader: Reader, body: unknown): number {
	let looks = 0;
	const proxies = new Map<unknown, unknown>();
	const wrap = (value: unknown): unknown => {
		if (typeof value !== 'object' || value === null) return value;
		if (!proxies.has(value)) {
			const get = (target: object, key: string | symbol) => {
				looks++;
				return wrap(Reflect.get(target, key));
			};
			proxies.set(value, new Proxy(value, { get }));
		}
		return proxies.get(value);
	};
	reader(wrap(body));
	return looks;
}

/** How many values a JSON value holds. */
function sizeOf(body: unknown): number {
	const inner = typeof body === 'object' && body !== null ? Object.values(body) : [];
	return inner.reduce((sum: number, value) => sum + sizeOf(value), 1);
}

/** Names that readers look for, any of which may hold the next level. */
const names =
	'error errors error_data message messages data details detail title meta items results contacts contact templates ' +
	'languages components paging links next body text value id status success _embedded';
const name = fc.constantFrom(...names.split(' '));
const leaf = fc.constantFrom<unknown>('', 'x', 0, false, null, [], {}, 'error', '<h1>x</h1>');
const around = fc.oneof(
	fc
		.tuple(name, fc.dictionary(name, leaf, { maxKeys: 3 }))
		.map(([key, beside]) => (inner: unknown) => ({ ...beside, [key]: inner })),
	fc.array(leaf, { maxLength: 3 }).map((beside) => (inner: unknown) => [inner, ...beside]),
);
const pattern = fc.array(around, { minLength: 1, maxLength: 4 });
/** JSON of many levels, one pattern of a few levels again and again. */
const hostileJson = fc
	.tuple(pattern, leaf, fc.integer({ min: 20, max: 60 }))
	.map(([wraps, innermost, levels]) =>
		range(levels).reduce((inner: unknown, level) => wraps[level % wraps.length](inner), innermost),
	);
const nestedError = range(22).reduce((error: unknown) => ({ error }), {});

test.each([...readers])(
	`%s looks at each part of a response a few times at most (TEST_SEED=${seed})`,
	(_, reader) => {
		const property = fc.property(hostileJson, (body) => {
			expect(looksOf(reader, body)).toBeLessThan(100 * sizeOf(body));
		});
		fc.assert(property, { seed, numRuns: 300, examples: [[nestedError]] });
	},
);

/** The shortest of some runs, ms: what disturbs a run only makes it longer. */
function shortest(work: () => unknown): number {
	const runs = range(7).map(() => {
		const start = performance.now();
		work();
		return performance.now() - start;
	});
	return Math.min(...runs);
}

test.each(['<', '<h1', '<title ', '<h1>', '&amp;', ' ', '<message>\n', '\u0130'])(
	'an error of %j, 160,000 characters of it, costs a small multiple of JSON.parse',
	(part) => {
		const text = `<${part.repeat(160_000 / part.length)}`;
		const json = JSON.stringify(text);
		const parsing = shortest(() => JSON.parse(json));
		// Where the time grows with the square of the size it is some ten thousand times as much.
		expect(shortest(() => readErrorMessage(text)) / (parsing + 0.1)).toBeLessThan(300);
	},
);

test.each([
	['2026-03-29T10:00:00', '2026-03-29T10:00:00Z'],
	['2026-03-29 10:00', '2026-03-29T10:00:00Z'],
	['2026-03-29T10:00:00.123', '2026-03-29T10:00:00.123Z'],
	['2026-03-29 10:00:00.123456', '2026-03-29T10:00:00.123Z'],
	['2026-03-29T10:00:00.5+02:00', '2026-03-29T08:00:00.500Z'],
])('the time %s is %s wherever n8n runs', (written, time) => {
	const read = `process.stdout.write(String(require('./dist/nodes/BusinessMessaging/reading/readResponse').asMilliseconds('${written}')))`;
	const env = { ...process.env, TZ: 'Asia/Kolkata' };
	expect(Number(execFileSync(process.execPath, ['-e', read], { env }))).toBe(Date.parse(time));
});
