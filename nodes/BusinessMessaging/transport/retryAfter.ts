/** How long the service asks to wait. Assumption: the headers in common use, as the specification shows none. */
import { isRecord } from '../api/read';
import type { ServiceResponse } from './errors';

/**
 * Reads `Retry-After` (seconds or a date), `Retry-After-Ms`, the reset of `X-RateLimit-Reset`, `X-Rate-Limit-Reset`,
 * `RateLimit-Reset`, `X-RateLimit-Reset-After` and `RateLimit`, or the seconds that the body tells.
 *
 * @returns ms to wait from now on; undefined if nothing says so
 */
export function readRetryAfter({
	headers,
	body,
}: Pick<ServiceResponse, 'headers'> & { body?: unknown }): number | undefined {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' || typeof value === 'number'
			? String(value).trim()
			: undefined;
	};
	const now = Date.parse(header('date') ?? '') || Date.now(); // the service's clock, where it shows it
	const ms = Number(header('retry-after-ms') ?? Number.NaN);
	if (Number.isFinite(ms)) return Math.max(0, ms);
	const reset =
		header('retry-after') ??
		header('x-ratelimit-reset') ??
		header('x-rate-limit-reset') ??
		header('ratelimit-reset') ??
		header('x-ratelimit-reset-after') ??
		/\b(?:t|reset)=(\d+)/.exec(header('ratelimit') ?? '')?.[1] ??
		secondsIn(body);
	return reset === undefined ? undefined : readMoment(reset, now);
}

/** Some services tell it in the body, or in a part of it. */
function secondsIn(body: unknown): string | undefined {
	if (!isRecord(body)) return undefined;
	const places = [body, ...Object.values(body).filter(isRecord)];
	const seconds = places
		.flatMap((place) => [place.retry_after, place.retryAfter])
		.find((value) => typeof value === 'number');
	return seconds?.toString();
}

/** A number of seconds, a Unix time in seconds or ms, or a date. */
function readMoment(text: string, now: number): number | undefined {
	const number = Number(text);
	const moment = Number.isNaN(number) ? Date.parse(text) : unixTime(number, now);
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

function unixTime(number: number, now: number): number {
	if (number > 1e11) return number;
	return number > 1e8 ? number * 1000 : now + number * 1000;
}
