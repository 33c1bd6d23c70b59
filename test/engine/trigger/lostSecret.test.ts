/** Another trigger of the workflow may write back static data that n8n read before the registration. */
import { received, Triggers, useService } from '../../../harness/engine/service';
import type { WebhookHandler } from '../../../harness/engine/webhooks';

const service = useService();
const triggers = new Triggers(service);

test('the secret of the URL is read from the list of the service if n8n has lost it', async () => {
	const webhookId = 'lost';
	const url = triggers.urlOf(await triggers.active({ webhookId }));
	// Another process of n8n, which has read what another trigger of the workflow has written back.
	const other = await triggers.make({ webhookId });
	const [webhook] = other['webhooks'];
	const handle = async (...call: Parameters<WebhookHandler>) =>
		await other['receive'](webhook, ...call);
	service.engine['server'].register('POST', other['path'], handle);
	const statusOf = async (address: string) => (await other.deliver(received(), {}, address)).status;
	const wrong = url.replace(/[\w-]{43}/, 'x'.repeat(43));
	const before = service.calls('listWebhooks');
	expect([await statusOf(url), await statusOf(wrong)]).toEqual([200, 401]);
	const lists = service.calls('listWebhooks');
	expect([await statusOf(wrong), await statusOf(url)]).toEqual([401, 200]);
	expect(service.calls('listWebhooks')).toBe(lists);
	expect(JSON.stringify(other.staticData)).toContain('secretVersion');
	// However often a wrong secret comes, the list is read again after a minute.
	const now = performance.now.bind(performance);
	for (const seconds of [30, 59, 61, 90]) {
		jest.spyOn(performance, 'now').mockImplementation(() => now() + 1_000 * seconds);
		expect(await statusOf(wrong)).toBe(401);
	}
	expect(service.calls('listWebhooks')).toBe(lists + (lists - before)); // a list takes several requests
});
