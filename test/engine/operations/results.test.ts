/** The output of a run: records of any shape, lists, new templates, and the labels of the execution. */
import { mapValues, omit, pick, range } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import type { EndpointName } from '../../../nodes/BusinessMessaging/api/endpoints';
import { simplifyRecord } from '../../../nodes/BusinessMessaging/operations/simplifyRecord';
import { testedNode } from '../../../harness/engine/execution';
import { until } from '../../../harness/until';
import { campaign, people, sendText, useService } from '../../../harness/engine/service';

const service = useService({ sampleContacts: 0, pageSizeCap: 30, defaultPageSize: 10 });

async function run(name: string, more: INodeParameters = {}) {
	const [resource, operation] = name.split(' ');
	const { outputs, error, hints } = await service.run({
		parameters: { resource, operation, ...more },
	});
	const records = outputs[0]?.map(({ json }) => json);
	return { records, error, hints: hints.map(({ message }) => message) };
}

const many = (count: number) => Object.fromEntries(range(count).map((n) => [`other${n}`, n]));
const buttons = [
	{ type: 'QUICK_REPLY', text: 'Yes' },
	{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
];
const components = [
	{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
	{ type: 'body', text: 'Hi {{2}} and {{1}}' },
	{ type: 'FOOTER', text: 'STOP' },
	{ type: 'BUTTONS', buttons },
];
const named = { id: 7, name: 'order', language: 'en', status: 'APPROVED', category: 'UTILITY' };
const template = { ...many(12), ...named, components };
const readable = {
	...named,
	header: 'Order {{1}}',
	body: 'Hi {{2}} and {{1}}',
	footer: 'STOP',
	buttons: ['Yes', 'Track'],
	variables: ['header_1', 'body_1', 'body_2', 'button2_1'],
};
const person = { name: 'Ann', phone: '+15550001000', status: 'open', updatedAt: '2030-01-01' };
const lastMessage = { text: 'Hello', direction: 'inbound', status: 'read', raw: {} };
const conversation = { ...many(12), ...person, id: '2', lastMessage };
const shown = {
	...person,
	id: '2',
	lastMessage: 'Hello',
	lastMessageDirection: 'inbound',
	lastMessageStatus: 'read',
};

test.each<[string, EndpointName, unknown, unknown[]]>([
	['template getAll', 'listTemplates', [template], [readable]],
	['template getAll', 'listTemplates', [named], [named]],
	[
		'template getAll',
		'listTemplates',
		[{ ...named, components: [{ type: 'BODY', text: { value: 'Hi {{1}}' } }] }],
		[named],
	],
	[
		'template getAll',
		'listTemplates',
		[{ ...named, components: [{ type: 'BODY', text: 'Hi' }] }],
		[{ ...named, body: 'Hi', buttons: [], variables: [] }],
	],
	['conversation getAll', 'listConversations', [conversation], [expect.objectContaining(shown)]],
	['account getCurrent', 'getCurrentAccount', { account: { id: 7 }, status: 'ok' }, [{ id: 7 }]],
	['account getCurrent', 'getCurrentAccount', { error: null, a: 1 }, [{ error: null, a: 1 }]],
	['account getCurrent', 'getCurrentAccount', '', [{ success: true }]],
	['analytics getAgentStatistics', 'getAgentStatistics', { agents: [{ a: 1 }] }, [{ a: 1 }]],
	[
		'analytics getAgentStatistics',
		'getAgentStatistics',
		{ sent: 3, errors: ['x'] },
		[{ sent: 3, errors: ['x'] }],
	],
])(
	'%s outputs the response to %s in a readable form: %j becomes %j',
	async (name, endpoint, body, given) => {
		service.fault({ endpoint, status: 200, body });
		service.fault({ endpoint, status: 200, body: [], count: 9 });
		expect(await run(name)).toEqual({ records: given, error: undefined, hints: [] });
	},
);

const order = { name: 'order', language: 'en_US', category: 'UTILITY', body: 'Hi' };
test.each<[string, EndpointName, string, INodeParameters]>([
	['contact create', 'createContact', 'contact', { phone: '+15550001000' }],
	['contact update', 'updateContact', 'contact', { contactId: '7', updateFields: { name: 'A' } }],
	['contact upsert', 'createContact', 'contact', { phone: '+15550001000' }],
	['template create', 'createTemplate', 'template', order],
	['template update', 'updateTemplate', 'template', { templateId: '7', updateFields: order }],
	['webhook create', 'createWebhook', 'webhook', { url: 'https://example.com/hook' }],
])('%s outputs the record, not what is around it', async (name, endpoint, kind, parameters) => {
	const body = { success: true, [kind]: { id: '7', tags: ['new'] } };
	service.fault({ endpoint, status: 200, body });
	const { records, error } = await run(name, parameters);
	expect([error, records]).toMatchObject([undefined, [{ id: '7', tags: ['new'] }]]);
	expect(records?.[0]).not.toHaveProperty('success');
});

test.each([
	[{ messageUuid: 'm1' }, 'm1'],
	[{ message: { id: 5 } }, '5'],
	[{ queued: true }, null],
])('the response %j to a message has the ID %j', async (body, messageId) => {
	service.fault({ endpoint: 'sendText', status: 200, body });
	const { outputs } = await service.run({ parameters: sendText });
	expect(outputs[0][0].json).toMatchObject({ to: sendText.to, sendStatus: 'sent', messageId });
});

test('a simplified record has the ten most important fields with values or lists of values', () => {
	const nested = { deep: { x: 1 }, rows: [{ x: 1 }], header: undefined };
	const simple = simplifyRecord({ ...nested, none: null, ...many(12), tags: ['a'], id: 1 }, [
		...['id', 'name', 'deep', 'header', 'tags'],
	]);
	const expected = { id: 1, tags: ['a'], none: null, ...many(7) };
	expect(Object.entries(simple)).toEqual(Object.entries(expected));
});

test.each([
	[10, undefined],
	[11, '1 more hint is not shown.'],
	[14, '4 more hints are not shown.'],
])(
	'of %i hints, ten are shown, and the last one says how many more there are',
	async (count, last) => {
		const items = range(count).map((n) => ({ to: `+1555000${1000 + n} x${n}` }));
		const { hints } = await service.run({
			parameters: { ...sendText, to: '={{ $json.to }}' },
			items,
		});
		const [total, ...messages] = hints.map(({ message }) => message);
		expect(total).toBe(`${count} sent.`);
		expect(messages.slice(0, 10)).toEqual(
			range(10).map((n) => `The extension ${n} of +1555000${1000 + n} was left out.`),
		);
		expect(messages[10]).toBe(last);
	},
);

const limitHint = (limit: number) =>
	`The list ends at 'Limit' (${limit}), and the service may have more. To get all, switch on 'Return All'.`;

describe('Get Many', () => {
	test.each([
		[{ returnAll: true }, 95, 6, []],
		[{ limit: '={{ "20" }}' }, 20, 1, [limitHint(20)]],
	])(
		'with %j returns %i of 95 contacts in at most %i requests, and says if there may be more',
		async (parameters, count, most, expectedHints) => {
			const phones = range(95).map((n) => `+1555000${1000 + n}`);
			for (const phone of phones) service.sandbox.state.contacts.create({ phone });
			const { records, hints } = await run('contact getAll', parameters);
			expect(records.map(({ phone }) => phone)).toEqual(phones.slice(0, count));
			expect(hints).toEqual(expectedHints);
			expect(service.calls('listContacts')).toBeLessThanOrEqual(most);
		},
	);

	const own = { loyalty: { points: 5 }, cars: [{ brand: 'A' }], city: 'Rome', tags: [], notes: {} };
	const most = Object.fromEntries(range(7).map((n) => [`field${n}`, { n }]));
	test.each([
		[
			own,
			"'Simplify' leaves out fields: cars, loyalty. To get all, switch it off (for a tool, set 'Output' to 'Raw').",
		],
		[
			most,
			"'Simplify' leaves out fields: field0, field1, field2, field3, field4 and 2 more. To get all, switch it off (for a tool, set 'Output' to 'Raw').",
		],
		[{ city: 'Rome', empty: null, none: [] }, undefined],
	])('says which fields of a contact with %j Simplify leaves out', async (fields, hint) => {
		service.list('listContacts', { id: 'c1', phone: '+15550001001', ...fields });
		expect((await run('contact getAll')).hints).toEqual(hint === undefined ? [] : [hint]);
		expect((await run('contact getAll', { simplify: false })).hints).toEqual([]);
	});

	test('outputs whole records without Simplify', async () => {
		service.list('listTemplates', template);
		expect((await run('template getAll', { simplify: false })).records).toEqual([template]);
	});

	test.each([
		{ header: 'Hi', body: 'Hello {{1}}', footer: 'Bye' },
		{ body: 'Hello', components: [{ type: 'FOOTER', text: 'Bye' }] },
	])(
		'keeps the texts of a template that the service shows without components: %j',
		async (texts) => {
			service.list('listTemplates', { id: 'a', name: 'welcome', ...texts });
			const [record] = (await run('template getAll')).records;
			expect(record).toMatchObject({ ...omit(texts, 'components'), footer: 'Bye' });
		},
	);

	test('shows a hint if the service does not return the whole list', async () => {
		const body = { data: [{ id: 'a', phone: '+15550001000' }], total: 25, has_more: true };
		service.fault({ endpoint: 'listContacts', status: 200, body, count: 99 });
		const { records, hints } = await run('contact getAll', { returnAll: true });
		expect(records).toHaveLength(1);
		expect(hints).toEqual([expect.stringContaining('returned 1 of 25 contacts')]);
	});
});

describe('conversations', () => {
	const list = async (
		limit: number,
		days: number[],
		timeName = 'updatedAt',
		total = days.length,
	) => {
		const data = days.map((n) => ({ id: n, [timeName]: `2030-01-0${n}T00:00:00Z` }));
		service.fault({
			endpoint: 'listConversations',
			status: 200,
			body: { data, total },
			count: 9,
		});
		const { records, hints } = await run('conversation getAll', { limit });
		return { ids: records.map(({ id }) => id), hints };
	};

	test.each([1, 3])('come newest first, even if a limit of %d cuts the list', async (limit) => {
		const { ids, hints } = await list(limit, [1, 2, 3, 4, 5], 'updated_at');
		expect([ids, hints]).toEqual([[5, 4, 3].slice(0, limit), [limitHint(limit)]]);
	});

	test.each([0, 1, 10, 48])(
		'need one page of a long list, although number %d has changed since its last message',
		async (changed) => {
			const data = Array.from({ length: 50 }, (_, n) => ({
				id: n,
				updatedAt: new Date(1e12 - n * 1e9 + (n === changed ? 1e12 : 0)).toISOString(),
			}));
			const body = { data, total: 20_000 };
			service.fault({ endpoint: 'listConversations', status: 200, body, count: 99 });
			const { records } = await run('conversation getAll', { limit: 50 });
			expect([records[0].id, service.calls('listConversations')]).toEqual([changed, 1]);
		},
	);

	test('keep the order of the service, with a hint, if the service shows no time', async () => {
		const { ids, hints } = await list(2, [1, 2], 'changed');
		expect(ids).toEqual([1, 2]);
		expect(hints).toEqual([expect.stringContaining("are in the service's order"), limitHint(2)]);
	});

	test('are read only as far as needed if the service lists the newest first', async () => {
		expect((await list(2, [5, 4, 3], 'updatedAt', 99)).ids).toEqual([5, 4]);
		expect(service.calls('listConversations')).toBe(1);
	});
});

const header = { type: 'HEADER', format: 'DOCUMENT' };
const form = { header: 'TEXT', headerText: 'Order {{1}}', body: 'Hi {{1}}', footer: 'STOP' };

test.each<[INodeParameters, object[]]>([
	[
		{ ...form, buttons: { button: buttons } },
		[components[0], { type: 'BODY', text: 'Hi {{1}}' }, ...components.slice(2)],
	],
	[{ header: 'DOCUMENT', body: 'Hi' }, [header, { type: 'BODY', text: 'Hi' }]],
	[
		{ specifyContent: 'json', componentsJson: '[{ "type": "BODY", "text": "Own" }]' },
		[{ type: 'BODY', text: 'Own' }],
	],
])('a template created with %j has the parts %j', async (content, parts) => {
	const identity = { name: 'order', language: 'en_US', category: 'UTILITY' };
	expect((await run('template create', { ...identity, ...content })).error).toBeUndefined();
	expect(service.sandbox.state.templates.all.at(-1)?.components).toEqual(parts);
});

test('spaces around the name and the language of a template are no part of them, whether it is created or changed', async () => {
	const identity = { name: 'order ', language: ' en_US', category: 'UTILITY' };
	await run('template create', { ...identity, body: 'Hi' });
	const created = service.sandbox.state.templates.all.at(-1)!;
	await run('template update', { templateId: created.id, updateFields: { name: ' news ' } });
	expect(created).toMatchObject({ name: 'news', language: 'en_US' });
});

test('an execution and its span have the results of the messages, each counted by the attempt that sent it', async () => {
	const [second, third] = ['+15550001001', '+15550001002'];
	const sending = { ...campaign, sendOnce: true, campaign: 'Spring', options: { concurrency: 1 } };
	await service.run({ parameters: sending, items: people(1) });
	service.fault({ endpoint: 'sendText', match: second, status: 422 });
	service.fault({ endpoint: 'sendText', match: third, status: 500 });
	service.fault({
		endpoint: 'sendText',
		count: 1,
		status: 429,
		headers: { 'retry-after': '0' },
	});
	const { run: stored } = await service.run({
		parameters: sending,
		items: people(5),
		onError: 'continueRegularOutput',
	});
	const figures = { sent: 2, skipped: 1, failed: 1, uncertain: 1, tooManyRequests: 1 };
	const { metadata, runData } = stored.data.resultData;
	expect(metadata).toEqual({ campaign: 'Spring', ...mapValues(figures, String) });
	expect(runData[testedNode][0].metadata?.tracing).toEqual({ campaign: 'Spring', ...figures });
});

describe('the figures of an execution', () => {
	const twoExcluded = { excludeNumbers: '+15550001000, +15550001001' };
	const sending = { ...campaign, audienceRules: twoExcluded, options: { concurrency: 1 } };
	const options = { parameters: sending, items: people(6) };
	const figuresOf = ({ run: stored }: Awaited<ReturnType<typeof service.run>>) =>
		pick(stored.data.resultData.metadata, ['sent', 'skipped', 'failed']);
	beforeEach(async () => {
		service.fault({ endpoint: 'sendText', match: '+15550001004', count: 1, status: 422 });
	});

	test('count each item once with Retry On Fail', async () => {
		const result = await service.run({ ...options, retryOnFail: true, maxTries: 2 });
		expect(figuresOf(result)).toEqual({ sent: '4', skipped: '2', failed: '0' });
	});

	test('are the sums of all rounds of a loop', async () => {
		const audienceRules = { excludeNumbers: '+15550001000, +15550001004' };
		const result = await service.run({
			...{ ...options, parameters: { ...sending, audienceRules }, batchSize: 2 },
			onError: 'continueRegularOutput',
		});
		expect(figuresOf(result)).toEqual({ sent: '4', skipped: '2' });
	});

	test('do not contain those of the execution that was retried by the button', async () => {
		const failed = await service.run(options);
		expect(figuresOf(failed)).toEqual({ sent: '2', skipped: '2', failed: '1' });
		const retried = await service.engine.retry(failed, { credentials: service.credentials() });
		expect(figuresOf(retried)).toEqual({ sent: '2', skipped: '2', failed: '0' });
		const early = await service.engine.retry(failed, { credentials: { apiKey: '' } });
		expect(early.status).toBe('error');
		expect(figuresOf(early)).toEqual({ sent: '0', skipped: '0', failed: '0' });
	});

	test('leave values of the user with their names alone', async () => {
		const failed = await service.run(options);
		failed.run.data.resultData.metadata = { failed: 'payment declined', skipped: '1' };
		const retried = await service.engine.retry(failed, { credentials: service.credentials() });
		const { metadata } = retried.run.data.resultData;
		expect(metadata).toEqual({ failed: 'payment declined', skipped: '2', sent: '2' });
	});

	test('contain what a stopped execution has sent, and as uncertain what was under way', async () => {
		const silent = { match: '+15550001005', delayMs: 2_000 };
		service.fault({ endpoint: 'sendText', match: '+15550001004', count: 1, status: 422 });
		service.fault({ endpoint: 'sendText', ...silent });
		const stopped = await service.run({
			...{ ...options, items: people(8), onError: 'continueRegularOutput' },
			cancelWhen: until('the sixth request', () => service.calls('sendText') === 4),
		});
		expect(stopped.status).toBe('canceled');
		const { metadata } = stopped.run.data.resultData;
		expect(metadata).toEqual({ sent: '2', skipped: '2', failed: '1', uncertain: '1' });
	});

	test("count a tool's call once if n8n repeats it as another run", async () => {
		const { run: stored } = await service.run({
			parameters: { ...campaign, options: { concurrency: 1 } },
			items: [{ n: 1004 }, { n: 1004 }],
			...{ batchSize: 1, onError: 'continueRegularOutput' },
			settings: { type: 'n8n-nodes-business-messaging.businessMessagingTool' },
		});
		expect(stored.data.resultData.metadata).toMatchObject({ sent: '1', failed: '0' });
	});
});

test('the list of executions can be filtered by recipient and campaign', async () => {
	const labelsOf = async (parameters: INodeParameters, count: number, batchSize?: number) => {
		const { run: stored } = await service.run({ parameters, items: people(count), batchSize });
		return stored.data.resultData.metadata ?? {};
	};
	const spring = { ...campaign, sendOnce: true, campaign: 'Spring, 2030' };
	const phone = '+15550001000';
	expect(await labelsOf(spring, 1)).toEqual({ phone, campaign: 'Spring, 2030', sent: '1' });
	const second = { campaign: 'Spring, 2030', sent: '1', skipped: '1' };
	expect(await labelsOf(spring, 2)).toEqual(second);
	expect(await labelsOf({ ...campaign, mode: 'preview' }, 1)).toEqual({});
	const ofLoop = await labelsOf(campaign, 30, 1);
	expect(ofLoop.sent).toBe('30');
	expect(ofLoop.phone.split(', ').slice(0, 2)).toEqual([phone, '+15550001001']);
	expect(ofLoop.phone.length).toBeLessThanOrEqual(255);
});
