/**
 * What a run has sent already, so that neither n8n's Retry On Fail nor the Retry button sends it again.
 *
 * It is kept in the node's context, which n8n stores with the execution: both retries see it again. The rounds of a
 * loop are kept apart by the run index. An item is known by its place and, if it is a message, by its recipient: a text
 * may change with every attempt, e.g. with the time in it.
 */
import { createHash, randomUUID } from 'crypto';
import { pick } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import type { Operation } from '../operations/operation';
import { type Outcome, hasFailed } from '../operations/outcome';
import { ServiceError } from '../transport/errors';
import type { ValidItem } from './item';

/** What an item failed with whose fate stays unknown. */
interface UnknownFate {
	message: string;
	description?: string;
	statusCode?: number;
}

/** What a retry has to know of an item: its records, or that it may have taken effect. */
type Entry = IDataObject[] | UnknownFate;

/** Stands for an item from its request on until the service answers. */
const interrupted: UnknownFate = {
	message: 'The execution was interrupted before the service answered',
	description:
		'It may have taken effect all the same and is not repeated. Check at the service before you run it again.',
};

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
			run.items[keyOf(item)] = interrupted;
			const key = createHash('sha256').update(`${run.id} ${keyOf(item)}`);
			return key.digest('hex').slice(0, 32);
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

/** Nothing is kept of an item that was certainly not sent. */
function toEntry(outcome: Outcome): Entry | undefined {
	if (!hasFailed(outcome)) return outcome.records;
	if (outcome.failure.sendStatus === 'notSent') return undefined;
	return pick(outcome.failure, ['message', 'description', 'statusCode']);
}

function toOutcome(entry: Entry): Outcome {
	if (Array.isArray(entry)) return { records: entry };
	const { message, ...details } = entry;
	return { failure: new ServiceError(message, { kind: 'indeterminate', ...details }) };
}
