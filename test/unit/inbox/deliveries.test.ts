/** What a trigger decides about the messages of a delivery, and whom it asks: the owners of the questions to their senders. */
import type { Arrival, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { CallResult } from '../../../nodes/BusinessMessaging/inbox/ports';
import { begin, settle } from './clock';
import { OneTrigger } from './oneTrigger';
import { arrivalOf, byItem, messageOf, other, own, personOf, runOf, third } from './parts';

const run = (more: Partial<Run> = {}) => runOf({ startedAt: begin, ...more });
const ofOther = (more: Partial<Run> = {}) => run({ id: 'run-0000002', owner: other, ...more });
const ofThird = (more: Partial<Run> = {}) => run({ id: 'run-0000003', owner: third, ...more });

function triggerWith(...runs: Run[]): OneTrigger {
	const n8n = new OneTrigger();
	for (const one of runs) n8n.inbox.known.merge(one);
	return n8n;
}

async function deliver(n8n: OneTrigger, messages: Arrival[], hasOthers = false) {
	const delivery = n8n.delivery();
	const verdicts = await n8n.inbox.consume(delivery, messages, hasOthers);
	const isStoring = delivery.isStoring();
	delivery.end();
	await settle();
	const all = verdicts === 'busy' ? 'busy' : verdicts.map(({ is }) => is);
	return { all, isStoring };
}
const whatIs = async (n8n: OneTrigger, message: Arrival) => (await deliver(n8n, [message])).all;
/** Whom the trigger has asked about messages. */
const asked = ({ calls }: OneTrigger) =>
	calls.flatMap(({ url, request }) => (request.is === 'message' ? url : []));
const verdict = (is: 'ordinary' | 'taken' | 'busy', startsToo = false): CallResult => ({
	...{ inbox: 'yes', verdict: { is, startsToo } },
});

test('each message of a delivery has its own meaning, and the replies are stored', async () => {
	const n8n = triggerWith(run());
	const messages = [arrivalOf('m1'), arrivalOf('m2'), arrivalOf('m3', { phone: '+15550009999' })];
	expect(await deliver(n8n, messages)).toEqual({
		...{ all: ['taken', 'ordinary', 'ordinary'], isStoring: true },
	});
	expect(n8n.stored!['run-0000001']).toContain('m1');
	expect(await deliver(n8n, [arrivalOf('m4')])).toEqual({ all: ['ordinary'], isStoring: false });
	expect(await deliver(n8n, [])).toEqual({ all: [], isStoring: false });
});

test.each<[what: string, messages: Arrival[], hasOthers: boolean, isWaitedFor: boolean]>([
	['only a reply: others of the same moment are stored with it', [arrivalOf('m1')], false, true],
	[
		'a reply and another event: others of the same moment are stored by themselves',
		[arrivalOf('m1')],
		true,
		false,
	],
	[
		'a reply and an ordinary message: others are stored by themselves',
		[arrivalOf('m1'), arrivalOf('m2')],
		false,
		false,
	],
	[
		'a reply that starts workflows too: others are stored by themselves',
		[arrivalOf('m1', { isOptOut: true })],
		false,
		false,
	],
])('a delivery with %s', async (_, messages, hasOthers, isWaitedFor) => {
	const n8n = triggerWith(run());
	const [first, second] = [n8n.delivery(), n8n.delivery()];
	await n8n.inbox.consume(first, messages, hasOthers || undefined);
	expect(first.isStoring()).toBe(true);
	void n8n.inbox.known.persist(second);
	await settle();
	expect(second.isStoring()).toBe(!isWaitedFor);
});

describe('the owner of a question', () => {
	test.each([
		['taken', 'taken'],
		['ordinary', 'ordinary'],
		['busy', 'busy'],
	] as const)('says "%s" about a message: it is %s', async (is, all) => {
		const n8n = triggerWith(ofOther());
		n8n.answer = () => verdict(is, true);
		const message = arrivalOf('m1');
		const verdicts = await n8n.inbox.consume(n8n.delivery(), [message]);
		expect(verdicts).toEqual(
			is === 'busy' ? 'busy' : [is === 'taken' ? { is, startsToo: true } : { is }],
		);
		expect(n8n.calls).toMatchObject([
			{ url: other, request: { is: 'message', from: own, message } },
		]);
		expect(all).toBe(is);
	});

	test('is asked only once about a message that it has taken', async () => {
		const n8n = triggerWith(ofOther());
		n8n.answer = () => verdict('taken');
		for (let time = 0; time < 2; time++)
			expect(await whatIs(n8n, arrivalOf('m1'))).toEqual(['taken']);
		expect(asked(n8n)).toEqual([other]);
		expect(await whatIs(n8n, arrivalOf('m2'))).toEqual(['taken']);
		expect(asked(n8n)).toEqual([other, other]);
	});

	test('gets a message that nothing identifies under a name that only this delivery has', async () => {
		const n8n = triggerWith(ofOther());
		n8n.answer = () => verdict('ordinary');
		const message = arrivalOf('u', { isCertain: false });
		for (let time = 0; time < 2; time++) await whatIs(n8n, message);
		const keys = n8n.calls.map(({ request }) => 'message' in request && request.message.key);
		expect(keys).toEqual(['u~1', expect.stringMatching(/^u~\d+$/)]);
		expect(new Set(keys).size).toBe(2);
	});

	test.each<[CallResult]>([[undefined], [{ inbox: 'yes' }], [{ inbox: 'busy' }]])(
		'responds %j: the service has to deliver again, however long that lasts',
		async (result) => {
			const n8n = triggerWith(ofOther());
			n8n.answer = () => result;
			for (let time = 0; time < 3; time++) {
				expect(await whatIs(n8n, arrivalOf('m1'))).toBe('busy');
				n8n.time += 100_000;
			}
		},
	);

	test.each<[CallResult]>([['gone'], [{ inbox: 'no' }]])(
		'responds %j: after a minute the message is ordinary, and each time it waits for a minute again',
		async (result) => {
			const n8n = triggerWith(ofOther());
			const message = arrivalOf('m1');
			n8n.answer = () => result;
			expect(await whatIs(n8n, message)).toBe('busy');
			n8n.time += 60_000;
			expect(await whatIs(n8n, message)).toBe('busy');
			n8n.time += 1;
			expect(await whatIs(n8n, message)).toEqual(['ordinary']);
			n8n.answer = () => undefined;
			expect(await whatIs(n8n, message)).toBe('busy');
			n8n.answer = () => result;
			expect(await whatIs(n8n, message)).toBe('busy');
		},
	);
});

describe('of several owners', () => {
	const ordinary = (n8n: OneTrigger) => Object.assign(n8n, { answer: () => verdict('ordinary') });

	test('that of the latest question decides first, then the others, each once', async () => {
		const n8n = ordinary(
			triggerWith(
				ofOther({ startedAt: begin - 1 }),
				ofThird(),
				ofOther({ id: 'run-0000004', startedAt: begin - 2 }),
			),
		);
		expect(await whatIs(n8n, arrivalOf('m1'))).toEqual(['ordinary']);
		expect(asked(n8n)).toEqual([third, other]);
	});

	test('nobody else is asked once one of them has taken the message', async () => {
		const n8n = triggerWith(ofOther({ startedAt: begin - 1 }), ofThird());
		n8n.answer = () => verdict('taken');
		await whatIs(n8n, arrivalOf('m1'));
		expect(asked(n8n)).toEqual([third]);
	});

	test('the one whose reply it was decides first', async () => {
		const people = byItem([personOf(0, { messages: [messageOf('m1')] })]);
		const n8n = ordinary(triggerWith(ofOther({ startedAt: begin - 1, people }), ofThird()));
		await whatIs(n8n, arrivalOf('m1'));
		expect(asked(n8n)).toEqual([other, third]);
		await whatIs(n8n, arrivalOf('m2'));
		expect(asked(n8n).slice(2)).toEqual([third, other]);
	});

	test.each<[what: string, more: Partial<Run>, isFirst: boolean]>([
		['is open, its owner decides first', {}, true],
		[
			'is over for less than two minutes, its owner decides first',
			{ until: begin - 120_000 },
			true,
		],
		['is over for longer, this trigger decides first', { until: begin - 120_001 }, false],
		[
			'is over for longer and has got the message, its owner decides first',
			{ until: begin - 120_001, people: byItem([personOf(0, { messages: [messageOf('m1')] })]) },
			true,
		],
		[
			'belongs to a run that is still asking, its owner decides first',
			{ until: begin - 120_001, isWhole: false },
			true,
		],
	])('if the latest question %s', async (_, more, isFirst) => {
		const n8n = ordinary(triggerWith(run({ startedAt: begin - 1 }), ofOther(more)));
		expect(await whatIs(n8n, arrivalOf('m1'))).toEqual(['taken']);
		expect(asked(n8n)).toEqual(isFirst ? [other] : []);
	});

	test('this trigger decides first on a message on which it has decided before', async () => {
		const n8n = ordinary(triggerWith(run()));
		await whatIs(n8n, arrivalOf('m1'));
		n8n.inbox.known.merge(ofOther({ startedAt: begin + 1 }));
		expect(await whatIs(n8n, arrivalOf('m1'))).toEqual(['taken']);
		expect(asked(n8n)).toEqual([]);
		n8n.inbox.known.settle('m2');
		expect(await whatIs(n8n, arrivalOf('m2'))).toEqual(['taken']);
		expect(asked(n8n)).toEqual([]);
		expect(await whatIs(n8n, arrivalOf('m3'))).toEqual(['ordinary']);
		expect(asked(n8n)).toEqual([other]);
	});

	test('all are asked about a message from somebody who hides the number and quotes the question', async () => {
		const people = byItem([personOf(0, { askedMessageId: 'q' })]);
		const n8n = ordinary(triggerWith(ofOther({ people })));
		await whatIs(n8n, arrivalOf('m1', { phone: 'US.1', quoted: 'q' }));
		await whatIs(n8n, arrivalOf('m2', { phone: 'US.1' }));
		await whatIs(n8n, arrivalOf('m3', { phone: 'US.2' }));
		expect(asked(n8n)).toEqual([other, other]);
	});
});
