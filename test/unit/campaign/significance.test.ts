/** The statistics of reports, against values that R gives. */
import {
	clearOnes,
	fisherExact,
	percentOf,
} from '../../../nodes/BusinessMessaging/campaign/significance';

test.each([
	// R: fisher.test(matrix(c(count, of - count, …), 2))$p.value
	[{ count: 3, of: 4 }, { count: 1, of: 4 }, 0.4857143],
	[{ count: 1, of: 10 }, { count: 11, of: 14 }, 0.002759456],
	[{ count: 0, of: 10 }, { count: 10, of: 10 }, 0.00001082509],
	[{ count: 5, of: 10 }, { count: 5, of: 10 }, 1],
	[{ count: 0, of: 0 }, { count: 5, of: 10 }, 1],
])('%j and %j differ by chance with the known probability', (one, other, expected) => {
	expect(fisherExact(one, other)).toBeCloseTo(expected, 6);
	expect(fisherExact(other, one)).toBeCloseTo(expected, 6);
});

test('large campaigns take little time, and the result stays a probability', () => {
	const chance = fisherExact({ count: 40_300, of: 100_000 }, { count: 40_000, of: 100_000 });
	expect(chance).toBeGreaterThan(0.15);
	expect(chance).toBeLessThan(0.2);
});

test('several comparisons together: the most certain one needs the smallest chance, then the next', () => {
	expect(clearOnes([0.004, 0.001, 0.2])).toEqual([true, true, false]);
	expect(clearOnes([0.006, 0.006])).toEqual([false, false]);
	expect(clearOnes([0.009])).toEqual([true]);
	expect(clearOnes([])).toEqual([]);
});

test('if nothing really differs, a clear difference is found in at most about 1 of 100 campaigns', () => {
	let seed = 1;
	const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
	const share = (chance: number) => ({
		count: Array.from({ length: 200 }, random).filter((one) => one < chance).length,
		of: 200,
	});
	const campaigns = Array.from({ length: 1_000 }, () =>
		clearOnes([0.9, 0.5, 0.1].map((chance) => fisherExact(share(chance), share(chance)))),
	);
	const wrong = campaigns.filter((clear) => clear.includes(true)).length;
	expect(wrong).toBeLessThanOrEqual(15);
});

test('a share of nothing has no percentage', () => {
	expect([percentOf(1, 3), percentOf(0, 0)]).toEqual([33.3, null]);
});
