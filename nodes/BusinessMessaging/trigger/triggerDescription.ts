/** The trigger in the editor: its fields, texts and hints. */
import type { INodeProperties, NodeHint, TriggerPanelDefinition } from 'n8n-workflow';

import { eventKinds } from '../api/events';
import {
	booleanField,
	choiceField,
	collectionField,
	groupField,
	numberField,
	textField,
} from '../operations/fields';
import { maxGroupSeconds } from './collect';
import { filtersField } from './filters';

const manualNotice =
	'Copy the Production URL above, and register it at the service for the chosen events. For tests, register the Test URL. Remove URLs you no longer need.';

const hmacSchemes = ['sha1', 'sha256', 'sha512'].flatMap((algorithm) => [
	{ name: `HMAC-${algorithm.toUpperCase()} (Base64)`, value: `${algorithm}-base64` },
	{ name: `HMAC-${algorithm.toUpperCase()} (Hex)`, value: `${algorithm}-hex` },
]);
const ofHmac = { hide: { scheme: ['standardWebhooks'] } };

/** Settings for the signatures of deliveries. The key itself is in the credential, where n8n encrypts it. */
const signatureField = groupField({
	displayName: 'Signature',
	name: 'signature',
	description:
		"How the service signs its requests with the credential's Webhook Secret. Requests without a valid signature are refused.",
	fields: [
		choiceField({
			displayName: 'Scheme',
			name: 'scheme',
			options: [
				...hmacSchemes,
				{
					name: 'Standard Webhooks',
					value: 'standardWebhooks',
					description: 'As specified at https://www.standardwebhooks.com',
				},
			],
			default: 'sha256-hex',
			description: 'How the service computes and writes the signature',
		}),
		textField({
			displayName: 'Header',
			name: 'header',
			default: 'X-Signature',
			displayOptions: ofHmac,
			placeholder: 'e.g. X-Hub-Signature-256',
			description: 'Name of the header that holds the signature',
		}),
		textField({
			displayName: 'Prefix',
			name: 'prefix',
			displayOptions: ofHmac,
			placeholder: 'e.g. sha256=',
			description: 'What the service writes before the signature in the HTTP header',
		}),
		textField({
			displayName: 'Timestamp Header',
			name: 'timestampHeader',
			displayOptions: ofHmac,
			placeholder: 'e.g. X-Timestamp',
			description:
				'Name of the header with the timestamp (in Unix time). Only for services that sign the timestamp, a dot (.) and the body, in this order.',
		}),
	],
});

const optionsField = collectionField({
	displayName: 'Options',
	name: 'options',
	placeholder: 'Add Option',
	fields: [
		booleanField({
			displayName: 'Allow Duplicate Events',
			name: 'allowDuplicateEvents',
			default: false,
			description: 'Whether the workflow starts again if the service delivers the same event again',
		}),
		booleanField({
			displayName: 'Batch Receipts',
			name: 'batchReceipts',
			default: false,
			description:
				'Whether to start one execution for about 20 delivery receipts that arrive at nearly the same time, with an item for each receipt',
		}),
		numberField({
			displayName: 'Group Messages (Seconds)',
			name: 'groupMessages',
			typeOptions: { minValue: 0, maxValue: maxGroupSeconds, numberPrecision: 1 },
			default: 3,
			description: `Joins messages that one person sends in a row. The workflow starts after this many seconds without a message, at the latest after ${maxGroupSeconds} seconds.`,
		}),
		numberField({
			displayName: 'Max Payload Size (KB)',
			name: 'maxPayloadSize',
			typeOptions: { minValue: 1 },
			default: 1024,
			description: 'Maximum size of a webhook request. Larger requests are refused.',
		}),
		textField({
			displayName: 'Other Event Types',
			name: 'otherEvents',
			placeholder: 'e.g. contact.created, conversation.closed',
			description: 'Names of further event types that your service delivers, separated by commas',
		}),
		choiceField({
			displayName: 'Registration',
			name: 'registration',
			options: [
				{
					name: 'Automatic',
					value: 'automatic',
					description:
						'The URL is registered when you publish the workflow (n8n 1: activate it), and removed when you unpublish the workflow',
				},
				{
					name: 'Manual',
					value: 'manual',
					description:
						'For services at which the trigger cannot register its URL: you register it yourself',
				},
			],
			default: 'automatic',
			description: 'How the URL of this trigger is registered at the service',
		}),
		booleanField({
			displayName: 'Require Secret',
			name: 'requireSecret',
			default: false,
			displayOptions: { show: { registration: ['manual'] } },
			description:
				"Whether requests must contain the credential's Webhook Secret: in the registered URL as ?token=… or in the header X-Webhook-Token",
		}),
		numberField({
			displayName: 'Secret Version',
			name: 'secretVersion',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'If somebody has seen the URL of an automatic registration, change this number and publish the workflow. A new URL then replaces the old one.',
		}),
		signatureField,
	],
});

/** The fields of the trigger. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventKinds,
		default: ['message.received'],
		description: 'Which events start the workflow',
	},
	{
		displayName: manualNotice,
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { '/options.registration': ['manual'] } },
	},
	booleanField({
		displayName: 'Keep Replies for Send and Wait',
		name: 'keepReplies',
		description:
			'Whether this trigger passes replies to waiting executions of Send and Wait for Response. Only one published trigger per n8n and account can do this.',
	}),
	booleanField({
		displayName: 'Simplify',
		name: 'simplify',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
	filtersField,
	optionsField,
];

const names = Object.fromEntries(eventKinds.map(({ name, value }) => [value, name]));

/** What the canvas shows under the name of the trigger, e.g. "Message Received". */
export const triggerSubtitle = `={{ [$parameter.events, $parameter.options?.otherEvents].flat().filter(Boolean).map((event) => (${JSON.stringify(names)})[event] ?? event).join(", ") }}`;

const whileBuilding =
	"<b>To test</b>, click 'execute step' and cause an event, e.g. write to your number.";

/** Texts of the panel that the editor shows while there is no event yet. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Cause an event, e.g. write to your number',
	executionsHelp: {
		inactive: `${whileBuilding} <a data-key='activate'>Publish</a> the workflow, so that every event starts it.`,
		active: `${whileBuilding} The published workflow keeps running meanwhile: see its <a data-key='executions'>executions</a>.`,
	},
	activationHint:
		"<a data-key='activate'>Publish</a> the workflow, so that every event starts it. These executions do not appear here.",
};

/** What the editor points out next to the fields. */
export const hints: NodeHint[] = [
	{
		message:
			"A message can start several executions. Choose fewer events, or add 'Batch Receipts' to join those that arrive together.",
		type: 'info',
		location: 'ndv',
		whenToDisplay: 'always',
		displayCondition:
			'={{ [].concat($parameter["events"]).filter((event) => event !== "message.received").length > 1 && !$parameter["options"]["batchReceipts"] }}',
	},
];
