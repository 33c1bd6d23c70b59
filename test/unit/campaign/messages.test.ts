/** Of several messages of a campaign to one person, which one counts. */
import { onePerPerson, toMessages } from '../../../nodes/BusinessMessaging/campaign/messages';

test.each([
	[['sent', 'notSent'], 1],
	[['mayHaveBeenSent', 'notSent'], 1],
	[['notSent', 'sent'], 2],
	[['mayHaveBeenSent', 'sent', 'notSent'], 2],
	[['notSent', 'notSent'], 2],
	[['sent', 'sent'], 2],
])('of %j it is number %i', async (statuses, expected) => {
	const rows = statuses.map((status, index) => ({
		...{ id: index + 1, idempotencyKey: `key${index}`, campaign: 'sale', status },
		// Spellings of one phone are one person.
		phone: index % 2 ? '+1 555 000-1000' : '+15550001000',
	}));
	const messages = await onePerPerson(toMessages(rows));
	expect(messages.map(({ id }) => id)).toEqual([expected]);
});
