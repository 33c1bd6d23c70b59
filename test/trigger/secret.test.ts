/** The secret in the registered URL over its life. */
import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers, loseStaticData, received, writeBack } from './support';

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

test('opens nothing under another URL of the node', async () => {
	const earlier = await triggers.active({ webhookId: 'earlier' });
	const old = new URL(triggers.urlOf(earlier)).search;
	const { staticData } = earlier;
	const test = await triggers.active({ webhookId: 'earlier', mode: 'test', staticData });
	const oldTest = new URL(triggers.urlOf(test)).search;
	const moved = await triggers.active({ webhookId: 'present', staticData: test.staticData });
	for (const search of [old, oldTest]) {
		const { status } = await triggers.deliver(moved, received(), {}, moved.url + search);
		expect(status).toBe(401);
	}
	expect((await triggers.deliver(moved, received())).status).toBe(200);
	expect(moved.executions).toHaveLength(1);
});

test('opens production and test URL side by side, each with its own', async () => {
	const production = await triggers.active();
	const { staticData } = production;
	const test = await triggers.active({ mode: 'test', staticData });
	const urls = [triggers.urlOf(production), triggers.urlOf(test)];
	const [own, ownOfTest] = urls.map((url) => new URL(url).search);
	expect(own).not.toBe(ownOfTest);
	const wrong = await triggers.deliver(test, received(), {}, test.url + own);
	expect(wrong.status).toBe(401);
	expect((await triggers.deliver(production, received(), {}, urls[0])).status).toBe(200);
	expect((await triggers.deliver(test, received(), {}, urls[1])).status).toBe(200);
});

test('of an earlier version stays refused when a late delivery has written it back', async () => {
	const workflowId = 'late';
	const it = await triggers.active({ workflowId });
	const old = triggers.urlOf(it);
	const parameters = { options: { secretVersion: 2 } };
	const changed = await triggers.make({ workflowId, staticData: it.staticData, parameters });
	await changed.activate();
	const { staticData } = changed;
	writeBack(changed, it.staticData);
	expect((await triggers.deliver(changed, received(), {}, old)).status).toBe(401);
	expect((await triggers.deliver(changed, received())).status).toBe(200);
	expect(changed.staticData).toMatchObject(staticData);
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
