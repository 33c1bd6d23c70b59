/** If a trigger has made a decision about a message, it repeats the same decision, whatever has happened meanwhile. */
import { type Arrival, type Run, type RunState } from '../../../nodes/BusinessMessaging/inbox/core';
import { Inbox } from '../../../nodes/BusinessMessaging/inbox/inbox';
import type {
	CallResult,
	Delivery,
	InboxPorts,
	TriggerRequest,
} from '../../../nodes/BusinessMessaging/inbox/ports';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

const own = 'https://n8n.test/webhook/a/webhook';
const other = 'https://n8n.test/webhook/b/webhook';
const phone = '+15550001001';
const ports: InboxPorts = {
	now: () => Date.now(),
	pause: async () => await new Promise(() => {}),
	callTrigger: async (_, { is }) => (is === 'sync' ? { inbox: 'yes' } : undefined),
	seal: (record) => record,
	unseal: (text) => text,
	callRun: async () => 'waiting',
	repeat: async () => true,
	warn: () => {},
};
const delivery = (): Delivery => ({
	stored: undefined,
	store: () => {},
	ended: Promise.resolve('received'),
	hasSucceeded: async () => true,
});

const message = (more: Partial<Arrival>): Arrival => ({
	...{ key: 'message', text: 'yes', respondedAt: '', phone, time: Date.now() },
	...{ isOptOut: false, isCertain: true, ...more },
});

/** Tells the owner that somebody is asked. */
async function ask(
	inbox: Inbox,
	id: string,
	skewMs: number | null,
	more: Partial<Run> = {},
): Promise<void> {
	const startedAt = Date.now();
	const url = `https://n8n.test/webhook-waiting/1/node?wait=${id}&signature=${'a'.repeat(64)}`;
	const run: Run = {
		...{ id, url, owner: own, triggers: [own, other], startedAt, until: startedAt + 60_000 },
		...{ leaseUntil: startedAt, isWhole: true, isOver: false, started: [], notAsked: [] },
		questions: [{ ...defaultAnswer(), asked: '' }],
		people: new Map(
			[phone, '+15550001002'].map((to, item) => [
				item,
				{ item, to, question: 0, since: 0, askedMessageId: null, messages: [], repeatedAfter: [] },
			]),
		),
		...more,
	};
	const record = toRecord(run, own);
	const told: TriggerRequest = { is: 'tell', id, run: record, skewMs, without: [own, other] };
	expect(await inbox.respond(delivery(), told)).toMatchObject({ inbox: 'yes' });
}

/** The owner's decision about the copy that another trigger forwards. */
const forward = async (inbox: Inbox, copy: Arrival) =>
	(await inbox.respond(delivery(), { is: 'message', from: other, message: copy })).verdict?.is;

const cases: Array<[what: string, more: Partial<Arrival>, skewMs: number | null]> = [
	['without a time', { time: Number.NaN }, 0],
	['of a service whose clock is not known', {}, null],
	['dated by a clock that is ahead', { time: Date.now() + 5_000 }, 0],
];

test.each(cases)(
	'an ordinary message %s stays ordinary if a question is asked before its copy arrives',
	async (_, more, skewMs) => {
		const inbox = new Inbox(own, ports);
		expect(await inbox.consume(delivery(), [message(more)])).toMatchObject([{ is: 'ordinary' }]);
		await ask(inbox, 'run-0000001', skewMs);
		expect(await forward(inbox, message(more))).toBe('ordinary');
		expect(await forward(inbox, message({ ...more, key: 'next' }))).toBe('taken');
	},
);

test.each(cases)(
	'a reply %s stays a reply if another question is asked',
	async (_, more, skewMs) => {
		const inbox = new Inbox(own, ports);
		await ask(inbox, 'run-0000001', skewMs);
		expect(await inbox.consume(delivery(), [message(more)])).toMatchObject([{ is: 'taken' }]);
		await ask(inbox, 'run-0000002', skewMs);
		expect(await forward(inbox, message(more))).toBe('taken');
		expect(await forward(inbox, message({ ...more, key: 'next' }))).toBe('taken');
		expect(await forward(inbox, message({ ...more, key: 'last' }))).toBe('ordinary');
	},
);

const reasons: Array<[why: string, state: RunState, hasReply: boolean]> = [
	['an earlier message was the reply', 'waiting', true],
	['the run has ended', 'finished', false],
];

test.each(reasons)(
	'a message that is ordinary because %s starts no workflow until this is stored',
	async (_, state, hasReply) => {
		let isStored = false;
		const callTrigger = async () => (isStored ? { inbox: 'yes' as const } : undefined);
		const inbox = new Inbox(own, { ...ports, callTrigger, callRun: async () => state });
		await ask(inbox, 'run-0000001', 0);
		// n8n has not confirmed yet that it has stored the reply.
		const open = { ...delivery(), ended: new Promise<never>(() => {}) };
		if (hasReply) await inbox.consume(open, [message({})]);
		const next = message({ key: 'next' });
		expect(await inbox.consume(delivery(), [next])).toBe('busy');
		expect(await forward(inbox, next)).toBe('busy');
		isStored = true;
		expect(await forward(inbox, next)).toBe('ordinary');
		expect(await inbox.consume(delivery(), [next])).toMatchObject([{ is: 'ordinary' }]);
	},
);

test.each(['gone', undefined] as const)(
	'a reply does not wait for the owner of a later question that is over, who answers %s',
	async (result) => {
		const inbox = new Inbox(own, { ...ports, callTrigger: async () => result });
		const [startedAt, until] = [Date.now() - 300_000, Date.now() - 125_000];
		await ask(inbox, 'run-0000001', 0, { startedAt: startedAt - 1_000 });
		const later = { owner: other, startedAt, until };
		await ask(inbox, 'run-0000002', 0, later);
		expect(await inbox.consume(delivery(), [message({})])).toMatchObject([{ is: 'taken' }]);
		await ask(inbox, 'run-0000003', 0, { ...later, until: Date.now() });
		expect(await inbox.consume(delivery(), [message({ key: 'next' })])).toBe('busy');
	},
);

test('a message waits for an owner that is unpublished, for a minute each time', async () => {
	let [now, result]: [number, CallResult] = [Date.now(), 'gone'];
	const inbox = new Inbox(own, { ...ports, now: () => now, callTrigger: async () => result });
	await ask(inbox, 'run-0000001', 0, { owner: other, until: now + 600_000 });
	const decide = async (key: string) => {
		const verdicts = await inbox.consume(delivery(), [message({ key })]);
		return verdicts === 'busy' ? verdicts : verdicts[0].is;
	};
	expect(await decide('first')).toBe('busy');
	now += 30_000;
	result = { inbox: 'yes', verdict: { is: 'ordinary' } };
	expect(await decide('first')).toBe('ordinary');
	now += 60_000;
	result = 'gone';
	expect(await decide('second')).toBe('busy');
	now += 60_001;
	expect(await decide('second')).toBe('ordinary');
});

test.each([
	['a run that knows all triggers is the reply', false, [own, other], 'taken'],
	['a run that has not told a newer trigger is ordinary', false, [own], 'ordinary'],
	['a run that has asked everybody is the reply, whatever triggers it knows', true, [], 'taken'],
])('a message of a new person of %s', async (_, isWhole, triggers, expected) => {
	const inbox = new Inbox(own, ports);
	await ask(inbox, 'run-0000001', 0, { isWhole: false, people: new Map() });
	await ask(inbox, 'run-0000001', 0, { isWhole, triggers });
	expect(await forward(inbox, message({ time: Date.now() + 5_000 }))).toBe(expected);
});
