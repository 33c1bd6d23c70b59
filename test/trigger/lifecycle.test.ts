/** The registration at the service from activation to deactivation, through n8n's own contexts, over HTTP. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers } from './support';

const service = useService();
const triggers = new Triggers(service);

/** What the service has registered. */
const registered = () => service.sandbox.state.webhooks.all;

/** The registrations of one trigger: its URL with a secret. */
const own = ({ url }: Trigger) =>
	registered().filter((webhook) => webhook.url.split('?')[0] === url);

/** Puts a registration at the service as if somebody else had made it. */
const foreign = (url: string, events = ['message.received']) =>
	service.sandbox.state.webhooks.create({ url, events });

const receipts: INodeParameters = {
	events: ['message.received', 'message.read'],
	otherEvents: 'contact.created, *',
};

test('registers the URL with a secret and the chosen events, and removes it again', async () => {
	const it = await triggers.make({ parameters: receipts });
	await it.activate();
	expect(registered()).toEqual([
		expect.objectContaining({
			url: expect.stringMatching(/\/webhook\/webhook-id\/webhook\?token=[\w-]{43}$/),
			events: ['message.received', 'message.read', 'contact.created', '*'],
		}),
	]);
	await it.deactivate();
	expect(registered()).toEqual([]);
});

test('adopts a registration that is as it should be, and removes surplus copies', async () => {
	const it = await triggers.make();
	await it.activate();
	const [{ id, url }] = registered();
	foreign(url);
	foreign(it.url);
	await it.activate('init');
	expect(registered().map((webhook) => webhook.id)).toEqual([id]);
	expect(service.calls('createWebhook')).toBe(1);
});

test('replaces a registration for other events, the new one first, so that it never has none', async () => {
	const it = await triggers.make();
	await it.activate();
	const [{ id, url }] = registered();
	const changed = await triggers.make({ parameters: receipts, staticData: it.staticData });
	await changed.activate();
	expect(registered()).toHaveLength(1);
	expect(registered()[0]).toMatchObject({ url, events: expect.arrayContaining(['message.read']) });
	expect(registered()[0].id).not.toBe(id);
	const writes = service.sandbox.state.requests.last(20).filter(({ method }) => method !== 'GET');
	expect(writes.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE']);
});

test('shows a refusal of its events, registers nothing without them, and leaves what is there', async () => {
	const it = await triggers.active();
	await service.fault({
		endpoint: 'createWebhook',
		status: 422,
		body: { message: 'events: "message.recieved" is unknown' },
		count: 20,
	});
	const changed = await triggers.make({
		parameters: { otherEvents: 'message.recieved' },
		staticData: it.staticData,
	});
	const calls = service.calls('createWebhook');
	await expect(changed.activate()).rejects.toThrow(/"message.recieved" is unknown.*Other Event/);
	expect(service.calls('createWebhook') - calls).toBe(1);
	expect(service.calls('deleteWebhook')).toBe(1); // n8n tidies up after a failed activation
});

test('registers again what was deleted at the service while n8n was down', async () => {
	const it = await triggers.make();
	await it.activate();
	service.sandbox.state.webhooks.delete(registered()[0].id);
	await it.activate('init');
	expect(own(it)).toHaveLength(1);
	await it.deactivate();
	expect(registered()).toEqual([]);
});

test('tidies up its own without knowing anything of it any more', async () => {
	const it = await triggers.make();
	await it.activate();
	const amnesiac = await triggers.make({ staticData: {} });
	await amnesiac.activate();
	expect(own(it)).toHaveLength(1);
	await (await triggers.make({ staticData: {} })).deactivate();
	expect(registered()).toEqual([]);
});

test('counts a registration that is gone already as removed', async () => {
	const it = await triggers.make();
	await it.activate();
	await service.fault({ endpoint: 'deleteWebhook', status: 404 });
	await it.deactivate();
	expect(service.calls('deleteWebhook')).toBe(1);
	expect(it.staticData).not.toHaveProperty(['registrations of id of Trigger', 'production', 'id']);
});

test('has test and production URL side by side', async () => {
	const production = await triggers.make();
	const test = await triggers.make({ mode: 'test' });
	await production.activate();
	await test.activate();
	expect([own(production), own(test)]).toEqual([[expect.anything()], [expect.anything()]]);
	expect((await service.engine.trigger({})).url).toBe(production.url);
	await test.deactivate();
	expect(registered()).toEqual(own(production));
	await production.deactivate();
	expect(registered()).toEqual([]);
});

test('leaves nothing of its own and touches nothing of others in 50 rounds', async () => {
	const it = await triggers.make();
	const others = [
		`${it.url}/more`,
		`${it.url}?token=short`,
		`${it.url}?token=${'a'.repeat(43)}&more`,
		`${it.url}?other=${'a'.repeat(43)}`,
		it.url.replace('/webhook/', '/webhook-test/'),
		it.url.toUpperCase(),
		'https://example.com/hook',
	].map((url) => foreign(url));
	for (let n = others.length; n < 20; n++) others.push(foreign(`https://example.com/${n}`));
	for (let round = 0; round < 50; round++) {
		await it.activate();
		expect(own(it)).toHaveLength(3 + 1); // with the three foreign ones that differ in the query only
		await it.deactivate();
	}
	expect(registered()).toEqual(others);
}, 120_000);

test('removes what it had registered when the user goes over to registering by hand', async () => {
	const automatic = await triggers.active();
	const byHand = foreign(automatic.url);
	const manual = await triggers.make({
		parameters: { registration: 'manual' },
		staticData: automatic.staticData,
	});
	await manual.activate();
	expect(registered()).toEqual([byHand]);
});

test('leaves the registrations of its copies alone', async () => {
	const it = await triggers.active();
	const copy = await triggers.active({ webhookId: 'another-id', staticData: it.staticData });
	await it.deactivate();
	expect(registered()).toEqual(own(copy));
	expect(own(copy)).toHaveLength(1);
});

test('points to Manual where the service does not offer registering', async () => {
	const it = await triggers.make({
		credentials: { ...service.credentials(), baseUrl: `${service.url}/api` },
	});
	await expect(it.activate()).rejects.toThrow(
		/does not offer.*Manual.*by hand: http:.*\/webhook-id\/webhook$/,
	);
});

test('leaves everything to the user if registered by hand', async () => {
	const it = await triggers.make({ parameters: { registration: 'manual' } });
	foreign(it.url);
	await it.activate();
	await it.deactivate();
	expect(registered()).toHaveLength(1);
	expect(
		service.calls('listWebhooks') + service.calls('createWebhook') + service.calls('deleteWebhook'),
	).toBe(0);
});

test('refuses to register an address that the service cannot reach, without asking it', async () => {
	const asked: string[] = [];
	const note = (message: unknown) =>
		asked.push((message as { request: ClientRequest }).request.host);
	subscribe('http.client.request.start', note);
	const it = await triggers.make({
		credentials: service.credentials({ baseUrl: 'https://api.example.com' }),
	});
	await expect(it.activate()).rejects.toThrow(
		/http:\/\/127\.0\.0\.1:\d+: the address is only known to this machine.*WEBHOOK_URL/,
	);
	unsubscribe('http.client.request.start', note);
	expect(asked).toEqual([]);
});

test('asks for an event', async () => {
	const it = await triggers.make({ parameters: { events: [] } });
	await expect(it.activate()).rejects.toThrow('Choose at least one');
});
