/** Random schedules for the simulation of Send Once and Frequency Cap. */
import fc from 'fast-check';

import { timing } from '../../../nodes/BusinessMessaging/execution/claims';

/** A run of a node: it wants all keys of a range, or a place for each person of it. */
export interface Campaign {
	process: number;
	/** Of the node, or of the workflow for a cap. */
	list: number;
	at: number;
	first: number;
	count: number;
	/** How many items are under way at once. */
	width: number;
	/** Whether it has a cap instead of Send Once. */
	isCapped: boolean;
}

/** A pause during a call of the list. */
export interface Stall {
	process: number;
	/** The index of the call among those of the process, from 0. */
	call: number;
	where: 'first' | 'between' | 'last';
	ms: number;
}

interface Kill {
	process: number;
	at: number;
	/** Whether the data that the call was writing is still stored. */
	lands: boolean;
}

/** What happens, apart from what the rules decide. */
export interface Schedule {
	campaigns: Campaign[];
	stalls: Stall[];
	kills: Kill[];
	/** The maximum number of messages to one person. */
	cap: number;
	/** The usual time of a part of a call, ms. */
	latency: number;
	/** Whether the lists are there already, with entries of other nodes. */
	isOlder: boolean;
	/** Items with these remainders (of 5) are refused by the service the first time. */
	refused: number;
}

/** Random schedules for a number of processes. */
export const schedules = (processes: number): fc.Arbitrary<Schedule> =>
	processes === 1 ? mixed(1) : fc.oneof({ weight: 3, arbitrary: mixed(processes) }, standstill);

const mixed = (processes: number): fc.Arbitrary<Schedule> => {
	const process = fc.nat(processes - 1);
	const campaign = fc.record({
		process,
		list: fc.nat(1),
		at: fc.oneof(fc.nat(50), fc.nat(3_000), fc.nat(60_000)),
		first: fc.nat(5),
		count: fc.integer({ min: 1, max: 6 }),
		width: fc.integer({ min: 1, max: 4 }),
		isCapped: fc.constant(false),
	});
	const capped = fc.record({
		process,
		list: fc.constant(2),
		at: fc.oneof(fc.nat(50), fc.nat(20_000)),
		first: fc.nat(2),
		count: fc.integer({ min: 1, max: 3 }),
		width: fc.integer({ min: 1, max: 4 }),
		isCapped: fc.constant(true),
	});
	return fc.record({
		campaigns: fc.array(fc.oneof({ weight: 3, arbitrary: campaign }, capped), {
			minLength: 1,
			maxLength: 8,
		}),
		stalls: fc.array(
			fc.record({
				process,
				call: fc.oneof(fc.nat(6), fc.nat(40)),
				where: fc.constantFrom('first', 'between', 'between', 'last'),
				ms: fc.oneof(fc.nat(1_500), fc.nat(10_000), fc.integer({ min: 9_000, max: 10_000 })),
			}),
			{ maxLength: 8 },
		),
		kills: fc.array(
			fc.record({ process, at: fc.oneof(fc.nat(2_000), fc.nat(40_000)), lands: fc.boolean() }),
			{ maxLength: 3 },
		),
		cap: fc.integer({ min: 1, max: 3 }),
		latency: fc.constantFrom(1, 5, 30, 150),
		isOlder: fc.boolean(),
		refused: fc.nat(9),
	});
};

const longMs = fc.integer({ min: 9_000, max: 9_900 });
const shortMs = fc.integer({ min: 300, max: 900 });

/**
 * Two processes know each other and want the same entry. The second process stands still in two calls in a row. The
 * first of these calls overwrites what the other process has claimed meanwhile. The other process stands still once, or
 * a little in each call, and so may hide what was overwritten.
 */
const standstill: fc.Arbitrary<Schedule> = fc
	.record({
		starts: fc.tuple(fc.nat(100), fc.nat(100)),
		call: fc.integer({ min: 1, max: 3 }),
		claims: fc.tuple(fc.nat(4_000), fc.nat(9_000)),
		long: fc.tuple(longMs, longMs),
		other: fc.oneof(
			fc.tuple(fc.integer({ min: 2, max: 7 }), longMs).map((one) => [one]),
			fc.array(fc.tuple(fc.integer({ min: 2, max: 12 }), shortMs), { minLength: 8, maxLength: 16 }),
		),
		latency: fc.constantFrom(5, 30, 150),
		isOlder: fc.boolean(),
	})
	.map(({ starts, call, claims: [claim, later], long, other, ...rest }) => {
		const at = (call - 1) * timing.check + claim;
		const one = { list: 0, count: 1, width: 1, isCapped: false };
		const where = 'between' as const;
		return {
			...{ ...rest, kills: [], cap: 1, refused: 0 },
			campaigns: [
				...starts.map((start, process) => ({ ...one, process, at: start, first: process + 1 })),
				{ ...one, process: 0, at, first: 0 },
				{ ...one, process: 1, at: at + later, first: 0 },
			],
			stalls: [
				...long.map((ms, index) => ({ process: 1, call: call + index, where, ms })),
				...other.map(([number, ms]) => ({ process: 0, call: number, where, ms })),
			],
		};
	});
