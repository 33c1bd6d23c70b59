import { addHintOnRecording, readMessagesOf } from '../../campaign/readMessages';
import { reportOf } from '../../campaign/report';
import { textField } from '../fields';
import { tableOperation } from '../localOperation';

/** The figures of campaigns. */
export const getReport = tableOperation({
	resource: 'campaign',
	name: 'Get Report',
	value: 'getReport',
	action: 'Get report of campaigns',
	description:
		'Get how many people got, read and answered a campaign, for each variant, and whether the variants differ by more than chance',
	fields: [
		textField({
			displayName: 'Campaign',
			name: 'campaign',
			placeholder: 'e.g. spring-sale-2030',
			description: 'Name of the campaign. If empty, the report is about all campaigns.',
		}),
	],
	read: ({ campaign }) => ({ campaign: campaign.trim() }),
	isSharedByItems: true,
	runAll: async (tables, [{ campaign }]) => {
		const messages = await readMessagesOf(tables, campaign || undefined);
		addHintOnRecording(tables, messages);
		return [await reportOf(messages)];
	},
});
