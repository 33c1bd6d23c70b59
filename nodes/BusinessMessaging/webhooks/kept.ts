/** What a trigger remembers. The memory of the process is right; what n8n has stored may be an older copy at any moment. */
import type { IWebhookFunctions } from 'n8n-workflow';

/** The response to a delivery. n8n ends it once it has stored what the delivery starts and what it has changed. */
export type Response = ReturnType<IWebhookFunctions['getResponseObject']>;

/** A part of what a trigger remembers, which n8n stores as one value and may replace by an older copy at any moment. */
export interface Kept {
	/** Learns what n8n had stored when a delivery arrived, before anything is decided. Another process may have written it. */
	merge(stored: unknown): void;
	/**
	 * Whether n8n has to store this part with a delivery before it responds. Asked once, after everything is decided.
	 * @param stored what n8n had stored when the delivery arrived
	 */
	isBehind(stored: unknown, response: Response): boolean;
	/**
	 * What n8n stores with a delivery: as it is when n8n writes it (by `toJSON`). All parts of all our nodes of the
	 * workflow are written as soon as one of them is behind, because n8n would write back the rest as it had read it.
	 * @param response undefined while the trigger is published or unpublished
	 */
	live(response?: Response): unknown;
}
