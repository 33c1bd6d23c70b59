/** Whether variants of a campaign differ by more than chance. */
import { sortBy } from 'lodash';

/** Logarithms of factorials. */
const logFactorials = [0];

function logFactorial(n: number): number {
	for (let next = logFactorials.length; next <= n; next++)
		logFactorials.push(logFactorials[next - 1] + Math.log(next));
	return logFactorials[n];
}

const logChoose = (n: number, k: number) => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** How many of all people did something. */
export interface Share {
	count: number;
	of: number;
}

/**
 * Fisher's exact test, two-sided: how likely a difference at least as unlikely as this one is by chance, 0 to 1.
 * @see https://en.wikipedia.org/wiki/Fisher%27s_exact_test
 */
export function fisherExact(one: Share, other: Share): number {
	const [total, all] = [one.count + other.count, one.of + other.of];
	const logOf = (count: number) =>
		logChoose(one.of, count) + logChoose(other.of, total - count) - logChoose(all, total);
	const least = Math.max(0, total - other.of);
	const most = Math.min(one.of, total);
	const observed = logOf(one.count) + 1e-7; // equal probabilities differ by rounding
	let sum = 0;
	for (let count = least; count <= most; count++) {
		const log = logOf(count);
		if (log <= observed) sum += Math.exp(log);
	}
	return Math.min(1, sum);
}

/**
 * Which of several comparisons are clear, all together: with no real difference at all, even one of them is called clear
 * with at most this chance (Holm's method). @param chances the chance of each comparison
 */
export function clearOnes(chances: number[], chance = 0.01): boolean[] {
	const order = sortBy([...chances.keys()], (index) => chances[index]);
	const clear = chances.map(() => false);
	for (const [rank, index] of order.entries()) {
		if (chances[index] > chance / (chances.length - rank)) break;
		clear[index] = true;
	}
	return clear;
}

/** A share as a percentage of a sum, with one decimal; null for a share of nothing. */
export function percentOf(count: number, of: number): number | null {
	return of === 0 ? null : Math.round((1_000 * count) / of) / 10;
}
