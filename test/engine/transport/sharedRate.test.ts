/** Executions that share the rate of a key: what waits for it, how long, and what goes first. */
import { setTimeout as delay } from 'node:timers/promises';

import { countBy, map, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { campaign, locator, people, sendText, useService } from '../../../harness/engine/service';
import { until } from '../../../harness/until';

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
		service.fault({ endpoint: 'listTemplates', status: 429, headers, count: 9 });
		const credentials = service.credentials(service.newKey());
		const { error } = await service.run({ parameters, items, credentials });
		expect(error?.message).toContain('The limit of the service is reached');
		expect(map(service.requests('sendTemplate'), 'body.to')).toEqual([]);
	});
});

describe('while a campaign uses up the rate', () => {
	const rateWindowMs = 6_000;
	const rate = { requestsPerMinute: 20, rateWindowMs };
	const running = async (own: object = {}) => {
		const credentials = service.credentials({ ...service.newKey(), ...rate });
		const stop = new AbortController();
		const stopped = new Promise<void>((resolve) => (stop.signal.onabort = () => resolve()));
		const parameters = { ...campaign, ...own };
		const run = service.run({ parameters, items: people(200), credentials, cancelWhen: stopped });
		while (service.sent().length < 20) await delay(20);
		const end = async () => {
			stop.abort();
			await run;
		};
		return { credentials, end };
	};
	/** Runs the work, and returns for how many windows of the rate it took. */
	const windowsFor = async (work: () => Promise<unknown>): Promise<number> => {
		const begin = performance.now();
		await work();
		return (performance.now() - begin) / rateWindowMs;
	};

	test("a reply, the editor's list of templates and the test of the credential wait no longer than the window demands", async () => {
		const { credentials, end } = await running();
		const editor = service.engine.editor({
			parameters: { resource: 'message', operation: 'sendTemplate' },
			credentials,
		});
		const windows = await Promise.all([
			windowsFor(async () => await service.run({ parameters: sendText, credentials })),
			windowsFor(async () => await editor.listSearch('searchTemplateNames')),
			windowsFor(async () => await service.engine.testCredential(credentials)),
		]);
		await end();
		// Each request waits for at most one window; the list and the test need two, one after the other. Behind the campaign,
		// of which 100 requests wait, it would be five windows.
		const [reply, templates, test] = windows;
		expect(reply).toBeLessThan(1.5);
		expect(templates).toBeLessThan(2.5);
		expect(test).toBeLessThan(2.5);
	}, 60_000);

	test('a credential with a higher limit for the same key does not wait for the lower one', async () => {
		const { credentials, end } = await running();
		const high = { ...credentials, requestsPerMinute: 1_000 };
		const windows = await windowsFor(
			async () => await service.run({ parameters: sendText, credentials: high }),
		);
		await end();
		expect(windows).toBeLessThan(0.5);
	}, 60_000);
});

test('with Messages per Minute, a node sends no more in a minute, in all rounds of a loop and all executions, and others go on', async () => {
	const stop = new AbortController();
	const stopped = new Promise<void>((resolve) => (stop.signal.onabort = () => resolve()));
	const limited = {
		parameters: { ...campaign, options: { messagesPerMinute: 5 } },
		...{ credentials: service.credentials(service.newKey()), workflowId: 'slow' },
	};
	await service.run({ ...limited, items: people(2) });
	const waiting = [
		service.run({ ...limited, items: people(9, 2000), batchSize: 2, cancelWhen: stopped }),
		service.run({ ...limited, items: people(9, 3000), cancelWhen: stopped }),
	];
	await until('as many messages as may be sent', () => service.sent().length >= 5);
	waiting.push(service.run({ ...limited, items: people(9, 4000), cancelWhen: stopped }));
	await service.run({ ...limited, items: people(5, 5000), settings: { id: 'another node' } });
	await service.run({ ...limited, items: people(5, 6000), workflowId: 'another' });
	await service.run({ ...limited, items: people(9, 7000), parameters: campaign });
	stop.abort();
	await Promise.all(waiting);
	expect(countBy(service.sent(), ({ phone }) => phone.at(-4))).toMatchObject({ 5: 5, 6: 5, 7: 9 });
	expect(service.sent()).toHaveLength(5 + 5 + 5 + 9);
});
