/** The send window: nobody is written to outside of it, on any day, in any country. */
import fc from 'fast-check';
import examples from 'libphonenumber-js/mobile/examples';
import { range, uniq } from 'lodash';
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js/max';

import { nextOpening } from '../../nodes/BusinessMessaging/execution/sendWindow';
import { timeZonesOf } from '../../nodes/BusinessMessaging/phone/timeZones';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1e9));

const countries = getCountries().filter((country) => getExampleNumber(country, examples));
const zonesOf = (country: CountryCode) =>
	timeZonesOf(getExampleNumber(country, examples)?.number ?? '');

test.each([
	['DE', ['Europe/Berlin']],
	['GB', ['Europe/London']],
	['US', ['America/New_York', 'Pacific/Honolulu', 'America/Toronto']],
	['BR', ['America/Sao_Paulo', 'America/Manaus']],
	['IN', ['Asia/Calcutta']],
	['AU', ['Australia/Sydney', 'Australia/Perth']],
	['XK', ['Europe/Belgrade']],
] as const)('a number of %s may be in %p', (country, zones) => {
	expect(zonesOf(country)).toEqual(expect.arrayContaining([...zones]));
});

test('every country has a time zone; numbers of no country have none', () => {
	expect(countries.filter((country) => zonesOf(country).length === 0)).toEqual([]);
	expect(timeZonesOf('+80012345678')).toEqual([]);
	expect(() => nextOpening(allDay, [], 0)).toThrow('The time zone of this phone number');
});

const allDay = { days: [1, 2, 3, 4, 5, 6, 7], opens: 0, closes: 24 * 60, zone: '' };

test('a window that is never open in all time zones of a country is an error', () => {
	const morning = { ...allDay, opens: 9 * 60, closes: 10 * 60 };
	expect(() => nextOpening(morning, zonesOf('US'), 0)).toThrow("'Send Window' is never open");
});

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Weekday and minute of a moment by the clock of a zone, as the runtime formats it. */
function clockOf(zone: string, time: number): { day: number; minute: number } {
	const clock =
		clocks.get(zone) ??
		new Intl.DateTimeFormat('en-GB', {
			timeZone: zone,
			weekday: 'short',
			hour: '2-digit',
			minute: '2-digit',
		});
	clocks.set(zone, clock);
	const parts = Object.fromEntries(
		clock.formatToParts(time).map(({ type, value }) => [type, value]),
	);
	return {
		day: weekdays.indexOf(parts.weekday) + 1,
		minute: Number(parts.hour) * 60 + Number(parts.minute),
	};
}

const quarter = 15;
const [hourMs, dayMs] = [3_600_000, 24 * 3_600_000];
const windows = fc.record({
	days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
	opens: fc.integer({ min: 0, max: 95 }).map((n) => n * quarter),
	closes: fc.integer({ min: 1, max: 96 }).map((n) => n * quarter),
	zone: fc.constant(''),
});

function isInside({ days, opens, closes }: typeof allDay, zone: string, time: number): boolean {
	const { day, minute } = clockOf(zone, time);
	const before = day === 1 ? 7 : day - 1;
	if (opens < closes) return days.includes(day) && opens <= minute && minute < closes;
	return (days.includes(day) && minute >= opens) || (days.includes(before) && minute < closes);
}

/** The first quarter of an hour inside the window in all zones, looked for over 8 days. */
function firstInside(window: typeof allDay, zones: string[], now: number): number | undefined {
	const step = quarter * 60_000;
	const next = Math.floor(now / step) + 1;
	return range(next, next + 96 * 8)
		.map((n) => n * step)
		.find((time) => zones.every((zone) => isInside(window, zone, time)));
}

/** What the code under test gives; `never` if it finds no moment. */
function openingOf(window: typeof allDay, zones: string[], now: number) {
	try {
		return nextOpening(window, zones, now);
	} catch (error) {
		expect(String(error)).toContain("'Send Window' is never open");
		return 'never';
	}
}

/** The days of 2030 on which the clocks of a country change; any two days where they do not. */
function changesOf(zones: string[]): number[] {
	const offset = (time: number) => zones.map((zone) => clockOf(zone, time).minute).join();
	const days = range(365).map((day) => Date.UTC(2030, 0, 1) + day * dayMs);
	const changes = days.filter((day) => offset(day) !== offset(day + dayMs));
	return changes.length > 0 ? changes : [Date.UTC(2030, 2, 31), Date.UTC(2030, 9, 27)];
}

// Every fourth of the 245, those with the most people, and all kinds of change: half an hour, in the South, in several zones.
const known = 'AU BR CL DE EG ES FR GB ID IL IN IR MX NZ PK US'.split(' ') as CountryCode[];
const tested = uniq([...known, ...countries.filter((_, index) => index % 4 === 0)]);

const place = `in ${tested.length} countries, at both changes of their clocks`;

test(`${place}, a window is open when it is open everywhere (TEST_SEED=${seed})`, () => {
	const closed: object[] = [];
	for (const country of tested) {
		const zones = zonesOf(country);
		for (const day of changesOf(zones)) {
			const overnight = range(7).map((n) => ({
				...allDay,
				days: [n + 1],
				opens: 22 * 60,
				closes: 6 * 60,
			}));
			const times = range(-48, 96).map((n) => day + n * 30 * 60_000);
			for (const window of [...overnight, ...fc.sample(windows, { seed, numRuns: 2 })])
				for (const time of times)
					if (zones.every((zone) => isInside(window, zone, time)))
						if (nextOpening(window, zones, time) !== undefined)
							closed.push({ country, window, time });
		}
	}
	expect(tested.length).toBeGreaterThan(60);
	expect(closed).toEqual([]);
});

test(`${place} and at any time, a message waits no longer than until it is open (TEST_SEED=${seed})`, () => {
	const anyTime = fc.integer({ min: Date.UTC(2030, 0), max: Date.UTC(2031, 11) });
	for (const country of tested) {
		const zones = zonesOf(country);
		const around = changesOf(zones).map((day) =>
			fc.integer({ min: day - 36 * hourMs, max: day + 60 * hourMs }),
		);
		const property = fc.property(windows, fc.oneof(...around, anyTime), (window, now) => {
			const isOpen = zones.every((zone) => isInside(window, zone, now));
			const expected = isOpen ? undefined : (firstInside(window, zones, now) ?? 'never');
			expect(openingOf(window, zones, now)).toBe(expected);
		});
		fc.assert(property, { seed, numRuns: 1 });
	}
});
