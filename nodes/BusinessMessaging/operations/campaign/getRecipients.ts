import { addHintOnRecording, readMessagesOf } from '../../campaign/readMessages';
import { type filters, recipientsOf } from '../../campaign/recipients';
import { choiceField, collectionField, dateField } from '../fields';
import { campaignNameField } from '../sending/campaign';
import { tableOperation } from '../localOperation';
import { readDateTime } from '../readDateTime';

const people: Array<{ name: string; value: keyof typeof filters; description: string }> = [
	{
		name: 'Everybody',
		value: 'everybody',
		description: 'All people in the campaign log, also if the service refused the message',
	},
	{
		name: 'Everybody Who Got It',
		value: 'all',
		description: 'All to whom the message was sent and for whom it did not fail',
	},
	{
		name: 'May Have Been Sent',
		value: 'mayHaveBeenSent',
		description: 'It is not known whether the message was sent',
	},
	{
		name: 'No Reply',
		value: 'noReply',
		description: 'They got the message and have not replied, also not with STOP',
	},
	{
		name: 'Not Delivered',
		value: 'notDelivered',
		description:
			'The message was sent, and no receipt or reply shows that it has arrived or failed',
	},
	{
		name: 'Not Read',
		value: 'notRead',
		description: 'They got the message, and have neither read it nor replied, also not with STOP',
	},
	{
		name: 'Not Sent or Failed',
		value: 'failed',
		description: 'The service refused the message, or it failed later',
	},
	{ name: 'Opted Out', value: 'optedOut', description: 'They wrote STOP after the message' },
	{
		name: 'Read Without Reply',
		value: 'readWithoutReply',
		description: 'They have read the message and have not replied, also not with STOP',
	},
	{ name: 'Replied', value: 'replied', description: 'They have replied' },
];

/** What these people have done or not is known only from recorded events. */
const needRecording: Array<keyof typeof filters> = [
	'noReply',
	'notDelivered',
	'notRead',
	'optedOut',
	'readWithoutReply',
	'replied',
];

/** The people of a campaign, for the next message to them. */
export const getRecipients = tableOperation({
	resource: 'campaign',
	name: 'Get Recipients',
	value: 'getRecipients',
	action: 'Get recipients of a campaign',
	description: 'Get the people of a campaign, e.g. all who have not read it, to send to them again',
	fields: [
		{ ...campaignNameField, description: 'Name of the campaign, as in the step that sends it' },
		choiceField({
			displayName: 'People',
			name: 'people',
			options: people,
			default: 'all',
			description: 'Which people to return',
		}),
		collectionField({
			displayName: 'Filters',
			name: 'filters',
			placeholder: 'Add Filter',
			fields: [
				dateField({
					displayName: 'Sent Before',
					name: 'sentBefore',
					description: 'Only people to whom the message was sent before this time',
				}),
			],
		}),
	],
	read: ({ campaign, people: which, filters: { sentBefore } }, { timeZone }) => ({
		campaign: campaign.trim(),
		which,
		sentBefore: readDateTime('Sent Before', sentBefore, timeZone)?.toMillis(),
	}),
	isSharedByItems: true,
	runAll: async (tables, [{ campaign, which, sentBefore }]) => {
		const messages = await readMessagesOf(tables, campaign);
		if (needRecording.includes(which)) addHintOnRecording(tables, messages);
		return [await recipientsOf(messages, which, sentBefore)];
	},
});
