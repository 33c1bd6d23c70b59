/** What a trigger's process keeps in memory: of the data that n8n has stored, and for runs that wait. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { range } from 'lodash';

import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { Inbox } from '../../../nodes/BusinessMessaging/inbox/inbox';
import type { InboxPorts } from '../../../nodes/BusinessMessaging/inbox/ports';
import type { QuestionRun } from '../../../nodes/BusinessMessaging/inbox/questionRun';
import { toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { seal, unseal } from '../../../nodes/BusinessMessaging/inbox/seal';
import { listenByWebhook } from '../../../nodes/BusinessMessaging/inbox/withoutTrigger';
import { readServiceConfig } from '../../../nodes/BusinessMessaging/transport/serviceConfig';
import { until } from '../../../harness/until';

const own = 'https://n8n.test/webhook/trigger/webhook';

/** An inbox that nobody calls; `pauses` are those for which it waits, without an end. */
function idleInbox() {
	const pauses: number[] = [];
	const ports: InboxPorts = {
		now: () => Date.now(),
		pause: async (ms) => await new Promise(() => pauses.push(ms)),
		callTrigger: async () => undefined,
		seal: (record) => seal('service', record),
		unseal: (text) => unseal('service', text),
		callRun: async () => 'unknown',
		repeat: async () => false,
		warn: () => {},
	};
	return { inbox: new Inbox(own, ports), pauses };
}

const asked: Person = {
	...{ item: 0, to: '+15550001001', question: 0, since: 1, askedMessageId: null },
	...{ messages: [], repeatedAfter: [] },
};

/** A run that takes 100 kB to store. */
function largeRun(state: Partial<Run> = {}): Run {
	const startedAt = Date.now();
	const url = `https://n8n.test/webhook-waiting/1/node?wait=run-0000001&signature=${'a'.repeat(64)}`;
	return {
		...{ id: 'run-0000001', url, owner: own, triggers: [], startedAt, until: startedAt + 8.64e7 },
		...{ leaseUntil: startedAt, isWhole: true, isOver: false, started: [], questions: [] },
		...{ people: new Map([[0, asked]]), notAsked: ['x'.repeat(100_000)] },
		...state,
	};
}

function collectGarbage(): void {
	setFlagsFromString('--expose-gc');
	(runInNewContext('gc') as () => void)();
}

/** How much memory is in use, MB, when all garbage is collected. */
function usedMegabytes(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed / 1e6;
}

const settledOf = (count: number) =>
	range(count).map((n) => `key-of-a-message-${n}.${Math.floor(Date.now() / 60_000).toString(36)}`);

/** 200 states of a trigger, 100 kB each, of which it needs the last. */
const states: Array<[what: string, make: (inbox: Inbox, n: number) => void]> = [
	[
		'that it stores',
		(inbox, n) => {
			inbox.known.merge(largeRun({ leaseUntil: Date.now() + n * 1_000 }));
			const never = new Promise<never>(() => {});
			const hasSucceeded = async () => await never;
			inbox.known.keep({ stored: '', store: JSON.stringify, ended: never, hasSucceeded });
		},
	],
	[
		'of open questions that another process has stored',
		(inbox, n) => {
			const run = largeRun({ leaseUntil: Date.now() + n * 1_000 });
			inbox.known.load({ stored: { [run.id]: seal('service', toRecord(run, own)) } });
		},
	],
	[
		'of settled replies that another process has stored',
		(inbox, n) => inbox.known.load({ stored: { settled: settledOf(4_000 + n).join(' ') } }),
	],
];

test.each(states)('a trigger keeps no earlier state in memory %s', (_, make) => {
	const { inbox } = idleInbox();
	make(inbox, 0);
	const before = usedMegabytes();
	for (const n of range(1, 200)) make(inbox, n);
	expect(usedMegabytes() - before).toBeLessThan(4);
	expect(inbox.known.isEmpty).toBe(false);
});

test.each([
	['a run that waits for a day', largeRun()],
	['a run of another trigger', largeRun({ owner: `${own}2` })],
])('%s is waited for in short pauses, as a long timer keeps its data in memory', (_, run) => {
	const { inbox, pauses } = idleInbox();
	for (const n of range(5)) inbox.known.merge({ ...run, until: run.until - n * 60_000 });
	expect(pauses.length).toBeGreaterThan(0);
	expect(Math.max(...pauses)).toBeLessThanOrEqual(600_000);
});

/** A question without a trigger whose time is up after a second. Like n8n's, its helper for calls keeps all data of its execution. */
async function questionAlone(n: number, called: string[]): Promise<WeakRef<object>> {
	const url = `https://n8n.example.com/webhook-waiting/${n}/node?signature=${'a'.repeat(64)}`;
	const context = {
		data: 'x'.repeat(1_000),
		helpers: {
			httpRequest: async (request: { url: string }) => {
				const [, number] = request.url.match(/webhook-waiting\/(\d)/) ?? [];
				called.push(number);
				return { statusCode: 200, body: { accepted: `run-000000${number}`, data: context.data } };
			},
		},
		getSignedResumeUrl: () => url,
		getInstanceId: () => 'instance',
		getContext: () => ({}),
	};
	const client = {
		config: readServiceConfig({ apiKey: 'key', baseUrl: 'https://api.example.com' }),
		call: async () => ({ id: `webhook ${n}` }),
	};
	const run = {
		...{ context, client, id: `run-000000${n}`, limitMs: 1_000, questions: [], notAsked: [] },
		...{
			asked: [{ request: { body: { to: asked.to } } }],
			people: [asked],
			wait: async () => true,
		},
	};
	const listening = await listenByWebhook(run as unknown as QuestionRun, []);
	await listening.wait();
	return new WeakRef(context);
}

test('of questions without a trigger, only the latest execution stays in memory; the waits of all end when the time is up', async () => {
	const called: string[] = [];
	const contexts: Array<WeakRef<object>> = [];
	for (const n of range(3)) contexts.push(await questionAlone(n, called));
	await new Promise((resolve) => setImmediate(resolve));
	collectGarbage();
	expect(called).toEqual([]);
	expect(contexts.filter((context) => context.deref()).length).toBeLessThanOrEqual(1);
	await until('all waits to end', () => called.length >= 3);
	expect(called.sort()).toEqual(['0', '1', '2']);
});
