import { collectionField, recipientField, textField } from '../fields';
import { inboxOperation } from '../localOperation';
import { defaultCountryField, readPhoneValue } from '../phoneFields';

/** Ends the wait of Send and Wait for one person. */
export const endWait = inboxOperation({
	resource: 'message',
	name: 'End Wait',
	value: 'endWait',
	action: 'End wait for a reply',
	description:
		'Stop waiting for the reply of the person of each input item, as if the time was up. The execution waits for all others.',
	fields: [
		{ ...recipientField, description: 'Phone number of the person who was asked' },
		textField({
			displayName: 'Execution ID',
			name: 'executionId',
			placeholder: 'e.g. 1234',
			description:
				'The execution that asked, as in the output of Get Open Questions. If empty, no execution waits for this person any more.',
		}),
		collectionField({
			displayName: 'Options',
			name: 'options',
			placeholder: 'Add Option',
			fields: [defaultCountryField],
		}),
	],
	read: ({ to, executionId, options }, settings) => {
		const { phone } = readPhoneValue(to, recipientField, options, settings);
		return { phone, executionId: executionId.trim() || undefined };
	},
	runAll: async (inbox, asked) => {
		const ended = await inbox.endWait(asked);
		return asked.map(({ phone, executionId }, index) => {
			const which =
				executionId === undefined ? 'No execution waits' : `Execution ${executionId} does not wait`;
			if (!ended[index]) inbox.hints.add(`${which} for a reply of ${phone}.`);
			return [{ phone, endedQuestions: ended[index] }];
		});
	},
});
