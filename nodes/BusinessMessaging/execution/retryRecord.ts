/**
 * The messages that a run has sent, so that neither Retry On Fail nor the Retry button sends them again. They are kept in
 * the node's context, which n8n stores with the execution.
 */
import { createHash, randomUUID } from 'crypto';
import { isEmpty, map, omit, pick } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Operation } from '../operations/operation';
import {
	type Guard,
	type Item,
	type Outcome,
	type Send,
	type ValidItem,
	hasFailed,
	inState,
	isUnsent,
	toOutcome,
} from './item';
import { isTool } from './toolReview';
import { ServiceError } from '../transport/errors';

/** The failure of an item that may have taken effect. */
type UncertainFailure = Pick<ServiceError, 'message' | 'description' | 'statusCode'>;

/** The failure that is stored between the request and the response. */
const interrupted: UncertainFailure = {
	message: 'The execution was interrupted before the service responded',
	description:
		'The service may have carried out the request, so it is not repeated. Look at the result in the service before you run the node again.',
};

/** The names of tool calls, by the input that n8n passes to all attempts of one call. */
const calls = new WeakMap<object, string>();

interface StoredRun {
	/** The same for all attempts of this run. */
	id: string;
	/** For each item: its records, or the failure of a request that may have taken effect. */
	items: Record<string, IDataObject[] | UncertainFailure | undefined>;
}

/** The record of the current run, for an operation whose calls must not be repeated. */
export class RetryRecord implements Guard {
	private readonly runs: Record<string, StoredRun>;
	/** The same for all attempts of this run. */
	readonly name: string;
	private readonly run: StoredRun;

	constructor(
		context: IExecuteFunctions,
		private readonly operation: Operation,
		items: Item[],
	) {
		const stored = context.getContext('node') as { sent?: Record<string, StoredRun> };
		this.runs = stored.sent ??= {};
		// Another run of a tool may be another attempt: agents that run their tools themselves count attempts as runs, and
		// models repeat calls that have failed. So what the model has said identifies a call, or else the texts, although
		// these may change with every attempt. In n8n's engine, a run identifies a question: a model may ask it again.
		const isCall = isTool(context.getNode()) && (!operation.waits || context.isToolExecution?.());
		const [{ json } = { json: {} }] = context.getInputData();
		const said = omit(json, 'toolCallId');
		const call = isEmpty(said) ? map(items, 'request.body') : said;
		this.name = isCall
			? (calls.get(json) ?? digest(JSON.stringify(call)))
			: String(context.getWorkflowDataProxy(0).$runIndex);
		if (isCall) calls.set(json, this.name);
		this.run = this.runs[this.name] ??= { id: randomUUID(), items: {} };
	}

	/** The result of an item in an earlier attempt; undefined if the item is still to be carried out. */
	recall(item: ValidItem): Outcome | undefined {
		const entry = this.run.items[this.keyOf(item)];
		if (Array.isArray(entry)) return { records: entry };
		if (!entry || this.operation.repeatsUncertain) return undefined;
		const { message, ...details } = entry;
		return { failure: new ServiceError(message, { kind: 'uncertain', ...details }) };
	}

	/**
	 * Records that the item's request goes out now. Returns the idempotency key of its row in the campaign log, else one for
	 * all attempts to send this content. A corrected text has another: for the first, a service may repeat its refusal.
	 */
	begin(item: ValidItem): string {
		const key = this.keyOf(item);
		this.run.items[key] = interrupted;
		const message = `${this.run.id} ${key} ${JSON.stringify(item.request.body)}`;
		return item.idempotencyKey ?? digest(message);
	}

	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const outcome = await send().catch(toOutcome);
		this.keep(item, outcome);
		return outcome;
	}

	private keep(item: ValidItem, outcome: Outcome): void {
		const { items } = this.run;
		const key = this.keyOf(item);
		if (isUnsent(outcome)) delete items[key];
		else if (!hasFailed(outcome)) items[key] = outcome.records;
		else items[key] = pick(outcome.failure, ['message', 'description', 'statusCode']);
	}

	/** Forgets the run, because a retry has nothing left to send again. */
	clear(): void {
		delete this.runs[this.name];
	}

	/** Without the text of the message, because it may contain the time. */
	private keyOf({ index, request }: ValidItem): string {
		const { resource, value, recipientOf = () => '' } = this.operation;
		return [index, resource, value, recipientOf(request)].join(' ');
	}
}

function digest(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Whether n8n, or the model that uses the node as a tool, may repeat a run that has ended with these outputs. */
export function mayBeRepeated(
	context: IExecuteFunctions,
	items: Item[],
	outputs: INodeExecutionData[],
): boolean {
	const node = context.getNode();
	// n8n repeats a run whose first output has a field `error`, which may also come from the service.
	const isRetried = node.retryOnFail === true && outputs[0]?.json.error !== undefined;
	return isRetried || (isTool(node) && !items.every(inState('done', 'leftOut')));
}
