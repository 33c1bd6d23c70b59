/** What the user is shown beside the output. */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Client } from '../transport/client';
import type { Item } from './item';

/** More hints than these would hide the output. */
const maxHints = 10;
/** From how many ms of waiting for the rate on the user is shown why it took so long. */
const longWaitMs = 2_000;

/** Shows what was noticed about the items and in the service's responses, each once, and whether the rate made it slow. */
export function addHints(
	context: IExecuteFunctions,
	{ hints, config, longestWaitMs }: Client,
	items: Item[],
	warning?: string,
): void {
	const ofItems = items.flatMap(({ request }) => request?.hints ?? []);
	const messages = new Set([...(warning ? [warning] : []), ...ofItems, ...hints]);
	for (const message of [...messages].slice(0, maxHints))
		context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
	if (longestWaitMs <= longWaitMs) return;
	const seconds = Math.round(longestWaitMs / 1000);
	context.addExecutionHints({
		message: `The service limits the rate: a request had to wait up to ${seconds} seconds. The credential allows ${config.rate.requests} requests per minute, which all executions with the same API key share.`,
		location: 'outputPane',
		type: 'info',
	});
}
