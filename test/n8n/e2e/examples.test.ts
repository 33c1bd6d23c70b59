/** The workflows of examples/ on a real n8n, unchanged. The campaign, the AI agent and the MCP server have separate test files. */
import axios from 'axios';
import { countBy, isEqual, omit, pick, range, sortBy } from 'lodash';
import { DateTime, Info } from 'luxon';

import { readSampleContacts } from '../../../harness/examples';
import { outputOf } from '../../../harness/n8n/client';
import { readTable, updateTable } from '../../../harness/n8n/dataTables';
import { until } from '../../../harness/until';
import { clicked, useN8n, withFields, withParameters } from '../../../harness/useN8n';

const n8n = useN8n();
const [zara, daisy] = readSampleContacts();

const state = () => n8n.sandbox.state;
const textsTo = (phone: string) =>
	n8n.outbound.filter((message) => message.phone === phone).map(({ text }) => text);
const rowsOf = async (table: string) => await readTable(n8n.client, table);
const http = axios.create({ proxy: false, timeout: 30_000 });

/** Waits until executions have succeeded. */
async function untilEnded(workflowId: string, count: number): Promise<void> {
	const executions = await n8n.executions(workflowId, count);
	expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
}

describe('auto-reply', () => {
	/** A time zone in which it is noon or a little later, so that no test runs over midnight. */
	const noon = () => {
		const hours = 12 - DateTime.utc().hour;
		return DateTime.now().setZone(`UTC${hours < 0 ? '' : '+'}${hours}`);
	};
	const everyDay = Info.weekdays('long', { locale: 'en' });
	const otherDays = () => everyDay.filter((_, index) => index + 1 !== noon().weekday);

	test.each([
		['promises an answer if we are open', () => ({}), /shortly/],
		['says when we open, before that', () => ({ opensAt: '14:30' }), /14:30 to 18:00/],
		[
			'says when we open, on other days',
			() => ({ openDays: otherDays().join(', ') }),
			/09:00 to 18:00/,
		],
		[
			'says when we open, on holidays',
			() => ({ closedOn: `2020-01-01, ${noon().toISODate()}` }),
			/09:00/,
		],
	])('%s', async (_, hours, answer) => {
		const usual = {
			openDays: everyDay.join(', '),
			opensAt: '09:00',
			closesAt: '18:00',
			closedOn: '',
		};
		const values = { ...usual, timeZone: noon().zoneName!, ...hours() };
		const file = n8n.example('auto-reply', { 'Our opening hours': withFields(values) });
		const id = await n8n.publish(file);
		n8n.write(zara.phone, 'Do you sell shoes?');
		await untilEnded(id, 1);
		expect(textsTo(zara.phone)).toEqual([expect.stringMatching(answer)]);
	});
});

describe('auto-reply to a person who keeps writing', () => {
	const hour = () => DateTime.now().startOf('hour').toMillis();

	test('is one message for several messages in a row, for each person', async () => {
		const id = await n8n.publish(n8n.example('auto-reply'));
		for (const text of ['Hm', 'do you sell', 'shoes?']) n8n.write(zara.phone, text);
		n8n.write(daisy.phone, 'Tell me more');
		await untilEnded(id, 2);
		expect(textsTo(zara.phone)).toHaveLength(1);
		expect(textsTo(daisy.phone)).toEqual([expect.stringContaining('new arrivals')]);
	});

	test('stops if the person is a bot that answers every reply', async () => {
		const id = await n8n.publish(n8n.example('auto-reply'));
		const began = hour();
		for (const round of range(1, 6)) {
			n8n.write(zara.phone, `Thank you for message ${round}! I am a bot.`);
			await untilEnded(id, round);
		}
		const answers = countBy(textsTo(zara.phone));
		// One message in an hour. The test may run over a full hour, or over the time at which the shop opens.
		const limit = began === hour() ? 1 : 2;
		expect(Object.values(answers).every((times) => times <= limit)).toBe(true);
		expect(Object.keys(answers).length).toBeGreaterThan(0);
		// Another question is answered.
		n8n.write(zara.phone, 'Tell me more');
		await untilEnded(id, 6);
		expect(textsTo(zara.phone).at(-1)).toContain('new arrivals');
		// Each night, n8n's list of the answers is emptied: it fails with more than 10,000.
		const before = textsTo(zara.phone).length;
		await n8n.runToEnd(id, 'Every night');
		n8n.write(zara.phone, 'Tell me more');
		await untilEnded(id, 8);
		expect(textsTo(zara.phone)).toHaveLength(before + 1);
	});
});

test('order update: the shop calls twice, the customer gets one message with the invoice; the sample order works', async () => {
	const order = {
		order: 'B-1',
		name: 'Anna Schmidt',
		phone: '0044 7700 900551',
		arrives: '2030-01-31',
		invoice: 'https://example.com/invoices/B-1.pdf',
	};
	const sends = withParameters({ mode: 'send' });
	const id = await n8n.publish(n8n.example('order-update', { 'Send order update': sends }));
	const url = `${n8n.playground.n8n.url}/webhook/order-shipped`;
	const first = await http.post<object>(url, order);
	const messageId = expect.stringMatching(/^msg/);
	expect(first.data).toMatchObject({ order: 'B-1', sendStatus: 'sent', messageId });
	const second = await http.post<object>(url, order);
	expect(second.data).toMatchObject({ skipped: true, reason: 'alreadySent', order: 'B-1' });
	expect(n8n.outbound).toMatchObject([
		{
			phone: '+447700900551',
			text: 'Hi Anna, your order B-1 has left our warehouse and arrives on Thursday, 31 January. The invoice is attached.',
			template: { header: { documentUrl: order.invoice } },
		},
	]);
	await n8n.runToEnd(id, 'Try it with a sample order');
	expect(textsTo(zara.phone)).toEqual([expect.stringContaining('A-4711')]);
	const wrong = await http.post<object>(url, { ...order, order: 'B-2', phone: '12' });
	expect(wrong.data).toEqual({
		order: 'B-2',
		phone: '12',
		reason: expect.stringContaining('"12"'),
		sendStatus: 'notSent',
	});
	const undated = { ...omit(order, 'arrives'), order: 'B-3' };
	const incomplete = await http.post<object>(url, undated);
	expect(incomplete.data).toMatchObject({
		order: 'B-3',
		reason: expect.stringContaining('Body 3'),
	});
});

test('survey: many people answer at once; it thanks the happy ones, asks the others why, keeps each answer, and leaves others alone', async () => {
	const count = Number(process.env.SURVEY_PEOPLE ?? 50);
	const phones = range(count).map((n) => `+1555${2_000_000 + n}`);
	for (const phone of phones) state().contacts.create({ phone, segments: ['survey'] });
	const isUnhappy = (phone: string) => Number(phone) % 10 === 0;
	/** A person who replies without a number, to the question and to its repetition. */
	const [stubborn] = phones.filter((phone) => !isUnhappy(phone));
	const serious = phones.filter((phone) => phone !== stubborn);

	await n8n.publish(n8n.example('inbox'));
	const customers = withParameters({ limit: count, filters: { segment: 'survey' } });
	const changes = {
		'Get customers': customers,
		'Ask for a rating': withParameters({ mode: 'send' }),
	};
	const id = await n8n.start(n8n.example('survey', changes), clicked);
	/** These people reply once everybody has got this number of messages and n8n waits. */
	const answer = async (who: string[], messages: number, textOf: (phone: string) => string) => {
		const expected = Object.fromEntries(who.map((phone) => [phone, messages]));
		const areAsked = () => isEqual(pick(countBy(n8n.outbound, 'phone'), who), expected);
		await until('the questions', areAsked, { limit: 5 * 60_000 });
		await n8n.untilWaiting(id);
		for (const phone of who) n8n.write(phone, textOf(phone));
	};
	for (const messages of [1, 2, 3]) await answer([stubborn], messages, () => 'terrible');
	await answer(serious, 1, (phone) => (isUnhappy(phone) ? '1' : '5'));
	const unhappy = phones.filter(isUnhappy);
	await answer(unhappy, 2, (phone) => `Too late for ${phone}`);
	expect((await n8n.client.waitForExecution(id, 5 * 60_000)).status).toBe('success');

	expect(sortBy(await rowsOf('Survey answers'), 'phone')).toMatchObject(
		serious.map((phone) => ({
			...{ phone, rating: isUnhappy(phone) ? 1 : 5 },
			reason: isUnhappy(phone) ? `Too late for ${phone}` : null,
		})),
	);
	expect(textsTo(stubborn)[1]).toBe('Please answer with a number from 1 to 5.');
	expect(textsTo(serious.find((phone) => !isUnhappy(phone))!)[1]).toContain('review');
	expect(textsTo(unhappy[0])[2]).toContain('Thank you for telling us');
	const inAll = Object.fromEntries(serious.map((phone) => [phone, isUnhappy(phone) ? 3 : 2]));
	expect(countBy(n8n.outbound, 'phone')).toEqual({ ...inAll, [stubborn]: 3 });
});

test('weekly report: the first one has all figures, the next one those of the week', async () => {
	const { id } = await n8n.client.createWorkflow(n8n.example('weekly-report'));
	const send = async (count: number) => {
		for (let n = 0; n < count; n++) state().traffic.send({ phone: zara.phone, text: 'Hi' });
		const areRead = () => n8n.outbound.every(({ status }) => status === 'read');
		await until('the messages to be read', areRead);
	};
	/** The email, and its figures with the widths of their bars in percent. */
	const report = async () => {
		const [{ json }] = outputOf(await n8n.runToEnd(id), 'Write the email');
		const html = String(json.html);
		const row = /<tr><td[^>]*>(\w+)<[^]+?border-spacing:0;width:(\d+)%[^]+?<b>(\d+)<\/b>/g;
		const rows = [...html.matchAll(row)].map(([, label, width, value]) => [label, value, width]);
		return { html, figures: rows.map((cells) => cells.join(' ')) };
	};

	await send(4);
	n8n.write(zara.phone, 'Hello');
	expect((await report()).figures).toEqual([
		...['Sent 4 100', 'Delivered 4 100', 'Read 4 100', 'Failed 0 1', 'Received 1 25'],
	]);
	const [{ week }] = await rowsOf('Weekly figures');
	expect(week).toBe('trial'); // a run by hand changes nothing of the next report
	const earlier = { week: 'the week before' };
	await updateTable(n8n.client, 'Weekly figures', ['week', String(week)], earlier);
	await send(2);
	const { html, figures } = await report();
	expect(figures).toEqual([
		...['Sent 2 100', 'Delivered 2 100', 'Read 2 100', 'Failed 0 1', 'Received 0 1'],
	]);
	expect(html).toContain('100 % of what arrived was read.');
	expect((await report()).html).toBe(html);
});

test('contacts from a CSV file: nobody twice, also the second time; invalid rows are listed', async () => {
	const csv =
		'name,phone\nZara Q.,0044 7700 900408\nNew Person,+44 7700 900777\nNobody,0170 1234\nNew Again,+44 (7700) 900777\n';
	const open = { 'When a file is chosen': withParameters({ authentication: 'none' }) };
	await n8n.publish(n8n.example('contact-sync', open));
	/** Chooses the file on the page. @returns the last page */
	const upload = async () => {
		const form = new FormData();
		form.append('field-0', new Blob([csv], { type: 'text/csv' }), 'people.csv');
		const url = `${n8n.playground.n8n.url}/form/contacts-from-csv`;
		const { data } = await http.post<{ formWaitingUrl: string }>(url, form);
		// n8n does not respond at all while the execution is still running.
		const page = async () => {
			const answer = http.get<string>(data.formWaitingUrl, { timeout: 2_000 });
			const html = await answer.then((response) => response.data).catch(() => '');
			return html.includes('are up to date') && html;
		};
		return await until('the last page', page);
	};
	for (const time of ['first', 'second']) {
		const page = await upload();
		expect([time, page]).toEqual([time, expect.stringContaining('3 rows are up to date')]);
		expect(page).toMatch(/Line 4 was not usable: .*0170 1234.* has no country code/);
		expect(state().contacts.all).toHaveLength(readSampleContacts().length + 1);
		expect(state().contacts.findByPhone(zara.phone)?.name).toBe('Zara Q.');
		expect(state().contacts.findByPhone('+447700900777')?.name).toBe('New Again');
	}
});
