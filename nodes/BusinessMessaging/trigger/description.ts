/** The editor's view of the trigger: its fields, texts and hints. */
import type { INodeProperties, NodeHint, TriggerPanelDefinition } from 'n8n-workflow';

import { eventOptions } from '../operations/eventOptions';
import { booleanField, choiceField, textField } from '../operations/fieldBuilders';
import { filtersField } from './filters';
import { optionsField } from './options';
import { signatureFields } from './signatureFields';

const manualNotice =
	'Register the Production URL above (and for tests the Test URL) at the service yourself, for the events chosen here, and remove it there when you no longer need it';

/** The fields of the trigger. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Events',
		name: 'events',
		type: 'multiOptions',
		options: eventOptions,
		default: ['message.received'],
		description: 'Which events start the workflow',
	},
	textField({
		displayName: 'Other Events',
		name: 'otherEvents',
		placeholder: 'e.g. contact.created, conversation.closed',
		description:
			'Further kinds of event that your service delivers, by their names, separated by commas',
	}),
	choiceField({
		displayName: 'Registration',
		name: 'registration',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description:
					'Register the URL at the service when the workflow is activated, and remove it when it is deactivated',
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
		name: 'simple',
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
		inactive: `${whileBuilding}<br /><br /><b>Once you're happy with your workflow</b>, <a data-key='activate'>activate</a> it. Then every event starts an execution. These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.`,
		active: `${whileBuilding}<br /><br /><b>Your workflow will also execute automatically</b>, since it's activated: testing does not disturb that. These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.`,
	},
	activationHint:
		"Once you've finished building your workflow, <a data-key='activate'>activate</a> it to have every event start an execution (you just won't see those executions here).",
};

/** What the editor points out next to the fields. */
export const hints: NodeHint[] = [
	{
		message:
			'With the delivery receipts, one message that you send can start up to three or four executions: sent, delivered, read, failed. Choose only those you need.',
		type: 'info',
		location: 'ndv',
		whenToDisplay: 'always',
		displayCondition:
			'={{ [].concat($parameter["events"]).some((event) => event !== "message.received") }}',
	},
];
