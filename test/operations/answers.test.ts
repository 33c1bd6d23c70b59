/** The output for responses whose shape the specification leaves open, and for lists. */
import { range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { shorten } from '../../nodes/BusinessMessaging/operations/shorten';
import { sendText, useService } from '../support/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 30, defaultPageSize: 10 });

/** The output of an operation whose endpoint answers its first call with a body, and the next pages without records. */
async function outputOf(endpoint: EndpointName, body: unknown, parameters: INodeParameters) {
	await service.fault({ endpoint, status: 200, body });
	if (Array.isArray(body)) await service.fault({ endpoint, status: 200, body: [], count: 9 });
	const { outputs, error } = await service.run({ parameters });
	expect(error).toBeUndefined();
	return outputs[0].map(({ json }) => json);
}
const get = (name: string, more: INodeParameters = {}) => {
	const [resource, operation] = name.split(' ');
	return { resource, operation, ...more };
};
const isSimple = { simplify: true };
const isWhole = { simplify: false };

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
const many = (count: number) => Object.fromEntries(range(count).map((n) => [`other${n}`, n]));
const conversations = [
	{ id: '1', lastMessage: 'Hi' },
	{ id: '2', lastMessage: { text: 'Hello', direction: 'inbound', status: 'read', raw: {} } },
];
const shown = {
	id: '2',
	lastMessage: 'Hello',
	lastMessageDirection: 'inbound',
	lastMessageStatus: 'read',
};
const templates = (more: object) => get('template getAll', more as INodeParameters);
const chats = (more: object) => get('conversation getAll', more as INodeParameters);
const listed = { id: 7, name: 'order', language: 'en', status: 'APPROVED', category: 'UTILITY' };
const known = { id: '1', name: 'Ann', phone: '+15550001000', status: 'open', lastMessage: 'Hi' };
const account = get('account getCurrent');
const agents = get('analytics getAgentStatistics');

test.each<[EndpointName, unknown, INodeParameters, unknown[]]>([
	['listTemplates', [template], templates(isSimple), [expect.objectContaining(readable)]],
	['listTemplates', [template], templates(isWhole), [template]],
	[
		'listConversations',
		conversations,
		get('conversation getAll', isSimple),
		[conversations[0], shown],
	],
	[
		'listTemplates',
		[{ ...many(12), ...listed }],
		templates(isSimple),
		[expect.objectContaining(listed)],
	],
	[
		'listConversations',
		[{ ...many(12), ...known }],
		chats(isSimple),
		[expect.objectContaining(known)],
	],
	['getCurrentAccount', { account: { id: 7 }, status: 'ok' }, account, [{ id: 7 }]],
	['getCurrentAccount', '', account, [{ success: true }]],
	['getAgentStatistics', { agents: [{ a: 1 }, { a: 2 }] }, agents, [{ a: 1 }, { a: 2 }]],
	['sendText', { messageUuid: 'm1' }, sendText, [expect.objectContaining({ messageId: 'm1' })]],
	['sendText', { message: { id: 5 } }, sendText, [expect.objectContaining({ messageId: '5' })]],
	['getAgentStatistics', { sent: 3, errors: ['x'] }, agents, [{ sent: 3, errors: ['x'] }]],
	[
		'getCurrentAccount',
		{ error: null, status: 200, name: 'A' },
		account,
		[{ error: null, status: 200, name: 'A' }],
	],
	['sendText', { queued: true }, sendText, [expect.objectContaining({ messageId: null })]],
])('the response of %s %j comes out readable: %j', async (endpoint, body, parameters, output) => {
	expect(await outputOf(endpoint, body, parameters)).toEqual(output);
});

describe('a simplified record', () => {
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
});

describe('Get Many', () => {
	const getMany = async (more: INodeParameters) =>
		await service.run({ parameters: get('contact getAll', more) });

	test.each([
		[{ returnAll: true }, 95, 6],
		[{ limit: '={{ "20" }}' }, 20, 1],
	])(
		'with %j gives %i of 95 contacts, each once, in at most %i requests',
		async (own, count, most) => {
			const phones = range(95).map((n) => `+1555000${1000 + n}`);
			for (const phone of phones) service.sandbox.state.contacts.create({ phone });
			const { outputs, hints } = await getMany(own);
			expect(outputs[0].map(({ json }) => json.phone)).toEqual(phones.slice(0, count));
			expect([hints, service.calls('listContacts') <= most]).toEqual([[], true]);
		},
	);

	test('shows a hint if the service does not return a full list', async () => {
		const body = { data: [{ id: 'a', phone: '+15550001000' }], total: 25, has_more: true };
		await service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
		const { outputs, hints, error } = await getMany({ returnAll: true });
		expect([error, outputs[0].length]).toEqual([undefined, 1]);
		const message = expect.stringContaining('returned 1 of 25 contacts');
		expect(hints).toEqual([expect.objectContaining({ message })]);
	});
});
