/** How long the service asks to wait. Assumption: the headers in common use, as the specification shows none. */
import type { ServiceResponse } from './errors';

/**
 * Reads `Retry-After` (seconds or a date), `Retry-After-Ms`, and the reset of `X-RateLimit-Reset`, `RateLimit-Reset`,
 * `X-RateLimit-Reset-After` and `RateLimit`.
 *
 * @returns ms to wait from now on; undefined if no header says so
 */
export function readRetryAfter({ headers }: Pick<ServiceResponse, 'headers'>): number | undefined {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined;
	};
	const now = Date.parse(header('date') ?? '') || Date.now(); // the service's clock, where it shows it
	const ms = Number(header('retry-after-ms') ?? Number.NaN);
	if (Number.isFinite(ms)) return Math.max(0, ms);
	const reset =
		header('retry-after') ??
		header('x-ratelimit-reset') ??
		header('ratelimit-reset') ??
		header('x-ratelimit-reset-after') ??
		/\bt=(\d+)/.exec(header('ratelimit') ?? '')?.[1];
	return reset === undefined ? undefined : readMoment(reset, now);
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
