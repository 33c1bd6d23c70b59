/** What the trigger does, from activation to deactivation. */
import assert from 'node:assert/strict';

import { waitFor } from '../../../tools/waitFor';
import type { Check } from './environment';

const customer = '+15550001111';

/** Checks by name. */
export const triggerChecks: Record<string, Check> = {
	'Trigger: register, remove': async (environment) => {
		const trigger = await environment.trigger();
		await trigger.activate();
		const [{ url, events }, ...others] = await environment.webhooks();
		assert.ok(url.startsWith(trigger.url) && others.length === 0, 'registers its own address');
		assert.deepEqual(events, ['message.received']);
		await trigger.activate('init');
		assert.deepEqual(
			(await environment.webhooks()).map((webhook) => webhook.url),
			[url],
			'knows its registration when n8n starts again',
		);
		await trigger.deactivate();
		assert.deepEqual(await environment.webhooks(), []);
	},

	'Trigger: a customer writes': async (environment) => {
		const trigger = await environment.trigger();
		await trigger.activate();
		await environment.sandbox.receive(customer, 'Hello');
		await waitFor(async () => trigger.executions.length > 0, {
			what: 'the execution',
			limit: 10_000,
			interval: 20,
		});
		const [{ items, error }] = trigger.executions;
		assert.equal(error, undefined);
		assert.deepEqual(
			items[0].map(({ json }) => [json.from, json.text]),
			[[customer, 'Hello']],
		);
		await trigger.deactivate();
	},

	'Trigger: repeats, strangers': async (environment) => {
		const trigger = await environment.trigger();
		await trigger.activate();
		const [{ url }] = await environment.webhooks();
		const event = {
			event: 'message.received',
			data: { id: 'msg_1', from: customer, text: 'Hello', timestamp: '2030-01-31T10:00:00Z' },
		};
		const first = await trigger.deliver(event, {}, url);
		const again = await trigger.deliver(event, {}, url);
		assert.deepEqual([first.status, first.workflowData?.[0].length], [200, 1]);
		assert.deepEqual(
			[again.status, again.workflowData],
			[200, undefined],
			'a repeated delivery is answered, and starts nothing',
		);
		const stranger = await trigger.deliver(event, {}, trigger.url);
		assert.deepEqual(
			[stranger.status, stranger.workflowData],
			[401, undefined],
			'without the secret',
		);
		await trigger.deactivate();
	},
};
