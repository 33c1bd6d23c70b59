import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import {
	defaultCountries,
	defaultCountryDescription,
} from '../nodes/BusinessMessaging/operations/phoneFields';

/** API key and address of the service. Source: specification, "Base address and path shape" and "Authentication". */
export class BusinessMessagingApi implements ICredentialType {
	name = 'businessMessagingApi';

	displayName = 'Business Messaging API';

	icon = {
		light: 'file:../nodes/BusinessMessaging/businessMessaging.svg',
		dark: 'file:../nodes/BusinessMessaging/businessMessaging.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/your-organization/n8n-nodes-business-messaging#connect-your-account';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Create the key in the account settings of the service, under API keys',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description:
				'The address of the service, without /v1. It must start with https://, except on localhost.',
		},
		{
			displayName: 'API Path',
			name: 'apiPath',
			type: 'options',
			options: [
				{
					name: 'Automatic',
					value: 'automatic',
					description: '/api/v1 if the Base URL ends with /api, else /v1',
				},
				{ name: 'Under /api/v1', value: '/api/v1' },
				{ name: 'Under /v1', value: '/v1' },
			],
			default: 'automatic',
			description: 'Whether the API is under /v1 or /api/v1',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description:
				'How many requests your plan allows. All of them may go out at once. In one process of n8n, all nodes with the same key share them.',
		},
		{
			displayName: 'Default Country',
			name: 'defaultCountry',
			type: 'options',
			options: defaultCountries,
			default: 'none',
			description: defaultCountryDescription,
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				"A secret that your service and the trigger share. Only needed for the trigger's options 'Signature' and 'Require Secret'.",
		},
		{
			displayName: 'Rate Window in Milliseconds',
			name: 'rateWindowMs',
			type: 'hidden',
			default: 60000,
		},
	];

	// Not an expression: n8n evaluates these only during an execution, but webhooks are also removed at other times; and
	// a function saves a third of the CPU time of a message. A property, because n8n copies only own properties: without
	// it, n8n would not offer the credential for "Custom API Call" and in its HTTP Request node.
	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...options,
		headers: { ...options.headers, Authorization: `Bearer ${(apiKey as string).trim()}` },
	});
}
