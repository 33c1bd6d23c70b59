/** The Idempotency-Key that goes along with whatever must not happen twice. */
import type { INodeParameters } from 'n8n-workflow';

import { useService } from '../support/service';

const service = useService();

/** The keys of the POST requests so far. */
const keys = () =>
	service.sandbox.state.requests
		.last()
		.filter(({ method }) => method === 'POST')
		.map(({ headers }) => headers['idempotency-key']);

const phone = '=+1555000100{{ $itemIndex }}';
const creating: Array<[string, INodeParameters]> = [
	['contact create', { phone }],
	['contact upsert', { phone }],
	['message sendText', { to: phone, text: 'Hi' }],
	[
		'template create',
		{
			name: '=t{{ $itemIndex }}',
			language: 'en_US',
			componentsJson: '[{ "type": "BODY", "text": "Hi" }]',
		},
	],
	['webhook create', { url: '=https://example.com/{{ $itemIndex }}' }],
];

test.each(creating)(
	'%s: each item has a key of its own, the same in all attempts',
	async (name, own) => {
		const [resource, operation] = name.split(' ');
		const parameters = { resource, operation, ...own, options: { concurrency: 1 } };
		await service.fault({ method: 'POST', skip: 1, count: 1, status: 409 });
		await service.run({
			parameters,
			items: [{}, {}, {}],
			retryOnFail: true,
			maxTries: 2,
		});
		const [first, refused, again, last, ...others] = keys().reverse();
		expect(others).toEqual([]);
		expect(first).toMatch(/^[0-9a-f]{32}/);
		expect(again).toBe(refused);
		expect(new Set([first, again, last]).size).toBe(3);
	},
);

test('what the trigger registers has a key as well', async () => {
	const trigger = await service.engine.trigger({ credentials: service.credentials() });
	await trigger.activate();
	expect(keys()).toEqual([expect.stringMatching(/\S{16}/)]);
	await trigger.deactivate();
});
