/** How long the service asks to wait. Assumption: the headers in common use, as the specification shows none. */
import { isRecord } from '../api/read';
import type { ServiceResponse } from './errors';

/** Headers with seconds, a Unix time in seconds or ms, or a date; the first that a response has counts. */
const headerNames = [
	'retry-after',
	'x-ratelimit-reset',
	'x-rate-limit-reset',
	'ratelimit-reset',
	'x-ratelimit-reset-after',
];

/**
 * Reads `Retry-After-Ms`, one of the headers above, `RateLimit` or the `retry_after` of the body.
 *
 * @returns ms to wait from now on; undefined if nothing says so
 */
export function readRetryAfter({ headers, body }: Omit<ServiceResponse, 'statusCode'>) {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' ? value.trim() : '';
	};
	const ms = header('retry-after-ms');
	if (ms && Number(ms) >= 0) return Number(ms);
	const reset =
		headerNames.map(header).find(Boolean) ??
		/\b(?:t|reset)=(\d+)/.exec(header('ratelimit'))?.[1] ??
		secondsIn(body);
	if (reset === undefined) return undefined;
	const now = Date.parse(header('date')) || Date.now(); // the service's clock, where it shows it
	const moment = readMoment(reset, now);
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

/** Some services put the seconds into the body, or into a part of it. */
function secondsIn(body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const seconds = [body, ...Object.values(body).filter(isRecord)]
		.flatMap((place) => [place.retry_after, place.retryAfter])
		.find((value) => typeof value === 'number');
	return seconds?.toString();
}

function readMoment(text: string, now: number): number {
	const number = Number(text);
	if (Number.isNaN(number)) return Date.parse(text);
	if (number > 1e11) return number; // Unix time in ms
	return number > 1e8 ? number * 1000 : now + number * 1000;
}
