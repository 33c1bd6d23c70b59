/**
 * What a trigger keeps in n8n's static data, which n8n stores with the workflow. n8n's own place for a node goes by the
 * node's name; this one goes by its ID, so that a node keeps its state when it is renamed.
 *
 * n8n reads the data when a delivery arrives and writes all of it back after the answer, if the delivery has changed it:
 * what is found may be older than what this process has written.
 */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

type Context = IHookFunctions | IWebhookFunctions;
type StateName = 'inbox' | 'recentEvents' | 'registrations';

/** Names a node over all workflows of this n8n. */
export function nodeKey(context: Context): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** What was stored; undefined for nothing. */
export function readState(context: Context, name: StateName): unknown {
	return context.getWorkflowStaticData('global')[keyOf(context, name)];
}

/** Has n8n store a value. It only notices that a value is set, not changes inside; one with a `toJSON` is read when it stores. */
export function writeState(context: Context, name: StateName, value: unknown): void {
	context.getWorkflowStaticData('global')[keyOf(context, name)] = value as IDataObject;
}

function keyOf(context: Context, name: StateName): string {
	return `${name} of ${context.getNode().id}`;
}
