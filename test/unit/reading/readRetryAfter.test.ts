/** How long a response asks to wait, in the headers that services use. */
import { readRetryAfter } from '../../../nodes/BusinessMessaging/reading/readRetryAfter';

const now = Date.parse('2026-11-27T10:00:00Z');
const inAMinute = now + 60_000;
const date = (ms: number) => new Date(ms).toUTCString();

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(now);
});

test.each<[Record<string, unknown>, number | undefined]>([
	[{}, undefined],
	[{ 'retry-after': '3' }, 3_000],
	[{ 'retry-after': ' 1.5 ' }, 1_500],
	[{ 'retry-after': '0' }, 0],
	[{ 'retry-after': '-5' }, 0],
	[{ 'retry-after': date(inAMinute) }, 60_000],
	[{ 'retry-after': date(now - 60_000) }, 0],
	[{ 'retry-after': 'soon' }, undefined],
	[{ 'retry-after': ' ' }, undefined],
	[{ 'retry-after': ['3'] }, undefined],
	[{ 'retry-after': 3 }, undefined],
	[{ 'x-ratelimit-reset': '60' }, 60_000],
	[{ 'x-ratelimit-reset': String(inAMinute / 1_000) }, 60_000],
	[{ 'x-ratelimit-reset': String(inAMinute) }, 60_000],
	[{ 'x-rate-limit-reset': '60' }, 60_000],
	[{ 'ratelimit-reset': '60' }, 60_000],
	[{ 'x-ratelimit-reset-after': '60' }, 60_000],
	// The first header with a text counts.
	[{ 'x-ratelimit-reset': '9', 'retry-after': '3' }, 3_000],
	[{ 'x-ratelimit-reset': '9', 'retry-after': '' }, 9_000],
	[{ 'x-ratelimit-reset': '9', 'retry-after': 'soon' }, undefined],
	// Milliseconds are more exact than seconds.
	[{ 'retry-after-ms': '250' }, 250],
	[{ 'retry-after-ms': ' 250 ', 'retry-after': '3' }, 250],
	[{ 'retry-after-ms': '0', 'retry-after': '3' }, 0],
	[{ 'retry-after-ms': '-1', 'retry-after': '3' }, 3_000],
	[{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3_000],
	[{ 'retry-after-ms': '', 'retry-after': '3' }, 3_000],
	[{ 'x-ratelimit-reset-ms': '250' }, 250],
	// A rate recovers within an hour, so a reset with a greater number is in ms. Retry-After is always in seconds.
	[{ 'x-ratelimit-reset': '3600' }, 3_600_000],
	[{ 'x-ratelimit-reset': '3601' }, 3_601],
	[{ 'x-rate-limit-reset': '30000' }, 30_000],
	[{ 'ratelimit-reset': '30000' }, 30_000],
	[{ 'x-ratelimit-reset-after': '30000' }, 30_000],
	[{ 'retry-after': '30000' }, 30_000_000],
	[{ 'retry-after': 'Infinity' }, Infinity],
	[{ 'x-ratelimit-reset': 'Infinity' }, Infinity],
	[{ 'retry-after-ms': 'Infinity', 'retry-after': '3' }, Infinity],
	// 100 million seconds are three years: up to this number it is a period, then a time.
	[{ 'retry-after': '100000000' }, 1e11],
	[{ 'x-ratelimit-reset': '100000000' }, 1e8],
	[{ 'x-ratelimit-reset': '100000001' }, 0],
	[{ 'x-ratelimit-reset': '100000000000' }, 1e14 - now],
	[{ 'x-ratelimit-reset': '100000000001' }, 0],
])('the headers %j ask to wait %j ms', (headers, wait) => {
	expect(readRetryAfter({ statusCode: 429, headers, body: undefined })).toBe(wait);
});

test.each([
	[date(now + 40_000), date(inAMinute), 20_000],
	[date(now + 40_000), '3', 3_000],
	['today', date(inAMinute), 60_000],
])("with the service's clock at %s, %s means %i ms", (clock, retryAfter, wait) => {
	const headers = { date: clock, 'retry-after': retryAfter };
	expect(readRetryAfter({ statusCode: 429, headers, body: undefined })).toBe(wait);
});
