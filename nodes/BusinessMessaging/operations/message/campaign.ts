/** Send Once: a campaign reaches each recipient at most once, whenever and however often the workflow runs. */
import { type ValuesOf, booleanField, choiceField, showFor, textField } from '../fieldBuilders';

const whenOn = { '/sendOnce': [true] };

/** The fields of Send Once. */
export const campaignFields = [
	booleanField({
		displayName: 'Send Once',
		name: 'sendOnce',
		default: false,
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
			'Name of the campaign. Another name starts afresh. An expression with the number of an order in it sends one message for each order.',
	}),
] as const;

/** The options of Send Once. */
export const campaignOptions = [
	showFor(
		choiceField({
			displayName: 'Send Once Scope',
			name: 'sendOnceScope',
			options: [
				{ name: 'Node', value: 'node', description: 'Other nodes may send the same campaign' },
				{
					name: 'Workflow',
					value: 'workflow',
					description: 'All nodes of this workflow with this scope share the history',
				},
			],
			default: 'node',
			description: 'Who shares the history of what was sent',
		}),
		whenOn,
	),
	showFor(
		booleanField({
			displayName: 'Clear Send Once History',
			name: 'clearSendOnceHistory',
			default: false,
			description:
				'Whether to forget all campaigns of this scope instead of sending. Nothing is sent while this is on. With the scope Workflow, what Remove Duplicates nodes with that scope remember is forgotten, too.',
		}),
		whenOn,
	),
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
	if (!sendOnce) return undefined;
	const { sendOnceScope: scope = 'node', clearSendOnceHistory: clearsHistory = false } = options;
	return { name: campaign.trim(), scope, clearsHistory };
}
