/** Executions that share the rate of a key: what waits for it, how long, and what goes first. */
import { map, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { locator, useService } from '../../../harness/engine/service';

const service = useService();

describe('templates are checked before the first message, however long the list has to wait', () => {
	const filled = { mappingMode: 'defineBelow', value: { body_1: '={{ $json.name }}' }, schema: [] };
	const parameters = {
		...{ resource: 'message', operation: 'sendTemplate', to: '={{ $json.phone }}' },
		...{ template: locator('login_code', 'name'), language: locator('en_US', 'code') },
		variables: filled,
	} as INodeParameters;
	const items = range(4).map((n) => ({ phone: `+49170123451${n}`, name: n === 3 ? '' : 'Anna' }));
	const mistake = expect.objectContaining({
		message: expect.stringContaining("needs a value for 'Body 1'"),
	});

	test('for the rate, which another execution has used up', async () => {
		const rate = { requestsPerMinute: 4, rateWindowMs: 17_000 };
		const credentials = service.credentials({ ...service.newKey(), ...rate });
		const upsert = {
			resource: 'contact',
			operation: 'upsert',
			name: 'Anna',
			phone: '={{ $json.phone }}',
		};
		await service.run({ parameters: upsert, items: items.slice(0, 3), credentials });
		const { error } = await service.run({ parameters, items, credentials });
		expect([error, map(service.requests('sendTemplate'), 'body.to')]).toEqual([mistake, []]);
	}, 60_000);

	test('longer than a run waits: then nothing is sent, and the error says why', async () => {
		const headers = { 'retry-after': '3600' };
		await service.fault({ endpoint: 'listTemplates', status: 429, headers, count: 9 });
		const credentials = service.credentials(service.newKey());
		const { error } = await service.run({ parameters, items, credentials });
		expect(error?.message).toContain('The limit of the service is reached');
		expect(map(service.requests('sendTemplate'), 'body.to')).toEqual([]);
	});
});
