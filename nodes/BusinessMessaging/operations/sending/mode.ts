/** Whether messages are sent, only shown, or sent to the user's test number. */
import { omit } from 'lodash';

import { type ValuesOf, choiceField, numberField, textField } from '../fields';
import type { OperationRequest, RequestSettings } from '../operation';
import { readPhoneValue } from '../phoneFields';

const testNumberField = textField({
	displayName: 'Test Number',
	name: 'testNumber',
	// Not required: if Mode is an expression, n8n always shows the field, and would not publish the workflow without it.
	displayOptions: { show: { mode: ['test'] } },
	placeholder: 'e.g. +49 170 1234567',
	description: 'Your own phone number',
});

const preview = {
	name: 'Preview',
	value: 'preview',
	description: 'Show the messages, who would be skipped, and what would fail',
} as const;
const send = { name: 'Send', value: 'send', description: 'Send the messages' } as const;
const mode = {
	displayName: 'Mode',
	name: 'mode',
	default: 'send',
	description: 'What to do with the messages',
} as const;

/** The mode of a question. It has no test, as replies to a test could not be matched. */
export const questionModeField = choiceField({ ...mode, options: [preview, send] });

/** The fields of the mode. */
export const modeFields = [
	choiceField({
		...mode,
		options: [
			preview,
			send,
			{
				name: 'Send to Test Number',
				value: 'test',
				description:
					'Send the first messages to your own number, without Send Once and Audience Rules',
			},
		],
	}),
	testNumberField,
	numberField({
		displayName: 'Number of Test Messages',
		name: 'testMessages',
		typeOptions: { minValue: 1, maxValue: 100, numberPrecision: 0 },
		default: 3,
		displayOptions: { show: { mode: ['test'] } },
		description: 'How many items to send to the test number',
	}),
] as const;

/** The request in its mode; a test has no Send Once and no rules. @throws InputError for an invalid test number */
export function applyMode(
	request: OperationRequest,
	{
		mode,
		testNumber,
		testMessages,
		options,
	}: ValuesOf<typeof modeFields> & { options: { defaultCountry?: string } },
	settings: RequestSettings,
): OperationRequest {
	if (mode === 'send') return request;
	if (mode === 'preview') return { ...request, rules: { ...request.rules, isPreview: true } };
	const { phone } = readPhoneValue(testNumber, testNumberField, options, settings);
	const test = { meantFor: String(request.body?.to), testMessages };
	const rules = { ...omit(request.rules, 'campaign', 'audience'), test };
	return { ...request, body: { ...request.body, to: phone }, rules };
}
