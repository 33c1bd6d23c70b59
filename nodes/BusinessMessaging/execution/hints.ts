/** What the user is shown beside the output. */
import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import type { Client } from '../transport/client';
import type { Item } from './item';

/** More hints than these would hide the output. */
const maxHints = 10;
/** From how many ms of waiting for the rate on the user is told why it took so long. */
const longWaitMs = 2_000;

/** Says what was noticed about the items and in the service's responses, each once, and whether the rate made it slow. */
export function addHints(
	context: IExecuteFunctions,
	client: Client,
	items: Item[],
	warning?: string,
): void {
	const messages = new Set([
		...(warning ? [warning] : []),
		...items.flatMap(({ request }) => request?.hints ?? []),
		...client.hints,
	]);
	for (const message of [...messages].slice(0, maxHints)) {
		context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
	}
	if (client.longestWaitMs > longWaitMs) context.addExecutionHints(rateHint(client));
}

function rateHint({ config, longestWaitMs }: Client): NodeExecutionHint {
	const seconds = Math.round(longestWaitMs / 1000);
	return {
		message: `The service limits the rate: a request had to wait up to ${seconds} seconds for its turn. The credential allows ${config.rate.requests} requests per minute, which all executions with the same API key share.`,
		location: 'outputPane',
		type: 'info',
	};
}
