/** The fields for checking who delivers. The key itself is in the credential, where n8n encrypts it. */
import {
	type Field,
	booleanField,
	choiceField,
	collectionField,
	textField,
} from '../operations/fieldBuilders';

/** Which signature is demanded. */
export const signatureFields: Field[] = [
	booleanField({
		displayName: 'Require Secret',
		name: 'requireSecret',
		default: false,
		displayOptions: { show: { registration: ['manual'] } },
		description:
			'Whether a delivery must bring the Webhook Secret of the credential: at the end of the registered URL as ?token=… or in a header named X-Webhook-Token',
	}),
	choiceField({
		displayName: 'Signature',
		name: 'signature',
		options: [
			{
				name: 'HMAC',
				value: 'custom',
				description: 'A header with an HMAC of the body, as you describe it below',
			},
			{
				name: 'HMAC with Timestamp',
				value: 'timestamped',
				description:
					'A header with t= (time of signing) and v1= (HMAC-SHA256 of time, a dot and the body in hex)',
			},
			{ name: 'None', value: 'none', description: 'The service does not sign' },
			{
				name: 'Standard Webhooks',
				value: 'standardWebhooks',
				description:
					'As specified at https://www.standardwebhooks.com, in three headers whose names begin with webhook',
			},
		],
		default: 'none',
		description:
			'How the service signs what it delivers. Deliveries without the right signature are refused. The key is the Webhook Secret of the credential.',
	}),
	textField({
		displayName: 'Signature Header',
		name: 'signatureHeader',
		default: 'X-Signature',
		placeholder: 'e.g. X-Hub-Signature-256',
		displayOptions: { show: { signature: ['custom', 'timestamped'] } },
		description: 'Name of the header that holds the signature',
	}),
	collectionField({
		displayName: 'Signature Options',
		name: 'signatureOptions',
		placeholder: 'Add Option',
		displayOptions: { show: { signature: ['custom'] } },
		fields: [
			choiceField({
				displayName: 'Algorithm',
				name: 'algorithm',
				options: [
					{ name: 'HMAC-SHA1', value: 'sha1' },
					{ name: 'HMAC-SHA256', value: 'sha256' },
					{ name: 'HMAC-SHA512', value: 'sha512' },
				],
				default: 'sha256',
				description: 'How the service computes the signature',
			}),
			choiceField({
				displayName: 'Encoding',
				name: 'encoding',
				options: [
					{ name: 'Base64', value: 'base64' },
					{ name: 'Hex', value: 'hex' },
				],
				default: 'hex',
				description: 'How the service writes the signature',
			}),
			textField({
				displayName: 'Prefix',
				name: 'prefix',
				placeholder: 'e.g. sha256=',
				description: 'What is before the signature in the header',
			}),
			textField({
				displayName: 'Timestamp Header',
				name: 'timestampHeader',
				placeholder: 'e.g. X-Timestamp',
				description:
					'Name of a header with the time of signing in Unix seconds or milliseconds. With it, the time, a dot and the body are signed.',
			}),
		],
	}),
];
