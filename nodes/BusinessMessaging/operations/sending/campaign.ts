/** Send Once: a campaign reaches each recipient at most once, whenever and however often the workflow runs. */
import { type ValuesOf, booleanField, choiceField, showFor, textField } from '../fields';

const isOn = { '/sendOnce': [true] };

/** The fields of Send Once. */
export const campaignFields = [
	booleanField({
		displayName: 'Send Once',
		name: 'sendOnce',
		description:
			'Whether each recipient gets a campaign at most once, even if the workflow runs again or n8n restarts. This holds for the last 30,000 messages of this node, unless an n8n process freezes for more than 10 seconds. If several processes use the node, its first message goes out after about 14 seconds.',
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

/** Further fields of Send Once, for Options. */
export const campaignOptions = [
	// Only this node can clear its history.
	showFor(
		booleanField({
			displayName: 'Clear Send Once History',
			name: 'clearSendOnceHistory',
			description:
				'Whether to delete the history of all campaigns of this node. The node sends nothing while this is on.',
		}),
		isOn,
	),
	showFor(
		textField({
			displayName: 'Failed Message ID',
			name: 'failedMessage',
			placeholder: 'e.g. {{ $json.failedMessageId }}',
			description:
				'ID of a message of this campaign that failed later, from its delivery receipt. The recipient gets the campaign once more for each ID. If the ID is empty, Send Once works as usual.',
		}),
		isOn,
	),
	showFor(
		choiceField({
			displayName: 'If Uncertain',
			name: 'ifUncertain',
			options: [
				{
					name: 'Send Again',
					value: 'sendAgain',
					description:
						'Send the message again with the same idempotency key. If the service ignores the key, the recipient may get it twice.',
				},
				{
					name: 'Skip',
					value: 'skip',
					description: 'Do not send the message. The recipient may get nothing.',
				},
			],
			default: 'skip',
			description:
				'What to do with a message that an earlier run may have sent, e.g. because n8n stopped at that moment. With several workers, choose Send Again only while no other execution sends this campaign.',
		}),
		isOn,
	),
] as const;

/** The campaign of a message; if `clearsHistory`, the history is deleted and nothing is sent. */
export type Campaign = NonNullable<ReturnType<typeof readCampaign>>;

/** The campaign that a message belongs to; undefined if Send Once is off. */
export function readCampaign({
	sendOnce,
	campaign,
	options,
}: ValuesOf<typeof campaignFields> & { options: Partial<ValuesOf<typeof campaignOptions>> }) {
	const { clearSendOnceHistory: clearsHistory = false, failedMessage = '', ifUncertain } = options;
	const repeatsUncertain = ifUncertain === 'sendAgain';
	return sendOnce
		? {
				name: campaign.trim(),
				failedMessageId: failedMessage.trim(),
				repeatsUncertain,
				clearsHistory,
			}
		: undefined;
}
