/** Publishing and unpublishing the trigger: what it asks the service for, what it remembers, and what it writes to the log. */
import { createHash } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { Triggers, useLog, useService } from '../../../harness/engine/service';
import type { Trigger, TriggerOptions } from '../../../harness/engine/trigger';
import type { FaultOrder } from '../../../sandbox/faults';
import { People, anna, jsonOf, startedBy } from '../reply/support';

const service = useService();
const log = useLog(service, 'businessMessagingTrigger', 'hooks');
const triggers = new Triggers(service);
const people = new People(service);
let count = 0;
const make = async (options: TriggerOptions = {}) =>
	await triggers.make({ webhookId: `published-${++count}`, ...options });
const publish = async (options: TriggerOptions = {}) => {
	const trigger = await make(options);
	await trigger.activate();
	return trigger;
};
const registered = () => service.sandbox.state.webhooks.all;
const byHand: INodeParameters = { options: { registration: 'manual' } };
const withSecret: INodeParameters = { options: { registration: 'manual', requireSecret: true } };
const credentials = () => service.credentials({ webhookSecret: 'own secret' });
const failsAfter = (skip: number): FaultOrder => ({
	endpoint: 'listWebhooks',
	status: 403,
	skip,
	count: 20,
});
const asItIs = (url: string) => url;
const warnings = () => log.filter((line) => line.startsWith('warn'));
/** How many lists of webhooks are read before a new registration. */
const listsBefore = async (trigger: Trigger): Promise<number> => {
	await trigger.activate();
	const names = service.requests().map(({ endpoint }) => endpoint);
	return names.slice(0, names.indexOf('createWebhook')).filter((one) => one === 'listWebhooks')
		.length;
};

test.each<[string, TriggerOptions]>([
	['for messages', {}],
	['for all events', { parameters: { events: ['*'] } }],
	['by hand', { parameters: withSecret }],
])('a trigger %s that is published while a run waits gets no reply', async (_, options) => {
	const inbox = await publish({ parameters: { keepReplies: true } });
	const execution = await people.ask([anna]);
	const second = await publish({ credentials: credentials(), ...options });
	second.staticData = {};
	await second.activate('init');
	expect(warnings()).toEqual([]);
	if (options.parameters === withSecret)
		service.sandbox.state.webhooks.create({ url: `${second.url}?token=own+secret` });
	await people.write(anna, 'Yes');
	expect(await jsonOf(execution)).toMatchObject([{ text: 'Yes' }]);
	expect([inbox, second].map(startedBy)).toEqual([[], []]);
});

test.each<[string, TriggerOptions]>([
	['without messages', { parameters: { events: ['message.read'] } }],
	['in a test', { mode: 'test' }],
	['in a test, by hand', { mode: 'test', parameters: byHand }],
])('a trigger %s needs no inbox', async (_, options) => {
	await publish({ parameters: { keepReplies: true } });
	const { staticData } = await publish(options);
	expect(JSON.stringify(staticData)).not.toContain('inbox');
});

describe('a new registration', () => {
	test('is not tried again if it is refused and nothing else is registered', async () => {
		service.fault({ endpoint: 'createWebhook', status: 422, count: 20 });
		await expect((await make()).activate()).rejects.toThrow('HTTP 422');
		expect(service.calls('createWebhook')).toBe(1);
	});

	test('counts even if the list fails afterwards', async () => {
		const it = await make();
		const earlierLists = await listsBefore(it);
		expect(earlierLists).toBe(2); // whether it is registered, and what else is
		await it.deactivate();
		for (const hidesIds of [false, true]) {
			service.showWebhooks(asItIs, { hidesIds });
			service.fault(failsAfter(earlierLists));
			await it.activate();
			expect([registered().length, warnings()]).toEqual([1, []]);
			service.sandbox.state.faults.remove();
			await it.deactivate();
			expect(registered()).toEqual([]);
		}
	});

	test('replaces one whose secret was changed at the service', async () => {
		const it = await publish();
		const [webhook] = registered();
		const { url } = webhook;
		webhook.url = url.replace(/[\w-]{43}$/, 'x'.repeat(43));
		await it.activate('init');
		expect(registered()).toEqual([expect.objectContaining({ url })]);
	});
});

test('when n8n starts, a trigger that was never registered is not taken for registered', async () => {
	service.fault({ endpoint: 'listWebhooks', status: 503, count: 20 });
	const credentials = service.credentials(service.newKey());
	await expect((await make({ credentials })).activate('init')).rejects.toThrow('HTTP 503');
});

describe('an unpublished trigger', () => {
	test('keeps the hash of the secret, and forgets the ID', async () => {
		const it = await publish();
		const [{ id, url }] = registered();
		const secret = url.slice(-43);
		const hash = createHash('sha256').update(secret).digest('base64url');
		const remembered = () => JSON.stringify(it.staticData);
		expect(remembered()).toContain(`"id":"${id}"`);
		await it.deactivate();
		expect(remembered()).not.toContain('"id"');
		expect(remembered()).toContain(hash);
	});

	test('that is registered by hand asks the service for nothing', async () => {
		const it = await publish({ parameters: byHand });
		const before = service.requests().length;
		await it.deactivate();
		expect(service.requests()).toHaveLength(before);
	});

	test('remembers nothing that it did not know', async () => {
		const it = await make();
		await it.deactivate();
		expect(it.staticData).toEqual({});
	});

	test('that was never registered does not fail if the service does', async () => {
		service.fault(failsAfter(0));
		await expect((await make()).deactivate()).resolves.toBeUndefined();
	});

	test('that is registered fails if the service does, also after another one could not be published', async () => {
		const it = await publish();
		service.fault(failsAfter(0));
		const other = await make();
		jest.spyOn(other, 'deactivate').mockResolvedValueOnce(); // n8n uses this to clean up
		await expect(other.activate()).rejects.toThrow('HTTP 403');
		await expect(it.deactivate()).rejects.toThrow('could not be removed at the service');
	});
});
