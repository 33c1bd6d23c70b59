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
				'The address of the service, without /v1. It must start with https://, unless the service runs on the same machine as n8n.',
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
				'How many requests your plan allows. All of them may go out at once. All nodes that use the same key share them.',
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

	// A function and not expressions: n8n evaluates expressions only during an execution, but webhooks are also removed
	// at other times. A function also saves a third of the CPU time of a message. It is a property of the object and not
	// a method, because n8n copies the own properties of a credential type. Only with this property does n8n offer the
	// credential for "Custom API Call" and in its HTTP Request node.
	authenticate = async (
		{ apiKey }: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => ({
		...options,
		headers: { ...options.headers, Authorization: `Bearer ${(apiKey as string).trim()}` },
	});
}
