/** Pages that are asked for together, and given and answered in any order while others change the list. */
import fc from 'fast-check';
import { difference, pull, range, uniq } from 'lodash';

import { endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { Client, type HttpSend } from '../../nodes/BusinessMessaging/transport/client';
import { listRecords } from '../../nodes/BusinessMessaging/transport/pages';

const pageSize = 5;
const address = readServiceConfig({
	baseUrl: 'https://api.example.com',
	apiKey: 'not-a-real-key',
	requestsPerMinute: 1_000_000,
});

/** What a service answers to pages after some page: a status, and another page. */
interface Beyond {
	page: number;
	statusCode: number;
	shown: number;
}

/** A list of numbers behind a service that takes its time, as the scheduler wants. */
class Service {
	readonly list: number[];
	readonly pages: number[] = [];
	mostAtOnce = 0;
	private underWay = 0;

	constructor(
		private readonly scheduler: fc.Scheduler,
		count: number,
		private readonly saysTotal: boolean,
		private readonly beyond: Beyond = { page: Infinity, statusCode: 200, shown: 1 },
	) {
		this.list = range(count);
	}

	readonly send: HttpSend = async ({ query }) => {
		const page = Number(query.page ?? 1);
		const isBeyond = page > this.beyond.page;
		this.pages.push(page);
		this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underWay);
		await this.scheduler.schedule(Promise.resolve(), `give ${page}`);
		const from = ((isBeyond ? this.beyond.shown : page) - 1) * pageSize;
		const data = this.list.slice(from, from + pageSize).map((id) => ({ id }));
		const body = JSON.stringify({ data, ...(this.saysTotal && { total: this.list.length }) });
		// Without a total, only the order of the answers tells which page is the older one.
		if (this.saysTotal) await this.scheduler.schedule(Promise.resolve(), `answer ${page}`);
		this.underWay--;
		return { statusCode: isBeyond ? this.beyond.statusCode : 200, headers: {}, body };
	};

	get isIdle(): boolean {
		return this.underWay === 0;
	}

	async listAll(): Promise<number[]> {
		const records = await this.scheduler.waitFor(
			listRecords(new Client(this.send, address), endpoints.listContacts),
		);
		return records.map(({ id }) => Number(id));
	}
}

const counts = fc.integer({ min: 0, max: 120 });

const places = fc.oneof(fc.constant(0), fc.nat(120));

test.each([true, false])(
	'one added anywhere meanwhile loses none and doubles none (total: %s)',
	async (saysTotal) => {
		const property = fc.asyncProperty(
			fc.scheduler(),
			counts,
			places,
			async (scheduler, count, place) => {
				const service = new Service(scheduler, count, saysTotal);
				void scheduler
					.schedule(Promise.resolve(), 'add')
					.then(() => service.list.splice(place, 0, -1));
				const given = await service.listAll();
				expect(difference(range(count), given)).toEqual([]);
				expect(given).toEqual(uniq(given));
			},
		);
		await fc.assert(property, { numRuns: 300 });
	},
	120_000,
);

test('one removed meanwhile loses no other', async () => {
	const property = fc.asyncProperty(
		fc.scheduler(),
		counts,
		fc.nat(120),
		async (scheduler, count, removed) => {
			const service = new Service(scheduler, count, true);
			void scheduler.schedule(Promise.resolve(), 'remove').then(() => pull(service.list, removed));
			const given = await service.listAll();
			expect(difference(range(count), given, [removed])).toEqual([]);
			expect(given).toEqual(uniq(given));
		},
	);
	await fc.assert(property, { numRuns: 300 });
}, 120_000);

test.each([true, false])(
	'in any order, at most 3 requests more than the fewest possible (total: %s)',
	async (saysTotal) => {
		const property = fc.asyncProperty(fc.scheduler(), counts, async (scheduler, count) => {
			const service = new Service(scheduler, count, saysTotal);
			expect(await service.listAll()).toEqual(range(count));
			expect(service.pages.length).toBeLessThanOrEqual(
				Math.max(1, Math.ceil(count / pageSize)) + 3,
			);
			expect(service.mostAtOnce).toBeLessThanOrEqual(6);
		});
		await fc.assert(property, { numRuns: 300 });
	},
	120_000,
);

test.each<[string, number, Partial<Beyond>]>([
	['the first page again', 0, { shown: 1 }],
	['the last page again', 0, {}],
	['400', 0, { statusCode: 400 }],
	['404', 0, { statusCode: 404 }],
	['an error further on', 1, { statusCode: 403 }],
])(
	'beyond the last page it may answer with %s',
	async (_, further, beyond) => {
		const property = fc.asyncProperty(fc.scheduler(), counts, async (scheduler, count) => {
			const pages = Math.max(1, Math.ceil(count / pageSize));
			const service = new Service(scheduler, count, false, {
				page: pages + further,
				statusCode: 200,
				shown: pages,
				...beyond,
			});
			expect(await service.listAll()).toEqual(range(count));
			expect(service.pages.length).toBeLessThanOrEqual(pages + 3);
		});
		await fc.assert(property, { numRuns: 300 });
	},
	120_000,
);

test('a page that cannot be had ends the listing with its error, and nothing stays under way', async () => {
	const property = fc.asyncProperty(
		fc.scheduler(),
		fc.integer({ min: 1, max: 12 }),
		async (scheduler, failing) => {
			const service = new Service(scheduler, 60, true, {
				page: failing - 1,
				statusCode: 401,
				shown: 1,
			});
			await expect(service.listAll()).rejects.toMatchObject({ statusCode: 401 });
			expect(service.isIdle).toBe(true);
			expect(Math.max(...service.pages)).toBeLessThanOrEqual(failing + 4);
		},
	);
	await fc.assert(property, { numRuns: 300 });
}, 120_000);
