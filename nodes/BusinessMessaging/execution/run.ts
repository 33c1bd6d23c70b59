/** One run of the node: carries out the operation for every input item, with each setting of On Error. */
import { attempt, compact, noop, once } from 'lodash';
import { type IExecuteFunctions, type INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { mapInTurns } from '../yieldToN8n';
import { defaultTimeoutSeconds } from '../operations/fields';
import type { Operation, OperationRequest, RunOptions } from '../operations/operation';
import type { Client } from '../transport/client';
import { ServiceError, asFailure } from '../transport/errors';
import { applyAudienceRules, rememberRecipients } from './applyAudienceRules';
import { CampaignGuard, noteWithoutLog, previewLog, timedOut } from './campaignGuard';
import {
	type Guard,
	type Item,
	type Outcome,
	type Send,
	type ValidItem,
	hasFailed,
	inState,
	isFailure,
	isWanted,
	hasNotFailed,
	stateOf,
	stopped,
	toOutcome,
} from './item';
import { atMost, inQueues } from './keyedQueue';
import { LastCheck } from './lastCheck';
import { isEvaluation } from './n8nMode';
import { openClient } from './openClient';
import { toOutputs } from './itemOutput';
import { OptOuts } from './optOuts';
import { previewItems } from './previewItems';
import { addHints, labelExecution, logProgress, reportFigures, resetFigures } from './report';
import type { RecipientLimit } from './recipientLimit';
import { refuseFailed, refuseUnsent } from './refuse';
import { RetryRecord, mayBeRepeated } from './retryRecord';
import { Rounds } from './rounds';
import { readItems } from './readItems';

/** What an operation that waits for replies does before and after its requests. */
export interface Listening {
	/** Called before the request of an item goes out. @throws ServiceError if it must not go out */
	tell: (item: Item) => Promise<void>;
	/** Called after the last request. @returns whether n8n now waits; the webhook then returns the output */
	wait: () => Promise<boolean>;
	/** Called instead of `wait` if the run fails. Does not throw. */
	stop: () => Promise<void>;
}

/** Begins to listen for replies to all valid items, before the first request. @throws ServiceError, InputError */
export type Listen = (context: IExecuteFunctions, items: Item[]) => Promise<Listening>;

/** What all items of a run share. */
interface Run {
	operation: Operation;
	/** For requests that must not be repeated. */
	record?: RetryRecord;
	listening?: Listening;
	/** For messages with Send Once or a Frequency Cap. */
	log?: CampaignGuard;
	lastCheck?: LastCheck;
	limit?: RecipientLimit;
	/** What the log says in a preview. */
	previewed?: Awaited<ReturnType<typeof previewLog>>;
	/** Missing if it could not be prepared; then no item is pending. */
	client?: Client;
	prepared?: unknown;
}

/**
 * Runs an operation over all input items. The output is in their order, each record paired with its item.
 *
 * @throws NodeApiError or NodeOperationError for the first failed item, unless the node continues on errors
 */
export async function runOperation(
	context: IExecuteFunctions,
	operation: Operation,
	listen: Listen,
	stopsAtFirstFailure: boolean,
): Promise<INodeExecutionData[]> {
	if (operation.recipientOf) resetFigures(context);
	const items = await readItems(context, operation);
	if (isPreview(context, operation, items)) return await preview(context, operation, items);
	refuseUnsent(context, operation, items);
	const run = await untilStopped(context, openRun(context, operation, items));
	refuseUnsent(context, operation, items);
	const listening = operation.waits ? await beginListening(context, items, listen) : undefined;
	run.listening = listening;
	refuseUnsent(context, operation, items, false); // a preview listens to nobody
	const pending = items.filter(inState('pending'));
	labelExecution(context, operation, pending);
	const report = once(() => reportFigures(context, operation, items, run));
	const carried = carryOut(context, run, pending, stopsAtFirstFailure);
	const sending = untilStopped(context, carried, report);
	const finished = sending.then((warnings) => {
		report();
		addHints(context, operation, items, { client: run.client, warnings });
		refuseFailed(context, operation, items, warnings);
	});
	await finished.catch(async (error) => {
		await listening?.stop();
		throw error;
	});
	if (operation.recipientOf)
		await rememberRecipients(items.filter(hasNotFailed), new Rounds(context));
	// While a question waits for its reply, it stays in the record, so a retry does not ask again.
	if (await listening?.wait()) return context.getInputData();
	const outputs = await toOutputs(context, operation, items);
	if (!mayBeRepeated(context, items, outputs)) run.record?.clear();
	return outputs;
}

/** Whether nothing may be sent, as in n8n's evaluations. The field counts even if no item is valid. */
function isPreview(context: IExecuteFunctions, { recipientOf }: Operation, items: Item[]): boolean {
	if (!recipientOf) return false;
	const mode = attempt(() => context.getNodeParameter('mode', 0, 'send'));
	const isChosen = mode === 'preview' || items.some(({ request }) => request?.rules?.isPreview);
	return isChosen || isEvaluation(context);
}

/** A preview outputs failing items as well, so that all problems are visible at once. */
async function preview(
	context: IExecuteFunctions,
	operation: Operation,
	items: Item[],
): Promise<INodeExecutionData[]> {
	for (const item of items.filter(inState('pending')))
		item.request.rules = { ...item.request.rules, isPreview: true };
	const run = await untilStopped(context, openRun(context, operation, items));
	const { client, prepared, previewed, limit } = run;
	await mapInTurns(items.filter(inState('pending')), (item) => {
		item.outcome = limit?.hold(item);
		if (!item.outcome) previewed?.preview(item);
		if (!item.outcome) limit?.add(item);
	});
	await previewItems(items, prepared);
	const warnings = compact([previewed?.warning()]);
	addHints(context, operation, items, { client, isPreview: true, warnings });
	await rememberRecipients(items.filter(hasNotFailed), new Rounds(context));
	return await toOutputs(context, operation, items, { isPreview: true });
}

/** Recalls earlier attempts, and prepares what the other items share. If the preparation fails, all of these fail. */
async function openRun(
	context: IExecuteFunctions,
	operation: Operation,
	items: Item[],
): Promise<Run> {
	const record = operation.endpoint.idempotent
		? undefined
		: new RetryRecord(context, operation, items);
	for (const item of items.filter(inState('pending'))) item.outcome = record?.recall(item);
	const pending = items.filter(inState('pending'));
	try {
		const client = await openClient(context, optionsOf(pending));
		const requests = pending.map(({ request }) => request);
		const prepared = requests.length > 0 && (await operation.prepare?.(client, requests));
		await mapInTurns(pending, (item) => review(operation, item, prepared));
		// Before the rules, so that a preview also names them among those who must wait for the send window.
		const optOuts = await OptOuts.open(context, pending.filter(inState('pending')));
		optOuts?.leaveOut(pending);
		for (const hint of optOuts?.hints ?? []) client.hints.add(hint);
		const limit =
			operation.recipientOf &&
			(await applyAudienceRules(client, items.filter(hasNotFailed), new Rounds(context)));
		// All of them: a duplicate that is left out now may be sent instead of the item before it.
		const isSending = pending.some(inState('pending'));
		const lastCheck = new LastCheck(optOuts);
		const run = { operation, record, client, prepared, lastCheck, limit };
		if (!isSending) return run;
		if (items.some(({ request }) => request?.rules?.isPreview))
			return { ...run, previewed: await previewLog(context, pending, client) };
		return { ...run, log: await CampaignGuard.open(context, pending, client) };
	} catch (error) {
		fail(pending, error);
		return { operation, record };
	}
}

function review(operation: Operation, item: ValidItem, prepared: unknown): void {
	try {
		item.request = operation.review?.(item.request, prepared) ?? item.request;
	} catch (error) {
		fail([item], error);
	}
}

/** Fails items that were not sent. The error may come from another request, which may have taken effect. */
function fail(items: Item[], error: unknown): void {
	const cause = asFailure(error);
	const { message, description, statusCode } = cause;
	const failure =
		cause.sendStatus === 'notSent'
			? cause
			: new ServiceError(message, { kind: 'refused', description, statusCode });
	for (const item of items) item.outcome = { failure };
}

/** If nothing can receive replies, all valid items fail, also those that were asked in an earlier attempt. */
async function beginListening(
	context: IExecuteFunctions,
	items: Item[],
	listen: Listen,
): Promise<Listening | undefined> {
	const asking = items.filter(isWanted);
	try {
		return asking.length > 0 ? await listen(context, items) : undefined;
	} catch (error) {
		fail(asking, error);
		return undefined;
	}
}

/** With Send Once, fewer requests go out at the same time: after a crash, nobody knows the results of those under way. */
function concurrencyOf(items: ValidItem[], client: Client): () => number {
	const least = items.some(({ request }) => request.rules?.campaign) ? 24 : 100;
	const { concurrency } = optionsOf(items);
	return () => concurrency ?? client.concurrency(least);
}

function queueOf({ queueOf: keyOf, recipientOf = () => '' }: Operation, request: OperationRequest) {
	return (keyOf ?? recipientOf)(request);
}

/** Sends the message of an item if every guard lets it through. They are called in their order. */
function guarded(guards: Guard[], item: ValidItem, send: Send): Send {
	return guards.reduceRight(
		(next, one): Send =>
			async () =>
				await one.guard(item, next),
		send,
	);
}

/** The item to send instead of one that was certainly not sent. Not for a question: nobody listens for its reply. */
function insteadOf({ waits }: Operation, { instead, outcome }: ValidItem): ValidItem[] {
	if (!instead || waits || stateOf(outcome) !== 'failed') return [];
	instead.outcome = undefined;
	return [instead];
}

/** Carries out items. Stops at the first failure, unless the node continues on errors. @returns warnings for the user */
async function carryOut(
	context: IExecuteFunctions,
	run: Run,
	items: ValidItem[],
	stopsAtFirstFailure: boolean,
): Promise<string[]> {
	const { operation, record, client, log, lastCheck, limit } = run;
	if (!client) return [];
	const note = operation.recipientOf ? logProgress(context, items.length) : noop;
	let hasToStop = false;
	const simultaneous = concurrencyOf(items, client);
	const settings = {
		keyOf: ({ request }: ValidItem) => queueOf(operation, request),
		concurrency: () => Math.min(simultaneous() + (log?.mostUnderWay ?? 0), limit?.free ?? Infinity),
		isStopped: () =>
			hasToStop || log?.isEnding || context.getExecutionCancelSignal()?.aborted === true,
	};
	const inTurn = atMost(simultaneous);
	const guards = compact([limit, record, lastCheck, log]);
	const sendOne = async (item: ValidItem): Promise<void> => {
		let isTooLate = false;
		const sendUnguarded: Send = async (request = item.request) =>
			await inTurn(async () => {
				// It may have made its claim before the run was stopped. As nothing is sent, the claim is removed.
				isTooLate = settings.isStopped();
				const outcome = isTooLate ? stopped : await sendItem(run, client, item, request);
				hasToStop ||= stopsAtFirstFailure && isFailure(outcome); // before the next item gets its turn
				return outcome;
			});
		const outcome = await guarded(guards, item, sendUnguarded)().catch(toOutcome);
		if (isTooLate) return;
		item.outcome = outcome;
		if (operation.recipientOf) noteWithoutLog(item, outcome);
		note(outcome);
		hasToStop ||= stopsAtFirstFailure && hasFailed(outcome);
		if (!hasToStop) for (const next of insteadOf(operation, item)) await sendOne(next);
	};
	await inQueues(items, settings, sendOne);
	if (log?.isEnding && !hasToStop) for (const one of items) one.outcome ??= { failure: timedOut };
	return (await log?.close()) ?? [];
}

/** Sends the request of an item. Does not throw. */
async function sendItem(
	{ operation, record, prepared, listening, lastCheck }: Run,
	client: Client,
	item: ValidItem,
	request: OperationRequest,
): Promise<Outcome> {
	try {
		await listening?.tell(item);
		// An error counts as no; the guard then finds it again.
		const isStillAllowed = async () =>
			(item.hasBegun = (await lastCheck?.hold(item).catch(toOutcome)) === undefined);
		const keyed = { ...request, isStillAllowed, idempotencyKey: record?.begin(item) };
		return { records: await operation.run(client, keyed, prepared) };
	} catch (error) {
		return toOutcome(error);
	}
}

/** The options of a run are those of its first item. */
function optionsOf([first]: ValidItem[]): RunOptions & { timeout: number } {
	return { timeout: defaultTimeoutSeconds, ...first?.request.options };
}

/**
 * Rejects at once when the user stops the execution. Requests under way are still finished. n8n stores the execution
 * right after `onStop`, and nothing of what the node reports later.
 */
async function untilStopped<T>(
	context: IExecuteFunctions,
	work: Promise<T>,
	onStop = noop,
): Promise<T> {
	const description =
		'Requests that have already started will be finished. To continue, run the workflow again. With Send Once, nobody gets a message twice.';
	return await new Promise((resolve, reject) => {
		context.onExecutionCancellation(() => {
			reject(
				new NodeOperationError(context.getNode(), 'The execution was canceled', { description }),
			);
			onStop();
		});
		work.then(resolve, reject);
	});
}
