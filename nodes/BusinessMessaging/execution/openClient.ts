import type { IExecuteFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import type { RunOptions } from '../operations/operation';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { type Limit, SlidingWindow } from '../transport/slidingWindow';

/** The messages of the last minute, by workflow and node: the rounds of a loop and executions side by side share them. */
const windows = new BoundedMap<string, SlidingWindow>({ maxSize: 1_000 });

/** Makes the client of a run, which stops with its execution. @throws ServiceError for an invalid credential */
export async function openClient(
	context: IExecuteFunctions,
	{ timeout, messagesPerMinute }: RunOptions & { timeout: number },
): Promise<Client> {
	return await connect(context, {
		timeoutMs: 1_000 * timeout,
		signal: context.getExecutionCancelSignal(),
		messages: messageLimitOf(context, messagesPerMinute),
	});
}

/** The limit for the messages of all executions of a node in this process; undefined without the option. */
function messageLimitOf(context: IExecuteFunctions, most?: number): Limit | undefined {
	if (most === undefined) return undefined;
	const key = `${context.getWorkflow().id} ${context.getNode().id}`;
	return { window: windows.getOrSet(key, () => new SlidingWindow(60_000)), most };
}
