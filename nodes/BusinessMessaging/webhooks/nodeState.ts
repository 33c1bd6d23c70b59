/**
 * What a trigger keeps in n8n's static data, which n8n stores with the workflow. n8n stores the data of a node under its
 * name; this module uses its ID, so a renamed node keeps its state.
 *
 * n8n reads the data when a delivery arrives and, if the delivery has changed it, writes all of it back after the
 * response. So the data may be older than what this process has written.
 */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

type Context = IHookFunctions | IWebhookFunctions;
type StateName = 'inbox' | 'recentEvents' | 'registrations';

/** Identifies a node among all workflows of this n8n. */
export function nodeKey(context: Context): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** What was stored; undefined for nothing. */
export function readState(context: Context, name: StateName): unknown {
	return context.getWorkflowStaticData('global')[keyOf(context, name)];
}

/** Lets n8n store a value. n8n only notices that a value is set, not changes inside it. It calls `toJSON` when it stores. */
export function writeState(context: Context, name: StateName, value: unknown): void {
	context.getWorkflowStaticData('global')[keyOf(context, name)] = value as IDataObject;
}

function keyOf(context: Context, name: StateName): string {
	return `${name} of ${context.getNode().id}`;
}
