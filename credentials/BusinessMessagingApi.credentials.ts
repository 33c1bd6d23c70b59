import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

/**
 * API key and address of the service. Source: specification, "Base address and path shape" and "Authentication".
 *
 * The generic authentication also serves n8n's "Custom API Call" in the HTTP Request node.
 */
export class BusinessMessagingApi implements ICredentialType {
	name = 'businessMessagingApi';

	displayName = 'Business Messaging API';

	icon = { light: 'file:businessMessaging.svg', dark: 'file:businessMessaging.dark.svg' } as const;

	documentationUrl = 'https://github.com/your-organization/n8n-nodes-business-messaging#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key you create in the account settings of the service, section API keys',
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description: 'The address of the service, without /v1. It has to start with https:// unless it is on this machine.',
		},
		{
			displayName: 'Layout',
			name: 'layout',
			type: 'options',
			options: [
				{
					name: 'Automatic',
					value: 'automatic',
					description: 'Shared host if the Base URL ends with /api, else dedicated host',
				},
				{
					name: 'Dedicated Host',
					value: 'dedicatedHost',
					description: 'The service answers under /v1 of a host of its own',
				},
				{
					name: 'Shared Host',
					value: 'sharedHost',
					description: 'The service answers under /api/v1',
				},
			],
			default: 'automatic',
			description: 'How the addresses of the service are built',
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1000,
			description: 'How many requests your plan allows. All nodes that use the same key share them.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Only for the trigger, and only if your service signs what it delivers or you register the URL by hand: the secret that both know',
		},
		{
			displayName: 'Rate Window in Milliseconds',
			name: 'rateWindowMs',
			type: 'hidden',
			default: 60000,
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/v1/auth/me',
		},
	};
}
