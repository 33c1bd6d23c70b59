/** The workflows of examples/ on a real n8n: imported as they are, and run. */
import axios from 'axios';
import { DateTime } from 'luxon';

import { readSampleContacts } from '../../tools/examples';
import { type Execution, outputOf, type WorkflowFile } from '../../tools/n8n/client';
import { readTable, updateTable } from '../../tools/n8n/dataTables';
import { until } from '../../tools/until';
import { startModel } from './support/model';
import { useN8n, withFields, withParameters } from './support/n8n';

const n8n = useN8n();
const start = 'When clicking ‘Execute workflow’';
const [zara, daisy, arthur] = readSampleContacts();

const state = () => n8n.sandbox.state;
const outbound = () => state().messages.all.filter(({ direction }) => direction === 'outbound');
const textsTo = (phone: string) =>
	outbound()
		.filter((message) => message.phone === phone)
		.map(({ text }) => text);
const write = (from: string, text: string) => state().traffic.receive({ from, text });
const rowsOf = async (table: string) => await readTable(n8n.client, table);

beforeEach(() => n8n.sandbox.reset());

/** Runs a stored workflow by a click, to its end. */
async function run(id: string, trigger = start): Promise<Execution> {
	const execution = await n8n.client.waitForExecution(await n8n.client.run(id, trigger), 120_000);
	expect(execution.data.resultData.error?.message).toBeUndefined();
	return execution;
}

/** Until n8n has ended what messages have started. */
async function untilEnded(workflowId: string, count: number): Promise<void> {
	const ended = async () =>
		(await n8n.client.listExecutions(workflowId)).filter(({ status }) => status === 'success')
			.length === count;
	await until(`${count} executions to end well`, ended);
}

/** Values of the auto-reply's opening hours that are never over. */
const alwaysOpen = {
	openDays: 'Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday',
	opensAt: '00:00',
	closesAt: '24:00',
	closedOn: '',
};

/** Stores a workflow and switches it on for a while; `use` gets its id. */
async function whileOn(file: WorkflowFile, use: (id: string) => Promise<void>): Promise<void> {
	const { id } = await n8n.client.createWorkflow(file);
	await n8n.client.activate(id);
	await use(id).finally(async () => await n8n.client.deactivate(id));
}

describe('auto-reply', () => {
	/** A zone in which it is about noon, so that no test runs over midnight. */
	const noonZone = () =>
		`UTC${Intl.NumberFormat('en', { signDisplay: 'always' }).format(12 - DateTime.utc().hour)}`;
	const there = () => DateTime.now().setZone(noonZone());

	test.each([
		['open', () => ({}), 'Promise an answer'],
		['not open yet', () => ({ opensAt: '14:30' }), 'Say when we open'],
		[
			'closed on this day of the week',
			() => ({ openDays: alwaysOpen.openDays.replace(there().toFormat('cccc'), '') }),
			'Say when we open',
		],
		['a holiday', () => ({ closedOn: `2020-01-01, ${there().toISODate()}` }), 'Say when we open'],
	])('%s', async (_, hours, answer) => {
		const values = {
			...alwaysOpen,
			opensAt: '09:00',
			closesAt: '18:00',
			timeZone: noonZone(),
			...hours(),
		};
		const file = n8n.example('auto-reply', { 'Our opening hours': withFields(values) });
		await whileOn(file, async (id) => {
			write(zara.phone, 'Do you sell shoes?');
			await untilEnded(id, 1);
			const [execution] = await n8n.client.listExecutions(id);
			expect(outputOf(await n8n.client.getExecution(execution.id), answer)).toHaveLength(1);
		});
		expect(textsTo(zara.phone)).toEqual([
			expect.stringMatching(
				answer === 'Promise an answer'
					? /shortly/
					: new RegExp(`${values.opensAt} to ${values.closesAt}`),
			),
		]);
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
	await whileOn(n8n.example('order-update'), async (id) => {
		const call = async () =>
			(
				await axios.post<object>(`${n8n.playground.n8n.url}/webhook/order-shipped`, order, {
					proxy: false,
					timeout: 30_000,
				})
			).data;
		expect(await call()).toMatchObject({ messageId: expect.stringMatching(/^msg/) });
		expect(await call()).toMatchObject({ skipped: true, reason: 'alreadySent' });
		expect(outbound()).toMatchObject([
			{
				phone: '+447700900551',
				text: 'Hi Anna, your order B-1 has left our warehouse and arrives on Thursday, 31 January. The invoice is attached.',
				template: { header: { documentUrl: order.invoice } },
			},
		]);
		await run(id, 'Try it with a sample order');
		expect(textsTo(zara.phone)).toEqual([expect.stringContaining('A-4711')]);
	});
});

test('survey: thanks happy customers, asks the others why, and sends nothing more to those who do not reply', async () => {
	await whileOn(n8n.example('inbox'), async () => {
		const file = n8n.example('survey', {
			'Get customers': withParameters({ limit: 3 }),
			'Ask for a rating': withParameters({ limitWaitTime: 0.25, waitTimeUnit: 'minutes' }),
		});
		const { id } = await n8n.client.createWorkflow(file);
		const executionId = await n8n.client.run(id, start);
		await until('three questions', () => outbound().length === 3);
		const untilDelivered = async (from: string, text: string) => {
			const [delivery] = write(from, text).deliveries;
			await until('an answer to be delivered', () => delivery.state !== 'pending');
		};
		const untilWaiting = async () =>
			await until(
				'n8n to wait',
				async () => (await n8n.client.getExecution(executionId)).status === 'waiting',
			);
		await untilWaiting();
		await untilDelivered(zara.phone, '5');
		await untilDelivered(daisy.phone, 'terrible');
		await until('the question to be repeated', () => textsTo(daisy.phone).length === 2);
		await untilDelivered(daisy.phone, '2');
		await until('the reason to be asked', () => textsTo(daisy.phone).length === 3);
		await untilWaiting();
		await untilDelivered(daisy.phone, 'It came too late');
		expect((await n8n.client.waitForExecution(executionId)).status).toBe('success');

		expect(textsTo(zara.phone)).toMatchObject([
			expect.stringContaining('Hello Zara!'),
			expect.stringContaining('review'),
		]);
		expect(textsTo(daisy.phone)).toEqual([
			expect.stringContaining('Hello Daisy!'),
			'Please answer with a number from 1 to 5.',
			expect.stringContaining('do better?'),
			expect.stringContaining('A colleague'),
		]);
		expect(textsTo(arthur.phone)).toHaveLength(1);
		expect(await rowsOf('Survey answers')).toMatchObject([
			{ phone: zara.phone, rating: 5, reason: null },
			{ phone: daisy.phone, rating: 2, reason: 'It came too late' },
		]);
	});
});

test('weekly report: the first has all figures, the next those of the week; the length of its bars fits the figures', async () => {
	const { id } = await n8n.client.createWorkflow(n8n.example('weekly-report'));
	const send = async (count: number) => {
		for (let n = 0; n < count; n++) state().traffic.send({ phone: zara.phone, text: 'Hi' });
		await until('the messages to be read', () =>
			outbound().every(({ status }) => status === 'read'),
		);
	};
	const report = async () => String(outputOf(await run(id), 'Write the e-mail')[0].json.html);
	const chartOf = (html: string) =>
		Object.fromEntries(
			[
				...html.matchAll(
					/<tr><td[^>]*>(\w+)<[^]+?border-spacing:0;width:(\d+)%[^]+?<b>(\d+)<\/b>/g,
				),
			].map(([, label, width, value]) => [label, [Number(value), Number(width)]]),
		);

	await send(4);
	write(zara.phone, 'Hello');
	expect(chartOf(await report())).toEqual({
		Sent: [4, 100],
		Delivered: [4, 100],
		Read: [4, 100],
		Failed: [0, 1],
		Received: [1, 25],
	});

	const [{ week }] = await rowsOf('Weekly figures');
	await updateTable(n8n.client, 'Weekly figures', ['week', String(week)], {
		week: 'the week before',
	});
	await send(2);
	const html = await report();
	expect(await report()).toBe(html);
	expect(chartOf(html)).toEqual({
		Sent: [2, 100],
		Delivered: [2, 100],
		Read: [2, 100],
		Failed: [0, 1],
		Received: [0, 1],
	});
	expect(html).toContain('100 % of what arrived was read.');
	expect(await rowsOf('Weekly figures')).toMatchObject([
		{ sent: 4, received: 1 },
		{ week, sent: 6, received: 1 },
	]);
});

test('contacts from a CSV file: nobody twice, also the second time; invalid rows are listed', async () => {
	const csv =
		'name,phone\nZara Q.,0044 7700 900408\nNew Person,+44 7700 900777\nNobody,0170 1234\nNew Again,+44 (7700) 900777\n';
	await whileOn(
		n8n.example('contact-sync', {
			'When a file is chosen': withParameters({ authentication: 'none' }),
		}),
		async () => {
			const upload = async () => {
				const form = new FormData();
				form.append('field-0', new Blob([csv], { type: 'text/csv' }), 'people.csv');
				const { data } = await axios.post<{ formWaitingUrl: string }>(
					`${n8n.playground.n8n.url}/form/contacts-from-csv`,
					form,
					{ proxy: false, timeout: 30_000 },
				);
				// n8n does not answer at all while the execution is still running.
				const page = async () =>
					await axios.get<string>(data.formWaitingUrl, { proxy: false, timeout: 2_000 }).then(
						({ data: html }) => html,
						() => '',
					);
				return await until(
					'the last page',
					async () => await page().then((html) => html.includes('are up to date') && html),
				);
			};
			for (const time of [1, 2]) {
				const page = await upload();
				expect({ time, page }).toEqual({
					time,
					page: expect.stringContaining('3 contacts are up to date'),
				});
				expect(page).toMatch(/Line 4 was not usable: .*0170 1234.* has no country code/);
				expect(state().contacts.all).toHaveLength(readSampleContacts().length + 1);
				expect(state().contacts.findByPhone(zara.phone)?.name).toBe('Zara Q.');
				expect(state().contacts.findByPhone('+447700900777')?.name).toBe('New Again');
			}
		},
	);
});

test('AI agent: answers, calls a colleague when it is asked to, and leaves the chat to the colleague', async () => {
	const colleague = '+447700900001';
	const model = await startModel({ Summary: 'Daisy wants her money back.' }, (messages) =>
		JSON.stringify(messages.at(-1)?.content).includes('a person'),
	);
	const credential = await n8n.client.createCredential('Model', 'openAiApi', {
		apiKey: 'none',
		url: model.url,
	});
	const file = n8n.example('ai-agent', {
		'AI model': (node) =>
			Object.assign(node, { credentials: { openAiApi: { id: credential, name: 'Model' } } }),
	});
	try {
		await whileOn(file, async (id) => {
			write(zara.phone, 'How long does delivery take?');
			await untilEnded(id, 1);
			expect(textsTo(zara.phone)).toEqual([
				expect.stringContaining('How long does delivery take?'),
			]);
			expect(textsTo(colleague)).toEqual([]);

			write(daisy.phone, 'I want to talk to a person');
			await untilEnded(id, 2);
			expect(textsTo(colleague)).toEqual([
				`Please take over the chat with ${daisy.phone}.\n\nDaisy wants her money back.`,
			]);
			expect(textsTo(daisy.phone)).toHaveLength(1);

			write(daisy.phone, 'Are you there?');
			write(colleague, 'I am on it');
			await untilEnded(id, 4);
			expect(outbound()).toHaveLength(3);

			await model.close();
			write(arthur.phone, 'Hello?');
			await untilEnded(id, 5);
			expect(textsTo(arthur.phone)).toEqual([
				expect.stringContaining('A colleague will answer you here'),
			]);
			expect(textsTo(colleague)[1]).toContain(`${arthur.phone}, who wrote: Hello?`);
			expect((await rowsOf('Chats with a colleague')).map(({ phone }) => phone)).toEqual([
				daisy.phone,
				arthur.phone,
			]);
		});
	} finally {
		await model.close();
	}
});
