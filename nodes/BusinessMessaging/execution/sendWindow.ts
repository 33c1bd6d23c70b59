/** When people may get messages, in their own time zones. */
import { DateTime } from 'luxon';

import type { SendWindow } from '../operations/message/audience';
import { InputError } from '../transport/errors';

const minuteMs = 60_000;
/** A window that opens once a week opens within this time, ms. */
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
	const isOpen = (time: number) =>
		zones.every((zone) => isInside(window, DateTime.fromMillis(time, { zone })));
	if (isOpen(now)) return undefined;
	// Minute by minute, because daylight saving time can open or close a window at any time.
	const nextMinute = (Math.floor(now / minuteMs) + 1) * minuteMs;
	for (let time = nextMinute; time < nextMinute + searchedMs; time += minuteMs)
		if (isOpen(time)) return time;
	throw new InputError(
		"'Send Window' is never open in all time zones of the recipient's country at once",
		"Make the window longer, or set 'Time Zone' in 'Send Window'.",
	);
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
