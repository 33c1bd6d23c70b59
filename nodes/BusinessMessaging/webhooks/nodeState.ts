/**
 * The data that a trigger keeps in n8n's static data, which n8n stores with the workflow. n8n stores the data of a node
 * under its name. This module uses the node's ID instead, so a renamed node keeps its data.
 *
 * n8n reads the data when a delivery arrives. If the delivery has changed the data, n8n writes all of it back after the
 * response. So the data that n8n has read may be older than what this process has written.
 */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

type Context = IHookFunctions | IWebhookFunctions;
type StateName = 'inbox' | 'recentEvents' | 'registrations';

/** Identifies a node among all workflows of this n8n. */
export function nodeKey(context: Context): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** The stored value; undefined if nothing is stored. */
export function readState(context: Context, name: StateName): unknown {
	return context.getWorkflowStaticData('global')[keyOf(context, name)];
}

/**
 * Lets n8n store a value. n8n notices only that a value is set, not changes inside the value. It calls `toJSON` when it
 * stores the value.
 */
export function writeState(context: Context, name: StateName, value: unknown): void {
	context.getWorkflowStaticData('global')[keyOf(context, name)] = value as IDataObject;
}

function keyOf(context: Context, name: StateName): string {
	return `${name} of ${context.getNode().id}`;
}
