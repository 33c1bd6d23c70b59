/** What comes out of answers whose shape the specification leaves open. */
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';
import { useService } from '../support/service';

const service = useService({ sampleContacts: 0 });

/** The output of an operation whose endpoint answers its first call with a body, and the next pages without records. */
async function outputOf(
	endpoint: EndpointName,
	body: unknown,
	parameters: INodeParameters,
	items: object[] = [{}],
) {
	await service.fault({ endpoint, status: 200, body });
	if (Array.isArray(body)) await service.fault({ endpoint, status: 200, body: [], count: 9 });
	const { outputs, error } = await service.run({ parameters, items: items as never });
	expect(error).toBeUndefined();
	return outputs[0].map(({ json }) => json);
}

const words = {
	header: 'Order {{1}}',
	body: 'Hi {{2}} and {{1}}',
	url: 'https://example.com/{{1}}',
};
const buttons = [
	{ type: 'QUICK_REPLY', text: 'Yes' },
	{ type: 'URL', text: 'Track', url: words.url },
];
const components = [
	{ type: 'HEADER', format: 'TEXT', text: words.header },
	{ type: 'body', text: words.body },
	{ type: 'BUTTONS', buttons },
];

test.each([
	['components', { components }],
	['components as JSON text', { components: JSON.stringify(components) }],
	[
		'buttons beside the other components',
		{
			structure: [
				...components.slice(0, 2),
				...buttons.map((button) => ({ ...button, type: 'button' })),
			],
		},
	],
	[
		'fields named after the parts',
		{
			header: words.header,
			body: { text: words.body },
			footer: null,
			buttons: [{ title: 'Yes' }, { text: 'Track', url: words.url }],
		},
	],
	['languages within the template', { languages: [{ language: 'en_US', components }] }],
])('a template with %s is shown with its words and variables', async (_, record) => {
	const [template] = await outputOf('listTemplates', [{ id: 7, name: 'order', ...record }], {
		resource: 'template',
		operation: 'getAll',
		simplify: true,
	});
	expect(template).toMatchObject({
		id: 7,
		header: words.header,
		body: words.body,
		buttons: ['Yes', 'Track'],
		variables: ['header_1', 'body_1', 'body_2', 'button2_1'],
	});
});

test.each([
	['whose components cannot be read', { components: '[{' }],
	['with several languages', { languages: ['en_US', 'de_DE'] }],
])('a template %s stays as it is', async (_, fields) => {
	const record = { id: '7', name: 'order', ...fields };
	const [template] = await outputOf('listTemplates', [record], {
		resource: 'template',
		operation: 'getAll',
		simplify: false,
	});
	expect(template).toEqual(record);
});

test('a conversation is small whether its last message is a text or a record', async () => {
	const list = [
		{ id: '1', lastMessage: 'Hi' },
		{ id: '2', lastMessage: { text: 'Hello', direction: 'inbound', status: 'read', raw: {} } },
	];
	expect(
		await outputOf('listConversations', list, {
			resource: 'conversation',
			operation: 'getAll',
			simplify: true,
		}),
	).toEqual([
		{ id: '1', lastMessage: 'Hi' },
		{ id: '2', lastMessage: 'Hello', lastMessageDirection: 'inbound', lastMessageStatus: 'read' },
	]);
});

describe('Create or Update', () => {
	const upsert = {
		resource: 'contact',
		operation: 'upsert',
		phone: '={{ $json.phone }}',
		name: 'Anna',
	};

	test('finds a contact however the service writes its number, and leaves alone what is no number', async () => {
		const made = service.sandbox.state.contacts.create({ phone: '+491701234567' });
		const list = [
			{ id: 'none', phone: 'unknown' },
			{ id: made.id, phone: '0049 170 1234567' },
			{ id: 'later', phone: '+49 170 1234567' },
		];
		const [contact] = await outputOf('listContacts', list, upsert, [{ phone: '+491701234567' }]);
		expect(contact).toMatchObject({ id: made.id, name: 'Anna' });
		expect(service.calls('createContact')).toBe(0);
	});

	test('says so if the service shows no ID of the contact', async () => {
		await service.fault({
			endpoint: 'listContacts',
			status: 200,
			body: [{ phone: '+491701234567' }],
		});
		await service.fault({ endpoint: 'listContacts', status: 200, body: [], count: 9 });
		const { error } = await service.run({
			parameters: upsert,
			items: [{ phone: '+491701234567' }],
		});
		expect(error).toMatchObject({
			message: 'The contact exists, but the node could not find its ID [item 0]',
			context: { sendStatus: 'notSent' },
		});
	});
});

test.each<[unknown, object]>([
	[{ data: { id: 7, name: 'x' } }, { id: 7, name: 'x' }],
	[{ account: { id: 7 }, status: 'ok' }, { id: 7 }],
	[{ accounts: [{ id: 7 }] }, { id: 7 }],
	[[{ id: 7 }], { id: 7 }],
	[
		{ id: 7, data: 'x' },
		{ id: 7, data: 'x' },
	],
	['', { success: true }],
])('%j is the record %j', async (body, record) => {
	await service.fault({ endpoint: 'getCurrentAccount', status: 200, body });
	const { outputs } = await service.run({
		parameters: { resource: 'account', operation: 'getCurrent' },
	});
	expect(outputs[0].map(({ json }) => json)).toEqual([record]);
});

test.each<[unknown, string | null]>([
	[{ messageUuid: 'm1' }, 'm1'],
	[{ message: { id: 5 } }, '5'],
	[{ messages: [{ id: 'm1' }] }, 'm1'],
	[{ queued: true }, null],
])('the identifier of the message in %j is %j', async (body, messageId) => {
	const [sent] = await outputOf('sendText', body, {
		resource: 'message',
		operation: 'sendText',
		to: '+15550001000',
		text: 'Hi',
	});
	expect(sent).toMatchObject({ messageId, to: '+15550001000' });
});

test('figures come out one item each, or as the record that they are', async () => {
	const get = { resource: 'analytics', operation: 'getAgentStatistics' };
	expect(
		await outputOf('getAgentStatistics', { agents: [{ name: 'A' }, { name: 'B' }] }, get),
	).toEqual([{ name: 'A' }, { name: 'B' }]);
	expect(await outputOf('getAgentStatistics', { sent: 3 }, get)).toEqual([{ sent: 3 }]);
});

test.each([true, false])(
	'of a large contact the fields that matter come out if it is simplified (%s)',
	async (simplify) => {
		const known = {
			id: '7',
			name: 'Anna',
			phone: '+491701234567',
			email: 'a@example.com',
			language: 'de',
			segments: ['a'],
			tags: ['b'],
			status: 'x',
			createdAt: 'y',
			updatedAt: 'z',
		};
		const large = { a: 1, b: 2, c: 3, ...known, d: 4, deep: {} };
		expect(
			await outputOf('listContacts', [large], {
				resource: 'contact',
				operation: 'getAll',
				simplify,
			}),
		).toEqual([simplify ? known : large]);
	},
);

test('webhooks come out without the secrets in their addresses, whatever else they hold', async () => {
	const listed = [
		{ id: 1, url: 'https://n8n.example/webhook/1?token=abc&x=1', events: ['a'], active: true },
	];
	expect(
		await outputOf('listWebhooks', listed, { resource: 'webhook', operation: 'getAll' }),
	).toEqual([{ ...listed[0], url: 'https://n8n.example/webhook/1?token=…&x=1' }]);
});
