/** Examples that run for days, on a real n8n whose clock is moved: each person gets each message exactly once. */
import { countBy, mapValues, range } from 'lodash';
import { DateTime, Info } from 'luxon';

import { createTable, deleteTable, readTable, updateTable } from '../../../harness/n8n/dataTables';
import { until } from '../../../harness/until';
import { clicked, useN8n, withFields, withParameters } from '../../../harness/useN8n';

const n8n = useN8n();
const sent = () => countBy(n8n.outbound, 'phone');
const people = 'New customers';

/** Replaces the people in the table that the examples read. */
async function withPeople(...phones: string[]): Promise<void> {
	await deleteTable(n8n.client, people);
	await createTable(
		n8n.client,
		people,
		phones.map((phone, index) => ({ name: `Person ${index}`, phone })),
	);
}

test('send later: in three time zones, each person gets the message once, when the window opens there, also after a restart', async () => {
	const [london, tokyo, mumbai] = ['+447700900001', '+819012345678', '+919812345678'];
	await withPeople(mumbai, london, tokyo);
	// A window of two hours around the current time in London. It opens 14 or 15 hours later in Tokyo, and after that in India.
	const now = DateTime.now().setZone('Europe/London');
	const [opens, closes] = [now.minus({ hours: 1 }), now.plus({ hours: 1 })];
	const hours = `${opens.toFormat('HH:mm')}–${closes.toFormat('HH:mm')}`;
	const sendWindow = { values: { days: 'everyDay', hours, timeZone: '' } };
	const audienceRules = { duplicates: 'sendFirst', sendWindow };
	const file = n8n.example('send-later', {
		Send: withParameters({ mode: 'send', audienceRules }),
	});
	const id = await n8n.start(file, clicked);
	const steps = [[london], [london, tokyo], [london, tokyo, mumbai]];
	for (const [step, reached] of steps.entries()) {
		const isReached = () => n8n.outbound.length >= reached.length;
		await until(`${reached.length} messages`, isReached, { limit: 180_000 });
		expect(sent()).toEqual(Object.fromEntries(reached.map((phone) => [phone, 1])));
		if (step === steps.length - 1) break;
		const opening = await until('n8n to wait for the next window', async () => {
			const { status, waitTill } = await n8n.client.getExecution(id);
			const time = Date.parse(String(waitTill)) - n8n.movedMs;
			return status === 'waiting' && time > Date.now() && time;
		});
		await n8n.restart();
		await n8n.moveClock(opening - Date.now() + 1_000);
	}
	expect((await n8n.client.waitForExecution(id, 180_000)).status).toBe('success');
	expect(Object.values(sent())).toEqual([1, 1, 1]);
});

test('drip: a person who replies or writes STOP gets no further message; the others get all three, once each', async () => {
	const [silent, replies, stops, late, gone] = [1, 2, 3, 4, 5].map((n) => `+44770090000${n}`);
	await withPeople(silent, replies, stops, late, gone);
	await createTable(n8n.client, 'Opt-outs', [{ phone: gone }]);
	await n8n.publish(n8n.example('inbox'));
	const soon = withParameters({ mode: 'send', limitWaitTime: 0.5, waitTimeUnit: 'minutes' });
	const file = n8n.example('drip', {
		'First message': soon,
		'Second message': soon,
		'Last message': withParameters({ mode: 'send' }),
	});
	const id = await n8n.start(file, clicked);
	const inRound = async (messages: number, write: () => void) => {
		const isAsked = () => (sent()[silent] ?? 0) === messages;
		await until(`message ${messages}`, isAsked, { limit: 180_000 });
		await n8n.untilWaiting(id);
		write();
	};
	await inRound(1, () => {
		n8n.write(replies, 'Yes, do you sell shoes?');
		n8n.write(stops, 'STOP');
	});
	await inRound(2, () => n8n.write(late, 'Now I have time'));
	const execution = await n8n.client.waitForExecution(id, 180_000);
	expect(execution.status).toBe('success');
	expect(sent()).toEqual({ [silent]: 3, [replies]: 1, [stops]: 1, [late]: 2 });
});

test('unanswered: a customer who has waited too long in business hours is reported once; an answer ends it, but not an auto-reply', async () => {
	// A time zone in which it is noon, so that no test runs over midnight.
	const offset = 12 - DateTime.utc().hour;
	const zone = `UTC${offset < 0 ? '' : '+'}${offset}`;
	const noon = DateTime.now().setZone(zone);
	const everyDay = Info.weekdays('long', { locale: 'en' }).join(', ');
	const open = { openDays: everyDay, opensAt: '09:00', closesAt: '18:00', timeZone: zone };
	const colleague = '+447700900001';
	const settings = (more: Record<string, string>) => ({
		Settings: withFields({ ...open, closedOn: '', ...more }),
	});
	const [waits, answered, stops] = ['+447700900101', '+447700900102', '+447700900103'];
	const id = await n8n.publish(n8n.example('unanswered', settings({ minutes: '60' })));
	n8n.write(waits, 'None'); // in an item, this may also be a missing value
	n8n.write(answered, 'Where is my order?');
	// Many messages at the same moment: for each of their runs, the table does not exist yet.
	for (const one of range(20)) n8n.write(`+${447700900200 + one}`, 'STOP');
	n8n.write(stops, 'STOP');
	const runs = await n8n.executions(id, 23);
	expect(runs.filter(({ status }) => status !== 'success')).toEqual([]);
	const waiting = async () =>
		(await readTable(n8n.client, 'Waiting customers')).map((row) => row.phone);
	for (const phone of [waits, answered])
		n8n.sandbox.state.traffic.send({ phone, text: 'We are closed.' });
	await n8n.executions(id, 25);
	expect((await waiting()).sort()).toEqual([waits, answered]);
	await updateTable(n8n.client, 'Waiting customers', ['phone', answered], {
		since: DateTime.utc().minus({ minutes: 2 }).toISO(),
	});
	n8n.sandbox.state.traffic.send({ phone: answered, text: 'It comes today.' });
	await until('the answer to count', async () => (await waiting()).join() === waits);

	const alerts = () => n8n.outbound.filter(({ phone }) => phone === colleague);
	const check = async (workflow: string) => await n8n.runToEnd(workflow, 'Every five minutes');
	/** Another workflow with the same table and other hours. */
	const checkWith = async (more: Record<string, string>) => {
		const file = n8n.example('unanswered', settings({ minutes: '60', ...more }));
		await check((await n8n.client.createWorkflow(file)).id);
	};
	const since = async (minutes: number) =>
		await updateTable(n8n.client, 'Waiting customers', ['phone', waits], {
			since: DateTime.utc().minus({ minutes }).toISO(),
		});
	await check(id);
	await since(61);
	await checkWith({ closedOn: `2020-01-01, ${noon.toISODate()}` });
	await checkWith({ opensAt: noon.minus({ minutes: 30 }).toFormat('HH:mm') });
	expect(alerts()).toEqual([]);
	await check(id);
	await check(id);
	expect(alerts().map(({ text }) => text)).toEqual([
		expect.stringMatching(/^\+447700900101 .* 6\d minutes .*: “None”$/),
	]);
	n8n.sandbox.state.traffic.send({ phone: waits, text: 'Sorry! It comes today.' });
	await until('the answer to count', async () => (await waiting()).length === 0);
	expect(mapValues(sent(), Boolean)).not.toHaveProperty(stops);
});
