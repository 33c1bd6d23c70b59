/** The search for the number of simultaneous requests that a service accepts. */
import { range, times } from 'lodash';

import { ConcurrencyLimit } from '../../../nodes/BusinessMessaging/transport/concurrencyLimit';

/** Requests that always wait for their turn. */
class Requests {
	readonly limit = new ConcurrencyLimit();

	/** Begins as many as may go at once. @returns how many are under way */
	fill(): number {
		while (!this.limit.isFull()) this.limit.begin();
		return this.limit.underWay;
	}

	/** Lets requests end that the service accepts. */
	accept(count: number): void {
		times(count, () => {
			this.limit.end();
			this.limit.accept();
		});
	}

	/** Rounds in which the service accepts all. @returns how many were under way in each */
	rounds(count: number): number[] {
		return range(count).map(() => {
			const underWay = this.fill();
			this.accept(underWay);
			return underWay;
		});
	}

	/** As many as may go at once are under way, one of which is refused, then perhaps others. */
	refuse(others = 0, hasWaited = false): number {
		const underWay = this.fill();
		this.limit.end();
		this.limit.slowDown();
		times(others, () => this.limit.lower());
		while (this.limit.underWay > 0) this.limit.end();
		this.limit.resume(hasWaited);
		return underWay;
	}

	/** How many must be accepted before more are tried than the service is known to accept. */
	patience(): number {
		const greatest = this.limit.known!;
		while (this.fill() < greatest) this.accept(this.limit.underWay);
		let accepted = 0;
		for (; this.fill() === greatest; accepted++) this.accept(1);
		return accepted;
	}
}

/** Up to 10 at once were accepted, and 18 are tried next. */
function afterThreeRounds(): Requests {
	const requests = new Requests();
	requests.rounds(3);
	return requests;
}

test('the limit is raised faster and faster while all are accepted', () => {
	const requests = new Requests();
	expect(requests.rounds(5)).toEqual([4, 6, 10, 18, 34]);
	expect(requests.limit.known).toBeUndefined();
});

test('requests that do not wait for each other say nothing about the limit', () => {
	const { limit } = new Requests();
	times(100, () => {
		limit.begin();
		limit.end();
		limit.accept();
	});
	times(3, () => limit.begin());
	expect(limit.isFull()).toBe(false);
	limit.begin();
	expect(limit.isFull()).toBe(true);
});

test('after a refusal, the limit is halved, raised slowly, and stays below what was too much', () => {
	const requests = afterThreeRounds();
	expect(requests.refuse()).toBe(18);
	expect(requests.limit.known).toBe(17);
	expect(requests.rounds(6)).toEqual([9, 10, 12, 16, 17, 17]);
	expect(requests.limit.known).toBe(17);
});

test('while responses to the requests of that time may still come, nothing is known', () => {
	const requests = afterThreeRounds();
	requests.fill();
	requests.limit.slowDown();
	expect(requests.limit.known).toBeUndefined();
	requests.limit.resume(false);
	expect(requests.limit.known).toBe(17);
});

test.each([
	[0, 17],
	[1, 16],
	[5, 12],
	[30, 10],
])(
	'with %d other refusals, %d are known to be accepted, but never fewer than before',
	(others, known) => {
		const requests = afterThreeRounds();
		requests.refuse(others);
		expect(requests.limit.known).toBe(known);
		requests.limit.lower(); // this refusal is of an earlier time
		expect(requests.limit.known).toBe(known);
	},
);

test.each([10, 8, 2])(
	'if %d are refused that were accepted before, fewer may be too many',
	(most) => {
		const { limit } = afterThreeRounds();
		times(most, () => limit.begin());
		limit.slowDown();
		times(most - 2, () => limit.lower());
		limit.resume(false);
		expect(limit.known).toBe(1);
	},
);

test('a number that is refused soon again is tried less and less often', () => {
	const requests = afterThreeRounds();
	requests.refuse();
	const patience = range(7).map(() => {
		const accepted = requests.patience();
		requests.refuse();
		return accepted;
	});
	expect(requests.limit.known).toBe(17);
	expect(patience).toEqual([50, 100, 200, 400, 800, 1_000, 1_000]);
});

test('a number that was accepted is raised again', () => {
	const requests = afterThreeRounds();
	requests.refuse();
	requests.patience();
	expect(requests.rounds(5)).toEqual([18, 19, 21, 25, 33]);
	expect(requests.limit.known).toBeUndefined();
});

describe('a refusal after which we have waited', () => {
	test('may be about the rate: nothing is known, and the limit is soon what it was', () => {
		const requests = afterThreeRounds();
		requests.refuse(0, true);
		expect(requests.limit.known).toBeUndefined();
		expect(requests.rounds(3)).toEqual([9, 18, 36]);
	});

	test('is about the number if it soon comes at the same number', () => {
		const requests = afterThreeRounds();
		requests.refuse(0, true);
		requests.rounds(1);
		expect(requests.refuse(0, true)).toBe(18);
		expect(requests.limit.known).toBe(17);
	});

	test('is not about the number if it comes much later, or at another number', () => {
		const later = afterThreeRounds();
		later.refuse(0, true);
		later.rounds(4);
		expect(later.refuse(0, true)).toBeGreaterThan(19);
		expect(later.limit.known).toBeUndefined();
		const other = afterThreeRounds();
		other.refuse(0, true);
		expect(other.refuse(0, true)).toBe(9);
		expect(other.limit.known).toBeUndefined();
	});
});
