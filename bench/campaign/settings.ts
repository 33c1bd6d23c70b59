/** How much is measured. */

/** A rate limit, and a campaign that meets it. */
export interface Settings {
	messages: number;
	/** Requests that the service allows in any window. */
	allowance: number;
	/** Length of the sliding window, ms. */
	windowMs: number;
	/** How long the service takes for every answer, ms. */
	latencyMs: number;
	/** n8ns that share one key. */
	processes: number;
	/** How often the campaign of one process is measured; the median counts. */
	limitedRounds: number;
	/** How often the full speed is measured; the fastest counts. */
	fullSpeedRounds: number;
	/** Campaigns for the cost per message. */
	costMessages: number[];
	/** How often each cost is measured; the median counts. */
	costRounds: number;
}

/** The documented 1,000 requests per minute, sped up six times. */
export const full: Settings = {
	messages: 3000,
	allowance: 1000,
	windowMs: 10_000,
	latencyMs: 50,
	processes: 4,
	limitedRounds: 3,
	fullSpeedRounds: 3,
	costMessages: [1000, 10_000],
	costRounds: 3,
};

/** To see whether all works; too small to compare. */
export const quick: Settings = {
	...full,
	messages: 600,
	allowance: 200,
	windowMs: 4000,
	processes: 2,
	limitedRounds: 1,
	fullSpeedRounds: 1,
	costMessages: [200, 1000],
	costRounds: 1,
};
