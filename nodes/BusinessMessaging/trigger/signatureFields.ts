/** The fields for checking who delivers. The key itself is in the credential, where n8n encrypts it. */
import type { INodeProperties } from 'n8n-workflow';

function headerField(preset: string, header: string): INodeProperties {
	return {
		displayName: 'Signature Header',
		name: 'signatureHeader',
		type: 'string',
		default: header,
		placeholder: `e.g. ${header}`,
		displayOptions: { show: { signature: [preset] } },
		description: 'Name of the header that holds the signature',
	};
}

/** Which signature is demanded. */
export const signatureFields: INodeProperties[] = [
	{
		displayName: 'Require Secret',
		name: 'requireSecret',
		type: 'boolean',
		default: false,
		displayOptions: { show: { registration: ['manual'] } },
		description: 'Whether a delivery must bring the Webhook Secret of the credential along: at the end of the registered URL as ?token=… or in a header named X-Webhook-Token',
	},
	{
		displayName: 'Signature',
		name: 'signature',
		type: 'options',
		options: [
			{ name: 'Custom', value: 'custom', description: 'A signature in a header, as you describe it below' },
			{ name: 'Hex Digest', value: 'hex', description: 'A header with the HMAC-SHA256 of the body in hex' },
			{ name: 'None', value: 'none', description: 'The service does not sign' },
			{ name: 'Prefixed Digest', value: 'sha256', description: 'A header with sha256= and the HMAC-SHA256 of the body in hex' },
			{ name: 'Standard Webhooks', value: 'standardWebhooks', description: 'As written down at https://www.standardwebhooks.com, in three headers whose names begin with webhook' },
			{ name: 'Timestamp and Digest', value: 'timestamped', description: 'A header with t= (time of signing) and v1= (HMAC-SHA256 of time, a dot and the body in hex)' },
		],
		default: 'none',
		description: 'How the service signs what it delivers. Deliveries without the right signature are refused. The key is the Webhook Secret of the credential.',
	},
	headerField('timestamped', 'X-Signature'),
	headerField('sha256', 'X-Hub-Signature-256'),
	headerField('hex', 'X-Signature'),
	headerField('custom', 'X-Signature'),
	{
		displayName: 'Signature Details',
		name: 'customSignature',
		type: 'collection',
		placeholder: 'Add Detail',
		default: {},
		displayOptions: { show: { signature: ['custom'] } },
		options: [
			{
				displayName: 'Algorithm',
				name: 'algorithm',
				type: 'options',
				options: [
					{ name: 'HMAC-SHA1', value: 'sha1' },
					{ name: 'HMAC-SHA256', value: 'sha256' },
					{ name: 'HMAC-SHA512', value: 'sha512' },
				],
				default: 'sha256',
				description: 'How the service computes the signature',
			},
			{
				displayName: 'Encoding',
				name: 'encoding',
				type: 'options',
				options: [
					{ name: 'Base64', value: 'base64' },
					{ name: 'Hex', value: 'hex' },
				],
				default: 'hex',
				description: 'How the service writes the signature',
			},
			{
				displayName: 'Prefix',
				name: 'prefix',
				type: 'string',
				default: '',
				placeholder: 'e.g. sha256=',
				description: 'What stands before the signature in the header',
			},
			{
				displayName: 'Timestamp Header',
				name: 'timestampHeader',
				type: 'string',
				default: '',
				placeholder: 'e.g. X-Timestamp',
				description: 'Name of a header with the time of signing in Unix seconds or milliseconds. With it, the time, a dot and the body are signed.',
			},
			{
				displayName: 'Tolerance',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description: 'How many seconds the time of signing may differ from now',
			},
		],
	},
];
