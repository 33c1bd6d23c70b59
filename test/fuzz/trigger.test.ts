/** Whatever JSON a service sends to the trigger: publishing ends, or fails in words; each delivery gets a response. */
import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';

import { anyBody, anyJson, anyList, anyRecord, rawWords } from '../../harness/anyJson';
import { Triggers, useService } from '../../harness/engine/service';

const service = useService();
const triggers = new Triggers(service);
const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

const event = fc.record({
	event: fc.constantFrom('message.received', 'message.failed', 'message.sent', 'other'),
	data: fc.oneof({ weight: 3, arbitrary: anyRecord }, anyList, anyJson),
});
const deliveries = fc.oneof(event, fc.array(event, { maxLength: 3 }), anyBody);

test('any response to publishing and unpublishing', async () => {
	const statuses = fc.constantFrom(200, 200, 201, 204, 400, 404, 409, 422);
	const check = async (created: unknown, listed: unknown, status: number) => {
		service.sandbox.reset();
		jest.spyOn(service.sandbox.state.adapter, 'answer').mockImplementation((name) => ({
			status,
			body: name === 'createWebhook' ? created : listed,
		}));
		const credentials = service.credentials(service.newKey());
		const trigger = await triggers.make({ credentials });
		for (const step of ['activate', 'deactivate'] as const) {
			const error = await trigger[step]().then(
				() => undefined,
				(thrown: Error) => thrown,
			);
			expect(error?.message ?? '').not.toMatch(rawWords);
		}
	};
	const webhooks = fc.array(fc.record({ url: anyJson, events: anyJson, id: anyJson }), {
		maxLength: 2,
	});
	const property = fc.asyncProperty(anyBody, fc.oneof(anyBody, webhooks), statuses, check);
	await fc.assert(property, { seed, numRuns: 400 });
});

test.each<INodeParameters>([
	{ events: ['*'] },
	{ events: ['*'], simplify: false },
	{ events: ['message.received'], filters: { senders: '+15550001001', keywords: 'a' } },
])('any delivery to a trigger with %j', async (parameters) => {
	const trigger = await triggers.active({ parameters });
	const check = async (body: unknown) => {
		const sent = typeof body === 'object' && body !== null ? body : JSON.stringify(body);
		const { status } = await triggers.deliver(trigger, sent);
		expect([200, 400]).toContain(status);
	};
	await fc.assert(fc.asyncProperty(deliveries, check), { seed, numRuns: 200 });
});
