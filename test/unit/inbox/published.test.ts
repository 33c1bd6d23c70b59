/** What a trigger that was just published learns from the others, and adds to what n8n has stored. */
import { learn } from '../../../nodes/BusinessMessaging/inbox/inbox';
import type { Run } from '../../../nodes/BusinessMessaging/inbox/core';
import type { CallResult } from '../../../nodes/BusinessMessaging/inbox/ports';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { begin } from './clock';
import { OneTrigger } from './oneTrigger';
import { byItem, messageOf, other, own, personOf, runOf, third } from './parts';

const run = (id: string, more: Partial<Run> = {}) =>
	runOf({ id, startedAt: begin, owner: other, ...more });
const entry = (one: Run): [string, string] => [one.id, toRecord(one, own)];
const replied = byItem([personOf(0, { messages: [messageOf('m1')] })]);

/** What is stored then: the texts of all runs. */
async function learned(n8n: OneTrigger, stored?: unknown, others = [other, third]) {
	const all = await learn(n8n, own, others, stored);
	return all && Object.fromEntries(Object.entries(all).map(([id, text]) => [id, text.slice(16)]));
}

test('the open questions of all other triggers are added', async () => {
	const n8n = new OneTrigger();
	const runs = [run('run-0000001'), run('run-0000002', { owner: third })].map(entry);
	n8n.answer = (url) => ({ inbox: 'yes', runs: [runs[url === other ? 0 : 1]] });
	expect(await learned(n8n)).toEqual(Object.fromEntries(runs));
	expect(n8n.calls).toMatchObject(
		[other, third].map((url) => ({ url, request: { is: 'learn', from: own } })),
	);
});

test.each<[CallResult, calls: number]>([
	[undefined, 3],
	['gone', 1],
	[{ inbox: 'no' }, 1],
	[{ inbox: 'yes', runs: [] }, 1],
])(
	'after the response %j, nothing is added; such a trigger is asked %d times',
	async (result, calls) => {
		const n8n = new OneTrigger();
		n8n.answer = () => result;
		expect(await learned(n8n, { 'run-0000001': 'stored' }, [other])).toBeUndefined();
		expect(n8n.callTimes('learn', other)).toHaveLength(calls);
	},
);

test('a trigger that responds the second time is heard', async () => {
	const n8n = new OneTrigger();
	n8n.answer = () =>
		n8n.calls.length < 2 ? undefined : { inbox: 'yes', runs: [entry(run('run-0000001'))] };
	expect(Object.keys((await learned(n8n, undefined, [other]))!)).toEqual(['run-0000001']);
	expect(n8n.calls).toHaveLength(2);
});

test('what n8n has stored stays, and is merged with what the others know', async () => {
	const n8n = new OneTrigger();
	const stored = {
		'run-0000001': n8n.seal(toRecord(run('run-0000001', { people: replied }), own)),
		'run-0000002': 'another key 1 …',
		'run-0000003': n8n.seal('no run'),
		'run-0000004': n8n.seal(toRecord(run('run-0000004'), own)),
		settled: `${'0'.repeat(16)}key.1`,
	};
	const news = ['run-0000001', 'run-0000002', 'run-0000003'].map((id) => run(id, { isOver: true }));
	n8n.answer = () => ({ inbox: 'yes', runs: news.map(entry) });
	const all = (await learned(n8n, stored, [other]))!;
	expect(Object.keys(all)).toEqual(Object.keys(stored));
	expect(fromRecord('run-0000001', all['run-0000001'], own)).toEqual(
		run('run-0000001', { people: replied, isOver: true }),
	);
	expect([all['run-0000002'], all['run-0000003']]).toEqual(
		news.slice(1).map((one) => toRecord(one, own)),
	);
	expect(all['run-0000004']).toBe(stored['run-0000004'].slice(16));
	expect(all.settled).toBe('key.1');
});

test.each<[what: unknown, isStored: boolean]>([
	[undefined, false],
	[{}, true],
])(
	'if n8n had stored %j, its process is asked later whether it still has that, and tells the others (%j)',
	async (stored, isStored) => {
		const n8n = new OneTrigger();
		n8n.answer = () => undefined;
		await learned(n8n, stored);
		await n8n.pass(100_000);
		expect(n8n.callTimes('sync')).toEqual(isStored ? [3, 13] : []);
		for (const { request } of n8n.calls.filter(({ url }) => url === own))
			expect(request).toEqual({ is: 'sync', others: [other, third] });
	},
);
