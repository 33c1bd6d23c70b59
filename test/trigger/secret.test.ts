/** The secret in the registered URL over its life. */
import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers, loseStaticData, received } from './support';

const service = useService();
const triggers = new Triggers(service);

const registered = () => service.sandbox.state.webhooks.all;
const own = ({ url }: Trigger) =>
	registered().filter((webhook) => webhook.url.split('?')[0] === url);

test('makes a new secret when the user asks for one, and the old one ends', async () => {
	const it = await triggers.active();
	const old = triggers.urlOf(it);
	const changed = await triggers.make({
		staticData: it.staticData,
		parameters: { options: { secretVersion: 2 } },
	});
	await changed.activate();
	expect(own(it)).toHaveLength(1);
	expect(triggers.urlOf(changed)).not.toBe(old);
	expect((await triggers.deliver(changed, received(), {}, old)).status).toBe(401);
	expect((await triggers.deliver(changed, received())).status).toBe(200);
});

test('keeps its secret when it is switched off and on', async () => {
	const it = await triggers.active();
	const url = triggers.urlOf(it);
	await it.deactivate();
	await it.activate();
	expect(triggers.urlOf(it)).toBe(url);
});

test('still knows its secret when a late delivery has written back older data', async () => {
	const it = await triggers.active();
	const { staticData } = it;
	loseStaticData(it);
	expect((await triggers.deliver(it, received())).status).toBe(200);
	expect(it.staticData).toMatchObject(staticData);
});

test('stays out of errors that quote the URL', async () => {
	const it = await triggers.active();
	const url = triggers.urlOf(it);
	for (const endpoint of ['createWebhook', 'deleteWebhook'] as const) {
		await service.fault({ endpoint, status: 403, body: { message: `Not for ${url}` }, count: 2 });
	}
	const changed = await triggers.make({
		staticData: it.staticData,
		parameters: { events: ['message.read'] },
	});
	await expect(changed.activate()).rejects.toThrow(/Not for http.*\?token=… \(HTTP 403\)/);
	await expect(changed.deactivate()).rejects.toThrow(/Not for http.*\?token=… \(HTTP 403\)/);
});
