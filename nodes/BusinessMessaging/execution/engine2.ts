/**
 * n8n's engine 2.0, an experiment of n8n 2.41 (docs/compatibility.md): how to recognize it, and how to find out what it
 * does not report.
 */
import type { IExecuteFunctions } from 'n8n-workflow';

/** The standard engine numbers its executions; engine 2.0 gives them UUIDs of version 7. */
const uuid = /^[\da-f]{8}-[\da-f]{4}-7/i;

/** Whether engine 2.0 runs the execution. It cannot continue an execution after a wait, and gives a node no memory. */
export function isOnEngine2(context: IExecuteFunctions): boolean {
	return uuid.test(context.getExecutionId());
}

/** Whether n8n runs the node in an evaluation, where nothing may be sent. */
export function isEvaluation(context: IExecuteFunctions): boolean {
	if (context.getMode() === 'evaluation') return true;
	// Engine 2.0 has no mode for evaluations. It knows only the nodes after the trigger that started the execution, so an
	// evaluation trigger before this node has started it.
	const before = isOnEngine2(context) ? context.getParentNodes(context.getNode().name) : [];
	return before.some(({ type }) => type === 'n8n-nodes-base.evaluationTrigger');
}
