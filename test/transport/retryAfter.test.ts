/** How long the service asks to wait, in all the ways in which services of this kind say so: from its words about a wait that is too long. */
import { useService } from '../support/service';

const service = useService();
const hourMs = 3_600_000;
const inTwoHours = () => Date.now() + 2 * hourMs;
let made = 0;

test.each<[string, () => Record<string, string>, unknown, number]>([
	['seconds', () => ({ 'retry-after': '3600' }), undefined, 60],
	['a date', () => ({ 'retry-after': new Date(inTwoHours()).toUTCString() }), undefined, 120],
	[
		'a date by a clock that is wrong',
		() => ({
			date: 'Tue, 01 Jan 2030 10:00:00 GMT',
			'retry-after': 'Tue, 01 Jan 2030 11:00:00 GMT',
		}),
		undefined,
		60,
	],
	['milliseconds', () => ({ 'retry-after-ms': '1800000' }), undefined, 30],
	[
		'milliseconds rather than seconds',
		() => ({ 'retry-after-ms': '1800000', 'retry-after': '7200' }),
		undefined,
		30,
	],
	[
		'no readable milliseconds, but seconds',
		() => ({ 'retry-after-ms': 'soon', 'retry-after': '7200' }),
		undefined,
		120,
	],
	[
		'a Unix time',
		() => ({ 'x-ratelimit-reset': String(Math.round(inTwoHours() / 1000)) }),
		undefined,
		120,
	],
	['a Unix time in ms', () => ({ 'x-rate-limit-reset': String(inTwoHours()) }), undefined, 120],
	['seconds until the reset', () => ({ 'ratelimit-reset': ' 1800 ' }), undefined, 30],
	['seconds after', () => ({ 'x-ratelimit-reset-after': '1800' }), undefined, 30],
	['RateLimit with t', () => ({ ratelimit: '"default";r=0;t=1800' }), undefined, 30],
	[
		'RateLimit with reset',
		() => ({ ratelimit: 'limit=10, remaining=0, reset=1800' }),
		undefined,
		30,
	],
	['the body', () => ({}), { retry_after: 1800 }, 30],
	['a part of the body', () => ({}), { error: { code: 429, retryAfter: 1800 } }, 30],
])('%s', async (_, headers, body, minutes) => {
	const apiKey = `key for wait ${++made}`.replaceAll(' ', '-'); // a key of its own has a pace of its own
	service.sandbox.state.keys.create('Other', apiKey);
	await service.fault({ endpoint: 'getCurrentAccount', status: 429, headers: headers(), body });
	const { error } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
		credentials: service.credentials({ apiKey }),
	});
	expect(error).toMatchObject({
		message: `The service limits the rate and asks to wait another ${minutes} minutes [item 0]`,
		description: expect.stringContaining('Run it again then.'),
		context: { sendStatus: 'notSent' },
	});
	expect(service.calls('getCurrentAccount')).toBe(1);
});
