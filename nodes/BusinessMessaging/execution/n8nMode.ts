/** Recognizes n8n's engine 2.0, an experiment of n8n 2.41 (docs/compatibility.md), and n8n's evaluations. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { isTool } from './toolReview';

/** The standard engine numbers its executions; engine 2.0 gives them UUIDs of version 7. */
const uuid = /^[\da-f]{8}-[\da-f]{4}-7/i;

/** Whether engine 2.0 runs the execution. It cannot continue an execution after a wait, and gives a node no memory. */
export function isOnEngine2(context: IExecuteFunctions): boolean {
	return uuid.test(context.getExecutionId());
}

/** Variables of n8n's expressions. */
interface N8nVariables {
	$: (node: string) => { isExecuted: boolean };
	$evaluation?: object;
	$prevNode: { name: string };
}

/** Whether n8n runs the node in an evaluation, where nothing may be sent. */
export function isEvaluation(context: IExecuteFunctions): boolean {
	const { $, $evaluation, $prevNode } = context.getWorkflowDataProxy(0) as unknown as N8nVariables;
	// A sub-workflow has another mode, but n8n gives it the evaluation's ID.
	if (context.getMode() === 'evaluation' || $evaluation) return true;
	// In the editor and on engine 2.0, only the trigger shows that it is an evaluation. A tool comes after its agent.
	const node = context.getNode();
	const before = context.getParentNodes(isTool(node) ? $prevNode.name : node.name);
	const triggers = before.filter(({ type }) => type === 'n8n-nodes-base.evaluationTrigger');
	// Engine 2.0 knows only the nodes after the trigger that started the execution.
	return triggers.some(({ name }) => isOnEngine2(context) || $(name).isExecuted);
}
