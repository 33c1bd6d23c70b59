import { sortBy } from 'lodash';

import { choiceField, limitField, returnAllField } from '../fields';
import { inboxOperation } from '../localOperation';
import type { OpenQuestion } from '../sending/openQuestions';

const statuses: Array<{
	name: string;
	value: OpenQuestion['status'] | 'all';
	description: string;
}> = [
	{ name: 'All', value: 'all', description: 'Everybody who was asked' },
	{ name: 'Answered', value: 'answered', description: 'Their reply has arrived, valid or not' },
	{
		name: 'Ended',
		value: 'ended',
		description: 'Nobody waits for them any more, because of the operation End Wait',
	},
	{
		name: 'Waiting',
		value: 'waiting',
		description: 'They have not replied, or were asked again',
	},
];

/** Who was asked by Send and Wait, while executions wait for the replies. */
export const getOpenQuestions = inboxOperation({
	resource: 'message',
	name: 'Get Open Questions',
	value: 'getOpenQuestions',
	action: 'Get open questions',
	description:
		'Get whom Send and Wait for Response has asked, who has answered, and the last text of each person, while executions wait',
	fields: [
		returnAllField,
		limitField,
		choiceField({
			displayName: 'Status',
			name: 'status',
			options: statuses,
			default: 'all',
			description: 'Which people to return, those who wait longest first',
		}),
	],
	read: ({ returnAll, limit, status }) => ({
		limit: returnAll ? undefined : Number(limit),
		status,
	}),
	isSharedByItems: true,
	runAll: async (inbox, [{ limit = Infinity, status }]) => {
		const all = sortBy(await inbox.readAll(), 'askedAt');
		const wanted = all.filter((one) => status === 'all' || one.status === status);
		if (wanted.length > limit)
			inbox.hints.add(
				`There are ${wanted.length} questions, and the list ends at 'Limit' (${limit}). To get all, switch on 'Return All'.`,
			);
		return [wanted.slice(0, limit)];
	},
});
