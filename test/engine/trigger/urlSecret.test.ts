/** The secret of the registered URL: how it changes, and that nobody can lose it or read it in what n8n stores. */
import type { INodeParameters } from 'n8n-workflow';

import { received, Triggers, useService } from '../../../harness/engine/service';
import type { Trigger } from '../../../harness/engine/trigger';

const service = useService();
const triggers = new Triggers(service);
const registered = () => service.sandbox.state.webhooks.all;
const own = ({ url }: Trigger) =>
	registered().filter((webhook) => webhook.url.split('?')[0] === url);
const statusOf = async (trigger: Trigger, url = triggers.urlOf(trigger)) =>
	(await triggers.deliver(trigger, received(), {}, url)).status;
const newSecret: INodeParameters = { options: { secretVersion: 2 } };

describe('the secret of the URL', () => {
	test('changes with the Secret Version, even if a late delivery writes back the old one', async () => {
		const workflowId = 'late';
		const it = await triggers.active({ workflowId });
		const [old, before] = [triggers.urlOf(it), it.staticData];
		const changed = await triggers.active({
			workflowId,
			staticData: before,
			parameters: newSecret,
		});
		const { staticData } = changed;
		expect(own(it)).toHaveLength(1);
		changed.staticData = before;
		expect(await statusOf(changed, old)).toBe(401);
		expect(await statusOf(changed)).toBe(200);
		expect(changed.staticData).toMatchObject(staticData);
	});

	test("changes when n8n's address has changed", async () => {
		const workflowId = 'moved';
		const it = await triggers.active({ workflowId });
		const [{ url: before }] = registered();
		const webhookBaseUrl = new URL(it.url).origin.replace('127.0.0.1', 'localhost');
		await triggers.active({ workflowId, staticData: it.staticData, webhookBaseUrl });
		const after = registered().map(({ url }) => url.split('?token='));
		const [address, secret] = before.split('?token=');
		expect(after).toContainEqual([
			address.replace('127.0.0.1', 'localhost'),
			expect.stringMatching(/^[\w-]{43}$/),
		]);
		expect(after.filter((one) => one.includes(secret))).toEqual([[address, secret]]);
	});

	test.each(['', '?token=', '?token=undefined', `?token=${'A'.repeat(43)}`])(
		'a trigger without a registration refuses a call with the secret "%s"',
		async (query) => {
			const it = await triggers.make({ webhookId: 'unknown' });
			const receive = it['receive'].bind(it, it['webhooks'][0]);
			service.engine['server'].register('POST', it['path'], receive);
			expect(await statusOf(it, it.url + query)).toBe(401);
			expect(it.executions).toEqual([]);
		},
	);

	test('is known when a delivery from before the first activation has written back nothing', async () => {
		const it = await triggers.active();
		const before = it.staticData;
		it.staticData = {};
		expect(await statusOf(it)).toBe(200);
		expect(it.staticData).toMatchObject(before);
	});

	test('is not in what n8n stores, and is known however old this is, without a request to the service', async () => {
		const it = await triggers.active({ webhookId: 'derived' });
		const secret = triggers.urlOf(it).slice(-43);
		const { staticData } = it;
		expect(JSON.stringify(staticData)).not.toContain(secret);
		const before = service.requests().length;
		for (const older of [{}, staticData, {}]) {
			it.staticData = older;
			expect(await statusOf(it)).toBe(200);
			expect(it.staticData).toMatchObject(staticData);
		}
		expect(service.requests()).toHaveLength(before);
	});

	test('stays valid when the API key changes, until the trigger is published again', async () => {
		const options = { webhookId: 'new-key', workflowId: 'new-key' };
		const it = await triggers.active(options);
		const old = triggers.urlOf(it);
		const credentials = service.credentials(service.newKey());
		const changed = await triggers.make({ ...options, credentials, staticData: it.staticData });
		const receive = changed['receive'].bind(changed, changed['webhooks'][0]);
		service.engine['server'].register('POST', changed['path'], receive);
		expect(await statusOf(changed, old)).toBe(200);
		await changed.activate('init');
		expect(triggers.urlOf(changed)).not.toBe(old);
		expect([await statusOf(changed, old), await statusOf(changed)]).toEqual([401, 200]);
	});
});
