/** The editor's view of the trigger: its fields, texts and hints. */
import type { INodeProperties, NodeHint, TriggerPanelDefinition } from 'n8n-workflow';

import { eventOptions } from '../operations/eventOptions';
import {
	booleanField,
	choiceField,
	collectionField,
	numberField,
	textField,
} from '../operations/fieldBuilders';
import { filtersField } from './filters';
import { signatureFields } from './signatureFields';

const manualNotice =
	'Register the Production URL above (and the Test URL for tests) at the service yourself, for the events chosen here. Remove it there when you no longer need it.';

const optionsField = collectionField({
	displayName: 'Options',
	name: 'options',
	placeholder: 'Add Option',
	fields: [
		booleanField({
			displayName: 'Allow Duplicate Events',
			name: 'allowDuplicateEvents',
			default: false,
			description:
				'Whether an event that the service delivers again starts the workflow again. Otherwise each event starts it once.',
		}),
		booleanField({
			displayName: 'Download Media',
			name: 'downloadMedia',
			default: false,
			description:
				'Whether to download the file of a message (a picture, a document) into a binary field, if the event brings a public HTTPS address of it',
		}),
		numberField({
			displayName: 'Max File Size (MB)',
			name: 'maxFileSize',
			typeOptions: { minValue: 1 },
			default: 16,
			description: 'Greatest size of a file that Download Media downloads',
		}),
		numberField({
			displayName: 'Max Payload Size (KB)',
			name: 'maxPayloadSize',
			typeOptions: { minValue: 1 },
			default: 1024,
			description: 'Greatest size of a delivery. A larger one is refused.',
		}),
		numberField({
			displayName: 'Secret Version',
			name: 'secretVersion',
			typeOptions: { minValue: 1 },
			default: 1,
			description:
				'The registered URL holds a secret, so that nobody else can start the workflow. If others may have seen it, change this number and publish the workflow: the trigger makes a new secret and refuses the old one.',
		}),
	],
});

/** The fields of the trigger. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		default: ['message.received'],
		description: 'Which events start the workflow',
	},
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
					'Register the URL at the service when the workflow is published (n8n 1: activated), and remove it when it is unpublished',
			},
			{
				name: 'Manual',
				value: 'manual',
				description: 'For services that offer no endpoint for it: you register the URL by hand',
			},
		],
		default: 'automatic',
		description: 'How the service learns where to deliver events',
	}),
	{
		displayName: manualNotice,
		name: 'manualNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { registration: ['manual'] } },
	},
	...signatureFields,
	booleanField({
		displayName: 'Simplify',
		name: 'simplify',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	}),
	filtersField,
	optionsField,
];

const whileBuilding =
	"<b>While building your workflow</b>, click the 'execute step' button, then write to your number as a customer would (or have your service send a test event). The event will show up in this editor.";

/** Texts of the panel that the editor shows while there is no event yet. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Have a customer write to you',
	executionsHelp: {
		inactive: `${whileBuilding}<br /><br /><b>Once you're happy with your workflow</b>, <a data-key='activate'>publish</a> it. Then every event starts an execution. These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.`,
		active: `${whileBuilding}<br /><br /><b>Your workflow will also execute automatically</b>, since it's published: testing does not disturb that. These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.`,
	},
	activationHint:
		"Once you've finished building your workflow, <a data-key='activate'>publish</a> it to have every event start an execution (you just won't see those executions here).",
};

/** What the editor points out next to the fields. */
export const hints: NodeHint[] = [
	{
		message:
			'With delivery receipts, one message that you send can start up to four executions: sent, delivered, read, failed. Choose only those you need.',
		type: 'info',
		location: 'ndv',
		whenToDisplay: 'always',
		displayCondition:
			'={{ [].concat($parameter["events"]).some((event) => event !== "message.received") }}',
	},
];
