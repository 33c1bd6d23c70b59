/** Send Once: nobody gets a campaign twice, and nobody is left out because the node could not write to the database. */
import { setTimeout as delay } from 'node:timers/promises';

import { countBy, range, sum } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../../harness/engine/execution';
import {
	campaign,
	locator,
	numbers,
	oneEach,
	people,
	useService,
} from '../../../harness/engine/service';

const service = useService();
const sale: INodeParameters = {
	...campaign,
	sendOnce: true,
	campaign: 'sale',
	options: { concurrency: 8 },
};
/** Each test has a separate workflow, and so separate lists: the nodes work on their lists a little longer than the test. */
const workflowId = () => expect.getState().currentTestName;
const run = async (options: RunOptions = {}) =>
	await service.run({
		items: people(4),
		workflowId: workflowId(),
		...options,
		parameters: { ...sale, ...options.parameters },
	});
const received = () => service.received();
const times = (count: number) => countBy(range(count).flatMap(() => numbers(4)));
/** The output items, grouped by the result of their message. */
const statuses = (outputs: Awaited<ReturnType<typeof run>>['outputs']) =>
	outputs[0].map(({ json }) => (json.skipped ? json.reason : 'sent now'));

test('a second execution skips what was sent, with a mark', async () => {
	await run({ items: people(30) });
	const { outputs } = await run({ items: people(40) });
	expect(received()).toEqual(oneEach(40));
	const mark = { reason: 'alreadySent', messageId: null, skipped: true, campaign: 'sale' };
	expect(outputs[0].map(({ json }) => json)).toEqual(
		numbers(40).map((to, index) =>
			index < 30
				? { to, sendStatus: 'skipped', ...mark }
				: expect.objectContaining({ to, sendStatus: 'sent', messageId: expect.any(String) }),
		),
	);
});

test('the next run sends unsent messages, and marks those that may have been sent', async () => {
	await service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	await service.fault({ endpoint: 'sendText', match: '+15550001002', reset: 'beforeRead' });
	const first = await run({ onError: 'continueErrorOutput' });
	expect(first.outputs[1].map(({ json }) => json.error)).toEqual([
		expect.objectContaining({ sendStatus: 'notSent' }),
		expect.objectContaining({ sendStatus: 'mayHaveBeenSent' }),
	]);
	const { outputs } = await run();
	expect(statuses(outputs)).toEqual(['alreadySent', 'sent now', 'mayHaveBeenSent', 'alreadySent']);
});

test('a phone is one recipient, however its number is written', async () => {
	const phones = ['+49 170 1234569', '0049170/1234569', '+52 55 1234 5678', '+52 1 55 1234 5678'];
	const items = phones.map((phone) => ({ phone }));
	await run({ parameters: { to: '={{ $json.phone }}' }, items });
	expect(received()).toEqual({ '+491701234569': 1, '+525512345678': 1 });
});

test('another campaign is sent to the same people; a name from an expression counts for its item', async () => {
	await run();
	await run({ parameters: { campaign: 'autumn sale' } });
	expect(received()).toEqual(times(2));
	const { outputs } = await run({
		parameters: { to: '+15550001000', campaign: '=order {{ $json.order }} ' },
		items: [{ order: 1 }, { order: 2 }, { order: '1' }],
	});
	expect(statuses(outputs)).toEqual(['sent now', 'sent now', 'alreadySent']);
});

test('nothing is sent without the name of a campaign', async () => {
	const { error } = await run({ parameters: { campaign: '={{ $json.missing }}' } });
	expect(error?.message).toMatch(/Campaign/);
	expect(service.sent()).toEqual([]);
});

test('a text that was corrected after a refusal has another idempotency key', async () => {
	await service.fault({ endpoint: 'sendText', status: 422 });
	const one = { items: people(1) };
	expect((await run(one)).error).toBeDefined();
	await run({ ...one, parameters: { text: 'Corrected' } });
	const [refused, corrected] = service.requests('sendText').map(({ headers }) => headers);
	expect(corrected['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
	expect(corrected['idempotency-key']).not.toBe(refused['idempotency-key']);
	expect(received()).toEqual(oneEach(1));
});

describe('a message that an earlier run may have sent', () => {
	const sendAgain = { parameters: { options: { ifUncertain: 'sendAgain' } } };
	beforeEach(async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001002', reset: 'beforeRead' });
		await run({ onError: 'continueRegularOutput' });
	});

	test('is sent again with the same idempotency key, if the user wants that', async () => {
		const [none, sent] = ['alreadySent', 'sent now'];
		expect(statuses((await run(sendAgain)).outputs)).toEqual([none, none, sent, none]);
		await run(sendAgain);
		expect(received()).toEqual(oneEach(4));
		const keys = service
			.requests('sendText')
			.filter(({ body }) => JSON.stringify(body).includes('+15550001002'))
			.map(({ headers }) => headers['idempotency-key']);
		expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
	});

	test('stays uncertain if the service refuses it the second time', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001002', status: 422 });
		const parameters = {
			useFallbackTemplate: true,
			fallbackTemplate: locator('order_update', 'name'),
			fallbackLanguage: locator('en_US', 'code'),
			options: { ...sendAgain.parameters.options, checkBeforeSending: false },
		};
		const { outputs } = await run({ parameters, onError: 'continueRegularOutput' });
		expect(outputs[0][2].json).toMatchObject({
			sendStatus: 'mayHaveBeenSent',
			error: { statusCode: 422, description: expect.stringContaining('An earlier run may have') },
		});
		expect(service.calls('sendTemplate')).toBe(0);
		expect(statuses((await run()).outputs)[2]).toBe('mayHaveBeenSent');
	});

	test('is not sent again while another execution sends it', async () => {
		const { changes } = service.sandbox;
		await service.fault({ endpoint: 'sendText', match: '+15550001002', delayMs: 300 });
		const arrived = new Promise((resolve) => changes.once('message', resolve));
		const repeating = run(sendAgain);
		await arrived;
		expect(statuses((await run(sendAgain)).outputs)[2]).toBe('mayHaveBeenSent');
		await repeating;
		expect(received()).toEqual(oneEach(4));
	});
});

test('a message that failed after it was accepted is sent again, once for each failure', async () => {
	const again = async (failed: Array<string | null>) => {
		const items = people(4).map((one, index) => ({ ...one, failed: failed[index] }));
		const parameters = { options: { failedMessage: '={{ $json.failed }}' } };
		return statuses((await run({ items, parameters })).outputs);
	};
	const [none, sent] = ['alreadySent', 'sent now'];
	await run();
	expect(await again(['msg_1', null, '', 'msg_4'])).toEqual([sent, none, none, sent]);
	expect(await again(['msg_1', null, '', 'msg_4'])).toEqual([none, none, none, none]);
	expect(await again(['msg_5', null, '', null])).toEqual([sent, none, none, none]);
	const keys = service.requests('sendText').map(({ headers }) => headers['idempotency-key']);
	expect(new Set(keys).size).toBe(4 + 3);
});

test('knows the last 30,000 messages, even after a full history has lost its oldest entries', async () => {
	await run();
	const { lists } = service.engine.processed as unknown as { lists: Map<string, string[]> };
	const [[key, entries]] = lists;
	const others = (what: string, count: number) => range(count).map((n) => `${what} ${n}`);
	// With the messages of the next two runs, 30,000; and a few marks.
	const later = 3 * (30_000 - 24) - entries.length - 40;
	lists.set(key, [...others('earlier', 10_100), ...entries, ...others('later', later)]);
	await run({ items: people(12, 2000) });
	await run({ items: people(12, 3000) });
	expect(lists.get(key)!.length).toBeLessThanOrEqual(3 * (30_000 + 24));
	const { outputs } = await run();
	expect(statuses(outputs)).toEqual(people(4).map(() => 'alreadySent'));
}, 240_000);

test('with a slow database, more messages are claimed at once, so that a campaign keeps its rate', async () => {
	const { processed } = service.engine;
	const record = processed.checkProcessedAndRecord.bind(processed);
	const claimed: number[] = [];
	jest.spyOn(processed, 'checkProcessedAndRecord').mockImplementation(async (entries, ...rest) => {
		claimed.push(entries.filter((entry) => String(entry).startsWith('claimed ')).length);
		await delay(50);
		return await record(entries, ...rest);
	});
	await service.run({
		...{ items: people(300), workflowId: workflowId() },
		credentials: service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 }),
		parameters: { ...campaign, sendOnce: true, campaign: 'sale' },
	});
	// The number of messages that are sent at once: the others would only be claimed after these.
	expect(Math.max(...claimed)).toBeGreaterThan(24);
	expect(received()).toEqual(oneEach(300));
});

test.each<[string, INodeParameters]>([
	['Send Once', { ...sale, options: {} }],
	['Frequency Cap', { ...campaign, audienceRules: { frequencyCap: { values: { messages: 1 } } } }],
])(
	'%s: after the first failure, nobody gets a message who was claimed before, and the next run sends to them',
	async (_, parameters) => {
		const { processed } = service.engine;
		const record = processed.checkProcessedAndRecord.bind(processed);
		const claimed = new Set<string>();
		jest.spyOn(processed, 'checkProcessedAndRecord').mockImplementation(async (...call) => {
			for (const entry of call[0].map(String))
				if (/^(claimed|cap) /.test(entry)) claimed.add(entry);
			await delay(500);
			return await record(...call);
		});
		await service.fault({ endpoint: 'sendText', match: '+15550001060', status: 422, count: 1 });
		const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 });
		const ids = { workflowId: workflowId(), credentials };
		const all = { ...ids, items: people(400), parameters };
		const { error } = await service.run(all);
		expect(error?.message).toContain('Unprocessable Entity');
		// A hundred people are claimed ahead. Without them, only the failed message would be missing.
		expect(sum(Object.values(received()))).toBeLessThan(claimed.size - 10);
		await service.run(all);
		expect(received()).toEqual(oneEach(400));
	},
);

test('with one request at a time, nobody is sent anything after the first failure, also while other processes write', async () => {
	const { lists } = service.engine.processed as unknown as { lists: Map<string, string[]> };
	const parameters = { ...sale, options: { concurrency: 1 } };
	await run({ parameters });
	for (const entries of lists.values()) entries.push('claimed by another process');
	await service.fault({ endpoint: 'sendText', match: '+15550001006', status: 422, count: 1 });
	const { error } = await run({ items: people(24), parameters });
	expect(error?.message).toContain('Unprocessable Entity');
	expect(received()).toEqual(oneEach(6));
});

test('another workflow sends again what this one has sent', async () => {
	await run();
	await run({ workflowId: 'another workflow' });
	expect(received()).toEqual(times(2));
});

test('Clear Send Once History forgets what this node has sent, sends nothing, and says so', async () => {
	const otherNode = { settings: { id: 'another node' } };
	await run(otherNode);
	await run();
	const clearing = { parameters: { options: { clearSendOnceHistory: true } } };
	const { outputs, hints } = await run(clearing);
	expect(statuses(outputs)).toEqual(numbers(4).map(() => 'historyCleared'));
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringContaining('history of this node was cleared, and nothing was sent'),
		'0 sent, 4 skipped to clear the history.',
	]);
	expect(received()).toEqual(times(2));
	await run();
	await run(otherNode);
	expect(received()).toEqual(times(3));
});

describe('a database that fails', () => {
	/** Makes calls fail: these of all calls, or of the calls of one method. */
	const failCalls = (from: number, count: number, only?: string) => {
		let calls = 0;
		service.engine.processed.isFailing = (method) =>
			(only === undefined || method === only) && ++calls > from && calls <= from + count;
	};
	const recover = () => failCalls(0, 0);
	const one = { items: people(1) };

	test('before a message is sent: it is not sent, and the error says so', async () => {
		failCalls(0, Infinity);
		const { error } = await run(one);
		expect(error).toMatchObject({
			message: "Send Once could not write to n8n's database, so this message was not sent [item 0]",
			description: expect.stringContaining('database is locked'),
			context: { sendStatus: 'notSent' },
		});
		recover();
		await run();
		expect(received()).toEqual(oneEach(4));
	});

	test('while Frequency Cap takes places: no place is kept for an unsent message', async () => {
		const audienceRules = { frequencyCap: { values: { messages: 2, per: 'day' } } };
		const runCap = async (count: number) =>
			await service.run({
				parameters: { ...campaign, audienceRules },
				items: people(count),
				workflowId: workflowId(),
			});
		await runCap(1);
		const { processed } = service.engine;
		const record = processed.checkProcessedAndRecord.bind(processed);
		const spy = jest.spyOn(processed, 'checkProcessedAndRecord');
		spy.mockImplementation(async (entries, ...rest) => {
			if (/cap \+15550001000 \S+ 2(,|$)/.test(entries.join())) throw new Error('locked');
			return await record(entries, ...rest);
		});
		expect((await runCap(2)).error?.message).toContain('Frequency Cap could not write');
		spy.mockRestore();
		await runCap(2);
		await runCap(2);
		expect(received()).toEqual({ '+15550001000': 2, '+15550001001': 2 });
	});

	test('after a message was sent: nobody gets a second one', async () => {
		await service.fault({ endpoint: 'sendText', match: '+15550001000', delayMs: 50 });
		void service.sandbox.changes.once('message', () => failCalls(0, Infinity));
		const { hints } = await run(one);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining(
				'report mayHaveBeenSent for messages that were sent: +15550001000 sale',
			),
		]);
		recover();
		expect(statuses((await run(one)).outputs)).toEqual(['mayHaveBeenSent']);
		expect(received()).toEqual(oneEach(1));
		const next = await run({ items: people(2) });
		expect(next.hints.map(({ message }) => message)).toEqual([expect.stringMatching(/^1 sent/)]);
		const [, again] = statuses((await run({ items: people(2) })).outputs);
		expect(again).toBe('alreadySent');
	});

	test.each(range(0, 9))(
		'for one call, after %i calls that work: the next run sends what is missing, and nobody gets two messages',
		async (from) => {
			await service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
			const parameters = { options: { concurrency: 2 } };
			failCalls(from, 1);
			await run({ parameters, onError: 'continueErrorOutput' });
			recover();
			await run({ parameters });
			expect(received()).toEqual(oneEach(4));
		},
	);

	test('while a claim is removed: after one failure, the next run sends the message; after failures until the end, the error names who is left out', async () => {
		await service.fault({ endpoint: 'sendText', match: '+1555000', status: 422, count: 2 });
		failCalls(0, 1, 'removeProcessed');
		await run(one);
		failCalls(0, Infinity, 'removeProcessed');
		const { error } = await run(one);
		const warning =
			'who got no message: +15550001000 sale. Write to them with another campaign name.';
		expect(error?.description).toContain(warning);
	});
});
