import type { ServiceResponse } from './readResponse';

/** Headers with a number of seconds, a Unix time in seconds or ms, or a date. The first header that is present counts. */
const headerNames = [
	'retry-after',
	'x-ratelimit-reset',
	'x-rate-limit-reset',
	'ratelimit-reset',
	'x-ratelimit-reset-after',
];

/** How long a response asks us to wait, ms; undefined if no header says so. Assumption: the usual headers. */
export function readRetryAfter({ headers }: ServiceResponse): number | undefined {
	const header = (name: string) => {
		const value = headers[name];
		return typeof value === 'string' ? value.trim() : '';
	};
	const ms = header('retry-after-ms');
	if (ms && Number(ms) >= 0) return Number(ms);
	const now = Date.parse(header('date')) || Date.now(); // the service's clock, if it shows it
	const moment = readMoment(headerNames.map(header).find(Boolean) ?? '', now);
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

function readMoment(text: string, now: number): number {
	const number = text === '' ? NaN : Number(text);
	if (Number.isNaN(number)) return Date.parse(text);
	if (number > 1e11) return number; // Unix time in ms
	return number > 1e8 ? number * 1000 : now + number * 1000;
}
