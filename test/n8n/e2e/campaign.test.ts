/** The campaign examples on a real n8n: who gets the messages, their receipts and replies, the report, and opt-outs. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';

import { parse } from 'csv-parse/sync';
import { difference, map, mapValues, partition, sortBy, uniq } from 'lodash';

import { readSampleContacts } from '../../../harness/examples';
import { type Execution, hasEnded, outputOf } from '../../../harness/n8n/client';
import { deleteTable, findTable, readTable, updateTable } from '../../../harness/n8n/dataTables';
import { until } from '../../../harness/until';
import { type Editor, withScreenshot } from '../../../harness/editor/editor';
import { useEditor } from '../../../harness/editor/useEditor';
import { useN8n, withFields, withParameters } from '../../../harness/useN8n';
import { untilPhoneIsQuiet } from '../../../harness/editor/phone';

const n8n = useN8n();
const state = () => n8n.sandbox.state;
/** The numbers in the table; none before the table exists. */
const optOuts = async () => {
	const isMade = await findTable(n8n.client, 'Opt-outs');
	return isMade ? (await readTable(n8n.client, 'Opt-outs')).map(({ phone }) => phone) : [];
};
/** The variant of a person in the example: the same for each run, and chance for us. */
const variantOf = (phone: string) =>
	createHash('md5').update(`welcome ${phone}`).digest('hex') < '8' ? 'A' : 'B';
const log = 'Business Messaging Campaigns';
/** The rows of a campaign; none before the table exists. */
const rowsOf = async (name: string) => {
	const isMade = await findTable(n8n.client, log);
	return isMade
		? (await readTable(n8n.client, log)).filter(({ campaign }) => campaign === name)
		: [];
};

/** The rows of the two files that an execution of the report offers. */
async function filesOf(execution: Execution): Promise<Array<Array<Record<string, string>>>> {
	const fileOf = async (node: string) =>
		await n8n.client.download(outputOf(execution, node)[0].binary!.data);
	const csv = parse(await fileOf('CSV file'), { columns: true, bom: true });
	const { folder } = n8n.playground.n8n.install;
	const xlsx = createRequire(path.join(folder, 'package.json'))('@e965/xlsx');
	const { Sheets } = xlsx.read(await fileOf('Excel file'));
	return [csv, xlsx.utils.sheet_to_json(Sheets.Results, { defval: '' })];
}

describe('a campaign in the editor', () => {
	const ownPhone = '+447700900999';
	const send = 'Send welcome';
	const people = readSampleContacts().map(({ phone }) => phone);
	const stopped = people.slice(10, 14);
	const failing = people.slice(20, 23);
	const answering = people.slice(30, 40);
	const leaving = people.slice(60, 63);
	const uncertain = people[70];
	let editor: Editor;

	useEditor(n8n, (opened) => (editor = opened));

	/** The ID of the workflow that the editor shows. */
	const openId = () => new URL(editor.page.url()).pathname.split('/')[2];

	/** Runs the campaign in one of its modes, from the open panel of the sending node, and checks the output there. */
	async function execute(mode: RegExp, testNumber?: string): Promise<void> {
		await editor.part('parameter-input-mode').locator('input').click();
		await editor.page.getByRole('option', { name: mode }).first().click();
		if (testNumber)
			await editor.part('parameter-input-testNumber').locator('input').fill(testNumber);
		await editor.part('ndv-close-button').click();
		await editor.part('node-parameters').waitFor({ state: 'hidden' });
		await editor.execute();
		const success = editor.page.getByText('Workflow executed successfully');
		await success.waitFor({ timeout: 400_000 });
		await success.waitFor({ state: 'detached' });
		await editor.node(send).dblclick();
		await editor.part('ndv').getByText('200 items').last().waitFor();
	}

	/** Waits until every message has its last receipt, and n8n has handled all events. */
	async function untilQuiet(...workflows: string[]): Promise<void> {
		await untilPhoneIsQuiet(n8n.sandbox);
		const haveEnded = async () => {
			const executions = await Promise.all(workflows.map((id) => n8n.client.listExecutions(id)));
			return executions.flat().every(hasEnded);
		};
		await until('executions to end', haveEnded, { limit: 180_000 });
		await untilPhoneIsQuiet(n8n.sandbox);
	}

	/** How many of these people are in variant A, and how many in variant B. */
	const byVariant = (phones: string[]) =>
		partition(phones, (phone) => variantOf(phone) === 'A').map(({ length }) => length);

	async function journey(): Promise<void> {
		const optOutsId = await n8n.publish(n8n.example('opt-outs'));
		for (const phone of stopped) n8n.write(phone, 'STOP');
		await untilQuiet(optOutsId);
		expect(await optOuts()).toHaveLength(stopped.length);
		await editor.importExample('campaign-results');
		await editor.page.getByRole('button', { name: 'Publish' }).click();
		await editor.page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
		const isPublished = () => state().webhooks.all.length === 3;
		await until('the trigger to register', isPublished, { limit: 180_000 });
		const resultsId = openId();
		const before = n8n.outbound.length;

		await editor.importExample('campaign-with-results');
		await editor.node(send).dblclick();
		await execute(/^Preview/);
		const welcome = 'welcome to Example Shop!';
		await editor.part('ndv').getByText(`Hello Zara, ${welcome}`).first().waitFor();
		expect(n8n.outbound).toHaveLength(before);
		const phone = await editor.openTab(`${n8n.sandbox.url}/#${ownPhone}`);
		await execute(/^Send to Test/, ownPhone);
		await phone.getByRole('log').getByText(welcome).first().waitFor();
		const tests = n8n.outbound.slice(before).map((message) => message.phone);
		expect(tests).toEqual([ownPhone, ownPhone, ownPhone]);
		expect(await rowsOf('welcome')).toEqual([]);

		state().settings.failingNumbers.push(...failing);
		state().faults.add({ endpoint: 'sendTemplate', match: uncertain, reset: 'afterRead' });
		await execute(/^Send(?! to)/);
		expect(n8n.outbound).toHaveLength(before + 3 + 196);
		const campaignId = openId();
		await untilQuiet(resultsId);
		for (const customer of answering) n8n.write(customer, 'Do you ship to France?');
		for (const customer of leaving) n8n.write(customer, 'stopp');
		await untilQuiet(resultsId, optOutsId);
		expect(await optOuts()).toHaveLength(stopped.length + leaving.length);

		await editor.openWorkflow(resultsId);
		await editor.showReport();
		const chart = editor.page.frameLocator('.__html-display');
		await chart.getByRole('heading', { name: 'Campaign: welcome' }).waitFor();
		const unclear =
			'No difference is clear: chance alone may give such differences in more than 1 of 100 campaigns.';
		await chart.getByText(unclear).waitFor();
		expect(editor.problems).toEqual([]);

		// The receipts of the uncertain message prove that it was sent.
		const reached = difference(people, stopped);
		const sent = byVariant(reached);
		const arrived = byVariant(difference(reached, failing));
		const figures = async () => {
			const execution = await n8n.runToEnd(resultsId, 'Show the report');
			const variants = map(outputOf(execution, 'Get report'), 'json');
			const [csv, excel] = await filesOf(execution);
			expect(excel).toEqual(csv);
			const inFile = byVariant(csv.filter((row) => row.readAt).map(({ phone: to }) => to));
			expect(inFile).toEqual(map(variants, 'read'));
			expect(csv.map((row) => row.phone).sort()).toEqual([...reached].sort());
			return mapValues(expected, (_, name) => map(variants, name));
		};
		const expected = {
			...{ sent, delivered: arrived, read: arrived, failed: byVariant(failing) },
			...{ replied: byVariant(answering), optedOut: byVariant(leaving) },
			...{ uncertain: [0, 0], notSent: [0, 0] },
		};
		expect(await figures()).toEqual(expected);
		const rows = await rowsOf('welcome');
		expect(rows).toHaveLength(196);
		expect(rows.find(({ phone }) => phone === uncertain)?.status).toBe('sent');
		const replies = rows.filter(({ reply }) => reply === 'Do you ship to France?');
		expect(map(replies, 'phone').sort()).toEqual([...answering].sort());

		// The second run reaches the people whose message has failed.
		state().settings.failingNumbers.splice(0);
		const after = n8n.outbound.length;
		await n8n.runToEnd(campaignId);
		const again = n8n.outbound.slice(after).map((message) => message.phone);
		expect(again.sort()).toEqual([...failing].sort());
		await untilQuiet(resultsId);
		const delivered = { delivered: sent, read: sent, failed: [0, 0] };
		expect(await figures()).toEqual({ ...expected, ...delivered });
		expect(await rowsOf('welcome')).toHaveLength(196 + failing.length);

		// As if the receipts of two people had been lost.
		for (const phone of failing.slice(0, 2)) {
			const lost = { deliveredAt: null, readAt: null };
			await updateTable(n8n.client, log, ['phone', phone], lost);
		}
		const last = await n8n.runToEnd(resultsId, 'Show the report');
		const [{ json }] = outputOf(last, 'Report');
		expect(json.html).toContain('<b>No receipt yet:</b> 2 sent messages.');
	}

	test(
		'a marketer previews it, tests it on her phone and sends it; every figure of the report is right; a second run reaches those whose message failed',
		async () => await withScreenshot(editor, journey),
		600_000,
	);
});

test('opt-outs: STOP is confirmed once, START removes the number, other words do nothing, and the campaign log stays empty', async () => {
	const id = await n8n.publish(n8n.example('opt-outs'));
	const phone = '+447700900999';
	const steps: Array<[text: string, messages: number, isListed: boolean]> = [
		['STOP', 1, true],
		['Stop!', 1, true],
		['bus stop', 1, true],
		['start', 2, false],
		['STOP', 3, true],
	];
	for (const [text, messages, isListed] of steps) {
		n8n.write(phone, text);
		const isHandled = async () =>
			n8n.outbound.length === messages &&
			(await optOuts()).includes(phone) === isListed &&
			(await n8n.client.listExecutions(id)).every(hasEnded);
		await until(`"${text}" to be handled`, isHandled, { limit: 180_000 });
	}
	const texts = n8n.outbound.map(({ text }) => text.split(' ').slice(0, 4).join(' '));
	expect(texts).toEqual(['You will get no', 'Welcome back! Write STOP', 'You will get no']);
	const logged = (await findTable(n8n.client, log)) ? await readTable(n8n.client, log) : [];
	expect(logged.filter((row) => row.phone === phone)).toEqual([]);
}, 300_000);

test('a comparison of two templates: everybody gets one of the two, and nobody gets a second one', async () => {
	const { templates, messages } = state();
	const [welcome] = templates.all.filter(
		({ name, language }) => `${name} ${language}` === 'welcome en_US',
	);
	templates.create({ ...welcome, name: 'welcome_b' }, 'APPROVED');
	const names = "={{ $json.variant === 'B' ? 'welcome_b' : 'welcome' }}";
	const settings = {
		template: { __rl: true, mode: 'name', value: names },
		...{ mode: 'send', campaign: 'two templates' },
	};
	const file = n8n.example('campaign-with-results', { 'Send welcome': withParameters(settings) });
	const { id } = await n8n.client.createWorkflow(file);
	for (let time = 0; time < 2; time++) await n8n.runToEnd(id);
	const got = messages.all.map(({ phone, template }) => [phone, template?.name]);
	const people = readSampleContacts().map(({ phone }) => phone);
	const receiving = difference(people, (await optOuts()).map(String));
	expect(receiving.length).toBeGreaterThan(150);
	const wanted = receiving.map((phone) => [
		phone,
		variantOf(phone) === 'B' ? 'welcome_b' : 'welcome',
	]);
	expect(sortBy(got)).toEqual(sortBy(wanted));
	const rows = (await rowsOf('two templates')).map(({ phone, message }) => [phone, message]);
	expect(sortBy(rows)).toEqual(sortBy(wanted));
	const variants = (await rowsOf('two templates')).map(({ phone, variant }) => [phone, variant]);
	expect(sortBy(variants)).toEqual(sortBy(receiving.map((phone) => [phone, variantOf(phone)])));
}, 300_000);

test('a list of your own, whose numbers lose their + when n8n imports it', async () => {
	// Imports the list as the editor's dialog does, with the column types that n8n proposes.
	const csv = 'name,phone\nZara,+447700900112\nNobody,17009\nLars,46701740683\n';
	const form = new FormData();
	form.append('file', new Blob([csv], { type: 'text/csv' }), 'list.csv');
	type Upload = { id: string; columns: Array<{ name: string; type: string }> };
	const upload = await n8n.client.call<Upload>('POST', '/rest/data-tables/uploads', form);
	const columns = upload.columns.map(({ name, type }) => ({ name, type, csvColumnName: name }));
	const { id: project } = await n8n.client.call<{ id: string }>('GET', '/rest/projects/personal');
	const table = { name: 'My list', columns, fileId: upload.id, hasHeaders: true };
	const tables = `/rest/projects/${project}/data-tables`;
	const { id: list } = await n8n.client.call<{ id: string }>('POST', tables, table);

	const file = n8n.example('campaign-with-results', {
		'Get people': withParameters({ dataTableId: { __rl: true, mode: 'list', value: list } }),
		'Send welcome': ({ parameters }) => {
			const options = {
				...(parameters.options as object),
				defaultCountry: { __rl: true, mode: 'list', value: 'plusMissing' },
			};
			Object.assign(parameters, { mode: 'send', campaign: 'mine', options });
		},
	});
	const { id } = await n8n.client.createWorkflow(file);
	for (const time of ['first', 'second']) {
		const execution = await n8n.runToEnd(id);
		const rows = (await rowsOf('mine')).map(({ phone, status }) => `${phone} ${status}`);
		expect([time, ...rows.sort()]).toEqual([time, '+447700900112 sent', '+46701740683 sent']);
		const others = outputOf(execution, 'Who got nothing').map(({ json }) => json);
		expect(others).toMatchObject([
			{
				name: 'Nobody',
				phone: 17009,
				sendStatus: 'notSent',
				reason: expect.stringMatching(/17009/),
			},
		]);
		expect(n8n.outbound).toHaveLength(2);
	}
});

test('campaign results: if somebody writes before the first campaign, the campaign still goes out, and a reply gets its time', async () => {
	if (await findTable(n8n.client, log)) await deleteTable(n8n.client, log);
	const id = await n8n.publish(n8n.example('campaign-results'));
	n8n.write('+447700900999', 'Hello');
	await n8n.executions(id, 1);
	const file = n8n.example('campaign-with-results', {
		'Get people': withParameters({ returnAll: false, limit: 1 }),
		'Send welcome': withParameters({ mode: 'send', campaign: 'after hello' }),
	});
	await n8n.runToEnd((await n8n.client.createWorkflow(file)).id);
	const [{ phone }] = n8n.outbound;
	n8n.write(phone, 'Yes');
	const isWritten = async () => (await rowsOf('after hello')).some(({ reply }) => reply === 'Yes');
	await until('the reply in the campaign log', isWritten, { limit: 180_000 });
	const rows = await rowsOf('after hello');
	expect(rows.map(({ repliedAt }) => repliedAt)).toEqual([expect.stringMatching(/^20/)]);

	const again = n8n.example('campaign-with-results', {
		'Get people': withParameters({ returnAll: false, limit: 8 }),
		'Send welcome': withParameters({ mode: 'send', campaign: 'later' }),
	});
	await n8n.runToEnd((await n8n.client.createWorkflow(again)).id);
	const report = n8n.example('campaign-results', {
		Settings: withFields({ campaign: '' }),
		'Get people': (one) => Object.assign(one, { disabled: true }),
	});
	const run = await n8n.runToEnd((await n8n.client.createWorkflow(report)).id);
	const [{ json }] = outputOf(run, 'Report');
	expect(json.html).toContain('>All campaigns</h1>');
	const labels = String(json.html).match(/(?<=color:#666666">)[\w ]+(?=<\/td>)/g);
	expect(uniq(labels).sort()).toEqual(['after hello A', 'later A', 'later B']);
}, 300_000);
