import {
	type IExecuteFunctions,
	type IHookFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type ITriggerResponse,
	type IWebhookFunctions,
	type IWebhookResponseData,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { testCredential } from './transport/credentialTest';
import {
	hints,
	triggerPanel,
	triggerProperties,
	triggerSubtitle,
} from './trigger/triggerDescription';

const registration = async () => await import('./trigger/registration.js');

/** The trigger node. n8n loads this file at its start; what the description does not need is loaded at first use. */
export class BusinessMessagingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Business Messaging Trigger',
		name: 'businessMessagingTrigger',
		icon: { light: 'file:businessMessaging.svg', dark: 'file:businessMessaging.dark.svg' },
		group: ['trigger'],
		// For a node of version 1, n8n evaluates an internal expression at each delivery, which takes longer than
		// everything else in a delivery.
		version: [1, 1.1],
		defaultVersion: 1.1,
		subtitle: triggerSubtitle,
		// n8n's list of nodes shows this text for both nodes together.
		description:
			'Starts the workflow when a customer writes or the status of a message changes. Its actions send messages and campaigns.',
		eventTriggerDescription: 'Waiting for the service to deliver an event',
		activationMessage: 'Events that the service delivers now start this workflow.',
		defaults: { name: 'Business Messaging Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'businessMessagingApi', required: true, testedBy: 'testCredential' }],
		webhooks: [
			// For services that send a GET request to a URL before they register it. This webhook must exist first, because
			// the other one registers the URL at the service.
			{
				name: 'setup',
				httpMethod: 'GET',
				responseMode: 'onReceived',
				path: 'webhook',
				ndvHideUrl: true,
			},
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: 'noData',
				path: 'webhook',
				ndvHideUrl: '={{ $parameter.options?.registration !== "manual" }}',
			},
		],
		triggerPanel,
		hints,
		properties: triggerProperties,
	};

	methods = { credentialTest: { testCredential } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return await (await registration()).isRegistered(this);
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return await (await registration()).register(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await (await registration()).unregister(this);
			},
		},
	};

	/** Does nothing, but with it, n8n calls `webhookMethods` also when it starts: a registration that is gone is made again, and the inbox wakes. */
	async trigger(): Promise<ITriggerResponse> {
		return {};
	}

	/** Passes on the items of a test. Without it, n8n would wait for `trigger` to give some. */
	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const { receive } = await import('./trigger/receive.js');
		return await receive(this);
	}
}
