/** The output of statistics. */
import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../../../harness/engine/service';

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
const service = useService();

async function run(operation: string, more: INodeParameters = {}) {
	const parameters = { resource: 'analytics', operation, ...more };
	const { outputs, error, hints } = await service.run({ parameters });
	const records = outputs[0]?.map(({ json }) => json);
	return { records, error, hints: hints.map(({ message }) => message) };
}

describe('statistics', () => {
	test('cover the period, whose days begin in the time zone of the workflow', async () => {
		service.sandbox.state.traffic.send({ phone: '+15550001000', text: 'Hi', keyId: 'k' });
		const totalOf = async (period: INodeParameters) =>
			(await run('getMessageStatistics', { period })).records[0].total;
		expect(await totalOf({ from: '2020-01-31', to: '={{ $now.plus({ days: 1 }) }}' })).toBe(1);
		expect(await totalOf({ to: '2020-01-31T00:00:00' })).toBe(0);
		// n8n's own time zone, because no other one is set
		const asked = service.requests('getMessageStatistics')[0].url;
		expect(asked).toContain('from=2020-01-31T05%3A00%3A00.000Z');
	});

	test.each(['Asia/Tokyo', 'America/Los_Angeles'])(
		'cover the days of a workflow in %s, whatever other workflows have run before',
		async (timezone) => {
			const period = { from: '2030-01-31' };
			const parameters = { resource: 'analytics', operation: 'getMessageStatistics', period };
			await service.run({ parameters: { ...parameters, period: { from: '={{ $now }}' } } });
			await service.run({ parameters, timezone });
			const [, { url }] = service.requests('getMessageStatistics');
			const from = DateTime.fromISO(period.from, { zone: timezone }).toUTC().toISO();
			expect(new URL(url, service.url).searchParams.get('from')).toBe(from);
		},
	);

	test(`are output as they came, with figures of any name, also if they are 0 (TEST_SEED=${seed})`, async () => {
		const names = fc.constantFrom(
			...['total', 'sent', 'failed', 'success', 'Success', 'ok', 'error', 'errors', 'accepted'],
			...['status', 'statusCode', 'code', 'result', 'count', 'message', 'messages', 'data', 'id'],
		);
		const figure = fc.oneof(fc.constantFrom(0, 1, 404, 500), fc.nat());
		const statistics = fc.dictionary(names, figure, { minKeys: 1 });
		const property = fc.asyncProperty(statistics, async (body) => {
			service.fault({ endpoint: 'getMessageStatistics', status: 200, body });
			const { records, error } = await run('getMessageStatistics');
			expect([error, records]).toEqual([undefined, [body]]);
		});
		const examples: Array<[Record<string, number>]> = [[{ total: 3, success: 0, failed: 3 }]];
		await fc.assert(property, { numRuns: 100, seed, examples, endOnFailure: true });
	});

	test(`keep every figure, also beside or around a list (TEST_SEED=${seed})`, async () => {
		const figures = ['sent', 'delivered', 'failed', 'totalSent', 'errors', 'replyRate', 'opened'];
		const paging = ['total', 'page', 'per_page', 'totalPages', 'count', 'limit', 'from', 'status'];
		const outer = ['data', 'results', 'messages', 'items', 'summary', 'totals', 'meta', 'report'];
		const number = fc.integer({ min: 1e6, max: 1e9 });
		const record = fc.dictionary(fc.constantFrom(...figures, 'date'), number, { minKeys: 1 });
		const rows = fc.array(fc.oneof({ weight: 9, arbitrary: record }, number), { minLength: 1 });
		const pages = fc.dictionary(fc.constantFrom(...paging), number);
		const { tree } = fc.letrec<{ tree: object }>((tie) => ({
			tree: fc
				.tuple(
					fc.dictionary(fc.constantFrom(...figures), number, { maxKeys: 1 }),
					fc.dictionary(
						fc.constantFrom(...outer),
						fc.oneof({ maxDepth: 2 }, record, rows, tie('tree')),
						{ minKeys: 1, maxKeys: 2 },
					),
				)
				.map(([beside, inside]) => ({ ...beside, ...inside })),
		}));
		const numbersIn = (value: unknown) => JSON.stringify(value).match(/\d{7,}/g) ?? [];
		const statistics = fc.oneof(tree, rows, fc.tuple(rows, pages));
		const property = fc.asyncProperty(statistics, async (shape) => {
			const isPaged = Array.isArray(shape) && Array.isArray(shape[0]);
			const body = isPaged ? { data: shape[0], ...shape[1] } : shape;
			service.fault({ endpoint: 'getMessageStatistics', status: 200, body });
			const { records } = await run('getMessageStatistics');
			expect(numbersIn(records)).toEqual(
				expect.arrayContaining(numbersIn(isPaged ? shape[0] : body)),
			);
			if (isPaged) expect(records).toHaveLength(shape[0].length);
		});
		await fc.assert(property, { numRuns: 200, seed, endOnFailure: true });
	});

	test.each([
		{ data: [{ date: 1, sent: 1 }], totals: { sent: 10, delivered: 9 } },
		{ data: [{ sent: 1 }], sent: 500, total: 3 },
		{ summary: { sent: 10 }, messages: [{ sent: 1 }, { sent: 2 }] },
		{ data: { sent: 10 }, total: 12 },
		{ data: { items: [{ sent: 1 }], delivered: 3 } },
	])('with figures beside a list or record come out whole: %j', async (body) => {
		service.fault({ endpoint: 'getMessageStatistics', status: 200, body });
		expect((await run('getMessageStatistics')).records).toEqual([body]);
	});

	test.each<[object, INodeParameters, number]>([
		[{ has_more: true }, {}, 1],
		[{ total_pages: 3 }, {}, 1],
		[{ total_pages: 1 }, {}, 0],
		[{ total_pages: 3 }, { queryParameters: { parameter: [{ name: 'page', value: '3' }] } }, 0],
	])('come with a hint if they are incomplete: %j, asked with %j', async (says, more, count) => {
		const body = { data: [{ campaign: 'a' }, { campaign: 'b' }], ...says };
		service.fault({ endpoint: 'getCampaignStatistics', status: 200, body });
		const { records, hints } = await run('getCampaignStatistics', more);
		expect(records).toHaveLength(2);
		const hint = expect.stringContaining('has more records than it returned') as string;
		expect(hints).toEqual(Array(count).fill(hint));
	});
});
