/** What stays in the execution while it waits, because only its output needs it. */
import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod';

/** What a waiting execution knows itself. */
export interface WaitState {
	/** The ID of the run. In a loop, a call may be for an earlier round. */
	run: string;
	/** The output of the items that asked nobody. */
	notAsked: INodeExecutionData[];
}

/** As one text: n8n copies a node's context to expressions value by value, and a list may have 100,000 items. */
const storedSchema = z.object({ run: z.string(), notAsked: z.string() });

/** Keeps the state with the execution. */
export function keepForOutput(context: IExecuteFunctions, { run, notAsked }: WaitState): void {
	const stored: z.infer<typeof storedSchema> = { run, notAsked: JSON.stringify(notAsked) };
	context.getContext('node').wait = stored;
}

/** The state of a waiting execution; undefined for a tool. n8n shows a node's context only to expressions. */
export function readWaitState(context: IWebhookFunctions): WaitState | undefined {
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
	);
	try {
		const json = context.evaluateExpression(
			`{{ JSON.stringify($node[${name}].context["wait"] ?? null) }}`,
		);
		const { run, notAsked } = storedSchema.parse(JSON.parse(json as string));
		return { run, notAsked: JSON.parse(notAsked) as INodeExecutionData[] };
	} catch {
		return undefined;
	}
}
