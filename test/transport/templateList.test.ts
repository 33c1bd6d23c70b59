/** The kept list of templates: how long it serves, and what it cannot be made of. */
import { Client } from '../../nodes/BusinessMessaging/transport/client';
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { listTemplates } from '../../nodes/BusinessMessaging/transport/templateList';

let now = 1_000_000;
let services = 0;

beforeEach(() => {
	jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** A service of its own whose list of templates holds some records, and whose pages say more or less of it. */
function service(...records: object[]) {
	const state = { records, requests: 0, answer: (page: object[]): unknown => page, pages: true };
	const client = new Client(
		async ({ query }) => {
			state.requests++;
			const page = state.pages && query.page !== undefined ? [] : state.records;
			return { statusCode: 200, headers: {}, body: JSON.stringify(state.answer(page)) };
		},
		readServiceConfig({
			baseUrl: `https://templates${++services}.example.com`,
			apiKey: 'not-a-real-key',
			requestsPerMinute: 1_000_000,
		}),
	);
	return { state, client };
}

test('a kept list serves for five minutes, unless a fresh one is asked for', async () => {
	const { client, state } = service({ name: 'a' }, { name: 'b' });
	expect((await listTemplates(client)).records).toHaveLength(2);
	const { requests } = state;
	state.records.pop();
	now += 5 * 60_000 - 1;
	expect((await listTemplates(client)).records).toHaveLength(2);
	expect(state.requests).toBe(requests);
	expect((await listTemplates(client, true)).records).toHaveLength(1);
	state.records.pop();
	now += 5 * 60_000;
	expect((await listTemplates(client)).records).toHaveLength(0);
});

test('no more lists are kept than of 20 services and keys', async () => {
	const { client, state } = service({ name: 'a' });
	await listTemplates(client);
	const { requests } = state;
	for (let n = 0; n < 20; n++) await listTemplates(service({ name: 'b' }).client);
	await listTemplates(client);
	expect(state.requests).toBe(2 * requests);
});

test('records without a name that can be read are an error that shows their fields', async () => {
	const { client } = service({ code: 'a', words: 'Hi' });
	await expect(listTemplates(client)).rejects.toMatchObject({
		message: 'The service lists templates, but no name was found in them',
		description: 'The first one has the fields code, words.',
	});
});

test.each([
	['a page beyond it is empty', true, true, {}],
	['every page is the same', false, false, {}],
	['every page is the same, with its own total', false, false, { total: 2 }],
	['the total is greater', false, true, { total: 3 }],
	['more is announced', false, true, { has_more: true }],
])('a list is known to be complete if %s: %s', async (_, isComplete, pages, metadata) => {
	const { client, state } = service({ name: 'a' }, { name: 'b' });
	state.pages = pages;
	state.answer = (data) => ({ data, ...metadata });
	const list = await listTemplates(client);
	expect([list.records.map(({ name }) => name), list.isComplete]).toEqual([['a', 'b'], isComplete]);
});
