/** When people may get messages, in their own time zones. */
import { DateTime } from 'luxon';

import type { SendWindow } from '../operations/sending/audienceRules';
import { InputError } from '../transport/errors';

const minuteMs = 60_000;
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
	const opening = nextMinute(now, (time) => isOpen(window, zones, time));
	if (opening !== undefined) return opening;
	throw new InputError(
		"'Send Window' is never open in all time zones of the recipient's country at once",
		"Make the window longer, or set 'Time Zone' in 'Send Window'.",
	);
}

/** When a window that is open at a time closes in one of the time zones, ms since 1970; undefined if it does not within a week. */
export function nextClosing(window: SendWindow, zones: string[], time: number): number | undefined {
	return nextMinute(time, (minute) => !isOpen(window, zones, minute));
}

function isOpen(window: SendWindow, zones: string[], time: number): boolean {
	return zones.every((zone) => isInside(window, DateTime.fromMillis(time, { zone })));
}

/** The next minute that fits. Every minute is checked, because daylight saving time can open or close a window at any time. */
function nextMinute(now: number, fits: (time: number) => boolean): number | undefined {
	const first = (Math.floor(now / minuteMs) + 1) * minuteMs;
	for (let time = first; time < first + searchedMs; time += minuteMs) if (fits(time)) return time;
	return undefined;
}

function isInside({ days, periods }: SendWindow, local: DateTime): boolean {
	const minute = local.hour * 60 + local.minute;
	const isToday = days.includes(local.weekday);
	const isFromYesterday = days.includes(local.minus({ days: 1 }).weekday);
	return periods.some(({ opens, closes }) => {
		if (opens < closes) return isToday && opens <= minute && minute < closes;
		return (isToday && minute >= opens) || (isFromYesterday && minute < closes);
	});
}
