/** What a node keeps of its questions while it waits: in its context, which n8n stores with the execution. */
import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import type { QuestionSettings } from '../operations/message/question';

/** A question that was asked. */
export interface Question {
	/** Index of the item that asks. */
	item: number;
	/** Who was asked, E.164. */
	to: string;
	/** Identifier of the message with the question, if the service gave one. */
	askedMessageId: string | null;
	/** When it was sent by the service's clock, ms since 1970; 0 if the service does not say. */
	askedTime: number;
	/** Index in the settings of the wait. */
	expected: number;
}

/** A run of the node that waits. */
export interface Wait {
	/** Tells it from the other rounds of a loop. */
	run: string;
	/** When the time is up, ms since 1970. */
	until: number;
	questions: Question[];
	settings: QuestionSettings[];
	/** The output of the items that failed or were left out while the others were asked. */
	notAsked: INodeExecutionData[];
	/** The registration at the service, if no trigger takes the answers. */
	registration?: { id?: string };
}

/** Its name in the node's context. */
export const waitKey = 'wait';

/** The wait of the execution to which a delivery came. n8n gives the node's context to expressions only. */
export function readWait(context: IWebhookFunctions): Wait | undefined {
	const name = JSON.stringify(context.getNode().name).replace(
		/[{}]/g,
		(sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
	);
	const json = context.evaluateExpression(
		`{{ JSON.stringify($node[${name}].context["${waitKey}"] ?? null) }}`,
	);
	return typeof json === 'string' ? ((JSON.parse(json) as Wait | null) ?? undefined) : undefined;
}
