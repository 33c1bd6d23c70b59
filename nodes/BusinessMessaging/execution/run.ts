/** One run of the node: every input item through its operation, in the three ways of n8n to deal with errors. */
import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type NodeExecutionHint,
	NodeOperationError,
} from 'n8n-workflow';

import { InputError } from '../operations/inputError';
import type { Listening, Operation, OperationRequest } from '../operations/operation';
import { type ItemFailure, type Outcome, asFailure, hasFailed } from '../operations/outcome';
import { type Client } from '../transport/client';
import { connect } from '../transport/connect';
import { toErrorItem, toNodeError } from './errors';
import { runInQueues } from './keyedQueue';
import { type Memory, openMemory } from './memory';
import { readDefaultCountry, readOptions } from './runOptions';
import { openSendOnce } from './sendOnce';
import { requestBuilder } from './values';

/**
 * Runs an operation over all input items.
 *
 * @returns the records of all items in their order, each paired with its item
 * @throws NodeApiError or NodeOperationError for the first failed item, unless the node continues on errors
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
): Promise<INodeExecutionData[]> {
	const stopsOnError = !context.continueOnFail();
	const build = requestBuilder(context, operation, await readDefaultCountry(context));
	const built = context.getInputData().map((_, index) => valid(() => build(index)));
	if (stopsOnError) refuseInvalid(context, built);
	const memory = openMemory(context, operation.endpoint.idempotent);
	const recalled = built.map((request, index) =>
		request instanceof InputError ? undefined : memory.recall(index, request),
	);
	const todo = built.filter(
		(request, index): request is OperationRequest =>
			!(request instanceof InputError) && !recalled[index],
	);
	const preparedRun = await untilStopped(context, prepareRun(context, operation, todo));
	const requests = reviewRequests(operation, built, recalled, preparedRun);
	if (stopsOnError) refuseInvalid(context, requests);

	const listening = await beginListening(context, operation, requests);
	if (listening instanceof Error && stopsOnError)
		throw toNodeError(context.getNode(), listening, 0, 'Nothing was sent in this run.');
	if (listening instanceof Error)
		return requests.map((request, index) =>
			toErrorItem(request instanceof InputError ? request : listening, index),
		);
	const work = { operation, built, requests, recalled, memory, stopsOnError, ...preparedRun };
	const outcomes = await untilStopped(context, carryOut(context, work))
		.then((carriedOut) => (stopsOnError ? noneFailed(context, operation, carriedOut) : carriedOut))
		.catch(async (error) => {
			await listening?.stop();
			throw error;
		});
	// What was asked stays in memory while the answer is awaited: a retry then waits again without asking again.
	if (await listening?.wait(outcomes)) return context.getInputData();
	if (outcomes.every((outcome) => outcome && !hasFailed(outcome))) memory.clear();
	return outcomes.flatMap(toItems);
}

/** @throws the error of the first item that cannot be carried out */
function refuseInvalid(context: IExecuteFunctions, requests: PreparedRequest[]): void {
	const invalid = requests.findIndex((request) => request instanceof InputError);
	if (invalid < 0) return;
	throw toNodeError(
		context.getNode(),
		requests[invalid] as InputError,
		invalid,
		'All items are checked first, so nothing was sent in this run.',
	);
}

/** The outcomes. @throws the error of the first item that failed */
function noneFailed(
	context: IExecuteFunctions,
	{ endpoint }: Operation,
	outcomes: Array<Outcome | undefined>,
): Array<Outcome | undefined> {
	const failed = outcomes.findIndex(hasFailed);
	if (failed < 0) return outcomes;
	const { failure } = outcomes[failed] as { failure: ItemFailure };
	const done = endpoint.idempotent ? undefined : progress(outcomes);
	throw toNodeError(context.getNode(), failure, failed, done);
}

function toItems(outcome: Outcome | undefined, index: number): INodeExecutionData[] {
	if (!outcome) return [];
	if (hasFailed(outcome)) return [toErrorItem(outcome.failure, index)];
	const pairedItem = { item: index }; // one for all, as n8n's own helper does
	return outcome.records.map((json) => ({ json, pairedItem }));
}

/** Holds what is still to be sent against what was prepared; an item that does not fit becomes its error. */
function reviewRequests(
	{ review }: Operation,
	built: PreparedRequest[],
	recalled: Array<Outcome | undefined>,
	{ client, prepared }: PreparedRun,
): PreparedRequest[] {
	if (!review || !client) return built;
	return built.map((request, index) =>
		request instanceof InputError || recalled[index]
			? request
			: valid(() => review(request, prepared)),
	);
}

async function beginListening(
	context: IExecuteFunctions,
	operation: Operation,
	requests: PreparedRequest[],
): Promise<Listening | ItemFailure | undefined> {
	const asked = requests.map((request) => (request instanceof InputError ? undefined : request));
	if (!asked.some(Boolean)) return undefined;
	return await operation.listen?.(context, asked).catch(asFailure);
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

type PreparedRequest = OperationRequest | InputError;

/** The request, or why it cannot be carried out. */
function valid(make: () => OperationRequest): PreparedRequest {
	try {
		return make();
	} catch (error) {
		return error instanceof InputError ? error : new InputError(asFailure(error).message);
	}
}

type Work = PreparedRun & {
	operation: Operation;
	/** As the parameters gave them, by which the memory knows them. */
	built: PreparedRequest[];
	/** As they were reviewed. */
	requests: PreparedRequest[];
	/** What became of items in an earlier try. */
	recalled: Array<Outcome | undefined>;
	memory: Memory;
	stopsOnError: boolean;
};

/** Carries out what is still to be done; gives what became of every item, undefined for those not begun. */
async function carryOut(
	context: IExecuteFunctions,
	{ operation, built, requests, recalled, memory, stopsOnError, client, prepared, failure }: Work,
): Promise<Array<Outcome | undefined>> {
	const outcomes = requests.map((request, index): Outcome | undefined =>
		request instanceof InputError ? { failure: request } : recalled[index],
	);
	const todo = [...requests.entries()].filter(
		(entry): entry is [number, OperationRequest] => !outcomes[entry[0]],
	);
	const { concurrency } = readOptions(context);
	const signal = context.getExecutionCancelSignal();
	let isStopped = false;

	if (!client) {
		for (const [index] of todo) outcomes[index] = { failure };
		return outcomes;
	}
	const sendOnce = openSendOnce(context);
	await runInQueues({
		count: todo.length,
		concurrency,
		keyOf: (position) => operation.queueOf?.(todo[position][1]) ?? '',
		isStopped: () => isStopped || signal?.aborted === true,
		task: async (position) => {
			const [index, request] = todo[position];
			const known = built[index] as OperationRequest;
			const outcome = await sendOnce.guard(request, async () => {
				const idempotencyKey = memory.begin(index, known) || undefined;
				return await settle(operation.run(client, { ...request, idempotencyKey }, prepared));
			});
			memory.settle(index, known, outcome);
			outcomes[index] = outcome;
			isStopped ||= stopsOnError && hasFailed(outcome);
		},
	});
	await sendOnce.close();
	const done = todo.map(([, request]) => request);
	addHints(context, client, done);
	return outcomes;
}

/** More hints than these would hide the output. */
const maxHints = 10;
/** From how many ms of waiting for the rate on the user is told why it took so long. */
const longWaitMs = 2_000;

/** Says beside the output what was noticed about the items and in the service's responses, each once. */
function addHints(context: IExecuteFunctions, client: Client, requests: OperationRequest[]): void {
	const messages = new Set([...requests.flatMap(({ hints = [] }) => hints), ...client.hints]);
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

type PreparedRun =
	| { client: Client; prepared: unknown; failure?: undefined }
	| { client?: undefined; prepared?: undefined; failure: ItemFailure };

/** The client and what the items to be carried out share. If there is a fault here, none is begun. */
async function prepareRun(
	context: IExecuteFunctions,
	operation: Operation,
	todo: OperationRequest[],
): Promise<PreparedRun> {
	try {
		const { timeoutMs } = readOptions(context);
		const client = await connect(context, {
			timeoutMs,
			signal: context.getExecutionCancelSignal(),
		});
		return {
			client,
			prepared: todo.length > 0 ? await operation.prepare?.(client, todo) : undefined,
		};
	} catch (error) {
		return { failure: asFailure(error) };
	}
}

async function settle(records: ReturnType<Operation['run']>): Promise<Outcome> {
	try {
		return { records: await records };
	} catch (error) {
		return { failure: asFailure(error) };
	}
}

/** How far a run got that a failed item has stopped, and what a retry will do. */
function progress(outcomes: Array<Outcome | undefined>): string {
	const done = outcomes.filter((outcome) => outcome && !hasFailed(outcome)).length;
	return `${done} of ${outcomes.length} items are done. A retry goes on from there and repeats none of them.`;
}
