/** How registrations are read, whatever the service shows of them, and what an uncertain registration leads to. */
import { answering, clientOf } from '../../../harness/engine/functionService';
import {
	addWebhook,
	listWebhooks,
	removeWebhooks,
} from '../../../nodes/BusinessMessaging/webhooks/registrations';

const url = 'https://n8n.example.com/webhook/a';
const events = ['message.received', 'message.read'];
const listing = (...records: object[]) => ({ body: { data: records } });

test.each<[object, object]>([
	[
		{ id: 1, url, events },
		{ id: '1', url, events },
	],
	[
		{ id: 1, url: `${url}?token=***`, event: 'message.read' },
		{ id: '1', url: `${url}?token=***` },
	],
	[
		{ id: 1, url: `${url}*b`, event_types: events },
		{ id: '1', url: `${url}*b`, events },
	],
	[
		{ id: 1, url, events: 'message.received, message.read' },
		{ id: '1', url, events },
	],
	[
		{
			id: 1,
			url,
			events: [
				{ id: 7, name: events[0] },
				{ type: events[1], active: true },
			],
		},
		{ id: '1', url, events },
	],
	[
		{ id: 1, url, events: [events[0], { toString: 'a', valueOf: 1 }] },
		{ id: '1', url, events: undefined },
	],
	[
		{ id: 1, url, events: [7] },
		{ id: '1', url, events: ['7'] },
	],
	[
		{ webhook_id: 'w', url: 'https://n8n.***/webhook/a' },
		{ id: 'w', url: undefined, events: undefined },
	],
	[
		{ webhookId: 'w', events: {} },
		{ id: 'w', url: undefined, events: undefined },
	],
])('a registration %j is read', async (record, expected) => {
	const [read] = await listWebhooks(clientOf(answering(listing(record))).client);
	expect(read).toMatchObject(expected);
});

const failed = { status: 500 };
test.each<[string, object[], string | undefined]>([
	[
		'the list has it',
		[
			{ id: 'other', url: `${url}b` },
			{ id: 'mine', url, events },
		],
		'mine',
	],
	['the list shows no events', [{ id: 'mine', url }], 'mine'],
	['the list has another URL', [{ id: 'other', url: `${url}b`, events }], undefined],
	['the list has other events', [{ id: 'other', url, events: ['message.sent'] }], undefined],
])('after a registration that may have been made: %s', async (_, records, id) => {
	const { client } = clientOf(answering(failed, listing(...records)));
	const adding = addWebhook(client, { url, events });
	if (id === undefined) await expect(adding).rejects.toMatchObject({ statusCode: 500 });
	else expect(await adding).toBe(id);
});

test.each([
	{ id: 'mine' },
	{ webhookId: 'mine' },
	{ webhook: { id: 'mine' }, account: 'a' },
	{ data: { webhook_id: 'mine' } },
])('the ID of a new registration is read from %j', async (body) => {
	const { client } = clientOf(answering({ status: 201, body }));
	expect(await addWebhook(client, { url, events })).toBe('mine');
});

test('after a refused registration, the list is not consulted', async () => {
	const { client } = clientOf(answering({ status: 403 }, listing({ id: 'mine', url, events })));
	await expect(addWebhook(client, { url, events })).rejects.toMatchObject({ statusCode: 403 });
});

test('a registration is removed; one without an ID stays, and the error says where to remove it', async () => {
	const { client, routes } = clientOf(answering({}, { status: 404 }));
	await removeWebhooks(client, [{ id: 'a' }, { id: 'b' }]);
	expect(routes.map((route) => route.split('/').at(-1))).toEqual(
		expect.arrayContaining(['a', 'b']),
	);
	await expect(removeWebhooks(client, [{ id: undefined }])).rejects.toMatchObject({
		message: "The service lists this node's webhook, but without the webhook's ID",
		description: 'Remove the webhook in the settings of the service.',
	});
});
