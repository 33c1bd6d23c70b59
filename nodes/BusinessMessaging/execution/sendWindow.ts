/** When people may get messages, in their own time zones. */
import { map, range, sortBy, uniq } from 'lodash';
import { DateTime } from 'luxon';

import type { SendWindow } from '../operations/sending/audienceRules';
import { InputError } from '../transport/errors';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
/** How far ahead an opening is searched, ms: a window that opens once a week opens within this time. */
const searchedMs = 8 * dayMs;

/**
 * The next moment inside the window in all time zones (IANA), ms since 1970; undefined if it is now.
 *
 * @throws InputError if the time zone is not known, or if there is no such moment within a week
 */
export function nextOpening(window: SendWindow, zones: string[], now: number): number | undefined {
	if (zones.length === 0)
		throw new InputError(
			'The time zone of this phone number is not known',
			"Set 'Time Zone' in 'Send Window'.",
		);
	const offsets = zones.map((zone) => offsetAt(zone, now));
	if (isOpen(window, offsets, now)) return undefined;
	const opening = nextMinute(window, zones, now, true);
	if (opening !== undefined) return opening;
	throw new InputError(
		"There is no moment at which 'Send Window' is open in all time zones of the recipient's country",
		"Make the window longer, or set 'Time Zone' in 'Send Window'.",
	);
}

/** When an open window closes in one of the time zones, ms since 1970; undefined if it does not within a week. */
export function nextClosing(window: SendWindow, zones: string[], time: number): number | undefined {
	return nextMinute(window, zones, time, false);
}

function isOpen(window: SendWindow, offsets: number[], time: number): boolean {
	return offsets.every((offset) => isInside(window, new Date(time + offset * minuteMs)));
}

/**
 * All offsets of time zones are multiples of a quarter of an hour, and change at a quarter. So each quarter is checked,
 * and of the minutes between only those in which a period begins or ends.
 */
function nextMinute(
	window: SendWindow,
	zones: string[],
	now: number,
	opens: boolean,
): number | undefined {
	const limits = window.periods.flatMap(({ opens, closes }) => [opens % 15, closes % 15]);
	const minutes = sortBy(uniq([0, ...limits]));
	const first = now - (now % quarterMs);
	const ofZones = zones.map((zone) => offsetsOf(zone, first));
	for (const [n, quarter] of range(first, first + searchedMs, quarterMs).entries()) {
		const offsets = uniq(map(ofZones, n));
		const times = minutes.map((minute) => quarter + minute * minuteMs);
		const found = times.find((time) => time > now && isOpen(window, offsets, time) === opens);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The offset of a time zone from UTC, minutes. */
function offsetAt(zone: string, time: number): number {
	return DateTime.fromMillis(time, { zone }).offset;
}

/** The offset of a time zone in each quarter of the searched time; each is looked up only on days on which it changes. */
function offsetsOf(zone: string, first: number): number[] {
	return range(first, first + searchedMs, dayMs).flatMap((day) => {
		const offset = offsetAt(zone, day);
		const quarters = range(day, day + dayMs, quarterMs);
		const isSame = offset === offsetAt(zone, day + dayMs);
		return quarters.map((quarter) => (isSame ? offset : offsetAt(zone, quarter)));
	});
}

/** @param local the local time, as if it were UTC */
function isInside({ days, periods }: SendWindow, local: Date): boolean {
	const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
	const today = local.getUTCDay() || 7;
	const isToday = days.includes(today);
	const isFromYesterday = days.includes(today - 1 || 7);
	return periods.some(({ opens, closes }) => {
		if (opens < closes) return isToday && opens <= minute && minute < closes;
		return (isToday && minute >= opens) || (isFromYesterday && minute < closes);
	});
}
