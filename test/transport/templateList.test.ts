/** The kept list of templates: when it is believed, and how far the service is asked. */
import { readServiceConfig } from '../../nodes/BusinessMessaging/transport/serviceConfig';
import { Client } from '../../nodes/BusinessMessaging/transport/client';
import {
	findTemplate,
	isLanguage,
	listTemplates,
} from '../../nodes/BusinessMessaging/transport/templateList';

let now = 1_000_000;
let services = 0;

beforeEach(() => {
	jest.spyOn(Date, 'now').mockImplementation(() => now);
});
afterEach(() => jest.restoreAllMocks());

/** A service of its own with so many templates, `t0` and so on, 50 on a page. */
function service(count: number) {
	const templates = Array.from({ length: count }, (_, index) => ({
		id: index,
		name: `t${index}`,
		language: 'en_US',
	}));
	const state = { templates, requests: 0 };
	const client = new Client(
		async ({ query }) => {
			state.requests++;
			const page = Number(query.page ?? 0);
			return {
				statusCode: 200,
				headers: {},
				body: JSON.stringify(state.templates.slice(page * 50, (page + 1) * 50)),
			};
		},
		readServiceConfig({
			baseUrl: `https://templates${++services}.example.com`,
			apiKey: 'not-a-real-key',
			requestsPerMinute: 1_000_000,
		}),
	);
	return { state, client };
}

const wanted = (...names: string[]) => names.map((template) => ({ template, language: 'en-us' }));

test.each([
	['en_US', 'en-US', true],
	[' EN_us ', 'en_US', true],
	['zh-Hant-TW', 'zh_hant_tw', true],
	['en_US', 'en', false],
	[undefined, '', true],
	[undefined, 'en', false],
])('the languages %j and %j are the same: %s', (one, other, are) => {
	expect(isLanguage(one, other)).toBe(are);
});

test('names are told apart by case', async () => {
	const templates = await listTemplates(service(1).client, 0);
	expect(findTemplate(templates, { template: 't0', language: 'en-us' })?.id).toBe('0');
	expect(findTemplate(templates, { template: 'T0', language: 'en_US' })).toBeUndefined();
	expect(findTemplate(templates, { template: 't0', language: 'de' })).toBeUndefined();
});

test('a kept list serves until it is too old', async () => {
	const { client, state } = service(3);
	expect(await listTemplates(client, 0)).toHaveLength(3);
	const { requests } = state;
	now += 99;
	state.templates.pop();
	expect(await listTemplates(client, 100)).toHaveLength(3);
	expect(await listTemplates(client, 100, wanted('unheard of'))).toHaveLength(3);
	expect(state.requests).toBe(requests);
	now += 1;
	expect(await listTemplates(client, 100)).toHaveLength(2);
	expect(await listTemplates(client, 0)).toHaveLength(2);
	expect(state.requests).toBe(3 * requests);
});

test('the first ones are enough if all that are wanted are among them', async () => {
	const { client, state } = service(240);
	expect(await listTemplates(client, 0, wanted('t3', 't99'))).toHaveLength(100);
	expect(state.requests).toBe(2);
	expect(await listTemplates(client, 100, wanted('t50'))).toHaveLength(100); // from what is kept
	expect(state.requests).toBe(2);
	expect(await listTemplates(client, 100, wanted('t50', 't200'))).toHaveLength(240);
	const { requests } = state;
	expect(await listTemplates(client, 100, wanted('unheard of'))).toHaveLength(240); // whole, so nobody is asked
	expect(state.requests).toBe(requests);
});

test('without any that are wanted all are listed', async () => {
	const { client } = service(240);
	expect(await listTemplates(client, 0)).toHaveLength(240);
	expect(await listTemplates(client, 0, wanted('unheard of'))).toHaveLength(240);
});
