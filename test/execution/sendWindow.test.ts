/** The send window: nobody is written to outside of it, on any day, in any country. */
import fc from 'fast-check';
import examples from 'libphonenumber-js/mobile/examples';
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

test('a window that is never open in all time zones of a country is said', () => {
	const morning = { ...allDay, opens: 9 * 60, closes: 10 * 60 };
	expect(() => nextOpening(morning, zonesOf('US'), 0)).toThrow('No hour is inside');
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

/** Around the two changes of the clocks in Europe and North America, and at any time of two years. */
const moments = fc.oneof(
	fc.integer({ min: Date.UTC(2030, 0), max: Date.UTC(2031, 11) }),
	...[
		Date.UTC(2030, 2, 10),
		Date.UTC(2030, 2, 31),
		Date.UTC(2030, 9, 27),
		Date.UTC(2030, 10, 3),
	].map((day) => fc.integer({ min: day - 36 * 3_600_000, max: day + 36 * 3_600_000 })),
);
const quarter = 15;
const windows = fc.record({
	days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
	opens: fc.integer({ min: 0, max: 95 }).map((n) => n * quarter),
	closes: fc.integer({ min: 1, max: 96 }).map((n) => n * quarter),
	zone: fc.constant(''),
});

test(`a message waits until it is inside the window everywhere, and no longer (TEST_SEED=${seed})`, () => {
	const isInside = ({ days, opens, closes }: typeof allDay, zone: string, time: number) => {
		const { day, minute } = clockOf(zone, time);
		const before = day === 1 ? 7 : day - 1;
		if (opens < closes) return days.includes(day) && opens <= minute && minute < closes;
		return (days.includes(day) && minute >= opens) || (days.includes(before) && minute < closes);
	};
	const property = fc.property(
		fc.constantFrom(...countries),
		windows,
		moments,
		(country, window, now) => {
			const zones = zonesOf(country);
			const isOpen = (time: number) => zones.every((zone) => isInside(window, zone, time));
			const step = quarter * 60_000;
			const steps = Array.from(
				{ length: 96 * 8 },
				(_, n) => (Math.floor(now / step) + 1 + n) * step,
			);
			const first = isOpen(now) ? undefined : steps.find(isOpen);
			let next: number | undefined;
			try {
				next = nextOpening(window, zones, now);
			} catch {
				expect(first).toBeUndefined();
				return;
			}
			if (next === undefined) return expect(isOpen(now)).toBe(true);
			expect(next).toBe(first);
		},
	);
	fc.assert(property, { seed, numRuns: 40 });
});
