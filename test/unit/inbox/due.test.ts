/** When an execution that waits for replies gets them. */
import { type Person, dueAt, leaseMs } from '../../../nodes/BusinessMessaging/inbox/core';
import { byItem, messageOf, personOf, runOf } from './parts';

const until = 10_000;
const replied = (item: number, moreUntil?: number) =>
	personOf(item, {
		messages: [messageOf('Yes')],
		isValid: true,
		...(moreUntil !== undefined && { moreUntil }),
	});

test.each<[when: string, people: Person[], due: number]>([
	['at the end if somebody has not replied', [replied(0), personOf(1), replied(2)], until],
	['at once if all have replied', [replied(0), replied(1)], 0],
	[
		'when the last of them may write no more',
		[replied(0, 300), replied(1, 900), replied(2, 600)],
		900,
	],
	['at the end, also if somebody may still write', [replied(0, until + 1)], until],
	[
		'when the others may write no more if the wait for one has ended',
		[personOf(0, { isEnded: true }), replied(1, 300)],
		300,
	],
])('is %s', (_, people, due) => {
	expect(dueAt(runOf({ people: byItem(people), isAsked: true, until }))).toBe(due);
});

test('is when its asker counts as dead, as long as it still asks', () => {
	const run = runOf({ people: byItem([replied(0)]), isAsked: false, heardAt: 5, until });
	expect(dueAt(run)).toBe(5 + leaseMs + 1);
});
