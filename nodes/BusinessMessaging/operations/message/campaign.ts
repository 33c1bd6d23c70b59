/** Send Once: a campaign reaches each recipient at most once, whenever and however often the workflow runs. */
import { type ValuesOf, booleanField, textField } from '../fields';

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

/** Deletes the history of the node, which no other node can do. */
export const clearHistoryField = booleanField({
	displayName: 'Clear Send Once History',
	name: 'clearSendOnceHistory',
	displayOptions: { show: { '/sendOnce': [true] } },
	description:
		'Whether to delete the history of all campaigns of this node. The node sends nothing while this is on.',
});

/** The campaign of a message; if `clearsHistory`, the history is deleted and nothing is sent. */
export type Campaign = NonNullable<ReturnType<typeof readCampaign>>;

/** The campaign that a message belongs to; undefined if Send Once is off. */
export function readCampaign({
	sendOnce,
	campaign,
	options,
}: ValuesOf<typeof campaignFields> & {
	options: Partial<ValuesOf<readonly [typeof clearHistoryField]>>;
}) {
	const { clearSendOnceHistory: clearsHistory = false } = options;
	return sendOnce ? { name: campaign.trim(), clearsHistory } : undefined;
}
