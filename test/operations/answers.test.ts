/** What comes out of answers whose shape the specification leaves open. */
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { shorten } from '../../nodes/BusinessMessaging/operations/shorten';
import { useService } from '../support/service';

const service = useService({ sampleContacts: 0 });

/** The output of an operation whose endpoint answers its first call with a body, and the next pages without records. */
async function outputOf(endpoint: EndpointName, body: unknown, parameters: INodeParameters) {
	await service.fault({ endpoint, status: 200, body });
	if (Array.isArray(body)) await service.fault({ endpoint, status: 200, body: [], count: 9 });
	const { outputs, error } = await service.run({ parameters });
	expect(error).toBeUndefined();
	return outputs[0].map(({ json }) => json);
}
const all = (resource: string, simplify: boolean) => ({ resource, operation: 'getAll', simplify });

const buttons = [
	{ type: 'QUICK_REPLY', text: 'Yes' },
	{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
];
const template = {
	id: 7,
	name: 'order',
	components: [
		{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
		{ type: 'body', text: 'Hi {{2}} and {{1}}' },
		{ type: 'BUTTONS', buttons },
	],
};
const readable = {
	id: 7,
	name: 'order',
	header: 'Order {{1}}',
	body: 'Hi {{2}} and {{1}}',
	buttons: ['Yes', 'Track'],
	variables: ['header_1', 'body_1', 'body_2', 'button2_1'],
};
const unreadable = { id: '7', name: 'order', components: '[{' };
const conversations = [
	{ id: '1', lastMessage: 'Hi' },
	{ id: '2', lastMessage: { text: 'Hello', direction: 'inbound', status: 'read', raw: {} } },
];
const shown = { id: '2', lastMessage: 'Hello', lastMessageDirection: 'inbound' };
const secret = 'https://n8n.example/webhook/1?token=abc&x=1';

test.each<[EndpointName, object[], INodeParameters, object[]]>([
	['listTemplates', [template], all('template', true), [expect.objectContaining(readable)]],
	['listTemplates', [template], all('template', false), [template]],
	['listTemplates', [unreadable], all('template', false), [unreadable]],
	[
		'listConversations',
		conversations,
		all('conversation', true),
		[conversations[0], { ...shown, lastMessageStatus: 'read' }],
	],
	[
		'listWebhooks',
		[{ id: 1, url: secret, events: ['a'] }],
		{ resource: 'webhook', operation: 'getAll' },
		[{ id: 1, url: 'https://n8n.example/webhook/1?token=…&x=1', events: ['a'] }],
	],
])('%s: %j, simplified or not, comes out readable', async (endpoint, body, parameters, output) => {
	expect(await outputOf(endpoint, body, parameters)).toEqual(output);
});

test.each<[EndpointName, string, unknown, object[]]>([
	['getCurrentAccount', 'account getCurrent', { data: { id: 7 } }, [{ id: 7 }]],
	['getCurrentAccount', 'account getCurrent', { account: { id: 7 }, status: 'ok' }, [{ id: 7 }]],
	['getCurrentAccount', 'account getCurrent', '', [{ success: true }]],
	[
		'getAgentStatistics',
		'analytics getAgentStatistics',
		{ agents: [{ a: 1 }, { a: 2 }] },
		[{ a: 1 }, { a: 2 }],
	],
	['getAgentStatistics', 'analytics getAgentStatistics', { sent: 3 }, [{ sent: 3 }]],
])('%s: records come out one item each', async (endpoint, name, body, output) => {
	const [resource, operation] = name.split(' ');
	expect(await outputOf(endpoint, body, { resource, operation })).toEqual(output);
});

test.each<[unknown, string | null]>([
	[{ messageUuid: 'm1' }, 'm1'],
	[{ message: { id: 5 } }, '5'],
	[{ messages: [{ id: 'm1' }] }, 'm1'],
	[{ queued: true }, null],
])('the identifier of the message in %j is %j', async (body, messageId) => {
	const to = '+15550001000';
	const send = { resource: 'message', operation: 'sendText', to, text: 'Hi' };
	expect(await outputOf('sendText', body, send)).toMatchObject([{ messageId, to }]);
});

describe('a simplified record', () => {
	const many = (count: number) => Object.fromEntries(range(count).map((n) => [`other${n}`, n]));

	test.each<[object, string[], object]>([
		[
			{ ...many(12), tags: ['a'], deep: { x: 1 }, nothing: null, id: 1 },
			['id', 'name', 'tags'],
			{ id: 1, tags: ['a'], ...many(8) },
		],
		[{ deep: {}, nothing: null, ...many(12) }, [], { nothing: null, ...many(9) }],
		[{ id: 1, deep: { x: 1 }, rows: [{ x: 1 }], list: ['a'] }, ['deep'], { id: 1, list: ['a'] }],
		[{ header: undefined, id: 1 }, ['id', 'header'], { id: 1 }],
	])('of %j has %j first, then values and lists of values, ten in all', (record, names, small) => {
		const given = shorten(record as Record<string, unknown>, names);
		expect(Object.entries(given)).toEqual(Object.entries(small));
	});

	test('may have names that mean something to JavaScript', () => {
		const record = '{ "__proto__": "a", "deep": {}, "constructor": "b" }';
		const small = shorten(JSON.parse(record) as Record<string, unknown>, ['__proto__']);
		expect(Object.keys(small)).toEqual(['__proto__', 'constructor']);
		expect(Object.getPrototypeOf(small)).toBe(Object.prototype);
	});
});
