/** The campaign examples on a real n8n: who gets the messages, their receipts and replies, and the report. */
import path from 'node:path';

import { countBy } from 'lodash';
import { DateTime } from 'luxon';
import { type Page } from 'playwright-core';

import type { Message } from '../../sandbox/state/messages';
import { readSampleContacts, SAMPLE_SHEET } from '../../tools/examples';
import { hasEnded, outputOf } from '../../tools/n8n/client';
import { readTable, updateTable } from '../../tools/n8n/dataTables';
import { until } from '../../tools/until';
import { readText, root } from '../support/files';
import { Editor, withScreenshot } from './support/editor';
import { useN8n, withFields, withParameters } from './support/n8n';

const n8n = useN8n();
const start = 'When clicking ‘Execute workflow’';
const ownPhone = '+447700900999';
const send = 'Send welcome';
const state = () => n8n.sandbox.state;
const outbound = () => state().messages.all.filter(({ direction }) => direction === 'outbound');
const write = (from: string, text: string) => state().traffic.receive({ from, text });
const make = async (...of: Parameters<typeof n8n.example>) =>
	(await n8n.client.createWorkflow(n8n.example(...of))).id;
const resultsOf = async (name: string) =>
	(await readTable(n8n.client, 'Campaign results')).filter(({ campaign }) => campaign === name);
const phonesOf = (people: Array<{ phone: string }>) => people.map(({ phone }) => phone);

async function run(id: string, trigger = start) {
	const execution = await n8n.client.waitForExecution(await n8n.client.run(id, trigger), 180_000);
	expect(execution.data.resultData.error?.message).toBeUndefined();
	return execution;
}

let editor: Editor;
let phone: Page;

beforeAll(async () => {
	editor = await Editor.open(n8n.playground.n8n);
	await editor.login();
	phone = await editor.openTab(`${n8n.sandbox.url}/#${ownPhone}`);
}, 180_000);
afterAll(async () => await editor?.close());
beforeEach(() => n8n.sandbox.reset());
afterEach(async () => {
	for (const { id, active } of await n8n.client.listWorkflows())
		if (active) await n8n.client.deactivate(id);
	expect(state().webhooks.all).toEqual([]);
}, 60_000);

async function importExample(name: string): Promise<void> {
	await editor.goTo('/workflow/new');
	const file = path.join(root, 'examples', `${name}.json`);
	await editor.part('workflow-import-input').setInputFiles(file);
	await editor.part('canvas-node').first().waitFor();
	await editor.part('zoom-to-fit').click();
}

async function choose(mode: RegExp): Promise<void> {
	await editor.part('parameter-input-mode').locator('input').click();
	await editor.page.getByRole('option', { name: mode }).first().click();
}

async function execute(): Promise<void> {
	await editor.part('ndv-close-button').click();
	await editor.part('node-parameters').waitFor({ state: 'hidden' });
	await editor.execute();
	await editor.page.getByText('Workflow executed successfully').waitFor({ timeout: 180_000 });
	await editor.node(send).dblclick();
	await editor.part('ndv').getByText('200 items').last().waitFor();
}

test(
	'a marketer imports the campaign, previews it, tests it on her phone, sends it, and sees the report',
	async () =>
		await withScreenshot(editor, async () => {
			await importExample('campaign-results');
			await editor.page.getByRole('button', { name: 'Publish' }).click();
			await editor.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
			await until('the trigger to register', () => n8n.sandbox.state.webhooks.all.length === 1, {
				limit: 180_000,
			});
			const resultsUrl = editor.page.url();

			await importExample('campaign-with-results');
			await editor.node(send).dblclick();
			await choose(/^Preview/);
			await execute();
			await editor.part('ndv').getByText('Hello Zara, welcome to Example Shop!').first().waitFor();
			expect(outbound()).toEqual([]);

			await choose(/^Send to Test/);
			await editor.part('parameter-input-testNumber').locator('input').fill(ownPhone);
			await execute();
			await phone.getByText('Hello Zara, welcome to Example Shop!').waitFor();
			expect(outbound().map((message) => message.phone)).toEqual([ownPhone, ownPhone, ownPhone]);

			await choose(/^Send(?! to)/);
			await execute();
			await until('the campaign', () => outbound().length === 203, { limit: 180_000 });

			await editor.page.goto(resultsUrl);
			await editor.showReport();
			const chart = editor.page.frameLocator('.__html-display');
			await chart.getByRole('heading', { name: 'Campaign: welcome' }).waitFor();
			expect(await chart.getByText('100').count()).toBeGreaterThan(1);
			for (const row of await chart.locator('tr:has(table)').all()) {
				const most = await row.locator('> td').nth(2).boundingBox();
				const bar = await row.locator('table').boundingBox();
				const share = Number(/\((\d+) %\)/.exec(await row.innerText())?.[1]) / 100;
				// Without the 8 pixels beside the bar.
				expect(bar!.width / (most!.width - 8)).toBeCloseTo(Math.max(share, 0.01), 1);
			}
			expect(editor.problems).toEqual([]);
		}),
	600_000,
);

/** Waits until every message has its last receipt and n8n has handled all events. */
async function untilQuiet(...workflows: string[]): Promise<void> {
	const isQuiet = async () => {
		const isRead = outbound().every(({ history }) =>
			history.some(({ status }) => ['read', 'failed'].includes(status)),
		);
		const isDelivered = state()
			.deliveries.log.last()
			.every((delivery) => delivery.state !== 'pending');
		const executions = await Promise.all(workflows.map((id) => n8n.client.listExecutions(id)));
		return isRead && isDelivered && executions.flat().every(hasEnded);
	};
	await until('receipts and executions', isQuiet, { limit: 180_000 });
	for (const id of workflows)
		expect(await n8n.client.listExecutions(id, 100, ['error'])).toEqual([]);
}

/** A window that is open in Europe and closed in New Zealand, at whatever time the test runs. */
function openInEurope() {
	const now = DateTime.utc();
	const [from, to] = [now.minus({ hours: 3 }), now.plus({ hours: 5 })];
	return { days: 'everyDay', from: from.toFormat('HH:mm'), to: to.toFormat('HH:mm') };
}

/** The people of the list: those of the sample file, without Americans, and five in New Zealand. */
async function fillList() {
	const people = readSampleContacts().map(({ phone }, index) => {
		if (index >= 195) return { was: phone, phone: `+64211234${index}` };
		return { was: phone, phone: phone.startsWith('+1') ? `+3363998${1000 + index}` : phone };
	});
	for (const { was, phone } of people.filter((person) => person.phone !== person.was))
		await updateTable(n8n.client, SAMPLE_SHEET, ['phone', was], { phone });
	return people;
}

/** What the sandbox knows of the campaign, by variant, in the order of the report. */
function truth(stopped: string[]) {
	const isB = ({ template }: Message) => template?.header?.documentUrl?.endsWith('-b.pdf') === true;
	const sent = outbound().filter(({ template }) => template);
	const had = (status: string) => (message: Message) =>
		message.history.some((step) => step.status === status);
	const wrote = (isStop: boolean) => (message: Message) =>
		state().messages.all.some(
			({ direction, phone, text, createdAt }) =>
				direction === 'inbound' &&
				phone === message.phone &&
				createdAt > message.createdAt &&
				stopped.includes(text) === isStop,
		);
	const figure = (fits: (message: Message) => boolean) =>
		[false, true].map((b) => sent.filter((message) => isB(message) === b && fits(message)).length);
	return {
		Sent: figure(() => true),
		Delivered: figure(had('delivered')),
		Read: figure(had('read')),
		Replied: figure(wrote(false)),
		Failed: figure(had('failed')),
		'Opted out': figure(wrote(true)),
	};
}

/** The figures of a report, as its chart shows them. */
async function report(id: string) {
	const html = String(outputOf(await run(id, 'Show the report'), 'Report')[0].json.html);
	const rows = [...html.matchAll(/<tr><td[^>]*><b>([^<]*)<\/b>[^]+?<b>(\d+)<\/b>/g)];
	const figures: Record<string, number[]> = {};
	let label = '';
	for (const [, name, count] of rows) {
		label = name || label;
		figures[label] = [...(figures[label] ?? []), Number(count)];
	}
	return { html, figures };
}

test('200 people: every figure of the report is what the service knows; a second run reaches those whose message failed', async () => {
	const people = await fillList();
	const stopped = people.slice(0, 12);
	const [failing, answering] = [people.slice(20, 23), people.slice(30, 50)];
	const [leaving, uncertain] = [people.slice(60, 64), people[70]];
	const words = ['STOP', 'stopp', 'Arrêt', 'baja'];
	state().settings.failingNumbers.push(...phonesOf(failing));
	const others = [await make('auto-reply'), await make('inbox')];
	const [resultsId, optOutsId] = [await make('campaign-results'), await make('opt-outs')];
	for (const id of [...others, resultsId, optOutsId]) await n8n.client.activate(id);

	const say = async (who: Array<{ phone: string }>, text: (index: number) => string) => {
		// n8n manages some 8 executions a second, and each message starts up to three.
		for (const [index, { phone }] of who.entries()) {
			write(phone, text(index));
			if (index % 4 === 3) await untilQuiet(...others, resultsId, optOutsId);
		}
		await untilQuiet(...others, resultsId, optOutsId);
	};
	await say(stopped, (index) => words[index % words.length]);
	state().faults.add({ endpoint: 'sendTemplate', match: uncertain.phone, reset: 'afterRead' });
	const rules = {
		duplicates: 'sendFirst',
		excludeNumbers: "={{ $('Who opted out').first().json.phone }}",
		sendWindow: { values: openInEurope() },
	};
	const campaignId = await make('campaign-with-results', {
		Settings: withFields({ campaign: 'spring' }),
		'Send welcome': withParameters({ audienceRules: rules }),
	});
	await run(campaignId);
	await untilQuiet(resultsId);
	await say(answering, () => 'Do you ship to France?');
	await say(leaving, (index) => words[index]);
	expect(await readTable(n8n.client, 'Opt-outs')).toHaveLength(stopped.length + leaving.length);
	// A receipt that comes late does not hide the later status.
	state().traffic.setStatus(
		outbound().find(({ phone }) => phone === people[90].phone)!,
		'delivered',
	);
	await untilQuiet(resultsId);

	const { html, figures } = await report(resultsId);
	expect(figures).toEqual(truth(words));
	expect(figures.Failed.reduce((sum, count) => sum + count)).toBe(failing.length);
	expect(figures.Sent.reduce((sum, count) => sum + count)).toBe(200 - 12 - 5);
	expect(html).toContain('12 had opted out, 5 outside the send window');
	const rows = await resultsOf('spring');
	expect(rows).toHaveLength(200);
	expect(countBy(rows, 'reason')).toMatchObject({ excluded: 12, outsideSendWindow: 5 });
	expect(rows.find(({ to }) => to === uncertain.phone)?.sendStatus).toBe('mayHaveBeenSent');

	state().settings.failingNumbers.splice(0);
	const before = outbound().length;
	await run(campaignId);
	expect(phonesOf(outbound().slice(before)).sort()).toEqual(phonesOf(failing).sort());
	await untilQuiet(resultsId);
	expect((await report(resultsId)).figures.Failed).toEqual([0, 0]);
	expect(await resultsOf('spring')).toHaveLength(200);
}, 600_000);

test('opt-outs: STOP is confirmed once, START removes the number, other words do nothing', async () => {
	const id = await make('opt-outs');
	await n8n.client.activate(id);
	const phone = '+447700900999';
	const texts = () => outbound().map(({ text }) => text.split(' ').slice(0, 4).join(' '));
	const say = async (text: string, count: number, isListed: boolean) => {
		write(phone, text);
		await until(
			`"${text}" to be handled`,
			async () =>
				outbound().length === count &&
				(await readTable(n8n.client, 'Opt-outs')).some((row) => row.phone === phone) === isListed &&
				(await n8n.client.listExecutions(id)).every(hasEnded),
			{ limit: 180_000 },
		);
	};
	await say('STOP', 1, true);
	await say('Stop!', 1, true);
	await say('bus stop', 1, true);
	await say('start', 2, false);
	await say('STOP', 3, true);
	expect(texts()).toEqual(['You will get no', 'Welcome back! Write STOP', 'You will get no']);
}, 300_000);

/** Imports a file as the editor's dialog does, with the types of columns that n8n proposes. */
async function importFile(
	name: string,
	csv: string,
): Promise<Array<{ name: string; type: string }>> {
	type Column = { name: string; type: string };
	const form = new FormData();
	form.append('file', new Blob([csv], { type: 'text/csv' }), 'list.csv');
	const upload = await n8n.client.call<{ id: string; columns: Column[] }>(
		'POST',
		'/rest/data-tables/uploads',
		form,
	);
	const columns = upload.columns.map((column) => ({
		...{ name: column.name, type: column.type, csvColumnName: column.name },
	}));
	const { id } = await n8n.client.call<{ id: string }>('GET', '/rest/projects/personal');
	const table = { name, columns, fileId: upload.id, hasHeaders: true };
	await n8n.client.call('POST', `/rest/projects/${id}/data-tables`, table);
	return upload.columns;
}

describe('a list of your own, by changing one node', () => {
	const settingsOf = (people: string, defaultCountry: string) => ({
		Settings: withFields({ campaign: people, people, defaultCountry }),
	});
	const outcome = async (campaign: string) => {
		const rows = await resultsOf(campaign);
		return rows.map(({ name, phone, to, sendStatus }) => [name, phone, to, sendStatus].join(' | '));
	};

	test('the sample file: n8n keeps its numbers as text, so each of them works', async () => {
		const csv = readText('examples/contacts.csv');
		expect(await importFile('Sample file', csv)).toEqual([
			{ name: 'name', type: 'string', compatibleTypes: ['string'] },
			{ name: 'phone', type: 'string', compatibleTypes: ['string'] },
		]);
		await run(await make('campaign-with-results', settingsOf('Sample file', 'none')));
		const reached = phonesOf(outbound()).sort();
		expect(reached).toEqual(
			phonesOf(readSampleContacts())
				.sort()
				.filter((phone) => reached.includes(phone)),
		);
		const excluded = await readTable(n8n.client, 'Opt-outs');
		const isFree = ({ phone }: { phone: string }) => !excluded.some((row) => row.phone === phone);
		expect(reached).toHaveLength(readSampleContacts().filter(isFree).length);
	}, 180_000);

	test.each([
		[
			'a column that n8n takes for numbers, so that the + is lost',
			'plusMissing',
			'name,phone\nZara,+447700900112\nNobody,17009\nLars,46701740683\n',
			[
				'Zara | 447700900112 | +447700900112 | sent',
				'Nobody | 17009 |  | notSent',
				'Lars | 46701740683 | +46701740683 | sent',
			],
		],
		[
			'local numbers, duplicates, empty rows, and a name that is a formula',
			'GB',
			'name,phone,town\n"=HYPERLINK(""http://evil.example"")",07700 900111,Leeds\n,,\nDaisy,+447700900145,\nDaisy again,(07700) 900-145,\nLars,0046 70 174 06 83,\nNo number,,\n',
			[
				'\'=HYPERLINK("http://evil.example") | 07700 900111 | +447700900111 | sent',
				'Daisy | +447700900145 | +447700900145 | sent',
				'Lars | 0046 70 174 06 83 | +46701740683 | sent',
			],
		],
	])(
		'%s',
		async (name, defaultCountry, csv, expected) => {
			await importFile(name, csv);
			const id = await make('campaign-with-results', settingsOf(name, defaultCountry));
			await run(id);
			expect(await outcome(name)).toEqual(expected);
			await run(id);
			expect(await outcome(name)).toEqual(expected);
			expect(outbound()).toHaveLength(expected.filter((row) => row.endsWith('| sent')).length);
		},
		120_000,
	);
});
