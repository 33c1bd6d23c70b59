/** Claims of single messages that share their calls, with a table that is slow. test/unit/simulation has everything else. */
import { CampaignClaims } from '../../../nodes/BusinessMessaging/execution/campaignClaims';
import { type LogRow, maxInsertMs } from '../../../nodes/BusinessMessaging/execution/campaignLog';
import { PeopleReader } from '../../../nodes/BusinessMessaging/execution/logReader';

const phone = '+15550000001';
const account = 'api.example.com 00000000';
const details = { name: '', message: 'text', variant: '' };

test.each([1, 2, 3])(
	'after %i insertions that take too long, a message is not held back by its own former claims',
	async (slow) => {
		let rows: LogRow[] = [];
		let now = 0;
		let keys = 0;
		let insertions = 0;
		const settings = {
			now: () => now,
			elapsed: () => now,
			pause: async () => await new Promise((resolve) => setImmediate(resolve)),
			newKey: () => `key${++keys}`,
		};
		const table = {
			async *read() {},
			last: async () => await Promise.resolve(rows.at(-1)),
			readPeople: async () => await Promise.resolve([...rows]),
			insert: async (added: Array<Omit<LogRow, 'id' | 'createdAt'>>) => {
				now += ++insertions <= slow ? maxInsertMs + 1 : 1;
				for (const row of added)
					rows.push({ ...row, id: (rows.at(-1)?.id ?? 0) + 1, createdAt: now });
				await Promise.resolve();
			},
			changed: async () => await Promise.resolve([]),
			conclude: async () => await Promise.resolve(),
			// A busy n8n: claims are made much faster than rows are removed.
			retire: async () => {
				for (let turn = 0; turn < 50; turn++) await settings.pause();
			},
			delete: async (ids: number[]) => {
				for (let turn = 0; turn < 50; turn++) await settings.pause();
				rows = rows.filter(({ id }) => !ids.includes(id));
			},
		};
		const claims = new CampaignClaims(new PeopleReader(table), table, settings);
		const wish = { phone, account, campaign: 'order 1' };
		expect(await claims.claim(wish, '1', details)).toMatchObject({ phone });
		// The time that is kept free before n8n's timeout follows a slow round at once.
		expect(claims.claiming.slowMs).toBeGreaterThanOrEqual(slow * 2_000);
	},
);
