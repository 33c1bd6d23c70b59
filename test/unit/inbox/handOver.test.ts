/** When a run gets its replies, and what becomes of those that it does not get. */
import {
	type Run,
	afterHandOver,
	dueAt,
	lateMessages,
} from '../../../nodes/BusinessMessaging/inbox/core';
import { toLateItem } from '../../../nodes/BusinessMessaging/inbox/atTrigger';
import { Inbox } from '../../../nodes/BusinessMessaging/inbox/inbox';
import type {
	CallResult,
	Delivery,
	InboxPorts,
} from '../../../nodes/BusinessMessaging/inbox/ports';
import { QuestionRun } from '../../../nodes/BusinessMessaging/inbox/questionRun';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import {
	answerFields,
	defaultAnswer,
} from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

const [limit, reply] = [60_000, 'reply'];

/** A run with one reply, which it is about to get. Further messages belong to the reply until `moreUntil`. */
function runWith(moreUntil?: number): Run {
	const message = { key: reply, text: 'Yes', respondedAt: '' };
	const person = {
		...{ item: 0, to: '+15550001001', question: 0, since: 0, askedMessageId: null },
		...{ messages: [message], repeatedAfter: [], moreUntil },
	};
	return {
		...{ id: 'run', url: 'https://n8n.test/run', owner: 'https://n8n.test/trigger' },
		...{ triggers: [], startedAt: 0, until: limit, leaseUntil: 0, isWhole: true, isOver: false },
		...{ handing: [reply], started: [], notAsked: [], people: new Map([[0, person]]) },
		questions: [{ ...defaultAnswer(), asked: '' }],
	};
}

test.each([
	[20_000, 20_000],
	[limit + 30_000, limit],
])('messages that are grouped until %d ms are given to the run at %d ms', (moreUntil, due) => {
	expect(dueAt(runWith(moreUntil))).toBe(due);
});

test('if items have different time limits, the longest one counts for everybody', () => {
	const items = [1_000, 3_000, 2_000].map((limitMs, index) => {
		const question = { ...defaultAnswer(), limitMs };
		return { index, input: {}, request: { rules: { question } } };
	});
	const given = [{}, {}, items] as unknown as ConstructorParameters<typeof QuestionRun>;
	expect(new QuestionRun(...given).limitMs).toBe(3_000);
	const limit = answerFields.find(({ name }) => name === 'limitWaitTime');
	expect(limit?.description).toContain('longest');
});

test.each([
	['accepted', false, []],
	['finished', false, []],
	['gone', true, []], // an earlier call has given it the reply
	['gone', false, [reply]],
	['stopped', false, [reply]],
	['stopped', true, [reply]],
	['running', false, [reply]], // its asker was killed
	['running', true, []],
] as const)(
	'after the response "%s" (an earlier call may have given the replies: %s), these replies start the workflow: %j',
	(state, mayHaveGot, late) => {
		const run = runWith();
		afterHandOver(run, state, mayHaveGot, 1_000);
		expect(lateMessages(run).map(({ message }) => message.key)).toEqual(late);
	},
);

test.each([true, false])(
	'a late reply says that its text was cut (simplified: %j)',
	(isSimplified) => {
		const run = runWith();
		const late = { run, person: run.people.get(0)! };
		const [message] = late.person.messages;
		const itemOf = (isCut?: boolean) =>
			toLateItem({ ...late, message: { ...message, isCut } }, isSimplified);
		expect(itemOf(true)).toMatchObject({ late: true, textIsCut: true });
		expect(itemOf()).not.toHaveProperty('textIsCut');
	},
);

test.each<[string, CallResult, boolean]>([
	['is unpublished', 'gone', false],
	['is unpublished', 'gone', true],
	['no longer receives messages', { inbox: 'no' }, false],
	['no longer receives messages', { inbox: 'no' }, true],
])(
	'a trigger that %s calls n8n only now and then about the replies that it has (response %j, run is over: %j)',
	async (_, result, isOver) => {
		const day = 86_400_000;
		let [now, calls] = [0, 0];
		const aDayLater = new Promise<void>((resolve) => {
			const ports: InboxPorts = {
				now: () => now,
				pause: async (ms) => {
					now += Math.max(0, ms);
					if (now > day) await new Promise(() => resolve());
				},
				callTrigger: async () => {
					calls++;
					return result;
				},
				...{ seal: (record) => record, unseal: (text) => text, warn: () => {} },
				...{ callRun: async () => 'unknown', repeat: async () => false },
			};
			const run = { ...runWith(), isOver };
			new Inbox(run.owner, ports).known.merge(run);
		});
		await aDayLater;
		expect(calls).toBeGreaterThan(20);
		expect(calls).toBeLessThan(300);
	},
);

test.each([
	[true, 0],
	[false, 1],
])(
	'after a call that starts the workflow with a late reply (has it started: %j), a restarted n8n starts it %d times, even if the response was lost',
	async (isDone, starts) => {
		let stored: unknown;
		const delivery = (): Delivery => ({
			stored,
			store: (live) => (stored = live.toJSON()),
			ended: Promise.resolve('received'),
			hasSucceeded: async () => isDone,
		});
		const ports: InboxPorts = {
			now: () => limit,
			pause: async () => await new Promise(() => {}),
			callTrigger: async () => undefined, // lost
			...{ seal: (record) => record, unseal: (text) => text, warn: () => {} },
			...{ callRun: async () => 'unknown', repeat: async () => false },
		};
		const url = `https://n8n.test/webhook-waiting/1/node?wait=run-0000001&signature=${'a'.repeat(64)}`;
		const run = { ...runWith(), id: 'run-0000001', url, isOver: true };
		const before = new Inbox(run.owner, ports);
		before.known.merge(run);
		const record = toRecord(run, run.owner);
		const call = { is: 'late' as const, id: run.id, run: record, keys: [reply] };
		expect((await before.respond(delivery(), call)).late).toHaveLength(1);
		await new Promise(setImmediate);
		await before.respond(delivery(), { is: 'sync' });
		const restarted = new Inbox(run.owner, ports);
		restarted.known.load(delivery());
		expect(lateMessages(restarted.known.runs.get(run.id)!)).toHaveLength(starts);
	},
);
