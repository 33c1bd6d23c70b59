/** What a scenario is, and how large. */
import type { Part } from '../../tools/sandboxClient';
import type { Cluster } from './cluster';

/** A rate limit, and how much is sent. */
export interface Settings {
	messages: number;
	/** Requests that the service allows in any window, and the length of that sliding window, ms. */
	allowance: number;
	windowMs: number;
	/** How long the service takes for every answer, ms. */
	latencyMs: number;
	/** Customers who write, persons who are asked in so many runs, and keys of Send Once. */
	events: number;
	questions: number;
	runs: number;
	keys: number;
}

/** The documented 1,000 requests per minute, sped up six times. */
export const full: Settings = {
	messages: 3000,
	allowance: 1000,
	windowMs: 10_000,
	latencyMs: 50,
	events: 240,
	questions: 240,
	runs: 6,
	keys: 600,
};

/** To see whether all works. */
export const quick: Settings = {
	...full,
	messages: 600,
	allowance: 200,
	windowMs: 4000,
	events: 40,
	questions: 60,
	runs: 3,
	keys: 150,
};

/** The measurements, and the guarantees that do not hold, whatever the speed of the machine. */
export interface Result {
	rows: Array<Record<string, string | number>>;
	faults: string[];
	/** Further lines for people. */
	remarks?: string[];
}

/** One test of the cluster. */
export type Scenario = (cluster: Cluster, settings: Settings) => Promise<Result>;

/** Splits a campaign into equal parts. */
export function partsOf(messages: number, parts: number): Part[] {
	const count = messages / parts;
	return Array.from({ length: parts }, (_, index) => ({ from: index * count, count }));
}

/** The sentences whose condition holds. */
export function faultsIf(...checks: Array<[boolean, string]>): string[] {
	return checks.flatMap(([isFault, words]) => (isFault ? words : []));
}

/** Seconds with one digit after the point. */
export const rounded = (seconds: number) => Number(seconds.toFixed(1));
