/** Record Events: what became of a message is written into its row, and nobody gets a message twice because of it. */
import { map } from 'lodash';

import { until } from '../../../harness/until';
import { useService } from '../../../harness/engine/service';
import { campaignRuns, jsonOf } from './campaignRuns';

const service = useService();
const { send, record, receipt, reply, idOf, rowOf, rows } = campaignRuns(service);
const tables = () => service.engine.tables;
const optOuts = () => tables().rows('Opt-outs');
const time = expect.stringMatching(/^20.*Z$/);

test('writes receipts into the rows of their messages, and says which message each is about', async () => {
	await send(3, { options: { variant: '={{ $json.n % 2 ? "B" : "A" }}' } });
	const items = [
		receipt('delivered', idOf(0)),
		receipt('read', idOf(0)),
		receipt('delivered', idOf(1)),
		receipt('delivered', 'of another message'),
		{ event: 'contact.updated', id: '7' },
	];
	const { outputs, error } = await record(items);
	expect(error).toBeUndefined();
	expect(map(outputs[0], 'pairedItem')).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
	const [first, second, third, other, contact] = map(outputs[0], 'json');
	const sale = { campaign: 'sale', found: true };
	expect(first).toMatchObject({ ...items[0], ...sale, variant: 'A', recorded: 'delivered' });
	expect(second).toMatchObject({ event: 'message.read', ...sale, recorded: 'read' });
	expect(third).toMatchObject({ ...sale, variant: 'B', recorded: 'delivered' });
	const unknown = { campaign: null, variant: null, found: false, recorded: null };
	expect([other, contact]).toEqual([
		expect.objectContaining(unknown),
		expect.objectContaining(unknown),
	]);
	expect(rowOf(0)).toMatchObject({ status: 'sent', deliveredAt: time, readAt: time });
	expect(rowOf(1)).toMatchObject({ status: 'sent', deliveredAt: time, readAt: null });
	expect(rowOf(2)).toMatchObject({ status: 'sent', deliveredAt: null, readAt: null });
});

test('the same events again, also at the same time, change nothing', async () => {
	await send(2);
	const items = [
		receipt('delivered', idOf(0)),
		receipt('failed', idOf(1)),
		reply(rowOf(0).phone as string, 'Yes'),
	];
	const both = await Promise.all([record(items), record(items)]);
	const recorded = both.map((run) => jsonOf(run).map((one) => one.recorded));
	expect([recorded[0][0], recorded[1][0]].sort()).toEqual(['delivered', null]);
	const before = rows().map((row) => ({ ...row, updatedAt: '' }));
	expect(jsonOf(await record(items)).map((one) => [one.found, one.recorded])).toEqual(
		items.map(() => [true, null]),
	);
	expect(rows().map((row) => ({ ...row, updatedAt: '' }))).toEqual(before);
});

test('a message that failed after it was sent is sent again by the next run; one that has arrived is not', async () => {
	await send(3);
	const error = { code: 131_026, message: 'The phone is not registered' };
	await record([
		receipt('failed', idOf(0), { error }),
		receipt('delivered', idOf(1)),
		receipt('failed', idOf(1)),
	]);
	expect(rowOf(0)).toMatchObject({
		status: 'notSent',
		reason: 'Failed after it was sent: The phone is not registered',
		failedAt: time,
	});
	expect(rowOf(1)).toMatchObject({ status: 'sent', deliveredAt: time, failedAt: time });
	await send(3);
	expect(service.received()).toEqual({
		'+15550001000': 2,
		'+15550001001': 1,
		'+15550001002': 1,
	});
});

test('a failed message that arrives all the same is not sent again, in whatever order its receipts come', async () => {
	await send(3);
	await record([
		receipt('failed', idOf(0)),
		receipt('delivered', idOf(0)),
		receipt('failed', idOf(1)),
	]);
	await record([receipt('read', idOf(1)), receipt('failed', idOf(2))], {
		parameters: { options: { sendsAgain: false } },
	});
	await send(3);
	expect(Object.values(service.received())).toEqual([1, 1, 1]);
});

test('a reply is recorded once, in the latest message to the person, and cannot be a formula', async () => {
	await send(2);
	await send(1, { campaign: 'later' });
	const phone = '+15550001000';
	const { outputs } = await record([
		reply(phone, '=HYPERLINK("https://example.com")'),
		reply(phone, 'And another thing'),
		reply('+44 7700 900999', 'Hello'),
	]);
	expect(map(outputs[0], 'json').map(({ campaign, recorded }) => [campaign, recorded])).toEqual([
		['later', 'replied'],
		['later', null],
		[null, null],
	]);
	const replied = rows().filter(({ repliedAt }) => repliedAt !== null);
	expect(replied).toEqual([
		expect.objectContaining({
			campaign: 'later',
			phone,
			repliedAt: time,
			reply: '\'=HYPERLINK("https://example.com")',
		}),
	]);
});

test('STOP adds the person to Opt-outs, once; START removes the person again', async () => {
	await send(1);
	const phone = '+15550001000';
	const stop = reply(phone, 'STOP', 'optOut');
	expect(jsonOf(await record([stop, stop])).map(({ recorded }) => recorded)).toEqual([
		'optedOut',
		null,
	]);
	expect(optOuts()).toEqual([
		expect.objectContaining({ phone, since: time, words: 'STOP', workflow: expect.any(String) }),
	]);
	expect(rowOf(0)).toMatchObject({ optedOutAt: time });
	const next = await send(1, { campaign: 'next' });
	expect(jsonOf(next)).toMatchObject([{ reason: 'optedOut' }]);
	const start = reply('+1 555 000 1000', 'START', 'optIn');
	expect(jsonOf(await record([start, start])).map(({ recorded }) => recorded)).toEqual([
		'optedIn',
		null,
	]);
	expect(optOuts()).toEqual([]);
	expect(jsonOf(await send(1, { campaign: 'next' }))).toMatchObject([{ reason: null }]);
});

test('STOP is recorded without any campaign, and in a table that people have made', async () => {
	tables().create('Opt-outs', [{ phone: '+15550001007' }]);
	await record([reply('+15550001008', 'STOP', 'optOut'), reply('+15550001007', 'STOP', 'optOut')]);
	expect(map(optOuts(), 'phone')).toEqual(['+15550001007', '+15550001008']);
});

test.each([
	['+15550001000', 'optedIn', null],
	['+1 (555) 000-1000 Anna', 'optedIn', null],
	['555 000-1000', null, '555 000-1000'],
	['+15550001000, +15550001001', null, '+15550001000, +15550001001'],
	['+15550001001', null, null],
])(
	'START of +15550001000 and the entry %j: %j, a hint names %j',
	async (entry, recorded, named) => {
		tables().create('Opt-outs', [{ phone: entry }]);
		const { outputs, hints } = await record([reply('+15550001000', 'START', 'optIn')]);
		expect(outputs[0][0].json.recorded).toBe(recorded);
		expect(map(optOuts(), 'phone')).toEqual(recorded ? [] : [entry]);
		const hint = `still leaves out +15550001000, because of the entry "${named}"`;
		expect(hints.map(({ message }) => message)).toEqual(
			named === null ? [] : [expect.stringContaining(hint)],
		);
	},
);

test.each([
	['an event as the service sends it', { event: 'message.delivered', data: { messageId: 'm' } }],
	['no event', { phone: '+15550001000' }],
])('%s is an error that says what to do', async (_, item) => {
	await send(1);
	const { error } = await record([item]);
	expect(error?.description).toContain("switch on the trigger's 'Simplify'");
});

test('without an event in the editor, the error says how to get one', async () => {
	await send(1);
	const { error } = await record([{}]);
	expect(error?.message).toBe('There is no event yet [item 0]');
	expect(error?.description).toContain('let an event arrive');
});

test('a receipt that comes before its row waits for it', async () => {
	await send(1);
	const messageId = idOf(0);
	tables().edit((all) => all.map((row) => ({ ...row, messageId: '', status: 'sending' })));
	const running = record([receipt('delivered', messageId, { to: '+15550001000' })]);
	setTimeout(() => {
		tables().edit((all) => all.map((row) => ({ ...row, messageId: messageId!, status: 'sent' })));
	}, 1_500);
	// The row of the result is a new one in the log; here its ID becomes known with the next look.
	expect(jsonOf(await running)).toMatchObject([{ found: true, recorded: 'delivered' }]);
});

test('a receipt of an unknown message settles the only uncertain message to its person', async () => {
	service.fault({ endpoint: 'sendText', reset: 'beforeRead', count: 3 });
	await send(3, {}, { onError: 'continueRegularOutput' });
	service.fault({ endpoint: 'sendText', match: '+15550001002', reset: 'beforeRead' });
	await send(3, { campaign: 'other' }, { onError: 'continueRegularOutput' });
	const to = (n: number) => ({ to: `+1555000${1000 + n}` });
	const settled = await record([
		receipt('delivered', 'msg a', to(0)),
		receipt('failed', 'msg b', to(1)),
		receipt('delivered', 'msg c', to(2)),
		receipt('delivered', 'msg d'),
	]);
	expect(jsonOf(settled).map(({ found }) => found)).toEqual([true, true, false, false]);
	const sale = (n: number) =>
		rows().find(({ campaign, phone }) => campaign === 'sale' && phone === to(n).to);
	const reason = 'A receipt shows that it was sent';
	expect(sale(0)).toMatchObject({ status: 'sent', messageId: 'msg a', reason, deliveredAt: time });
	expect(sale(1)).toMatchObject({ status: 'sent', messageId: 'msg b', failedAt: time });
	expect(sale(2)).toMatchObject({ status: 'mayHaveBeenSent', messageId: '' });
	// A second receipt of the same message finds its row.
	expect(jsonOf(await record([receipt('read', 'msg a')]))).toMatchObject([{ recorded: 'read' }]);
}, 30_000);

test('receipts of a message that was sent without the log settle nothing', async () => {
	service.fault({ endpoint: 'sendText', reset: 'afterRead', count: 1 });
	await send(1, {}, { onError: 'continueRegularOutput' });
	const [reply] = jsonOf(await send(1, { sendOnce: false }));
	const [found] = jsonOf(await record([receipt('delivered', reply.messageId, { to: reply.to })]));
	expect(found).toMatchObject({ found: false, campaign: null });
	expect(rows()).toMatchObject([{ status: 'mayHaveBeenSent', deliveredAt: null }]);
});

test('a failure never frees a message of which only a receipt says that it was sent: the receipt may be of another one', async () => {
	service.fault({ endpoint: 'sendText', reset: 'afterRead', count: 2 });
	await send(2, {}, { onError: 'continueRegularOutput' });
	const to = (n: number) => ({ to: `+1555000${1000 + n}` });
	await record([
		receipt('sent', 'an order to 0', to(0)),
		receipt('failed', 'an order to 1', to(1)),
	]);
	await record([receipt('failed', 'an order to 0', to(0))]);
	expect(map(rows(), 'status')).toEqual(['sent', 'sent']);
	const unsure = expect.stringMatching(
		/^May have been sent, then failed\. To send it again, delete/,
	);
	expect(map(rows(), 'reason')).toEqual([unsure, unsure]);
	expect(map(jsonOf(await send(2)), 'reason')).toEqual(['alreadySent', 'alreadySent']);
	expect(service.received()).toEqual({ '+15550001000': 1, '+15550001001': 1 });
}, 30_000);

test('a timeout does not undo what a receipt has shown meanwhile', async () => {
	service.fault({ endpoint: 'sendText', reset: 'afterRead', delayMs: 13_000 });
	const sending = send(1, {}, { onError: 'continueRegularOutput' });
	const isClaimed = () => rows().some(({ status }) => status === 'sending');
	await until('the claim', isClaimed, { interval: 20 });
	await record([receipt('delivered', 'msg a', { to: '+15550001000' })]);
	expect(jsonOf(await sending)).toMatchObject([{ details: { sendStatus: 'mayHaveBeenSent' } }]);
	expect(rows()).toEqual([
		expect.objectContaining({ status: 'sent', messageId: 'msg a', deliveredAt: time }),
	]);
}, 30_000);

test('a reply that comes before the result of its message waits for it', async () => {
	await send(1);
	tables().edit((all) => all.map((row) => ({ ...row, status: 'sending' })));
	const running = record([reply('+15550001000', 'Yes')]);
	setTimeout(() => {
		// The result is another row, and the claim is deleted.
		tables().edit((all) => all.map((row) => ({ ...row, id: row.id + 1, status: 'sent' })));
	}, 1_500);
	expect(jsonOf(await running)).toMatchObject([{ found: true, recorded: 'replied' }]);
	expect(rowOf(0)).toMatchObject({ reply: 'Yes', repliedAt: time });
});

test('rows that people have added or emptied do no harm', async () => {
	await send(2);
	const empty = { campaign: null, phone: null, status: null, messageId: null };
	tables().edit((all) =>
		all.map((row) => (row.phone === '+15550001001' ? { ...row, ...empty } : row)),
	);
	tables().add({ phone: '+1 (555) 000-1005', campaign: 'by phone' });
	const recorded = await record([
		receipt('delivered', idOf(0)),
		receipt('delivered', 'msg a', { to: '+15550001001' }),
		receipt('delivered', ''),
		reply('+15550001005', 'Yes'),
	]);
	expect(jsonOf(recorded).map(({ campaign, recorded: kind }) => [campaign, kind])).toEqual([
		['sale', 'delivered'],
		[null, null],
		[null, null],
		['by phone', 'replied'],
	]);
}, 30_000);

test('if the tables are full, nothing is lost: the execution fails, and records all when it is retried', async () => {
	await send(1);
	const items = [receipt('delivered', idOf(0)), reply('+15550001000', 'STOP', 'optOut')];
	tables().before = (operation) => {
		if (['insert', 'update', 'create'].includes(operation))
			throw new Error('Data table size limit exceeded');
	};
	const { error } = await record(items);
	expect(error?.description).toContain('Data table size limit exceeded');
	tables().before = () => undefined;
	expect(map(jsonOf(await record(items)), 'recorded')).toEqual(['delivered', 'optedOut']);
	expect(rowOf(0)).toMatchObject({ deliveredAt: time, optedOutAt: time });
	expect(map(optOuts(), 'phone')).toEqual(['+15550001000']);
});

test('deleted rows, rows of other people with their IDs, and rows without message ID are left alone', async () => {
	await send(3);
	const [first, second] = [idOf(0), idOf(1)];
	await record([receipt('delivered', idOf(2))]);
	const before = rows();
	tables().edit((all) =>
		all
			.filter(({ phone }) => phone !== '+15550001000')
			.map((row) => (row.phone === '+15550001001' ? { ...row, messageId: 'new' } : row)),
	);
	const { outputs, error } = await record([receipt('read', first), receipt('read', second)]);
	expect([error, ...map(outputs[0], 'json.found')]).toEqual([undefined, false, false]);
	expect(map(rows(), 'readAt')).toEqual([null, null]);
	expect(before).toHaveLength(3);
});

test('a table of an older form, and one that cannot be written, are errors that name the table; a retry loses nothing', async () => {
	await send(1);
	const items = [receipt('delivered', idOf(0))];
	let failures = 2;
	tables().before = (operation) => {
		if (operation === 'update' && failures-- > 0) throw new Error('The database is locked');
	};
	expect(jsonOf(await record(items))).toMatchObject([{ recorded: 'delivered' }]);
	failures = Infinity;
	const { error } = await record([receipt('read', idOf(0))]);
	expect(error).toMatchObject({
		message: expect.stringContaining('data table could not be read or written'),
		description: expect.stringContaining('The database is locked'),
	});
	tables().before = () => undefined;
	tables().deleteColumn('repliedAt');
	const old = await record(items);
	expect(old.error?.message).toBe(
		'The data table "Business Messaging Campaigns" has no column repliedAt [item 0]',
	);
});

test.each(['continueRegularOutput', 'continueErrorOutput', undefined] as const)(
	'an item that is no event, with On Error: %s',
	async (onError) => {
		await send(1);
		const items = [receipt('delivered', idOf(0)), { name: 'Anna' }, receipt('read', idOf(0))];
		const { outputs, error } = await record(items, { onError });
		const message = 'The item is not an event';
		const failed = {
			json: expect.objectContaining({ error: message }),
			pairedItem: { item: 1 },
		};
		if (!onError) expect(error?.message).toBe(`${message} [item 1]`);
		else if (onError === 'continueErrorOutput') expect(outputs[1]).toEqual([failed]);
		else expect(outputs[0][1]).toEqual(failed);
		expect(rowOf(0).readAt).toEqual(onError ? time : null);
	},
);
