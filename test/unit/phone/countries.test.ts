/** The Default Country. What its names mean is in library.slow.test.ts. */
import { readDefaultCountry } from '../../../nodes/BusinessMessaging/phone/countries';

test('the names of countries in all languages, which take 60 ms, are only collected for a name', () => {
	const collected = new Set<unknown>();
	const { of: nameOf } = Intl.DisplayNames.prototype;
	jest.spyOn(Intl.DisplayNames.prototype, 'of').mockImplementation(function (code) {
		collected.add(this);
		return nameOf.call(this, code);
	});
	const written = ['', 'none', 'plusMissing', 'de', '+44', '0041'];
	expect(written.map(readDefaultCountry)).toEqual([
		...[undefined, 'none', 'plusMissing', 'DE', 'GB', 'CH'],
	]);
	expect(collected.size).toBe(0);
	expect(['Allemagne', 'Nowhere'].map(readDefaultCountry)).toEqual(['DE', undefined]);
	expect(collected.size).toBeGreaterThan(20);
});
