/** How large the scenarios are. */
import type { Part } from './workflows';

/** A rate limit, and how much is sent. */
export interface Settings {
	messages: number;
	/** Requests that the service allows in any window. */
	allowance: number;
	/** Length of the sliding window, ms. */
	windowMs: number;
	/** How long the service takes for every answer, ms. */
	latencyMs: number;
	/** Customers who write. */
	events: number;
	/** Persons who are asked. */
	questions: number;
	/** Keys of Send Once. */
	keys: number;
}

/** The documented 1,000 requests per minute, sped up six times. */
export const full: Settings = {
	messages: 3000,
	allowance: 1000,
	windowMs: 10_000,
	latencyMs: 50,
	events: 240,
	questions: 6,
	keys: 600,
};

/** To see whether all works. */
export const quick: Settings = {
	messages: 600,
	allowance: 200,
	windowMs: 4000,
	latencyMs: 50,
	events: 40,
	questions: 3,
	keys: 150,
};

/** Splits a campaign into equal parts. */
export function partsOf(messages: number, parts: number): Part[] {
	const count = messages / parts;
	return Array.from({ length: parts }, (_, index) => ({ from: index * count, count }));
}
