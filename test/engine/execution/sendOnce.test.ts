/** Send Once: nobody gets a campaign twice, and nobody is left out because the node could not write to the campaign log. */
import { setTimeout as delay } from 'node:timers/promises';

import { countBy, map, range, sum } from 'lodash';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../../harness/engine/execution';
import {
	campaign,
	locator,
	numbers,
	oneEach,
	people,
	useService,
} from '../../../harness/engine/service';
import { until } from '../../../harness/until';

const service = useService();
const sale: INodeParameters = { ...campaign, sendOnce: true, campaign: 'sale' };
const run = async (options: RunOptions = {}) =>
	await service.run({
		items: people(4),
		...options,
		parameters: { ...sale, ...options.parameters },
	});
const received = () => service.received();
const times = (count: number) => countBy(range(count).flatMap(() => numbers(4)));
const rows = () => service.engine.tables.rows();
/** The output items, grouped by the result of their message. */
const statuses = (outputs: Awaited<ReturnType<typeof run>>['outputs']) =>
	outputs[0].map(({ json }) => (json.skipped ? json.reason : 'sent now'));
const [none, sent] = ['alreadySent', 'sent now'];

test('a second execution, also of a copy in another workflow, skips what was sent, with a mark', async () => {
	await run({ items: people(30) });
	const { outputs } = await run({ items: people(40), workflowId: 'another workflow' });
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

test('each message that was tried is one row, in the words of the output; the next run sends unsent messages, and marks those that may have been sent', async () => {
	service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	service.fault({ endpoint: 'sendText', match: '+15550001002', reset: 'beforeRead' });
	const options = { variant: '={{ $json.n % 2 ? "B" : "A" }}' };
	const { outputs, id } = await run({
		parameters: { options },
		onError: 'continueRegularOutput',
	});
	const results = outputs[0].map(({ json }) => json);
	expect(map(results, 'sendStatus')).toEqual(['sent', 'notSent', 'mayHaveBeenSent', 'sent']);
	const found = rows().toSorted((one, other) => (String(one.phone) < String(other.phone) ? -1 : 1));
	expect(found).toEqual(
		results.map(({ to: phone, sendStatus: status, reason, messageId }, index) => ({
			...{ id: expect.any(Number), createdAt: expect.any(String), updatedAt: expect.any(String) },
			...{ campaign: 'sale', phone, status, reason: reason ?? '', messageId: messageId ?? '' },
			...{ message: 'text', variant: index % 2 ? 'B' : 'A', execution: id },
			...{
				sentAt: expect.stringMatching(/^20.*Z$/),
				idempotencyKey: expect.stringMatching(/^\w{32}$/),
			},
			...{ name: '', account: expect.stringMatching(/^127\.0\.0\.1:\d+ [\da-f]{8}$/) },
			...{ deliveredAt: null, readAt: null, failedAt: null },
			...{ repliedAt: null, reply: null, optedOutAt: null },
		})),
	);
	const second = await run();
	expect(statuses(second.outputs)).toEqual([none, sent, 'mayHaveBeenSent', none]);
	const phones = rows().filter(({ status }) => status === 'notSent');
	expect(map(phones, 'phone')).toEqual(['+15550001001']);
});

test('a template is noted by its name, also one that is sent instead of a text', async () => {
	service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
	const fallback = {
		useFallbackTemplate: true,
		fallbackTemplate: locator('login_code', 'name'),
		fallbackLanguage: locator('en_US', 'code'),
		fallbackVariables: { mappingMode: 'defineBelow', value: { body_1: '1234' } },
	};
	await run({ items: people(2), parameters: fallback });
	expect(countBy(rows(), 'message')).toEqual({ text: 1, login_code: 1 });
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
	expect(statuses(outputs)).toEqual([sent, sent, 'duplicate']);
	await run({ items: people(3), parameters: { campaign: '=={{ $json.n }}' } });
	await run({ items: people(3), parameters: { campaign: '=={{ $json.n }}' } });
	expect(rows().filter(({ campaign: name }) => name === '=1001')).toHaveLength(1);
});

test('spaces around the name of a campaign make no other campaign', async () => {
	for (const name of ['sale', ' sale', 'sale \n', '={{ "sale " }}'])
		await run({ parameters: { campaign: name } });
	expect(received()).toEqual(times(1));
});

test('nothing is sent without the name of a campaign', async () => {
	const { error } = await run({ parameters: { campaign: '={{ $json.missing }}' } });
	expect(error?.message).toMatch(/Campaign/);
	expect(service.sent()).toEqual([]);
});

test('a row has its own idempotency key: after it was deleted, the message goes out with another one', async () => {
	await run();
	service.engine.tables.edit((all) => all.filter(({ phone }) => phone !== '+15550001002'));
	expect(statuses((await run()).outputs)).toEqual([none, none, sent, none]);
	const keys = service.requests('sendText').map(({ headers }) => headers['idempotency-key']);
	expect(new Set(keys).size).toBe(5);
	const written = map(rows(), 'idempotencyKey');
	expect(keys.filter((key) => written.includes(key as string))).toHaveLength(4);
});

describe('rows that people have changed never send twice', () => {
	test.each<[what: string, change: object, outcome: string]>([
		['another status', { status: 'done' }, none],
		['no status', { status: null }, none],
		['a status in other letters', { status: 'NotSent' }, none],
		['the phone with spaces', { phone: '+1 555 000-1000' }, none],
		['the phone without +, as spreadsheets leave it', { phone: '15550001000' }, none],
		['a local number', { phone: '(555) 000 1000' }, none],
		['no key, execution and times', { idempotencyKey: null, execution: null, sentAt: 'x' }, none],
		['set to notSent, to send again', { status: 'notSent' }, sent],
		['set to mayHaveBeenSent', { status: 'mayHaveBeenSent' }, 'mayHaveBeenSent'],
		['another person', { phone: '+15550009999' }, sent],
		['another campaign', { campaign: 'old sale' }, sent],
		['another account', { account: 'other.example.com 00000000' }, sent],
		['an account that is none', { account: 'ours' }, none],
	])('%s', async (_, change, outcome) => {
		await run({ items: people(1) });
		service.engine.tables.edit(([row]) => [{ ...row, ...change }]);
		expect(statuses((await run({ items: people(1) })).outputs)).toEqual([outcome]);
		await run({ items: people(1) });
		service.engine.tables.edit((all) => all.map((row) => ({ ...row, ...change })));
		expect(statuses((await run({ items: people(3) })).outputs).slice(0, 1)).toEqual([outcome]);
	});

	test('a row that was added while the run lasts', async () => {
		await run({ items: people(1, 5000) });
		service.engine.tables.before = async (operation) => {
			if (operation !== 'insert') return;
			service.engine.tables.before = () => undefined;
			service.engine.tables.add({ campaign: 'sale', phone: '+15550001002', status: 'sent' });
		};
		expect(statuses((await run()).outputs)).toEqual([sent, sent, none, sent]);
	});

	test.each(['campaign', 'phone', 'status', 'idempotencyKey', 'sentAt'])(
		'without the column %s, nothing is sent, and the error names it',
		async (column) => {
			await run({ items: people(1) });
			service.engine.tables.deleteColumn(column);
			const { error } = await run();
			expect(error?.message).toContain(`"Business Messaging Campaigns" has no column ${column}`);
			expect(received()).toEqual(oneEach(1));
		},
	);
});

test('several executions at the same time: everybody gets one message', async () => {
	const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 60_000 });
	const runs = await Promise.all(
		range(3).map(async (n) => {
			await delay(n * 20);
			return await run({ items: people(80), credentials });
		}),
	);
	expect(received()).toEqual(oneEach(80));
	expect(sum(runs.map(({ outputs }) => countBy(statuses(outputs))[sent] ?? 0))).toBe(80);
	// The last row is never deleted, so a claim that gave way may stay as notSent.
	const { sent: written, sending } = countBy(rows(), 'status');
	expect({ written, sending }).toEqual({ written: 80, sending: undefined });
});

test('executions that create the table at the same moment all use it', async () => {
	let creating = 0;
	let create = () => {};
	const allCreate = new Promise<void>((resolve) => (create = resolve));
	service.engine.tables.before = async (operation) => {
		if (operation !== 'create') return;
		if (++creating === 3) create();
		await allCreate;
	};
	const runs = await Promise.all(range(3).map(async () => await run({ items: people(20) })));
	expect(map(runs, 'error')).toEqual([undefined, undefined, undefined]);
	expect(received()).toEqual(oneEach(20));
});

test.each([-120_000, 120_000])(
	"everybody gets one message although n8n's clock is changed by %d ms whenever the log is written",
	async (change) => {
		const now = Date.now.bind(Date);
		let changed = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => now() + changed);
		service.engine.tables.before = (operation) => {
			if (operation === 'insert') changed += change;
		};
		const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 });
		const { outputs } = await run({ items: people(100), credentials });
		expect(countBy(statuses(outputs))).toEqual({ [sent]: 100 });
		expect(received()).toEqual(oneEach(100));
	},
);

test('claims and results are written in parts', async () => {
	const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 });
	const begin = Date.now();
	await run({ items: people(150), credentials });
	const { insert, get, deleteRows } = service.engine.tables.calls;
	// Rounds are at least 50 ms apart, however slow the machine is; the last ones do not wait.
	const rounds = (Date.now() - begin) / 50 + 4;
	expect(insert).toBeLessThanOrEqual(2 * rounds); // claims and results
	expect(get).toBeLessThanOrEqual(2 * rounds + 2); // own claims and rows of others
	expect(deleteRows).toBeLessThanOrEqual(rounds);
	await run({ items: people(150), credentials });
	expect(service.engine.tables.calls.insert).toBe(insert);
});

test('while messages wait for the rate, few are claimed, because a crash makes them uncertain', async () => {
	const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 100 });
	let claimed = 0;
	const rateIsUsed = until('the rate to be used', () => service.sent().length === 100, {
		limit: 30_000,
	})
		.then(async () => await delay(2_000))
		.then(() => {
			// On a busy machine, the results of those who have got it may not be written yet.
			const got = received();
			const isWaiting = (row: IDataObject) => row.status === 'sending' && !got[String(row.phone)];
			claimed = rows().filter(isWaiting).length;
		});
	await run({ items: people(300), credentials, cancelWhen: rateIsUsed });
	expect(claimed).toBeGreaterThan(0);
	expect(claimed).toBeLessThanOrEqual(30);
});

test('after the first failure, nobody gets a message who was claimed before, and the next run sends to them', async () => {
	// The first one to arrive: on a busy machine, the request of one person may come after all others.
	service.fault({ endpoint: 'sendText', status: 422, count: 1 });
	const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 });
	let claims = 0;
	service.engine.tables.before = (operation, items) => {
		if (operation === 'insert') claims += items.filter(({ status }) => status === 'sending').length;
	};
	const { error } = await run({ items: people(150), credentials });
	expect(error?.message).toContain('Unprocessable Entity');
	expect(sum(Object.values(received()))).toBeLessThan(claims - 10);
	expect(countBy(rows(), 'status').sending).toBeUndefined();
	await run({ items: people(150), credentials });
	expect(received()).toEqual(oneEach(150));
});

test('a run that is stopped lets its requests finish, writes their results and removes its other claims', async () => {
	service.fault({ endpoint: 'sendText', delayMs: 300, count: 100 });
	const arrived = new Promise((resolve) => service.sandbox.changes.once('message', resolve));
	const parameters = { options: { concurrency: 5 } };
	const { status } = await run({ items: people(60), parameters, cancelWhen: arrived });
	expect(status).toBe('canceled');
	await delay(1_500);
	const counts = countBy(rows(), 'status');
	expect(counts.sending).toBeUndefined();
	expect(counts.sent).toBe(service.sent().length);
	service.sandbox.state.faults.all = [];
	await run({ items: people(60) });
	expect(received()).toEqual(oneEach(60));
});

test('what a crash has left is reported, and not sent again', async () => {
	await run({ items: people(2) });
	service.engine.tables.edit((all) => all.map((row) => ({ ...row, status: 'sending' })));
	expect(statuses((await run()).outputs)).toEqual([
		'mayHaveBeenSent',
		'mayHaveBeenSent',
		sent,
		sent,
	]);
});

describe('a data table that fails', () => {
	/** Makes calls fail, before or after their effect: these of all calls, or of the calls of one operation. */
	const failCalls = (
		from: number,
		count: number,
		only?: string,
		when: 'before' | 'after' = 'before',
	) => {
		let calls = 0;
		service.engine.tables[when] = (operation: string) => {
			if (only !== undefined && operation !== only) return;
			calls++;
			if (calls > from && calls <= from + count) throw new Error('SQLITE_BUSY: database is locked');
		};
	};
	const recover = () => {
		service.engine.tables.before = () => undefined;
		service.engine.tables.after = () => undefined;
	};
	/** A run tries for a minute to write what is left: from some seconds on, this minute is over. */
	const giveUpSoon = () => {
		const now = performance.now.bind(performance);
		const begin = now();
		const late = () => now() + (now() - begin > 2_000 ? 60_000 : 0);
		jest.spyOn(performance, 'now').mockImplementation(late);
	};
	const one = { items: people(1) };

	test('without data tables, nothing is sent, and the error says what is required', async () => {
		failCalls(0, Infinity, 'list');
		const { error } = await run();
		expect(error?.message).toContain(
			"'Exclude Opt-Outs' or 'Send Once' could not open n8n's data tables",
		);
		expect(error?.description).toMatch(
			/^This message was not sent\. If your n8n is older than [\d.]+,.*N8N_DISABLED_MODULES.*database is locked/,
		);
		expect(service.sent()).toEqual([]);
	});

	test('a full table: the message is not sent, and the error says so', async () => {
		failCalls(0, Infinity, 'insert');
		const { error } = await run(one);
		expect(error).toMatchObject({
			message: expect.stringMatching(
				/could not be written, so this message was not sent \[item 0\]$/,
			),
			description: expect.stringContaining('database is locked'),
			context: { sendStatus: 'notSent' },
		});
		recover();
		await run();
		expect(received()).toEqual(oneEach(4));
	});

	test('after a message was sent: nobody gets a second one, and a hint names who is uncertain', async () => {
		service.fault({ endpoint: 'sendText', match: '+15550001000', delayMs: 50 });
		void service.sandbox.changes.once('message', () => {
			failCalls(0, Infinity);
			giveUpSoon();
		});
		const { hints } = await run(one);
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringMatching(
				/Later runs will report \+15550001000 as mayHaveBeenSent, although the result is known/,
			),
		]);
		recover();
		expect(statuses((await run(one)).outputs)).toEqual(['mayHaveBeenSent']);
		expect(received()).toEqual(oneEach(1));
	});

	test.each(range(0, 10).flatMap((from) => [[from, 'before'] as const, [from, 'after'] as const]))(
		'for one call, after %i calls that work, %s its effect: the next run sends what is missing, and nobody gets two messages',
		async (from, when) => {
			service.fault({ endpoint: 'sendText', match: '+15550001001', status: 422 });
			failCalls(from, 1, undefined, when);
			await run({ onError: 'continueErrorOutput' });
			recover();
			await run({ onError: 'continueErrorOutput' }); // if nothing was sent, the service refuses a message now
			await run();
			expect(received()).toEqual(oneEach(4));
		},
	);

	test('while claims are removed: the error names who would be skipped', async () => {
		service.fault({ endpoint: 'sendText', status: 422, count: 1, delayMs: 100 });
		failCalls(0, Infinity, 'deleteRows');
		failCalls(0, Infinity, 'update', 'after');
		giveUpSoon();
		const parameters = { options: { concurrency: 1 } };
		const { error } = await run({ items: people(3), parameters });
		expect(error?.description).toContain(
			'Later runs will skip +15550001001, +15550001002, although they got no message: delete their rows',
		);
	});
});
