/** The operations on campaigns keep accounts apart, although the rows of all stand in one table. */
import { map } from 'lodash';

import { useService } from '../../../harness/engine/service';
import { campaignRuns, jsonOf } from './campaignRuns';

const service = useService();
const { send, operate, record, receipt, rows, rowOf } = campaignRuns(service);
const parameters = { campaign: 'sale' };
/** Makes the first rows those of another account, or of every account. */
const move = (count: number, account: string) =>
	service.engine.tables.edit((all) =>
		all.map((row) => (Number(String(row.phone).slice(-1)) < count ? { ...row, account } : row)),
	);
const anotherAccount = '127.0.0.1:1 00000000';

test('recipients and reports have the rows of the account of the credential, and those without an account', async () => {
	await send(4);
	move(2, anotherAccount);
	move(1, '');
	const people = ['+15550001000', '+15550001002', '+15550001003'];
	expect(map(jsonOf(await operate('getRecipients', { parameters })), 'phone')).toEqual(people);
	for (const campaign of ['sale', ''])
		expect(jsonOf(await operate('getReport', { parameters: { campaign } }))).toMatchObject([
			{ people: 3, sent: 3 },
		]);
});

test('a campaign that only another account has sent is an error that says so', async () => {
	await send(2);
	move(2, anotherAccount);
	const { error } = await operate('getRecipients', { parameters });
	expect(error?.message).toContain('The campaign "sale" was sent by another account');
	expect(error?.description).toContain('Choose the credential that has sent it.');
	expect(jsonOf(await operate('getReport'))).toEqual([]);
});

test('each account finds its own rows, whoever has recorded something before', async () => {
	const other = { credentials: service.credentials(service.newKey()) };
	await send(1);
	await send(1, { campaign: 'theirs' }, other);
	const [ours, theirs] = rows().map(({ messageId }) => receipt('delivered', messageId));
	// Later looks read only the last 500 IDs again.
	service.engine.tables.edit(([one, other]) => [
		{ ...other, id: 1 },
		{ ...one, id: 2_000 },
	]);
	const found = async (event: object, options: object = {}) =>
		jsonOf(await record([event as typeof ours], options))[0].found;
	expect(await found(ours)).toBe(true);
	expect(await found(theirs)).toBe(false);
	expect(await found(theirs, other)).toBe(true);
});

test('receipts and replies change no row of another account', async () => {
	service.fault({ endpoint: 'sendText', reset: 'beforeRead', count: 3 });
	await send(3, {}, { onError: 'continueRegularOutput' });
	move(2, anotherAccount);
	move(1, '');
	const events = [0, 1, 2].map((n) =>
		receipt('delivered', `msg ${n}`, { to: `+1555000${1000 + n}` }),
	);
	expect(map(jsonOf(await record(events)), 'found')).toEqual([true, false, true]);
	expect(rowOf(1)).toMatchObject({ status: 'mayHaveBeenSent', messageId: '', deliveredAt: null });
	expect(map(rows(), 'status').filter((status) => status === 'sent')).toHaveLength(2);
});
