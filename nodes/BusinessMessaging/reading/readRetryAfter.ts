import type { ServiceResponse } from './readResponse';

/** Headers with a number of ms. */
const msHeaders = ['retry-after-ms', 'x-ratelimit-reset-ms'];
/**
 * Headers with a period in seconds, a Unix time in seconds or ms, or a date. The first header that is present counts.
 * Some services write the reset of a rate in ms.
 */
const headerNames = [
	'retry-after',
	'x-ratelimit-reset',
	'x-rate-limit-reset',
	'ratelimit-reset',
	'x-ratelimit-reset-after',
];
/** A greater number in a header of a reset is read as ms, because a rate does not take longer to recover than an hour. */
const maxResetSeconds = 3_600;

/** How long a response asks us to wait, ms; Infinity if for ever, undefined if no header says so. Assumption: the usual headers. */
export function readRetryAfter({ headers }: ServiceResponse): number | undefined {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' ? value.trim() : '';
	};
	const ms = msHeaders.map(header).find((text) => text && Number(text) >= 0);
	if (ms) return Number(ms);
	const now = Date.parse(header('date')) || Date.now(); // the service's clock, if it shows it
	const name = headerNames.find(header) ?? '';
	const moment = readMoment(header(name), now, name.includes('reset'));
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

function readMoment(text: string, now: number, isReset: boolean): number {
	const number = text === '' ? NaN : Number(text);
	if (Number.isNaN(number)) return Date.parse(text);
	if (number > 1e11) return number; // Unix time in ms
	if (number > 1e8) return number * 1000;
	return now + (isReset && number > maxResetSeconds ? number : number * 1000);
}
