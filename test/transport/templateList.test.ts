/** The kept list of templates: how long it serves, and what it cannot be made of. */
import { listTemplates } from '../../nodes/BusinessMessaging/transport/templateList';
import { clientOf } from '../support/functionService';

let now = 1_000_000;

beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

/** A service whose list of templates holds some records, and whose pages say more or less of it. */
function service(records: object[], says: object = {}, everyPageIsTheSame = false) {
	const { client, asked } = clientOf(({ page }) => ({
		body: { data: everyPageIsTheSame || page === undefined ? records : [], ...says },
	}));
	return { list: async (isFresh = false) => await listTemplates(client, isFresh), asked, records };
}

test('a kept list serves for five minutes, unless a fresh one is asked for', async () => {
	const { list, asked, records } = service([{ name: 'a' }, { name: 'b' }]);
	const countAfter = async (ms: number, isFresh?: boolean) => {
		now += ms;
		const { length } = asked;
		return [(await list(isFresh)).records.length, asked.length > length];
	};
	expect(await countAfter(0)).toEqual([2, true]);
	records.pop();
	expect(await countAfter(5 * 60_000 - 1)).toEqual([2, false]);
	expect(await countAfter(0, true)).toEqual([1, true]);
	records.pop();
	expect(await countAfter(5 * 60_000)).toEqual([0, true]);
});

test('no more lists are kept than of 20 services and keys', async () => {
	const { list, asked } = service([{ name: 'a' }]);
	await list();
	const { length } = asked;
	for (let n = 0; n < 20; n++) await service([{ name: 'b' }]).list();
	await list();
	expect(asked).toHaveLength(2 * length);
});

test.each<[string, boolean, object, boolean]>([
	['a page beyond it is empty', true, {}, false],
	['every page is the same', false, {}, true],
	['every page is the same, with its own total', false, { total: 2 }, true],
	['the total is greater', false, { total: 3 }, false],
	['more is announced', false, { has_more: true }, false],
])('a list is known to be complete if %s: %s', async (_, isComplete, says, areSame) => {
	const list = await service([{ name: 'a' }, { name: 'b' }], says, areSame).list();
	expect([list.records.map(({ name }) => name), list.isComplete]).toEqual([['a', 'b'], isComplete]);
});
