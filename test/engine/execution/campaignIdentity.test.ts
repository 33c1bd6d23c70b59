/** Send Once: which rows of the campaign log are about the same account, campaign and person, however they are written. */
import { setTimeout as delay } from 'node:timers/promises';

import { WorkflowExecute } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { campaign, numbers, oneEach, people, useService } from '../../../harness/engine/service';

const service = useService();
const rows = () => service.engine.tables.rows();

/** Sends to the first people. @returns the reasons of those who are skipped, and `sent` for the others */
async function send(count: number, credentials?: IDataObject, more: IDataObject = {}) {
	const run = await service.run({
		items: people(count),
		parameters: { ...campaign, sendOnce: true, campaign: 'sale', ...more },
		...(credentials && { credentials: credentials as never }),
	});
	const hints = run.hints.map(({ message }) => message).join(' ');
	const outcomes = run.outputs[0].map(({ json }) => json.reason ?? json.sendStatus);
	return { outcomes, hints };
}

describe.each([1, 8])('%i people', (count) => {
	const all = (outcome: string) => numbers(count).map(() => outcome);

	test('another key of the host is another account; Preview and the run say who has the campaign already', async () => {
		const keys = [service.newKey(), service.newKey()];
		const [test, live] = keys.map((key) => service.credentials(key));
		await send(count, test);
		const another = await send(count, live, { campaign: 'another' });
		expect(another.hints).not.toContain('another API key');
		const preview = await send(count, live, { mode: 'preview' });
		const sent = await send(count, live);
		const words = count === 1 ? '1 person of this run has' : `${count} people of this run have`;
		for (const { hints } of [preview, sent])
			expect(hints).toContain(`${words} this campaign already from another API key of 127.0.0.1`);
		expect(sent.outcomes).toEqual(all('sent'));
		expect((await send(count, live)).outcomes).toEqual(all('alreadySent'));
		const [one, other] = [rows()[0], rows().at(-1)!].map(({ account }) => String(account));
		expect(one).not.toBe(other);
		for (const { apiKey } of [test, live]) expect(JSON.stringify(rows())).not.toContain(apiKey);
	});

	test.each(['', ' ', 'main account', null])(
		'a row with the account %j counts for every account',
		async (account) => {
			await send(count, service.credentials(service.newKey()));
			service.engine.tables.edit((table) => table.map((row) => ({ ...row, account })));
			const { outcomes } = await send(count, service.credentials(service.newKey()));
			expect(outcomes).toEqual(all('alreadySent'));
		},
	);

	test.each([
		{ campaign: 'sale\u200b' },
		{ campaign: '\u00a0sale ' },
		{ phone: '+1 555 000 1000 x 7' },
		{ phone: '+15550001000 / office' },
		{ phone: '+١٥٥٥٠٠٠١٠٠٠' },
		{ phone: '１-５５５-０００-１０００' },
		{ phone: 'tel:+1-555-000-1000' },
	])('a row that people have changed to %j still counts', async (change) => {
		await send(count);
		service.engine.tables.edit((table) =>
			table.map((row) => (row.phone === numbers(1)[0] ? { ...row, ...change } : row)),
		);
		expect((await send(count)).outcomes).toEqual(all('alreadySent'));
		expect(service.received()).toEqual(oneEach(count));
	});

	test('a claim that a crash has left beside its result is removed, also if somebody has set it to notSent', async () => {
		await send(count);
		const [sent] = rows();
		const result = rows().at(-1)!;
		service.engine.tables.edit((table) => [{ ...sent, id: 0, status: 'notSent' }, ...table]);
		expect((await send(count)).outcomes).toEqual(all('alreadySent'));
		expect(rows().at(-1)).toEqual(result);
	});
});

test("n8n's timeout leaves no claim of somebody who got nothing, and the next run reaches everybody once", async () => {
	service.fault({ endpoint: 'sendText', delayMs: 100, count: 5_000 });
	const credentials = service.credentials({ ...service.newKey(), requestsPerMinute: 6_000 });
	const end = Date.now() + 5_000;
	// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its own `this`
	const { processRunExecutionData: start } = WorkflowExecute.prototype;
	jest.spyOn(WorkflowExecute.prototype, 'processRunExecutionData').mockImplementationOnce(function (
		this: WorkflowExecute,
		workflow,
	) {
		Object.assign((this as unknown as { additionalData: object }).additionalData, {
			executionTimeoutTimestamp: end,
		});
		return start.call(this, workflow);
	});
	service.engine.tables.before = () => {
		if (Date.now() >= end) throw new Error('The execution was cancelled because it timed out');
	};
	const { error } = await service.run({
		parameters: { ...campaign, sendOnce: true, campaign: 'sale' },
		items: people(800),
		credentials,
	});
	expect(error?.message).toContain("n8n's execution timeout came before this message was sent");
	await delay(Math.max(0, end - Date.now()));
	expect(rows().filter(({ status }) => status === 'sending')).toEqual([]);
	expect(Object.keys(service.received()).length).toBeLessThan(800);
	service.engine.tables.before = () => undefined;
	service.sandbox.state.faults.all = [];
	await send(800, credentials);
	expect(service.received()).toEqual(oneEach(800));
}, 60_000);
