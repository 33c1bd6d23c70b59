/** Send Once: a campaign reaches each recipient at most once, whenever and however often the workflow runs. */
import { campaignName } from '../../campaignName';
import { type ValuesOf, booleanField, showFor, textField } from '../fields';

/** The name of a campaign. */
export const campaignNameField = textField({
	displayName: 'Campaign',
	name: 'campaign',
	required: true,
	placeholder: 'e.g. spring-sale-2030',
	description:
		'Name of the campaign. To send to the same people again, use another name. For one message per order, use the order number as the name.',
});

/** The fields of Send Once. */
export const campaignFields = [
	booleanField({
		displayName: 'Send Once',
		name: 'sendOnce',
		description:
			'Whether each recipient gets the campaign only once. To send again, delete the row of the recipient in the data table Business Messaging Campaigns.',
	}),
	showFor(campaignNameField, { sendOnce: [true] }),
] as const;

/** Further fields of Send Once, for Options. */
export const campaignOptions = [
	showFor(
		booleanField({
			displayName: 'Send to Opted-Out People',
			name: 'includeOptedOut',
			description:
				'Whether the message also goes to people in the data table Opt-outs, e.g. because it is about an order. Otherwise, they get no message of a campaign.',
		}),
		{ '/sendOnce': [true] },
	),
	showFor(
		textField({
			displayName: 'Name in Campaign Log',
			name: 'personName',
			placeholder: 'e.g. {{ $json.name }}',
			description:
				"The person's name. The node saves it in the data table, and Campaign → Get Recipients returns it, e.g. for a reminder.",
		}),
		{ '/sendOnce': [true] },
	),
	showFor(
		textField({
			displayName: 'Variant',
			name: 'variant',
			placeholder: 'e.g. {{ $json.variant }}',
			description:
				'The name of the variant that this person gets. The node saves this name in the data table, to compare variants later.',
		}),
		{ '/sendOnce': [true] },
	),
] as const;

/** The campaign of a message, and the variant that is noted in the campaign log. */
export type Campaign = NonNullable<ReturnType<typeof readCampaign>>;

/** The campaign that a message belongs to; undefined if Send Once is off. */
export function readCampaign({
	sendOnce,
	campaign,
	options: { variant = '', personName = '', includeOptedOut = false },
}: ValuesOf<typeof campaignFields> & { options: Partial<ValuesOf<typeof campaignOptions>> }) {
	if (!sendOnce) return undefined;
	return {
		name: campaignName(campaign),
		variant: variant.trim(),
		person: personName.trim(),
		includesOptedOut: includeOptedOut,
	};
}
