/** Maximum Recipients: how many people get a message in one execution. */
import { countBy, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { numbers, oneEach, useService } from '../../../harness/engine/service';
import { type RunValues, audienceRuns, reasons } from './audienceRuns';

const service = useService();
const { run, sentTo } = audienceRuns(service);
const tenPeople = numbers(10).map((phone) => ({ phone }));
const sale = { sendOnce: true, campaign: 'sale' };
/** Sends to ten people, to at most three of them. */
const limited = async ({ rules, ...more }: RunValues = {}) =>
	await run({ items: tenPeople, rules: { maxRecipients: 3, ...rules }, ...more });
const limits = (count: number) => range(count).map(() => 'limit');
const sent = (count: number) => range(count).map(() => null);

test('without Send Once, each run sends to the same first people, and the others come out as skipped items', async () => {
	const { outputs } = await limited();
	expect(outputs[0].map(({ json }) => json.skipped ?? false)).toEqual(range(10).map((n) => n >= 3));
	expect(outputs[0][3].json).toMatchObject({ sendStatus: 'skipped', reason: 'limit' });
	expect(reasons(await limited())).toEqual([...sent(3), ...limits(7)]);
	expect(countBy(sentTo())).toEqual(countBy([...numbers(3), ...numbers(3)]));
});

test('with Send Once, the next run continues with the others, as its preview says', async () => {
	for (const earlier of [0, 3, 6, 9]) {
		const expected = [
			...range(earlier).map(() => 'alreadySent'),
			...sent(Math.min(3, 10 - earlier)),
			...limits(Math.max(0, 7 - earlier)),
		];
		const preview: INodeParameters = { ...sale, mode: 'preview' };
		expect(reasons(await limited({ parameters: preview }))).toEqual(expected);
		expect(reasons(await limited({ parameters: sale }))).toEqual(expected);
	}
	expect(service.received()).toEqual(oneEach(10));
});

test('no row of the campaign log remains of the people who wait for the next run', async () => {
	await limited({ parameters: sale });
	expect(service.engine.tables.rows()).toHaveLength(3);
});

test.each<[string, INodeParameters]>([
	['without Send Once', {}],
	['with Send Once', sale],
])(
	'a message that was certainly not sent takes up no place, one that may have been sent does, %s',
	async (_, parameters) => {
		const [, one, two] = numbers(3);
		service.fault({ endpoint: 'sendText', match: one, status: 422 });
		service.fault({ endpoint: 'sendText', match: two, reset: 'beforeRead' });
		const { outputs } = await limited({ parameters, onError: 'continueRegularOutput' });
		expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual([
			'sent',
			'notSent',
			'mayHaveBeenSent',
			'sent',
			...range(6).map(() => 'skipped'),
		]);
	},
);

test('whom another rule leaves out takes up no place', async () => {
	const [first, second] = numbers(2);
	const rules = { excludeNumbers: first, duplicates: 'sendFirst' };
	const items = [first, second, second, ...numbers(6).slice(2)].map((phone) => ({ phone }));
	expect(reasons(await limited({ items, rules }))).toEqual([
		...['excluded', null, 'duplicate'],
		...[null, null],
		...limits(2),
	]);
});

test('recipients are people: all messages to somebody who has a place go out', async () => {
	const [first, second, third] = numbers(3);
	const items = [first, second, first, third, second].map((phone) => ({ phone }));
	for (const mode of ['preview', 'send'])
		expect(
			reasons(await limited({ items, rules: { maxRecipients: 2 }, parameters: { mode } })),
		).toEqual([null, null, null, 'limit', null]);
	expect(service.received()).toEqual({ [first]: 2, [second]: 2 });
});

test('a retry of a failed run counts whom the first attempt has reached', async () => {
	service.fault({ endpoint: 'sendText', skip: 2, status: 422 });
	const failed = await limited({ parameters: { options: { concurrency: 1 } } });
	expect(failed.status).toBe('error');
	const retried = await service.retry(failed);
	expect(reasons(retried)).toEqual([...sent(3), ...limits(7)]);
	expect(service.received()).toEqual(oneEach(3));
});

test('refuses a number of people below one before anything is sent', async () => {
	const { error } = await limited({ rules: { maxRecipients: 0 } });
	expect(error?.message).toContain("'Maximum Recipients'");
	expect(sentTo()).toEqual([]);
});
