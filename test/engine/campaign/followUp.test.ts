/** Get Recipients and Get Report: who gets the next message, and what became of a campaign. */
import { map, omit, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../../../harness/engine/service';
import { campaignRuns, jsonOf } from './campaignRuns';

const service = useService();
const { send, operate, record, receipt, reply, idOf, rows } = campaignRuns(service);
const phone = (n: number) => `+1555000${1000 + n}`;

/** Eight people: what became of their messages is in the order of the filters of Get Recipients. */
async function campaignWithResults() {
	service.fault({ endpoint: 'sendText', match: phone(6), status: 422 });
	service.fault({ endpoint: 'sendText', match: phone(7), reset: 'beforeRead' });
	await send(
		8,
		{ options: { variant: '={{ $json.n < 1004 ? "A" : "B" }}' } },
		{ onError: 'continueRegularOutput' },
	);
	await send(2, { campaign: 'another' });
	const ids = range(8).map((n) => rows().find((row) => row.phone === phone(n))!.messageId);
	await record([
		...[1, 2, 3, 4].map((n) => receipt('delivered', ids[n])),
		receipt('read', ids[2]),
		receipt('failed', ids[5]),
		// Without a receipt, the reply shows that it was read.
		reply(phone(3), 'Yes, please'),
		reply(phone(4), 'STOP', 'optOut'),
	]);
}

const recipients = async (people: string, more: INodeParameters = {}) =>
	await operate('getRecipients', { parameters: { campaign: ' sale ', people, ...more } });

test('gives the people whom each filter means, once, whatever the number of input items is', async () => {
	await campaignWithResults();
	const of = async (people: string) =>
		jsonOf(
			await operate('getRecipients', { items: [{}, {}], parameters: { campaign: 'sale', people } }),
		).map((one) => Number(String(one.phone).slice(-4)) - 1000);
	expect(await of('everybody')).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
	expect(await of('all')).toEqual([0, 1, 2, 3, 4]);
	expect(await of('notDelivered')).toEqual([0]);
	expect(await of('notRead')).toEqual([0, 1]);
	expect(await of('noReply')).toEqual([0, 1, 2]);
	expect(await of('readWithoutReply')).toEqual([2]);
	expect(await of('replied')).toEqual([3]);
	expect(await of('optedOut')).toEqual([4]);
	expect(await of('failed')).toEqual([5, 6]);
	expect(await of('mayHaveBeenSent')).toEqual([7]);
}, 30_000);

test('reads tables of any size, which come in parts', async () => {
	await send(1);
	const row = omit(rows()[0], 'id', 'createdAt', 'updatedAt');
	for (const n of range(1, 2_002))
		service.engine.tables.add({ ...row, phone: phone(n), idempotencyKey: `key ${n}` });
	const whole = jsonOf(await operate('getReport', { parameters: { campaign: '' } }));
	const one = jsonOf(await operate('getReport', { parameters: { campaign: 'sale' } }));
	expect([whole, one]).toMatchObject([[{ sent: 2_002 }], [{ sent: 2_002 }]]);
});

test('a reminder goes to the items as they come, and leaves out who has written STOP', async () => {
	await send(4, { options: { personName: '=Anna {{ $json.n }}' } });
	await record([receipt('read', idOf(0)), reply(phone(1), 'STOP', 'optOut')]);
	const items = jsonOf(
		await operate('getRecipients', { parameters: { campaign: 'sale', people: 'notRead' } }),
	);
	expect(items).toMatchObject([
		{ phone: phone(2), name: 'Anna 1002', campaign: 'sale', status: 'sent', readAt: null },
		{ phone: phone(3), name: 'Anna 1003', optedOutAt: null, repliedAt: null },
	]);
	// Before the reminder, another one writes it.
	await record([reply(phone(2), 'STOP', 'optOut')]);
	const reminder = { campaign: 'reminder', to: '={{ $json.phone }}', text: '=Hi {{ $json.name }}' };
	expect(map(jsonOf(await send(0, reminder, { items })), 'reason')).toEqual(['optedOut', null]);
	expect(service.sent().at(-1)).toMatchObject({ phone: phone(3), text: 'Hi Anna 1003' });
});

test('Sent Before leaves out later messages; an unknown campaign is an error with the names that there are', async () => {
	await send(2);
	const before = async (sentBefore: string) =>
		jsonOf(
			await operate('getRecipients', { parameters: { campaign: 'sale', filters: { sentBefore } } }),
		).length;
	expect([await before('2020-01-01'), await before('2099-01-01T00:00:00')]).toEqual([0, 2]);
	const { error } = await recipients('all', { campaign: 'Sail' });
	expect(error).toMatchObject({
		message: 'There are no messages of the campaign "Sail" [item 0]',
		description: 'Check the name. The latest campaigns are "sale".',
	});
});

test.each(['getRecipients', 'getReport'])(
	'with On Error: Continue, %s gives the campaigns that there are beside the error of one that there is not',
	async (operation) => {
		await send(1);
		await send(1, { campaign: 'another' });
		const output = jsonOf(
			await operate(operation, {
				parameters: { campaign: '={{ $json.name }}' },
				items: ['sale', 'sail', 'another'].map((name) => ({ name })),
				onError: 'continueRegularOutput',
			}),
		);
		expect(output).toEqual([
			expect.objectContaining({ campaign: 'sale' }),
			expect.objectContaining({ error: 'There are no messages of the campaign "sail"' }),
			expect.objectContaining({ campaign: 'another' }),
		]);
	},
);

test('reports each campaign and variant, also all campaigns', async () => {
	await campaignWithResults();
	const report = jsonOf(await operate('getReport', { parameters: { campaign: 'sale' } }));
	expect(report).toEqual([
		{
			...{ campaign: 'sale', variant: 'A', people: 4, sent: 4, delivered: 3, read: 1, replied: 1 },
			...{ failed: 0, optedOut: 0, uncertain: 0, notSent: 0, deliveredPercent: 75 },
			...{ readPercent: 25, repliedPercent: 25, failedPercent: 0, optedOutPercent: 0 },
			difference:
				'No difference is clear: chance alone may give such differences in more than 1 of 100 campaigns.',
		},
		{
			...{ campaign: 'sale', variant: 'B', people: 4, sent: 2, delivered: 1, read: 0, replied: 0 },
			...{ failed: 1, optedOut: 1, uncertain: 1, notSent: 1, deliveredPercent: 50 },
			...{ readPercent: 0, repliedPercent: 0, failedPercent: 50, optedOutPercent: 50 },
			difference:
				'No difference is clear: chance alone may give such differences in more than 1 of 100 campaigns.',
		},
	]);
	// A message that has only a Frequency Cap belongs to no campaign.
	service.engine.tables.edit((all) => [
		...all,
		{ ...all[0], id: 99, idempotencyKey: 'x', campaign: '' },
	]);
	const all = jsonOf(await operate('getReport'));
	expect(
		all.map(({ campaign, variant, difference }) => [campaign, variant, difference === null]),
	).toEqual([
		['sale', 'A', false],
		['sale', 'B', false],
		['another', '', true],
	]);
}, 30_000);

test('a reply does not show that a message was sent of which nobody knows it; a receipt does. Report and recipients agree', async () => {
	service.fault({ endpoint: 'sendText', match: phone(1), reset: 'beforeRead' });
	await send(2, {}, { onError: 'continueRegularOutput' });
	await record([reply(phone(0), 'Yes'), reply(phone(1), 'I have a question')]);
	const found = async () => {
		const [report] = jsonOf(await operate('getReport', { parameters: { campaign: 'sale' } }));
		const lists = [await recipients('mayHaveBeenSent'), await recipients('all')];
		return [report, ...lists.map(jsonOf)];
	};
	expect(await found()).toMatchObject([
		{ sent: 1, delivered: 1, replied: 1, uncertain: 1, notSent: 0, repliedPercent: 100 },
		[{ phone: phone(1), reply: 'I have a question' }],
		[{ phone: phone(0) }],
	]);
	const settled = (values: object) =>
		service.engine.tables.edit((all) =>
			all.map((row) => (row.phone === phone(1) ? { ...row, ...values } : row)),
		);
	settled({ status: 'notSent' });
	expect(await found()).toMatchObject([{ sent: 1, uncertain: 0, notSent: 1 }, [], [{}]]);
	settled({ status: 'mayHaveBeenSent', deliveredAt: new Date().toISOString() });
	expect(await found()).toMatchObject([{ sent: 2, replied: 2, uncertain: 0 }, [], [{}, {}]]);
});

test('a clear difference is said in a sentence', async () => {
	await send(80, { options: { variant: '={{ $json.n % 2 ? "B" : "A" }}' } });
	const even = rows().filter(({ variant }) => variant === 'A');
	await record(even.map(({ messageId }) => receipt('read', messageId)));
	const [{ difference }] = jsonOf(await operate('getReport', { parameters: { campaign: 'sale' } }));
	expect(difference).toBe(
		'Variant A was delivered to a clearly larger share of people than variant B (100 % and 0 %). Variant A was read by a clearly larger share of people than variant B (100 % and 0 %). No other difference is clear.',
	);
});

test('messages without a variant do not hide the difference between two variants', async () => {
	const variant = '={{ $json.n < 1004 ? "" : $json.n % 2 ? "B" : "A" }}';
	await send(24, { options: { variant } });
	const better = rows().filter((row) => row.variant === 'A');
	await record(better.map(({ messageId }) => receipt('read', messageId)));
	const [{ difference }] = jsonOf(await operate('getReport', { parameters: { campaign: 'sale' } }));
	expect(difference).toMatch(
		/^Variant A was delivered to a clearly larger share of people than variant B /,
	);
	expect(difference).not.toContain('o variant');
});

test('a STOP is recorded too, so there is no hint', async () => {
	await send(2);
	await record([reply(phone(0), 'STOP', 'optOut')]);
	const { hints } = await recipients('notRead');
	expect(hints).toEqual([]);
});

test('if nothing was recorded, a hint says so, for what depends on it', async () => {
	await send(3);
	await send(1, { campaign: 'another' });
	const hintsOf = async (operation: string, parameters: INodeParameters = {}) =>
		(await operate(operation, { parameters })).hints.map(({ message }) => message);
	const people = async (which: string) =>
		await hintsOf('getRecipients', { campaign: 'sale', people: which });
	const expected = expect.stringMatching(
		/recorded of "sale", so nothing counts .* Campaign results/,
	);
	const depending = [
		'noReply',
		'notDelivered',
		'notRead',
		'optedOut',
		'readWithoutReply',
		'replied',
	];
	for (const which of depending) expect([which, await people(which)]).toEqual([which, [expected]]);
	for (const which of ['all', 'everybody', 'failed', 'mayHaveBeenSent'])
		expect([which, await people(which)]).toEqual([which, []]);
	expect(await hintsOf('getReport', { campaign: 'sale' })).toEqual([expected]);
	// Neither the first nor the last message of the campaign.
	await record([receipt('delivered', idOf(1))]);
	expect(await people('notRead')).toEqual([]);
	expect(await hintsOf('getReport')).toEqual([expect.stringContaining('recorded of "another",')]);
});

test('before the first campaign, both say so', async () => {
	const errors = [await recipients('all'), await operate('getReport')].map(
		({ error }) => error?.message,
	);
	expect(errors).toEqual(Array(2).fill('This project has no campaigns yet [item 0]'));
});
