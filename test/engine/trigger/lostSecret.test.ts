/** Another trigger of the workflow may write back static data that n8n read before the registration. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { received, Triggers, useLog, useService } from '../../../harness/engine/service';
import type { TriggerOptions } from '../../../harness/engine/trigger';
import type { WebhookHandler } from '../../../harness/engine/webhooks';
import { until } from '../../../harness/until';
import type { FaultOrder } from '../../../sandbox/faults';

const service = useService();
const log = useLog(service, 'businessMessagingTrigger', 'webhook');
const triggers = new Triggers(service);
const now = performance.now.bind(performance);
/** Stops the clock this long after the present. */
const passSeconds = (seconds: number) =>
	jest.spyOn(performance, 'now').mockReturnValue(now() + 1_000 * seconds);
afterEach(() => jest.restoreAllMocks());

/** Stops all timers of the nodes. They end when the test says that this time has passed. */
function stopTimers() {
	const timers: Array<{ ms: number; controller: AbortController }> = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const controller = new AbortController();
		timers.push({ ms, controller });
		return controller.signal;
	});
	return {
		end: (passedMs: number) => {
			for (const { ms, controller } of timers) if (ms <= passedMs) controller.abort();
		},
	};
}

/** A registered trigger as another process of n8n knows it, which has read what another trigger of the workflow has written back. */
async function lost(webhookId: string, options: TriggerOptions = {}, at = service) {
	const triggers = new Triggers(at);
	const url = triggers.urlOf(await triggers.active({ webhookId, ...options }));
	const other = await triggers.make({ webhookId, ...options });
	const [webhook] = other['webhooks'];
	const handle = async (...call: Parameters<WebhookHandler>) =>
		await other['receive'](webhook, ...call);
	at.engine['server'].register('POST', other['path'], handle);
	const statusOf = async (address: string, body: object = received()) =>
		(await other.deliver(body, {}, address)).status;
	return { url, other, statusOf, wrong: url.replace(/[\w-]{43}/, 'x'.repeat(43)) };
}

test('the secret of the URL is read from the list of the service if n8n has lost it', async () => {
	const { url, other, statusOf, wrong } = await lost('lost');
	const before = service.calls('listWebhooks');
	expect([await statusOf(url), await statusOf(wrong)]).toEqual([200, 401]);
	const lists = service.calls('listWebhooks');
	expect([await statusOf(wrong), await statusOf(url)]).toEqual([401, 200]);
	expect(service.calls('listWebhooks')).toBe(lists);
	expect(JSON.stringify(other.staticData)).toContain('secretVersion');
	// However often a wrong secret comes, the list is read again after a minute.
	for (const seconds of [30, 59, 61, 90]) {
		passSeconds(seconds);
		expect(await statusOf(wrong)).toBe(401);
	}
	// So far, it was read once. A list takes several requests.
	expect(service.calls('listWebhooks')).toBe(2 * lists - before);
});

test.each<[string, object, INodeParameters]>([
	['does not choose', { event: 'not.chosen', data: { id: 'a' } }, {}],
	['filters out', received({ text: 'Hi' }), { filters: { textContains: 'order' } }],
	['starts with', received(), {}],
	['may start with twice', received(), { options: { allowDuplicateEvents: true } }],
])('the secret is stored with an event that the trigger %s', async (name, body, parameters) => {
	const { url, other, statusOf } = await lost(name.replaceAll(' ', '-'), { parameters });
	expect(await statusOf(url, body)).toBe(200);
	expect(JSON.stringify(other.staticData)).toContain(new URL(url).search.split('=')[1]);
});

test('while the list shows two secrets of the URL, it is read once a minute', async () => {
	const { url, statusOf } = await lost('two');
	const second = url.replace(/[\w-]{43}/, 'y'.repeat(43));
	service.sandbox.state.webhooks.create({ url: second, events: ['message.received'] });
	const before = service.calls('listWebhooks');
	expect(await statusOf(url)).toBe(200);
	const once = service.calls('listWebhooks') - before;
	for (let n = 0; n < 10; n++)
		expect([await statusOf(second), await statusOf(url)]).toEqual([200, 200]);
	expect(service.calls('listWebhooks')).toBe(before + once);
	passSeconds(61);
	expect(await statusOf(second)).toBe(200);
	expect(service.calls('listWebhooks')).toBe(before + 2 * once);
});

test.each<[string, Partial<FaultOrder>, attempts: number]>([
	['gets 403', { status: 403 }, 1],
	['gets 503', { status: 503 }, 4],
	['gets no response', { delayMs: 60_000 }, 4],
])(
	'while the list %s, the service has to deliver again, and the log says why',
	async (name, fault, attempts) => {
		const { url, statusOf, wrong } = await lost(name.replaceAll(' ', '-'));
		await service.fault({ endpoint: 'listWebhooks', count: 99, ...fault });
		const before = service.calls('listWebhooks');
		const { length } = log; // other tests have the same line
		passSeconds(0);
		expect(await statusOf(url)).toBe(503);
		for (const address of [wrong, url]) expect(await statusOf(address)).toBe(503);
		const isLogged = (line: string) => line.includes('could not check the secret');
		await until('the log', () => log.slice(length).some(isLogged));
		expect(service.calls('listWebhooks')).toBe(before + attempts); // of one list
		service.sandbox.state.faults.remove();
		passSeconds(5);
		expect([await statusOf(url), await statusOf(wrong)]).toEqual([200, 401]);
	},
	60_000,
);

test('a list that comes too late for the first delivery counts for the next', async () => {
	const { url, statusOf } = await lost('slow');
	await service.fault({ endpoint: 'listWebhooks', delayMs: 4_000 });
	expect(await statusOf(url)).toBe(503);
	await until('the list', async () => (await statusOf(url)) === 200);
}, 30_000);

/** A separate service: at the end, requests for its list are still under way, and other tests count theirs. */
const slowService = useService();

test('at most 20 deliveries wait for the list, and only for some seconds', async () => {
	const { statusOf, wrong } = await lost('flood', {}, slowService);
	await slowService.fault({ endpoint: 'listWebhooks', count: 99, delayMs: 60_000 });
	const timers = stopTimers();
	const statuses: number[] = [];
	const deliver = async () => statuses.push(await statusOf(wrong));
	const all = Array.from(Array(200), deliver);
	await until('all but 20 responses', () => statuses.length >= 180);
	await deliver(); // by now, the first 200 have arrived
	expect(statuses).toHaveLength(181);
	timers.end(5_000);
	await Promise.all(all);
	expect(new Set(statuses)).toEqual(new Set([503]));
	expect(slowService.calls('listWebhooks')).toBeLessThan(9); // those of publishing, too
});

test('a secret that another process of n8n has registered later counts', async () => {
	const it = await triggers.active({ webhookId: 'later' });
	const old = triggers.urlOf(it);
	const secret = 'y'.repeat(43);
	const later = JSON.stringify(it.staticData)
		.replace(old.slice(-43), secret)
		.replace(/"savedAt":\d+/, `"savedAt":${Date.now() + 1_000}`);
	it.staticData = JSON.parse(later) as IDataObject;
	const [webhook] = service.sandbox.state.webhooks.all;
	webhook.url = old.replace(/[\w-]{43}$/, secret);
	const statusOf = async (url: string) => (await it.deliver(received(), {}, url)).status;
	expect([await statusOf(old), await statusOf(webhook.url)]).toEqual([401, 200]);
});

test('a secret that is changed while the list is read does not come back', async () => {
	const { url, other, statusOf } = await lost('changed');
	const records = [...service.sandbox.state.webhooks.all];
	await service.fault({ endpoint: 'listWebhooks', status: 200, body: records, delayMs: 60_000 });
	stopTimers(); // the delivery waits for the list, however long the change takes
	const delivery = statusOf(url);
	await until('the list', () => service.sandbox.state.faults.all[0].hits > 0);
	const changed = { webhookId: 'changed', parameters: { options: { secretVersion: 2 } } };
	const { workflowId } = other['options'];
	await triggers.active({ ...changed, workflowId });
	service.sandbox.state.faults.endDelays();
	expect(await delivery).toBe(401);
});

test('a list from before the secret was changed does not count', async () => {
	const workflowId = 'rotated';
	const it = await triggers.active({ workflowId, webhookId: workflowId });
	const old = triggers.urlOf(it);
	const wrong = old.replace(/[\w-]{43}/, 'x'.repeat(43));
	expect((await it.deliver(received(), {}, wrong)).status).toBe(401);
	const options = { workflowId, webhookId: workflowId, staticData: it.staticData };
	const changed = await triggers.active({
		...options,
		parameters: { options: { secretVersion: 2 } },
	});
	for (const [url, status] of [
		[old, 401],
		[triggers.urlOf(changed), 200],
		[old, 401],
	] as const)
		expect((await changed.deliver(received(), {}, url)).status).toBe(status);
});
