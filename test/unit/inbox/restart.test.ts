/** What the inbox still knows after n8n has restarted, of what n8n has stored. */
import type { Arrival } from '../../../nodes/BusinessMessaging/inbox/core';
import { Known } from '../../../nodes/BusinessMessaging/inbox/known';
import type { InboxDelivery } from '../../../nodes/BusinessMessaging/inbox/protocol';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { anna, arrivalOf, byItem, inboxWith, messageOf, own, personOf, runOf } from './parts';

const until = 10_000_000;
const answeredBy = (key: string) =>
	runOf({
		...{ id: 'run-answered', until },
		people: byItem([
			personOf(0, { to: anna, messages: [messageOf(key)], isValid: true }),
			personOf(1), // has not replied yet, so the run waits
		]),
	});
const open = runOf({
	...{ id: 'run-00000open', until },
	people: byItem([personOf(0, { to: anna, askedMessageId: 'question' })]),
});
const delivery: InboxDelivery = {
	...{ stored: {}, since: 0, store: () => undefined },
	ended: Promise.resolve('received'),
	hasSucceeded: async () => await Promise.resolve(true),
};

/** Lets an inbox read the two runs, and another trigger ask. @returns what the message is, and the answers to the open question */
async function judged(key: string, message: Partial<Arrival>) {
	const { keeper } = inboxWith({ isStill: true, states: Array(9).fill('waiting') });
	const runs = [answeredBy(key), open];
	keeper.load({ stored: Object.fromEntries(runs.map((run) => [run.id, toRecord(run, own)])) });
	const arrival = arrivalOf({ phone: anna, ...message });
	const from = { trigger: 'https://n8n.test/webhook/other', registeredAt: 0 };
	const messages = [{ arrival, name: 'other.1', ageMs: 0 }];
	const asking = await keeper.respond(delivery, { is: 'what', from, messages }, true);
	const verdicts = asking.response.verdicts;
	const asked = keeper.known.runs.get(open.id)?.people.get(0);
	return { verdicts, answers: asked?.messages.length };
}

test.each([
	['with an ID', 'm', { key: 'm', isCertain: true }],
	['without an ID', `m~${(1_000).toString(36)}.7`, { key: 'm', isCertain: false }],
	['that quotes a question that was not known then', 'm', { key: 'm', quoted: 'question' }],
])(
	'a reply %s, which another trigger gets afterwards, answers no other question',
	async (_, key, message) => {
		expect(await judged(key, message)).toEqual({ verdicts: [{ is: 'taken' }], answers: 0 });
	},
);

test('another message answers the open question', async () => {
	const { verdicts, answers } = await judged('m', { key: 'other', quoted: 'question' });
	expect([verdicts, answers]).toEqual([[{ is: 'taken' }], 1]);
});

test.each([
	[true, [{ is: 'ordinary' }]],
	[false, 'busy'],
])(
	'a message after the end of a run is ordinary once n8n has stored that end: %s',
	async (isStoring, expected) => {
		const { keeper } = inboxWith({ isStoring, isStill: true });
		keeper.load({ stored: {} });
		keeper.known.restore({ ...open, people: byItem([personOf(0, { to: anna, isEnded: true })]) });
		expect(await keeper.receive(delivery, [arrivalOf({ phone: anna })])).toEqual(expected);
	},
);

test('a trigger that is no inbox any more takes no questions', async () => {
	const { keeper } = inboxWith({ isStill: true });
	keeper.load({ stored: {} });
	const told = { is: 'tell', id: open.id, run: toRecord(open, own), skewMs: 0 } as const;
	expect(await keeper.respond(delivery, told, false)).toEqual({ response: { inbox: 'no' } });
	expect(keeper.known.runs.size).toBe(0);
});

test('a run that is over stays over, if it calls again and if n8n has stored an older copy', () => {
	const known = new Known(() => undefined);
	known.restore(open);
	known.settle(open, 0);
	expect(known.tell(open, { now: 0, since: 0, toldAt: 0 })).toBe('over');
	known.restore(open);
	expect(known.runs.size).toBe(0);
});
