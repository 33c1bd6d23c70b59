/** Which rows of the campaign log a run removes before it begins. */
import { LogView } from '../../../nodes/BusinessMessaging/execution/campaignLog';

test.each([
	['a claim beside its result', ['sending', 'sent'], [1]],
	['a claim that people have edited', ['notSent', 'sent'], [1]],
	['a claim beside an uncertain result', ['sending', 'mayHaveBeenSent'], [1]],
	['a claim beside what was not sent', ['sending', 'notSent'], [1]],
	['only a claim: its run may be sending', ['sending'], []],
	// The run that has written the result may be about to remove its claim: then no row would be left.
	['a claim that a receipt has settled, beside a failure', ['sent', 'notSent'], []],
	['rows that both count', ['mayHaveBeenSent', 'sent'], []],
])('%s', (_, statuses, removed) => {
	const view = new LogView();
	for (const [index, status] of statuses.entries())
		view.add({
			...{ id: index + 1, campaign: 'spring', phone: '+15550000001', status, key: 'key1' },
			...{ account: 'api.example.com 00000000', execution: '1', sentAt: 0, createdAt: 0 },
		});
	expect(view.superseded().map(({ id }) => id)).toEqual(removed);
});
