/**
 * What a trigger keeps in n8n's static data, under the node's ID, so that a renamed node keeps it. n8n reads all data
 * of the workflow when a delivery arrives and, if the delivery has changed any, writes all of it back.
 */
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

type Context = IHookFunctions | IWebhookFunctions;
/** `inbox`: the questions; `inboxUrl`: where another trigger keeps the replies. */
export type StateName = 'inbox' | 'inboxUrl' | 'recentEvents' | 'registrations';

/** n8n begins to respond within this time, ms. */
const maxResponseMs = 8_000;

/** Identifies a node among all workflows of this n8n. */
export function nodeKey(context: Context): string {
	return `${context.getWorkflow().id} ${context.getNode().id}`;
}

/** The stored value; undefined if nothing is stored. */
export function readState(context: Context, name: StateName): unknown {
	return context.getWorkflowStaticData('global')[keyOf(context, name)];
}

/** Lets n8n store a value, by its `toJSON` if it has one. n8n notices that a value is set, not changes inside it. */
export function writeState(context: Context, name: StateName, value: unknown): void {
	context.getWorkflowStaticData('global')[keyOf(context, name)] = value as IDataObject;
}

/**
 * Lets n8n store values with a delivery. What n8n has read may be old, so the newest state of everything is needed.
 * @param isStarting whether an execution starts: when n8n 2.41 begins to store it, it forgets that the static data was
 * changed, so the values are set again until n8n responds
 */
export function writeAll(
	context: IWebhookFunctions,
	values: Array<[name: StateName, value: unknown]>,
	isStarting: boolean,
): void {
	const data = context.getWorkflowStaticData('global');
	const write = () => {
		for (const [name, value] of values) data[keyOf(context, name)] = value as IDataObject;
	};
	write();
	if (isStarting) void repeatUntilEnd(context.getResponseObject(), write);
}

async function repeatUntilEnd(response: { writableEnded: boolean }, write: () => void) {
	const end = performance.now() + maxResponseMs;
	while (!response.writableEnded && performance.now() < end) {
		write();
		await sleep(1);
	}
}

function keyOf(context: Context, name: StateName): string {
	return `${name} of ${context.getNode().id}`;
}
