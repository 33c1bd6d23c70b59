/** Send Once: a campaign reaches each recipient at most once, whenever and however often the workflow runs. */
import { type ValuesOf, booleanField, choiceField, textField } from '../fieldBuilders';

/** The fields of Send Once. */
export const campaignFields = [
	booleanField({
		displayName: 'Send Once',
		name: 'sendOnce',
		description:
			'Whether each recipient gets at most one message of a campaign, also if the workflow runs again, is retried, or n8n restarts',
	}),
	textField({
		displayName: 'Campaign',
		name: 'campaign',
		required: true,
		displayOptions: { show: { sendOnce: [true] } },
		placeholder: 'e.g. spring-sale-2030',
		description:
			'Name of the campaign. To send to the same people again, use another name. To send one message for each order, use an expression that contains the order number.',
	}),
] as const;

/** The options of Send Once. */
export const campaignOptions = [
	choiceField({
		displayName: 'Send Once Scope',
		name: 'sendOnceScope',
		displayOptions: { show: { '/sendOnce': [true] } },
		options: [
			{ name: 'Node', value: 'node', description: 'Other nodes may send the same campaign' },
			{
				name: 'Workflow',
				value: 'workflow',
				description: 'All nodes of this workflow with this scope share the history',
			},
		],
		default: 'node',
		description: 'Which nodes share the history of what was sent',
	}),
	booleanField({
		displayName: 'Clear Send Once History',
		name: 'clearSendOnceHistory',
		displayOptions: { show: { '/sendOnce': [true] } },
		description:
			'Whether to delete the history of all campaigns in this scope. The node sends nothing while this is on. With the scope Workflow, this also clears what Remove Duplicates nodes with the scope Workflow have stored.',
	}),
] as const;

/** The campaign that a message belongs to. */
export interface Campaign {
	name: string;
	scope: 'node' | 'workflow';
	/** Whether the history is cleared instead of sending. */
	clearsHistory: boolean;
}

/** The campaign that a message belongs to; undefined if Send Once is off. */
export function readCampaign({
	sendOnce,
	campaign,
	options,
}: ValuesOf<typeof campaignFields> & {
	options: Partial<ValuesOf<typeof campaignOptions>>;
}): Campaign | undefined {
	const { sendOnceScope: scope = 'node', clearSendOnceHistory: clearsHistory = false } = options;
	return sendOnce ? { name: campaign.trim(), scope, clearsHistory } : undefined;
}
