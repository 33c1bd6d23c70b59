/** People in the data table Opt-outs get no message of a campaign. */
import { range } from 'lodash';

import { useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';
import {
	type RunValues,
	anna,
	audienceRuns,
	berta,
	carl,
	dora,
	people,
	reasons,
} from './audienceRuns';

const service = useService();
const { run, sentTo } = audienceRuns(service);
const tables = () => service.engine.tables;
const optOut = (...phones: Array<string | number>) =>
	tables().create(
		'Opt-outs',
		phones.map((phone) => ({ phone })),
		['phone', 'since', 'words', 'workflow'],
	);
const question = { operation: 'sendAndWait', message: 'Tuesday?' };
const once = { sendOnce: true, campaign: 'sale' };
const runOnce = async ({ parameters, ...values }: RunValues = {}) =>
	await run({ ...values, parameters: { ...once, ...parameters } });

test('leaves out people in the table, also in a preview, and says so', async () => {
	optOut(berta, dora);
	const preview = await runOnce({ parameters: { mode: 'preview' } });
	expect(reasons(preview)).toEqual([null, 'optedOut', null, 'optedOut']);
	const { outputs, hints } = await runOnce();
	expect(outputs[0][1].json).toMatchObject({ to: berta, sendStatus: 'skipped', skipped: true });
	expect(reasons({ outputs } as never)).toEqual([null, 'optedOut', null, 'optedOut']);
	expect(hints.map(({ message }) => message)).toEqual(['2 sent, 2 opted out.']);
	expect(sentTo().sort()).toEqual([anna, carl]);
	expect(
		tables()
			.rows()
			.map(({ phone }) => phone)
			.sort(),
	).toEqual([anna, carl]);
});

test('knows a number in every spelling that people write into the table', async () => {
	const phones = ['+44 7700 900123', '+44 7700 900124', '+44 7700 900125', '+44 7700 900126'];
	const more = ['+44 7700 900127', '+44 7700 900128', '+52 55 1234 5678', '+44 7700 900129'];
	optOut(
		...['0044 7700/900123', '447700900124', '07700 900125', '+44 7700 900126 (Anna 2)'],
		...[447700900127, 'Anna: +44 (7700) 900 128 since May', '+52 1 55 1234 5678'],
	);
	const items = [...phones, ...more].map((phone) => ({ phone }));
	const result = await runOnce({ items });
	expect(reasons(result)).toEqual([...range(7).map(() => 'optedOut'), null]);
});

test('an entry that is no number leaves out nobody, and a hint names it', async () => {
	optOut('Anna', '', 'US.13491208655302741918', berta);
	const { hints } = await runOnce();
	expect(hints.map(({ message }) => message)).toEqual([
		'3 sent, 1 opted out.',
		'The data table "Opt-outs" has entries that are not phone numbers, so nobody was left out because of them: "Anna". Correct the column phone.',
	]);
});

test('a table whose numbers are in another column would leave out nobody, so nothing is sent', async () => {
	optOut('', ' ');
	const { error } = await runOnce();
	expect(error?.message).toContain('has rows, but no phone number in the column phone');
	expect(sentTo()).toEqual([]);
});

test('sends to them if that is chosen, and without a campaign', async () => {
	optOut(anna, berta);
	const all = [null, null, null, null];
	expect(reasons(await run({}))).toEqual(all);
	expect(reasons(await runOnce({ parameters: { options: { includeOptedOut: true } } }))).toEqual(
		all,
	);
});

test.each(['Opt outs', 'optouts', 'OPT_OUTS'])(
	'a table that people have imported as %j counts, and if there is also Opt-outs, nothing is sent',
	async (name) => {
		tables().create(name, [{ phone: anna }]);
		expect(reasons(await runOnce({ parameters: { mode: 'preview' } }))[0]).toBe('optedOut');
		optOut(berta);
		const { error } = await runOnce();
		expect(error?.message).toBe(
			`There are 2 data tables that can be "Opt-outs": "Opt-outs", "${name}"`,
		);
		expect(service.sent()).toEqual([]);
	},
);

test('a preview before the send window says who has opted out, and who must wait', async () => {
	optOut(berta);
	const rules = { notBefore: '2099-01-01T10:00' };
	const preview = await runOnce({ rules, parameters: { mode: 'preview' } });
	const waits = 'outsideSendWindow';
	expect(reasons(preview)).toEqual([waits, 'optedOut', waits, waits]);
});

test.each([
	['a message without Send Once', {}],
	['a question', question],
	['a campaign for everybody', { ...once, options: { includeOptedOut: true } }],
])(
	'the rule Exclude Opt-Outs leaves them out of %s, and not when it is off',
	async (_, parameters) => {
		optOut(anna, berta);
		const preview = async (excludeOptOuts: boolean) =>
			reasons(
				await run({ rules: { excludeOptOuts }, parameters: { mode: 'preview', ...parameters } }),
			);
		expect(await preview(true)).toEqual(['optedOut', 'optedOut', null, null]);
		expect(await preview(false)).toEqual([null, null, null, null]);
	},
);

test('a question leaves them out unless the rule is off; without data tables, nobody can have opted out', async () => {
	optOut(anna);
	const preview = async (rules?: RunValues['rules']) =>
		reasons(await run({ rules, parameters: { mode: 'preview', ...question } }));
	expect(await preview()).toEqual(['optedOut', null, null, null]);
	expect(await preview({ duplicates: 'sendFirst' })).toEqual(['optedOut', null, null, null]);
	expect(await preview({ excludeOptOuts: false })).toEqual([null, null, null, null]);
	tables().isEnabled = false;
	expect(await preview()).toEqual([null, null, null, null]);
	const { error } = await run({ rules: { excludeOptOuts: true } });
	expect(error?.message).toContain("could not open n8n's data tables");
});

test('with the rule Exclude Opt-Outs, nothing is sent if the table cannot be read', async () => {
	optOut(anna);
	tables().before = (operation) => {
		if (operation === 'get') throw new Error('The database is away');
	};
	const { error } = await run({ rules: { excludeOptOuts: true } });
	expect(error?.message).toMatch(/^The data table "Opt-outs" could not be read/);
	expect(sentTo()).toEqual([]);
});

test('a STOP in the middle of a run holds for the messages after it', async () => {
	service.fault({ endpoint: 'sendText', delayMs: 1_200, count: 9 });
	const running = runOnce({
		items: people.slice(0, 3),
		parameters: { options: { concurrency: 1 } },
	});
	await until('the first message to go out', async () => service.calls('sendText') > 0);
	optOut(carl);
	expect(reasons(await running)).toEqual([null, null, 'optedOut']);
	expect(sentTo()).toEqual([anna, berta]);
	const statuses = tables()
		.rows()
		.map(({ phone, status }) => [phone, status]);
	expect(statuses).not.toContainEqual([carl, 'sent']);
	tables().edit(() => [], 'Opt-outs');
	expect(reasons(await runOnce())).toEqual(['alreadySent', 'alreadySent', null, null]);
});

test('if the table can no longer be read in the middle of a run, nothing more is sent', async () => {
	optOut(dora);
	service.fault({ endpoint: 'sendText', delayMs: 2_200, count: 9 });
	const running = run({
		items: people.slice(0, 3),
		rules: { excludeOptOuts: true },
		parameters: { options: { concurrency: 1 } },
	});
	await until('the first message to go out', async () => service.calls('sendText') > 0);
	tables().before = (operation) => {
		if (operation === 'get') throw new Error('The database is away');
	};
	expect((await running).error?.message).toMatch(/^The data table "Opt-outs" could not be read/);
	expect(sentTo()).toEqual([anna]);
});

test('a STOP while a request waits for its turn holds for this request', async () => {
	const refusal = { status: 429, headers: { 'retry-after': '3' } };
	service.fault({ endpoint: 'sendText', match: berta, ...refusal });
	const running = runOnce({ items: people.slice(0, 2) });
	await until('the request to be refused', async () => service.calls('sendText') > 1);
	optOut(berta);
	expect(reasons(await running)).toEqual([null, 'optedOut']);
	expect(sentTo()).toEqual([anna]);
});

test('nothing is sent if the table has no column phone', async () => {
	tables().create('Opt-outs', [{ number: anna }]);
	const { error } = await runOnce();
	expect(error?.message).toBe('The data table "Opt-outs" has no column phone');
	expect(sentTo()).toEqual([]);
});

test('nothing is sent if the table cannot be read', async () => {
	optOut(anna);
	tables().before = (operation) => {
		if (operation === 'get') throw new Error('The database is away');
	};
	const { error } = await runOnce();
	expect(error?.message).toMatch(/^The data table "Opt-outs" could not be read/);
	expect(sentTo()).toEqual([]);
});

test('a large table is read completely once, and then only what has changed', async () => {
	optOut(...range(3_000).map((n) => `+49170${1_000_000 + n}`));
	const old = new Date(Date.now() - 86_400_000).toISOString();
	tables().edit((rows) => rows.map((row) => ({ ...row, updatedAt: old })), 'Opt-outs');
	const looks = async () => {
		tables().calls = {};
		const result = await runOnce({ parameters: { mode: 'preview' } });
		return [tables().calls.get, ...reasons(result)];
	};
	expect(await looks()).toEqual([4, null, null, null, null]);
	tables().add({ phone: berta }, 'Opt-outs');
	expect(await looks()).toEqual([1, null, 'optedOut', null, null]);
	// Only a complete look sees that a row is gone.
	tables().edit((rows) => rows.filter(({ phone }) => phone !== berta), 'Opt-outs');
	const later = performance.now() + 61_000;
	jest.spyOn(performance, 'now').mockImplementation(() => later);
	expect(await looks()).toEqual([4, null, null, null, null]);
});

test('single messages at the same time share their looks at the table, and each knows who has opted out', async () => {
	tables().before = async () => await new Promise((resolve) => setTimeout(resolve, 100));
	const messages = range(40).map((index) => ({ phone: `+44770090${1000 + index}` }));
	optOut(messages[7].phone);
	const runs = messages.map(async (item) => await runOnce({ items: [item] }));
	const found = (await Promise.all(runs)).flatMap(reasons);
	expect(found).toEqual(messages.map((_, index) => (index === 7 ? 'optedOut' : null)));
	expect(tables().calls.list).toBeLessThan(20);
});

test('a run that ends during a look fails no message of another run', async () => {
	let lists = 0;
	tables().before = async (operation) => {
		await new Promise((resolve) => setTimeout(resolve, 50));
		if (operation === 'list' && ++lists === 2) throw new Error('The execution was cancelled');
	};
	const messages = range(10).map((index) => ({ phone: `+44770090${1000 + index}` }));
	const runs = messages.map(async (item) => await runOnce({ items: [item] }));
	expect((await Promise.all(runs)).flatMap(reasons)).toEqual(messages.map(() => null));
});
