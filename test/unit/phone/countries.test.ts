/** The Default Country. What its names mean is in library.slow.test.ts. */
import { readDefaultCountry } from '../../../nodes/BusinessMessaging/phone/countries';

test('the names of countries in all languages, which take 60 ms, are only collected for a name', () => {
	const collected = new Set<unknown>();
	jest.spyOn(Intl.DisplayNames.prototype, 'of').mockImplementation(function (
		this: Intl.DisplayNames,
		code,
	) {
		collected.add(this);
		return code === 'DE' ? 'Germany' : undefined;
	});
	const written = ['', 'none', 'plusMissing', 'de', '+44', '0041'];
	expect(written.map(readDefaultCountry)).toEqual([
		...[undefined, 'none', 'plusMissing', 'DE', 'GB', 'CH'],
	]);
	expect(collected.size).toBe(0);
	expect(['Germany', 'Nowhere'].map(readDefaultCountry)).toEqual(['DE', undefined]);
	expect(collected.size).toBeGreaterThan(20);
});
