import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
	NodeOperationError,
} from 'n8n-workflow';

import {
	findOperation,
	findLocalOperation,
	properties,
	replyWebhooks,
	subtitle,
} from './nodeProperties';
import { pickers } from './editor/pickers';
import { resourceMapping } from './editor/templateForm';
import { testCredential } from './transport/credentialTest';

/** The action node. n8n loads this file at its start; what the description does not need is loaded at first use. */
export class BusinessMessaging implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Business Messaging',
		name: 'businessMessaging',
		icon: { light: 'file:businessMessaging.svg', dark: 'file:businessMessaging.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle,
		description:
			'Send messages and campaigns, wait for replies, and manage contacts, templates and webhooks',
		defaults: { name: 'Business Messaging' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'businessMessagingApi', required: true, testedBy: 'testCredential' }],
		usableAsTool: true,
		webhooks: replyWebhooks,
		builderHint: {
			searchHint:
				"Only for the messaging service in its credential. For WhatsApp Cloud API, Telegram, Twilio or Slack use n8n's own nodes.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-business-messaging.businessMessagingTrigger',
					relationHint:
						'Starts a workflow when a customer writes, and receives replies to Send and Wait',
				},
			],
		},
		waitingNodeTooltip: 'Waiting for replies in the chat',
		properties,
	};

	methods = {
		credentialTest: { testCredential },
		listSearch: pickers,
		resourceMapping,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0);
		// n8n adds the entry Custom API Call to the operations, and to the resources: then it hides the operation.
		const value = this.getNodeParameter('operation', 0, resource);
		const localOperation = findLocalOperation(resource, value);
		if (localOperation) {
			const { runLocally } = await import('./execution/runLocally.js');
			const { openInbox } = await import('./inbox/openInbox.js');
			return [await runLocally(this, localOperation, openInbox)];
		}
		const operation = findOperation(resource, value);
		if (!operation) {
			const [message, description] =
				value === '__CUSTOM_API_CALL__'
					? [
							'This node cannot make a Custom API Call',
							"Use n8n's HTTP Request node. Its 'Predefined Credential Type' offers the credential of this node.",
						]
					: [
							`The operation "${value}" of "${resource}" does not exist`,
							"Choose 'Resource' and 'Operation' again.",
						];
			throw new NodeOperationError(this.getNode(), message, { description });
		}
		const { runOperation } = await import('./execution/run.js');
		const { listenForReplies } = await import('./inbox/ask.js');
		return [await runOperation(this, operation, listenForReplies, !this.continueOnFail())];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { resumeRun } = await import('./inbox/resume.js');
		return await resumeRun(this);
	}
}
