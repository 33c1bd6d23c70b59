/** Which messages were there before a question, and so are no reply to it. */
import { decideOn } from '../../../nodes/BusinessMessaging/inbox/core';
import { Known } from '../../../nodes/BusinessMessaging/inbox/known';
import { DeliveryNames } from '../../../nodes/BusinessMessaging/inbox/messageNames';
import { anna, arrivalOf, byItem, personOf, runOf } from './parts';

const asked = (since: number, toldAt: number) => {
	const person = personOf(0, { to: anna, since, toldAt });
	return [{ run: runOf({ people: byItem([person]) }), person }];
};

// The service's clock shows 1,000 when n8n's clock shows 5,000.
test.each<[written: number | undefined, arrived: number, is: 'reply' | 'ordinary']>([
	[1_000, 5_000, 'reply'],
	[1_500, 5_500, 'reply'],
	[undefined, 5_000, 'reply'],
	[999, 5_500, 'ordinary'], // written before, and delivered late
	[undefined, 4_999, 'ordinary'],
	[1_500, 4_999, 'ordinary'], // the service rounds its times up
	[999, 4_999, 'ordinary'],
])(
	'a message written at %p, which arrived at %d, after a question at 1,000 and 5,000: %s',
	(time, firstAt, is) => {
		expect(decideOn(asked(1_000, 5_000), arrivalOf({ time, firstAt }), 6_000).is).toBe(is);
	},
);

test('a run that tells the inbox about a person again does not make earlier messages ordinary', () => {
	const known = new Known(() => undefined);
	const told = (askedMessageId: string | null, since = 0) =>
		runOf({ people: byItem([personOf(0, { to: anna, askedMessageId, since })]), isAsked: false });
	known.tell(told(null), { now: 5_000, toldAt: 5_000, since: 1_000 });
	known.tell(told('question'), { now: 9_000, toldAt: 9_000, since: 5_000 });
	const [open] = known.runs.to({ phone: anna });
	expect(open.person).toMatchObject({ since: 1_000, toldAt: 5_000, askedMessageId: 'question' });
	known.close(told('question', 1_200), { now: 9_500, toldAt: 9_500, since: 5_500 });
	const [closed] = known.runs.to({ phone: anna });
	expect(closed.person).toMatchObject({ since: 1_200, toldAt: 5_000 });
});

test.each([
	[true, 0],
	[false, 4_000],
])(
	'an equal message after one whose delivery was confirmed (%s) arrived first %d ms ago',
	async (isConfirmed, ageMs) => {
		const names = new DeliveryNames('process');
		const message = arrivalOf({ isCertain: false });
		names.begin(message, 5_000, Promise.resolve(isConfirmed));
		await Promise.resolve();
		const again = names.begin(message, 9_000, Promise.resolve(true));
		expect(again.ageMs).toBe(ageMs);
	},
);

test.each([
	['a millisecond before the limit', 599_999, 'reply'],
	['in the millisecond of the limit', 600_000, 'ordinary'],
])('a message %s', (_, now, is) => {
	const person = personOf(0, { to: anna });
	const asked = [{ run: runOf({ people: byItem([person]) }), person }];
	expect(decideOn(asked, arrivalOf(), now).is).toBe(is);
});

test('a run that is being given its replies takes no more', () => {
	const person = personOf(0, { to: anna });
	const asked = [{ run: runOf({ people: byItem([person]), isHandingOver: true }), person }];
	expect(decideOn(asked, arrivalOf(), 0).is).toBe('ordinary');
});
