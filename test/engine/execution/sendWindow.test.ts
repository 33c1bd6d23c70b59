/** The send window: nobody gets a message outside the window, on any day, in any country. */
import fc from 'fast-check';
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { memoize, range } from 'lodash';
import { DateTime } from 'luxon';

import { nextClosing, nextOpening } from '../../../nodes/BusinessMessaging/execution/sendWindow';
import { readPhone } from '../../../nodes/BusinessMessaging/phone/readPhone';
import { timeZonesOf } from '../../../nodes/BusinessMessaging/phone/timeZones';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 1e9));
const [minuteMs, hourMs] = [60_000, 3_600_000];
const quarterMs = 15 * minuteMs;
type SendWindow = Parameters<typeof nextOpening>[0];

// The countries with the most people, and with all kinds of clock change: by half an hour, in the southern hemisphere,
// in several zones.
const countries = 'AU BR CL DE EG ES FR GB ID IL IN IR MX NZ PK US'.split(' ') as CountryCode[];
/** A number whose area code is in no table: it may be anywhere in the United States and Canada. */
const unlisted = '+12992345678';
const zonesOf = (country: CountryCode) =>
	timeZonesOf(country === 'US' ? unlisted : (getExampleNumber(country, examples)?.number ?? ''));

test.each([
	['212', ['America/New_York']],
	['312', ['America/Chicago']],
	['303', ['America/Denver']],
	['602', ['America/Phoenix']],
	['213', ['America/Los_Angeles']],
	['808', ['Pacific/Honolulu']],
	['416', ['America/Toronto']],
	['604', ['America/Vancouver']],
	['876', ['America/Jamaica']],
	['809', ['America/Santo_Domingo']],
	['850', ['America/Chicago', 'America/New_York']], // the west of Florida
])('with +1, the area code %s decides: %j', (areaCode, zones) => {
	expect(timeZonesOf(`+1${areaCode}2345678`)).toEqual(zones);
});

test('a number may be in all time zones of its country, and every country has some', () => {
	const someOfUS = ['America/New_York', 'Pacific/Honolulu', 'America/Toronto'];
	for (const number of [unlisted, '+121223456789'])
		expect(timeZonesOf(number)).toEqual(expect.arrayContaining(someOfUS));
	expect(zonesOf('XK')).toEqual(['Europe/Belgrade']);
	const known = getCountries().filter((country) => getExampleNumber(country, examples));
	expect(known.filter((country) => zonesOf(country).length === 0)).toEqual([]);
});

test('every number that is read as one of a country has a time zone, also a former one', () => {
	const former = [
		['+5215512345678', 'MX'],
		['+22507123456', 'CI'],
		['+22997123456', 'BJ'],
	] as const;
	for (const [number, country] of former) {
		expect(readPhone(number)).toEqual({ e164: number, hints: [] });
		expect(timeZonesOf(number)).toEqual(zonesOf(country));
	}
	for (const number of ['+80012345678', '+870773111632']) expect(timeZonesOf(number)).toEqual([]);
});

test.each([
	['Russia', '+79031234567', 'Europe/Moscow', 'Asia/Almaty'],
	['Kazakhstan', '+77011234567', 'Asia/Almaty', 'Europe/Moscow'],
])(
	'+7 numbers that belong to %s are in the time zones of this country alone',
	(_, number, own, other) => {
		const zones = timeZonesOf(number);
		expect(zones).toContain(own);
		expect(zones).not.toContain(other);
	},
);

test('each area code of +1 for places where people live has at least one time zone, and the runtime knows it', () => {
	const codes = range(200, 1_000).map(String);
	const isGeographic = (code: string) => timeZonesOf(`+1${code}2345678`).length < 10;
	expect(isGeographic('299')).toBe(false);
	const known = codes.filter(isGeographic);
	expect(known.length).toBeGreaterThan(400);
	for (const code of known)
		for (const timeZone of timeZonesOf(`+1${code}2345678`))
			expect(() => clockOf(timeZone).format(0)).not.toThrow();
	for (const code of ['800', '833', '844', '855', '866', '877', '888', '900'])
		expect(known).not.toContain(code);
});

test('from nine to eight, nine of ten area codes of +1 get messages for ten hours a day or more', () => {
	const window = {
		days: [1, 2, 3, 4, 5, 6, 7],
		periods: [{ opens: 540, closes: 1_200 }],
		zone: '',
	};
	const day = range(24 * 4).map((n) => Date.UTC(2030, 6, 1, 0, n * 15));
	const openQuarters = memoize(
		(zones: string) =>
			day.filter((time) => zones.split(',').every((zone) => isInside(window, zone, time))).length,
	);
	const codes = range(200, 1_000).map((code) => timeZonesOf(`+1${code}2345678`));
	const hours = codes
		.filter((zones) => zones.length < 10)
		.map((zones) => openQuarters(zones.join()) / 4);
	expect(hours.filter((one) => one >= 10).length / hours.length).toBeGreaterThan(0.9);
});

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
const clockOf = memoize((timeZone) => new Intl.DateTimeFormat('en-GB', { ...clock, timeZone }));

/** Weekday and minute of a moment by the clock of a time zone, as the runtime formats it. */
function readClock(zone: string, time: number): { day: number; minute: number } {
	const [day, hour, minute] = clockOf(zone).format(time).split(/\W+/);
	return { day: weekdays.indexOf(day) + 1, minute: 60 * Number(hour) + Number(minute) };
}

function isInside({ days, periods }: SendWindow, zone: string, time: number): boolean {
	const { day, minute } = readClock(zone, time);
	const before = day === 1 ? 7 : day - 1;
	return periods.some(({ opens, closes }) => {
		if (opens < closes) return days.includes(day) && opens <= minute && minute < closes;
		return (days.includes(day) && minute >= opens) || (days.includes(before) && minute < closes);
	});
}

/** The expected result: undefined for now, else the next quarter of an hour that is inside the window in all zones, within 8 days. */
function expectedOpening(window: SendWindow, zones: string[], now: number) {
	const isOpen = (time: number) => zones.every((zone) => isInside(window, zone, time));
	if (isOpen(now)) return undefined;
	const next = Math.floor(now / quarterMs) + 1;
	const times = range(next, next + 8 * 96).map((n) => n * quarterMs);
	return times.find(isOpen) ?? 'never';
}

function openingOf(window: SendWindow, zones: string[], now: number) {
	try {
		return nextOpening(window, zones, now);
	} catch (error) {
		expect(String(error)).toContain("There is no moment at which 'Send Window' is open");
		return 'never';
	}
}

/** Times around the days of 2030 on which a country changes its clocks, and any other times. */
function timesFor(zones: string[]): fc.Arbitrary<number> {
	const clocks = (time: number) => zones.map((zone) => readClock(zone, time).minute).join();
	const days = range(365).map((day) => Date.UTC(2030, 0, 1 + day));
	const changes = days.filter((day) => clocks(day) !== clocks(day + 24 * hourMs));
	return fc.oneof(
		...changes.map((day) => fc.integer({ min: day - 36 * hourMs, max: day + 60 * hourMs })),
		fc.integer({ min: Date.UTC(2030, 0), max: Date.UTC(2031, 11) }),
	);
}

const minutes = (min: number) => fc.integer({ min, max: min + 95 }).map((n) => n * 15);
const windows = fc.record({
	days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
	periods: fc.array(fc.record({ opens: minutes(0), closes: minutes(1) }), {
		minLength: 1,
		maxLength: 3,
	}),
	zone: fc.constant(''),
});

test.each(countries)(
	`in %s a message waits until the window is open in all time zones, and no longer (TEST_SEED=${seed})`,
	(country) => {
		const zones = zonesOf(country);
		const property = fc.property(windows, timesFor(zones), (window, now) => {
			expect(openingOf(window, zones, now)).toBe(expectedOpening(window, zones, now));
		});
		fc.assert(property, { seed, numRuns: 8, endOnFailure: true });
	},
);

test('the window is open from the stated opening until the stated closing, and closed afterwards', () => {
	const property = fc.property(windows, timesFor(zonesOf('BR')), (window, now) => {
		const zones = zonesOf('BR');
		const opens = openingOf(window, zones, now);
		if (typeof opens !== 'number') return;
		const closes = nextClosing(window, zones, opens) ?? opens + 8 * 24 * hourMs;
		const isOpen = (time: number) => zones.every((zone) => isInside(window, zone, time));
		expect(range(opens, closes, quarterMs).every(isOpen)).toBe(true);
		if (closes < opens + 8 * 24 * hourMs) expect(isOpen(closes)).toBe(false);
	});
	fc.assert(property, { seed, numRuns: 10, endOnFailure: true });
});

test('periods that begin and end at any minute are met to the minute', () => {
	const minute = fc.integer({ min: 0, max: 1_439 });
	const anyWindow = fc.record({
		days: fc.constant<number[]>([1, 2, 3, 4, 5, 6, 7]),
		periods: fc.array(fc.record({ opens: minute, closes: minute }), { minLength: 1, maxLength: 2 }),
		zone: fc.constant(''),
	});
	// Offsets in quarters of an hour, and a clock change by half an hour.
	const zones = ['Asia/Kathmandu', 'Australia/Lord_Howe'];
	const property = fc.property(
		anyWindow,
		fc.constantFrom(...zones),
		fc.nat(),
		(window, zone, n) => {
			const now = Date.UTC(2030, 3, 6) + (n % (48 * 60)) * minuteMs + (n % 60_000);
			const isOpen = (time: number) => isInside(window, zone, time);
			const first = now - (now % minuteMs) + minuteMs;
			const next = range(first, first + 50 * hourMs, minuteMs).find(
				(time) => isOpen(time) !== isOpen(now),
			);
			const found = isOpen(now) ? nextClosing(window, [zone], now) : openingOf(window, [zone], now);
			expect(typeof found === 'number' ? found : undefined).toBe(next);
		},
	);
	fc.assert(property, { seed, numRuns: 50, endOnFailure: true });
});

test('a search looks up the offset of a time zone three times a day, and each quarter of an hour only on a day that changes it', () => {
	const read = jest.spyOn(DateTime, 'fromMillis');
	const zones = timeZonesOf('+18002345678');
	const weekdays = { days: [1, 2, 3, 4, 5, 6], periods: [{ opens: 0, closes: 1_440 }], zone: '' };
	const monday = Date.UTC(2030, 2, 4, 12); // the clocks change on Sunday
	expect(zones.length).toBeGreaterThan(50);
	expect(nextClosing(weekdays, zones, monday)).toBeGreaterThan(monday + 4 * 24 * hourMs);
	expect(read.mock.calls.length).toBeLessThan(zones.length * (3 * 8 + 96));
});
