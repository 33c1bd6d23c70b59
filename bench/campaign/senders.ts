/** The senders that are compared, each as a workflow that sends the same JSON with the same key to the same numbers. */
import type { INode, INodeParameters } from 'n8n-workflow';
import { FIRST_NUMBER } from '../../tools/numbers';
import type { WorkflowFile } from '../../tools/n8n/client';

/** What sends: ours, and what people use today. */
export type Sender = 'business-messaging' | 'http-request' | 'http-request-batched' | 'one-by-one';

/** Ids of n8n's credentials by their type. */
export type CredentialIds = Record<'businessMessagingApi' | 'httpHeaderAuth', string>;

/** A campaign to `count` numbers, from the one at place `from` on. */
export interface Campaign {
	sender: Sender;
	from: number;
	count: number;
	/** Origin of the service. */
	url: string;
	credentials: CredentialIds;
}

/** Names of the workflow's first and last node. */
export const trigger = 'Start';
export const sending = 'Send';

const TEXT = 'Our summer sale starts today.';

type NodeSettings = Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials'>;

/** The campaign as a workflow: a list of numbers, made by n8n, split into items, and the node that sends. */
export function workflowOf(campaign: Campaign): WorkflowFile {
	const { from, count } = campaign;
	const numbers = `={{ Array.from({ length: ${count} }, (_, index) => ({ to: '+' + (${FIRST_NUMBER + from} + index) })) }}`;
	const assignments = [{ id: '1', name: 'numbers', type: 'array', value: numbers }];
	const node = (name: string, settings: NodeSettings): INode => ({
		id: name,
		name,
		position: [0, 0],
		...settings,
	});
	const to = (next: string) => ({ main: [[{ node: next, type: 'main' as const, index: 0 }]] });
	return {
		name: `${campaign.sender}, ${count} messages`,
		nodes: [
			node(trigger, { type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} }),
			node('List', {
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
				parameters: { assignments: { assignments }, options: {} },
			}),
			node('Items', {
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				parameters: { fieldToSplitOut: 'numbers', options: {} },
			}),
			node(sending, sendingNode(campaign)),
		],
		connections: { [trigger]: to('List'), List: to('Items'), Items: to(sending) },
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	};
}

function sendingNode({ sender, url: origin, credentials }: Campaign): NodeSettings {
	const to = '={{ $json.to }}';
	const url = `${origin}/v1/messages/send`;
	const header = { httpHeaderAuth: { id: credentials.httpHeaderAuth, name: 'Header' } };
	switch (sender) {
		case 'business-messaging':
			return {
				type: 'n8n-nodes-business-messaging.businessMessaging',
				typeVersion: 1,
				parameters: { resource: 'message', operation: 'sendText', to, text: TEXT },
				credentials: {
					businessMessagingApi: { id: credentials.businessMessagingApi, name: 'Service' },
				},
			};
		case 'http-request':
			return { ...httpRequest(url, to), credentials: header };
		case 'http-request-batched':
			return {
				...httpRequest(url, to, { batching: { batch: { batchSize: 50, batchInterval: 1000 } } }),
				credentials: header,
			};
		case 'one-by-one':
			return {
				type: 'n8n-nodes-one-by-one.oneByOne',
				typeVersion: 1,
				parameters: { url, to, text: TEXT },
				credentials: header,
			};
	}
}

/** The HTTP Request node with a generic credential, as one sets it up to send JSON. */
function httpRequest(url: string, to: string, options: INodeParameters = {}): NodeSettings {
	const parameters = [
		{ name: 'to', value: to },
		{ name: 'text', value: TEXT },
	];
	return {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			method: 'POST',
			url,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendBody: true,
			bodyParameters: { parameters },
			options,
		},
	};
}
