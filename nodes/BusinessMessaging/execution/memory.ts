/**
 * What a run has sent already, so that neither n8n's Retry On Fail nor the Retry button sends it again.
 *
 * It is kept in the node's context, which n8n stores with the execution: both retries see it again. The rounds of a
 * loop are kept apart by the run index. An item is known by its place and, if it is a message, by its recipient: a text
 * may change with every attempt, e.g. with the time in it.
 */
import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import type { Operation } from '../operations/operation';
import { type Outcome, hasFailed } from '../operations/outcome';
import { ServiceError } from '../transport/errors';
import type { ValidItem } from './item';

interface StoredFailure {
	message: string;
	description?: string;
	statusCode?: number;
}

/** An item whose request went out and has no answer yet, one that succeeded, or one whose fate stays unknown. */
type Entry = 'underWay' | { records: IDataObject[] } | { unknown: StoredFailure };

interface StoredRun {
	/** Names this run over all its attempts. */
	id: string;
	items: Record<string, Entry | undefined>;
}

/** The memory of one run. */
export interface Memory {
	/** What became of an item in an earlier attempt; undefined if it is still to be carried out. */
	recall(item: ValidItem): Outcome | undefined;
	/** Notes that the item's request goes out now. @returns a key that is the same over all attempts at this item */
	begin(item: ValidItem): string | undefined;
	/** Notes what became of it. */
	keep(item: ValidItem): void;
	/** Forgets the run: nothing is left that a retry could send again. */
	clear(): void;
}

/** For calls that may be repeated: there is nothing to remember. */
const noMemory: Memory = {
	recall: () => undefined,
	begin: () => undefined,
	keep: () => undefined,
	clear: () => undefined,
};

/**
 * Runs that the user has stopped. n8n stores a stopped execution as it was before this node, so a retry in the same
 * process finds here what went out, with the answers that came after the stop.
 */
const stoppedRuns = new BoundedMap<string, StoredRun>({ maxSize: 50 });

/** Opens the memory of the current run of an operation. */
export function openMemory(context: IExecuteFunctions, operation: Operation): Memory {
	if (operation.endpoint.idempotent) return noMemory;
	const runs = context.getContext('node') as { sent?: Record<string, StoredRun> };
	runs.sent ??= {};
	const runIndex = String(context.getWorkflowDataProxy(0).$runIndex);
	const place = placeOf(context, runIndex);
	const run = (runs.sent[runIndex] = stoppedRuns.get(place) ??
		runs.sent[runIndex] ?? { id: randomUUID(), items: {} });
	context.onExecutionCancellation(() => stoppedRuns.set(place, run));

	const { resource, value, recipientOf = () => '' } = operation;
	const keyOf = ({ index, request }: ValidItem) =>
		[index, resource, value, recipientOf(request)].join(' ');
	return {
		recall: (item) => {
			const entry = run.items[keyOf(item)];
			return entry && toOutcome(entry);
		},
		begin: (item) => {
			run.items[keyOf(item)] = 'underWay';
			return hash(`${run.id} ${keyOf(item)}`).slice(0, 32);
		},
		keep: (item) => {
			const entry = item.outcome && toEntry(item.outcome);
			if (entry) run.items[keyOf(item)] = entry;
			else delete run.items[keyOf(item)];
		},
		clear: () => {
			delete runs.sent?.[runIndex];
			stoppedRuns.delete(place);
		},
	};
}

/** Names the run in the same way for all retries of an execution, where n8n tells when it began. */
function placeOf(context: IExecuteFunctions, runIndex: string): string {
	const began = context.getExecutionContext?.()?.establishedAt ?? context.getExecutionId();
	return [context.getWorkflow().id, context.getNode().id, began, runIndex].join(' ');
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}

/** What a retry has to know; nothing about an item that was certainly not sent. */
function toEntry(outcome: Outcome): Entry | undefined {
	if (!hasFailed(outcome)) return { records: outcome.records };
	const { failure } = outcome;
	if (!(failure instanceof ServiceError) || failure.sendStatus === 'notSent') return undefined;
	return {
		unknown: {
			message: failure.message,
			description: failure.description,
			statusCode: failure.statusCode,
		},
	};
}

function toOutcome(entry: Entry): Outcome {
	if (entry !== 'underWay' && 'records' in entry) return entry;
	const { message, ...details } = entry === 'underWay' ? interrupted : entry.unknown;
	return { failure: new ServiceError(message, { kind: 'indeterminate', ...details }) };
}

const interrupted: StoredFailure = {
	message: 'The execution was interrupted before the service answered',
	description:
		'It may have taken effect all the same and is not repeated. Check at the service before you run it again.',
};
