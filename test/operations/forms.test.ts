/** The results of forms: the parts of a template, a period, the newest conversations, and labels of executions. */
import type { INodeParameters } from 'n8n-workflow';

import { campaign, people, sendText, useService } from '../support/service';

const service = useService({ sampleContacts: 0, defaultPageSize: 2, pageSizeCap: 2 });
const run = async (name: string, parameters: INodeParameters, settings = {}) => {
	const [resource, operation] = name.split(' ');
	return await service.run({ parameters: { resource, operation, ...parameters }, settings });
};

describe('a template', () => {
	const identity = { name: 'order', language: 'en_US', category: 'UTILITY' };
	const parts = () => service.sandbox.state.templates.all.at(-1)?.components;

	test('has the parts of its form', async () => {
		const button = [
			{ type: 'QUICK_REPLY', text: 'Confirm' },
			{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
		];
		const form = { header: 'TEXT', headerText: 'Order {{1}}', body: 'Hi {{1}}', footer: 'STOP' };
		const { error } = await run('template create', { ...identity, ...form, buttons: { button } });
		expect(error).toBeUndefined();
		expect(parts()).toEqual([
			{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
			{ type: 'BODY', text: 'Hi {{1}}' },
			{ type: 'FOOTER', text: 'STOP' },
			{ type: 'BUTTONS', buttons: button },
		]);
	});

	test('has only those that were given, or those written as JSON', async () => {
		await run('template create', { ...identity, header: 'DOCUMENT', body: 'Hi' });
		expect(parts()).toEqual([
			{ type: 'HEADER', format: 'DOCUMENT' },
			{ type: 'BODY', text: 'Hi' },
		]);
		const componentsJson = '[{ "type": "BODY", "text": "Own" }]';
		const json = { ...identity, name: 'own', specifyContent: 'json', componentsJson };
		expect((await run('template create', json)).error).toBeUndefined();
		expect(parts()).toEqual([{ type: 'BODY', text: 'Own' }]);
	});
});

describe('figures', () => {
	test('are those of the period, whose days begin in the time zone of the workflow', async () => {
		service.sandbox.state.traffic.send({ phone: '+15550001000', text: 'Hi', keyId: 'k' });
		const now = new Date().toISOString();
		const sent = async (period: INodeParameters) =>
			(await run('analytics getMessageStatistics', { period })).outputs[0][0].json.total;
		expect(await sent({})).toBe(1);
		expect(await sent({ from: '2020-01-31', to: '={{ $now.plus({ days: 1 }) }}' })).toBe(1);
		expect(await sent({ to: now.slice(0, 4) + '-01-01T00:00:00' })).toBe(0);
		// n8n's own time zone, as no other is set
		const asked = service.requests('getMessageStatistics')[1].url;
		expect(asked).toContain('from=2020-01-31T05%3A00%3A00.000Z');
	});

	test('of an invalid period are refused', async () => {
		const { error } = await run('analytics getAgentStatistics', { period: { from: 'May' } });
		expect(error?.message).toContain('cannot be "May"');
	});
});

test('a token has the name that it was given', async () => {
	const { outputs } = await run('account createToken', { name: 'Production' });
	expect(outputs[0][0].json.name).toBe('Production');
});

test('figures of which the service shows that there are more come with a hint', async () => {
	const body = { data: [{ campaign: 'a' }, { campaign: 'b' }], has_more: true };
	await service.fault({ endpoint: 'getCampaignStatistics', status: 200, body });
	const { outputs, hints } = await run('analytics getCampaignStatistics', {});
	expect(outputs[0]).toHaveLength(2);
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringContaining('has more records than it returned'),
	]);
});

describe('conversations', () => {
	const phones = async (limit: number) =>
		(await run('conversation getAll', { limit })).outputs[0].map(({ json }) => json.phone);

	test.each([1, 2, 3])(
		'come newest first, also where a limit of %d cuts the list',
		async (limit) => {
			const numbers = [1, 2, 3, 4, 5].map((n) => `+1555000100${n}`);
			const day = (n: number) => ({ updatedAt: `2030-01-0${n}T00:00:00Z` });
			const body = numbers.map((phone, index) => ({ id: phone, phone, ...day(index + 1) }));
			const whole = { data: body, total: body.length };
			await service.fault({ endpoint: 'listConversations', status: 200, body: whole, count: 9 });
			expect(await phones(limit)).toEqual([...numbers].reverse().slice(0, limit));
		},
	);

	test.each([
		['updated_at', ['2', '1'], []],
		['changed', ['1', '2'], [expect.stringContaining("are in the service's order")]],
	])(
		'with their time in %s come newest first, or a hint says that they do not',
		async (name, ids, hints) => {
			const data = [1, 2].map((n) => ({ id: String(n), [name]: `2030-01-0${n}T00:00:00Z` }));
			await service.fault({
				endpoint: 'listConversations',
				status: 200,
				body: { data, total: 2 },
				count: 9,
			});
			const result = await run('conversation getAll', { limit: 2 });
			expect(result.outputs[0].map(({ json }) => json.id)).toEqual(ids);
			expect(result.hints.map(({ message }) => message)).toEqual(hints);
		},
	);

	test('of a service that begins with the newest are not all read', async () => {
		const times = [5, 4, 3].map((n) => ({ id: String(n), updatedAt: `2030-01-0${n}T00:00:00Z` }));
		await service.fault({
			endpoint: 'listConversations',
			status: 200,
			body: { data: times, total: 99 },
		});
		await run('conversation getAll', { limit: 2 });
		expect(service.calls('listConversations')).toBe(1);
	});
});

describe('the list of executions can be filtered by', () => {
	const labelsOf = async (parameters: INodeParameters, items: object[], batchSize?: number) => {
		const options = { parameters, items: items as INodeParameters[], batchSize };
		return (await service.run(options)).run.data.resultData.metadata ?? {};
	};

	test('the recipient and the campaign, if there is one only', async () => {
		const spring = { ...campaign, sendOnce: true, campaign: 'Spring, 2030' };
		expect(await labelsOf(spring, people(1))).toEqual({
			phone: '+15550001000',
			campaign: 'Spring, 2030',
		});
		expect(await labelsOf(spring, people(2))).toEqual({ campaign: 'Spring, 2030' });
		expect(await labelsOf(campaign, people(2))).toEqual({});
	});

	test('each recipient of a loop, as far as there is room', async () => {
		const { phone = '' } = await labelsOf(campaign, people(30), 1);
		expect(phone.split(', ').slice(0, 2)).toEqual(['+15550001000', '+15550001001']);
		expect(phone.length).toBeLessThanOrEqual(255);
	});

	test('nothing where nothing is sent', async () => {
		expect(await labelsOf({ ...sendText, mode: 'preview' }, [{}])).toEqual({});
	});
});

describe('one item that fails alone', () => {
	test.each([
		[422, expect.not.stringContaining('retry')],
		[undefined, expect.stringContaining('Nothing was sent.')],
	])('the user is not advised to retry: %s', async (status, description) => {
		if (status) await service.fault({ endpoint: 'sendText', status });
		const { error } = await service.run({
			parameters: status ? sendText : { ...sendText, to: 'x' },
		});
		expect(error?.description).toEqual(description);
	});
});
