/** The examples that choose who gets which message, on a real n8n: a greeting, the 24-hour window, a monthly campaign, and a reminder. */
import { parse } from 'csv-parse/sync';
import { countBy, difference, map, uniq } from 'lodash';

import { readSampleContacts, thatSends } from '../../../harness/examples';
import { outputOf } from '../../../harness/n8n/client';
import { readTable, updateTable } from '../../../harness/n8n/dataTables';
import { useN8n } from '../../../harness/useN8n';

const n8n = useN8n();
const people = map(readSampleContacts(), 'phone');
const [zara, daisy, other] = people;

test('welcome: a person is greeted once, also after a restart, and STOP is not greeted', async () => {
	const id = await n8n.publish(n8n.example('welcome'));
	n8n.write(zara, 'Do you sell shoes?');
	n8n.write(other, 'STOP');
	await n8n.executions(id, 1);
	await n8n.restart();
	n8n.write(zara, 'Hello again');
	n8n.write(daisy, 'Hello');
	await n8n.executions(id, 3);
	expect(map(n8n.outbound, 'phone').sort()).toEqual([zara, daisy].sort());
});

test('24-hour window: who has written lately gets the text, the others the template, and nobody both', async () => {
	const id = await n8n.publish(thatSends(n8n.example('reply-window')));
	for (const phone of [zara, daisy]) n8n.write(phone, 'Hello');
	await n8n.executions(id, 2);
	const rows = await readTable(n8n.client, 'Last messages');
	expect(map(rows, 'phone').sort()).toEqual([zara, daisy].sort());
	const longAgo = new Date(Date.now() - 25 * 3_600_000).toISOString();
	await updateTable(n8n.client, 'Last messages', ['phone', daisy], { at: longAgo });
	for (let time = 0; time < 2; time++) await n8n.runToEnd(id);
	const [withText, withTemplate] = [false, true].map((isTemplate) =>
		map(
			n8n.outbound.filter(({ template }) => Boolean(template) === isTemplate),
			'phone',
		),
	);
	expect(withText).toEqual([zara]);
	expect(withTemplate.sort()).toEqual(difference(people, [zara]).sort());
});

test('monthly campaign: a preview sends nothing; then everybody gets it once a month, and the file says so', async () => {
	const { id } = await n8n.client.createWorkflow(n8n.example('monthly-campaign'));
	/** The rows of the file. */
	const run = async (workflow: string): Promise<Array<Record<string, string>>> => {
		const [{ binary }] = outputOf(await n8n.runToEnd(workflow), 'CSV file');
		return parse(await n8n.client.download(binary!.data), { columns: true, bom: true });
	};
	expect(map(await run(id), 'phone').sort()).toEqual([...people].sort());
	expect(n8n.outbound).toEqual([]);
	const sending = await n8n.client.createWorkflow(thatSends(n8n.example('monthly-campaign')));
	await n8n.fault({ endpoint: 'sendTemplate', match: daisy, status: 422 });
	const first = await run(sending.id);
	expect(countBy(first, 'sendStatus')).toEqual({ sent: people.length - 1, notSent: 1 });
	const second = await run(sending.id);
	expect(countBy(second, 'reason')).toMatchObject({ alreadySent: people.length - 1 });
	expect(map(n8n.outbound, 'phone').sort()).toEqual(uniq(people).sort());
});

test('reminder: who has read the campaign, replied or written STOP gets none, and the others get it once, with their names', async () => {
	const campaign = thatSends(n8n.example('campaign-with-results'));
	await n8n.runToEnd((await n8n.client.createWorkflow(campaign)).id);
	expect(n8n.outbound).toHaveLength(people.length);
	const now = new Date().toISOString();
	for (const [phone, column] of Object.entries({ [zara]: 'readAt', [daisy]: 'repliedAt' }))
		await updateTable(n8n.client, 'Business Messaging Campaigns', ['phone', phone], {
			[column]: now,
		});
	const optOuts = await n8n.publish(n8n.example('opt-outs'));
	n8n.write(other, 'STOP');
	await n8n.executions(optOuts, 1);
	const before = n8n.outbound.length;
	const reminder = await n8n.client.createWorkflow(thatSends(n8n.example('reminder')));
	for (let time = 0; time < 2; time++) await n8n.runToEnd(reminder.id);
	const sent = n8n.outbound.slice(before);
	expect(map(sent, 'phone').sort()).toEqual(difference(people, [zara, daisy, other]).sort());
	const names = Object.fromEntries(readSampleContacts().map(({ phone, name }) => [phone, name]));
	for (const { phone, text } of sent)
		expect(text).toContain(`Hello ${names[phone].split(' ')[0]},`);
});
