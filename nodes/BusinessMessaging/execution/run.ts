/** One run of the node: every input item through its operation, in the three ways of n8n to deal with errors. */
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { InputError, asInputError } from '../operations/inputError';
import type { Operation } from '../operations/operation';
import { type ItemFailure, asFailure, hasFailed, outcomeOf } from '../operations/outcome';
import { defaultConcurrency, defaultTimeoutSeconds } from '../operations/options';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { toErrorItem, toNodeError } from './errors';
import { addHints } from './hints';
import { type Item, type ValidItem, isDone, isPending, isValid } from './item';
import { inQueues } from './keyedQueue';
import { type Memory, openMemory } from './memory';
import { openSendOnce } from './sendOnce';
import { readItems } from './values';

/** What a run that ends by waiting does around its requests. */
export interface Listening {
	/** After the last request. @returns whether n8n now waits; its webhook then gives the output */
	wait: () => Promise<boolean>;
	/** Instead of waiting, when the run fails. Does not throw. */
	stop: () => Promise<void>;
}

/** Begins to listen for the replies to all valid items, before the first request goes out. @throws ServiceError, InputError */
export type Listen = (context: IExecuteFunctions, items: Item[]) => Promise<Listening>;

/**
 * Runs an operation over all input items.
 *
 * @param listen for an operation that waits for replies
 * @returns the records of all items in their order, each paired with its item
 * @throws NodeApiError or NodeOperationError for the first failed item, unless the node continues on errors
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
	listen: Listen,
): Promise<INodeExecutionData[]> {
	const items = await readItems(context, operation);
	refuseInvalid(context, items);
	const run = await untilStopped(context, openRun(context, operation, items));
	refuseInvalid(context, items);
	const listening = operation.waits ? await beginListening(context, items, listen) : undefined;
	const sending = untilStopped(context, carryOut(context, operation, run, items.filter(isPending)));
	const finished = sending.then((warning) => refuseFailed(context, operation, items, warning));
	await finished.catch(async (error) => {
		await listening?.stop();
		throw error;
	});
	// What was asked stays in memory while the reply is awaited: a retry then waits again without asking again.
	if (await listening?.wait()) return context.getInputData();
	if (items.every(isDone)) run.memory.clear();
	return items.flatMap(toOutput);
}

/** Throws for an item that cannot be right, before anything is sent, unless the node continues on errors. */
function refuseInvalid(context: IExecuteFunctions, items: Item[]): void {
	if (context.continueOnFail()) return;
	for (const { index, outcome } of items) {
		if (!hasFailed(outcome) || !(outcome.failure instanceof InputError)) continue;
		const note = 'All items are checked first, so nothing was sent in this run.';
		throw toNodeError(context.getNode(), outcome.failure, index, note);
	}
}

/** Throws for the first item that has failed, unless the node continues on errors; says how far the run got. */
function refuseFailed(
	context: IExecuteFunctions,
	{ endpoint }: Operation,
	items: Item[],
	warning = '',
): void {
	const failed = items.find(({ outcome }) => hasFailed(outcome));
	if (!hasFailed(failed?.outcome) || context.continueOnFail()) return;
	const done = items.filter(isDone).length;
	const progress = `${done} of ${items.length} items are done. A retry goes on from there and repeats none of them.`;
	const note = `${endpoint.idempotent ? '' : progress} ${warning}`.trim();
	throw toNodeError(context.getNode(), failed.outcome.failure, failed.index, note);
}

/** If nobody can listen, all valid items fail with the reason. */
async function beginListening(
	context: IExecuteFunctions,
	items: Item[],
	listen: Listen,
): Promise<Listening | undefined> {
	const valid = items.filter(isValid);
	if (valid.length === 0) return undefined;
	try {
		return await listen(context, items);
	} catch (error) {
		const failure = asFailure(error);
		if (!context.continueOnFail())
			throw toNodeError(context.getNode(), failure, 0, 'Nothing was sent in this run.');
		fail(valid, failure);
		return undefined;
	}
}

/** What all items of a run share; without a client if that could not be prepared. */
interface Run {
	memory: Memory;
	client?: Client;
	prepared?: unknown;
}

/** Recalls what was done in an earlier attempt, and prepares what the others share. A fault there fails all of these. */
async function openRun(
	context: IExecuteFunctions,
	operation: Operation,
	items: Item[],
): Promise<Run> {
	const memory = openMemory(context, operation);
	for (const item of items.filter(isValid)) item.outcome = memory.recall(item);
	const pending = items.filter(isPending);
	try {
		const signal = context.getExecutionCancelSignal();
		const client = await connect(context, { timeoutMs: optionsOf(pending).timeoutMs, signal });
		const requests = pending.map(({ request }) => request);
		const prepared = requests.length > 0 && (await operation.prepare?.(client, requests));
		for (const item of pending) review(operation, item, prepared);
		return { memory, client, prepared };
	} catch (error) {
		fail(pending, asFailure(error));
		return { memory };
	}
}

function review(operation: Operation, item: ValidItem, prepared: unknown): void {
	try {
		item.request = operation.review?.(item.request, prepared) ?? item.request;
	} catch (error) {
		fail([item], asInputError(error));
	}
}

function fail(items: Item[], failure: ItemFailure): void {
	for (const item of items) item.outcome = { failure };
}

/**
 * Carries out items, until the first failure unless the node continues on errors.
 *
 * @returns what the user has to know, also if the run has failed
 */
async function carryOut(
	context: IExecuteFunctions,
	operation: Operation,
	{ memory, client, prepared }: Run,
	items: ValidItem[],
): Promise<string | undefined> {
	if (!client) return undefined;
	const sendOnce = openSendOnce(context, operation);
	const signal = context.getExecutionCancelSignal();
	let hasToStop = false;
	const settings = {
		keyOf: ({ request }: ValidItem) => operation.recipientOf?.(request) ?? '',
		concurrency: optionsOf(items).concurrency,
		isStopped: () => hasToStop || signal?.aborted === true,
	};
	await inQueues(items, settings, async (item) => {
		item.outcome = await sendOnce.guard(item, async () => {
			const idempotencyKey = memory.begin(item);
			return await outcomeOf(operation.run(client, { ...item.request, idempotencyKey }, prepared));
		});
		memory.keep(item);
		hasToStop ||= hasFailed(item.outcome) && !context.continueOnFail();
	});
	const warning = await sendOnce.close();
	addHints(context, client, items, warning);
	return warning;
}

/** The options of a run are those of its first item. */
function optionsOf([first]: ValidItem[]): { timeoutMs: number; concurrency: number } {
	const options = (first?.values.options ?? {}) as { timeout?: number; concurrency?: number };
	const { timeout = defaultTimeoutSeconds, concurrency = defaultConcurrency } = options;
	return { timeoutMs: timeout * 1000, concurrency };
}

function toOutput({ index, outcome }: Item): INodeExecutionData[] {
	if (!outcome) return [];
	if (hasFailed(outcome)) return [toErrorItem(outcome.failure, index)];
	const pairedItem = { item: index }; // one for all, as n8n's own helper does
	return outcome.records.map((json) => ({ json, pairedItem }));
}

/**
 * Gives up at once when the user stops the execution, so that n8n stores the node as one to be retried. What is under
 * way then is finished in the background, and remembered.
 */
async function untilStopped<T>(context: IExecuteFunctions, work: Promise<T>): Promise<T> {
	return await new Promise((resolve, reject) => {
		context.onExecutionCancellation(() => {
			reject(
				new NodeOperationError(context.getNode(), 'The execution was canceled', {
					description: 'A retry goes on with the items that are not done.',
				}),
			);
		});
		work.then(resolve, reject);
	});
}
