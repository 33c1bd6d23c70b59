/** When people may get messages, in their own time zones. */
import { sortBy, uniq } from 'lodash';
import { DateTime } from 'luxon';

import type { SendWindow } from '../operations/sending/audienceRules';
import { InputError } from '../transport/errors';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
/** How far ahead an opening is searched, ms: a window that opens once a week opens within this time. */
const searchedMs = 8 * 24 * 60 * minuteMs;

/**
 * When a message may go out: a moment that is inside the window in all time zones.
 *
 * @param zones IANA time zones
 * @param now ms since 1970
 * @returns undefined for now, else ms since 1970
 * @throws InputError if the time zone is not known, or if there is no such moment within a week
 */
export function nextOpening(window: SendWindow, zones: string[], now: number): number | undefined {
	if (zones.length === 0)
		throw new InputError(
			'The time zone of this phone number is not known',
			"Set 'Time Zone' in 'Send Window'.",
		);
	if (isOpen(window, zones, now)) return undefined;
	const opening = nextMinute(window, now, (time) => isOpen(window, zones, time));
	if (opening !== undefined) return opening;
	throw new InputError(
		"'Send Window' is never open in all time zones of the recipient's country at once",
		"Make the window longer, or set 'Time Zone' in 'Send Window'.",
	);
}

/** When a window that is open at a time closes in one of the time zones, ms since 1970; undefined if it does not within a week. */
export function nextClosing(window: SendWindow, zones: string[], time: number): number | undefined {
	return nextMinute(window, time, (minute) => !isOpen(window, zones, minute));
}

function isOpen(window: SendWindow, zones: string[], time: number): boolean {
	return zones.every((zone) => isInside(window, DateTime.fromMillis(time, { zone })));
}

/**
 * The next minute that fits. Daylight saving time can open or close a window at any quarter of an hour, so each quarter
 * is checked. The offsets of all time zones are multiples of a quarter, too, so of the minutes between, only those count
 * in which a period begins or ends.
 */
function nextMinute(
	{ periods }: SendWindow,
	now: number,
	fits: (time: number) => boolean,
): number | undefined {
	const limits = periods.flatMap(({ opens, closes }) => [opens % 15, closes % 15]);
	const minutes = sortBy(uniq([0, ...limits]));
	const first = now - (now % quarterMs);
	for (let quarter = first; quarter < first + searchedMs; quarter += quarterMs) {
		const times = minutes.map((minute) => quarter + minute * minuteMs);
		const found = times.find((time) => time > now && fits(time));
		if (found !== undefined) return found;
	}
	return undefined;
}

function isInside({ days, periods }: SendWindow, local: DateTime): boolean {
	const minute = local.hour * 60 + local.minute;
	const isToday = days.includes(local.weekday);
	const isFromYesterday = days.includes(((local.weekday + 5) % 7) + 1);
	return periods.some(({ opens, closes }) => {
		if (opens < closes) return isToday && opens <= minute && minute < closes;
		return (isToday && minute >= opens) || (isFromYesterday && minute < closes);
	});
}
