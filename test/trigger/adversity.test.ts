/** Activations and deactivations while the service fails: nothing is left over, nothing is lost, and the user learns why. */
import type { FaultOrder } from '../../sandbox/faults';
import { useService } from '../support/service';
import type { Trigger } from '../support/trigger';
import { Triggers } from './support';

const service = useService();
const triggers = new Triggers(service);

const registered = () => service.sandbox.state.webhooks.all;
const own = ({ url }: Trigger) =>
	registered().filter((webhook) => webhook.url.split('?')[0] === url);
const foreign = (url: string) =>
	service.sandbox.state.webhooks.create({ url, events: ['message.received'] });

test('is removed after a deactivation that did not get through', async () => {
	const it = await triggers.make();
	await it.activate();
	await service.fault({ endpoint: 'deleteWebhook', status: 403 });
	await expect(it.deactivate()).rejects.toThrow(
		/could not be removed at the service.*not allowed.*Publish and unpublish/,
	);
	expect(registered()).toHaveLength(1);
	await it.activate();
	await it.deactivate();
	expect(registered()).toEqual([]);
});

test('finds out whether a registration without an answer came about', async () => {
	const it = await triggers.make();
	await service.fault({ endpoint: 'createWebhook', reset: 'afterRead' });
	await it.activate();
	expect(it.staticData).toMatchObject({
		'registrations of id of Trigger': { production: { id: own(it)[0].id } },
	});
	await it.deactivate();
	expect(registered()).toEqual([]);
});

test('leaves nothing when an activation fails halfway', async () => {
	const it = await triggers.make();
	await service.fault({ endpoint: 'createWebhook', reset: 'afterRead' });
	await service.fault({ endpoint: 'listWebhooks', status: 403, skip: 4 });
	await expect(it.activate()).rejects.toThrow(
		/not allowed to do this.*\(HTTP 403\)\. Use an API key with the necessary permissions/,
	);
	expect(registered()).toEqual([]);
});

test('replaces a registration at a service that takes each address once', async () => {
	const it = await triggers.make();
	foreign(it.url);
	await service.fault({ endpoint: 'createWebhook', status: 409 });
	await it.activate();
	expect(own(it)).toEqual([expect.objectContaining({ url: expect.stringContaining('?token=') })]);
});

test('stays as it was when n8n starts and the service does not answer', async () => {
	const credentials = service.credentials({ apiKey: 'another-key-0001' });
	service.sandbox.state.keys.create('Another', 'another-key-0001');
	const it = await triggers.make({ credentials });
	await it.activate();
	const before = [...registered()];
	await service.fault({
		endpoint: 'listWebhooks',
		status: 429,
		headers: { 'retry-after': '86400' },
	});
	await it.activate('init');
	expect(registered()).toEqual(before);
});

test('leaves nothing behind whatever goes wrong, in 60 rounds', async () => {
	const others = Array.from({ length: 20 }, (_, n) => foreign(`https://example.com/${n}`));
	const faults: FaultOrder[] = [
		...[403, 409, 422, 500].map((status): FaultOrder => ({ endpoint: 'createWebhook', status })),
		{ endpoint: 'createWebhook', reset: 'beforeRead' },
		{ endpoint: 'createWebhook', reset: 'afterRead' },
		{ endpoint: 'createWebhook', brokenJson: true },
		{ endpoint: 'createWebhook', status: 500, processed: true },
		...[403, 404].map((status): FaultOrder => ({ endpoint: 'deleteWebhook', status })),
		...[0, 1, 2, 3, 4].map((skip): FaultOrder => ({ endpoint: 'listWebhooks', status: 403, skip })),
	];
	const it = await triggers.make();
	for (let round = 0; round < 60; round++) {
		service.sandbox.state.faults.remove();
		await service.fault(faults[round % faults.length]);
		if (round % 7 === 0) await service.fault(faults[(round * 5) % faults.length]);
		await it.activate().catch(() => {});
		await it.deactivate().catch(() => {});
		expect(own(it).length).toBeLessThanOrEqual(1);
	}
	service.sandbox.state.faults.remove();
	await it.activate();
	await it.deactivate();
	expect(registered()).toEqual(others);
}, 120_000);
