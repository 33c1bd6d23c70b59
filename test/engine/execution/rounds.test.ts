/** The rules of a run in a workflow that runs the node several times: they apply to the whole execution. */
import { map } from 'lodash';
import type { IExecuteFunctions, INodeParameters, INodeProperties } from 'n8n-workflow';

import { audienceField } from '../../../nodes/BusinessMessaging/operations/sending/audienceRules';
import { type RunOptions, runWorkflow, testedNode } from '../../../harness/engine/execution';
import { sendText, useService } from '../../../harness/engine/service';

const service = useService();
const [anna, berta, carl, dora, test0] = [1, 2, 3, 4, 9].map((n) => `+1555000100${n}`);
/** Three rounds with two items each. */
const rounds = [
	[anna, berta],
	[anna, carl],
	[dora, berta],
];
const items = rounds.flat().map((phone) => ({ phone }));

const send = (parameters: INodeParameters): INodeParameters => ({
	...sendText,
	to: '={{ $json.phone }}',
	...parameters,
});
/** Runs the node in a loop with three rounds. */
const loop = async (parameters: INodeParameters, options: RunOptions = {}) =>
	await service.run({ parameters: send(parameters), items, batchSize: 2, ...options });
const reasons = (rounds: Awaited<ReturnType<typeof loop>>['rounds']) =>
	rounds
		.filter(([output]) => output?.length > 0)
		.map(([output]) => output.map(({ json }) => json.reason));

beforeEach(() => {
	service.sandbox.state.contacts.create({ phone: berta, segments: ['opted-out'] });
});

const audience = (audienceRules: INodeParameters) => ({ audienceRules });
const hour = new Date().getUTCHours();
const later = [`${(hour + 2) % 24}:00`, `${(hour + 3) % 24}:00`];
const window = {
	days: 'everyDay',
	hours: later.join(' - '),
	timeZone: 'UTC',
};
const once = { [anna]: 1, [berta]: 1, [carl]: 1, [dora]: 1 };
const withoutBerta = { [anna]: 2, [carl]: 1, [dora]: 1 };
const all = { ...withoutBerta, [berta]: 2 };
const inLoop = 'needs all items at once, but this node is in a loop';

/** For each rule, who gets how many messages; or the error before anything is sent. */
const rules: Array<[string, INodeParameters, Record<string, number>, string]> = [
	['sending without rules', {}, all, ''],
	['Duplicates: Send All', audience({ duplicates: 'sendAll' }), all, ''],
	['Duplicates: Send First', audience({ duplicates: 'sendFirst' }), once, ''],
	['Duplicates: Stop With Error', audience({ duplicates: 'stop' }), {}, inLoop],
	['Exclude Numbers', audience({ excludeNumbers: berta }), withoutBerta, ''],
	['Exclude Segment', audience({ excludeSegment: 'opted-out' }), withoutBerta, ''],
	[
		'Exclude Segment with an empty segment',
		audience({ excludeSegment: 'none' }),
		{},
		'has no contacts',
	],
	['Allow Empty List', audience({ excludeSegment: 'none', allowEmptyList: true }), all, ''],
	['Exclude Opt-Outs', audience({ excludeOptOuts: true }), withoutBerta, ''],
	['Frequency Cap', audience({ frequencyCap: { values: { messages: 1 } } }), once, ''],
	['Maximum Recipients', audience({ maxRecipients: 2 }), { [anna]: 2, [berta]: 2 }, ''],
	['Send Window', audience({ sendWindow: { values: window } }), {}, ''],
	['Not Before', audience({ notBefore: '2100-01-01T10:00:00' }), {}, ''],
	['Send Once', { sendOnce: true, campaign: 'sale' }, once, ''],
	[
		'Number of Test Messages',
		{ mode: 'test', testNumber: test0, testMessages: 3 },
		{ [test0]: 3 },
		'',
	],
	['Preview', { mode: 'preview' }, {}, ''],
];

test('every rule is in the table', () => {
	const names = map(audienceField.options as INodeProperties[], 'displayName');
	for (const name of names) expect(rules.some(([rule]) => rule.startsWith(name))).toBe(true);
});

test.each(rules)(
	'%s applies over all rounds of a loop',
	async (rule, parameters, sent, message) => {
		if (rule === 'Exclude Opt-Outs') service.engine.tables.create('Opt-outs', [{ phone: berta }]);
		const { error } = await loop(parameters);
		expect(error?.message ?? '').toContain(message);
		expect(error === undefined).toBe(message === '');
		expect(service.received()).toEqual(sent);
	},
);

test('the later item is skipped, and a preview says the same', async () => {
	const expected = [
		[null, null],
		['duplicate', null],
		[null, 'duplicate'],
	];
	const rule = audience({ duplicates: 'sendFirst' });
	expect(reasons((await loop({ ...rule, mode: 'preview' })).rounds)).toEqual(expected);
	expect(reasons((await loop(rule)).rounds)).toEqual(expected);
});

test('Maximum Recipients counts people over all rounds, and a preview says the same', async () => {
	const expected = [
		[null, null],
		[null, 'limit'],
		['limit', null],
	];
	const rule = audience({ maxRecipients: 2 });
	expect(reasons((await loop({ ...rule, mode: 'preview' })).rounds)).toEqual(expected);
	expect(reasons((await loop(rule)).rounds)).toEqual(expected);
});

test.each([
	['Send First', audience({ duplicates: 'sendFirst' }), once],
	['Maximum Recipients', audience({ maxRecipients: 3 }), { [anna]: 2, [berta]: 2, [carl]: 1 }],
	['Number of Test Messages', { mode: 'test', testNumber: test0, testMessages: 3 }, { [test0]: 3 }],
])('%s also applies after the retry of a failed round', async (_, parameters, sent) => {
	service.fault({ endpoint: 'sendText', skip: 2, status: 422 });
	const failed = await loop({ ...parameters, options: { concurrency: 1 } });
	expect(failed.status).toBe('error');
	const { status } = await service.retry(failed);
	expect([status, service.received()]).toEqual(['success', sent]);
});

test('a person outside the send window gets the message in a later round, once', async () => {
	const { now } = Date;
	const start = now();
	const hour = (later: number) => `${(new Date(start).getUTCHours() + later) % 24}:00`;
	const opensLater = { days: 'everyDay', hours: `${hour(2)}–${hour(4)}`, timeZone: 'UTC' };
	// The window opens before the last round.
	const clock = jest.spyOn(Date, 'now').mockImplementation(() => {
		const isLast = service.calls('listContacts') >= 3;
		return now() + (isLast ? 2 * 3_600_000 : 0);
	});
	const parameters = audience({
		duplicates: 'sendFirst',
		sendWindow: { values: opensLater },
		excludeSegment: 'none',
		allowEmptyList: true,
	});
	const { error } = await loop(parameters);
	clock.mockRestore();
	expect(error).toBeUndefined();
	expect(service.received()).toEqual({ [berta]: 1, [dora]: 1 });
});

test.each<[string, INodeParameters, () => Promise<unknown>]>([
	[
		'the first item of a person is outside the send window',
		{ sendWindow: { values: window } },
		async () => undefined,
	],
	[
		'both items of a person in a round certainly fail',
		{},
		async () => service.fault({ endpoint: 'sendText', match: anna, status: 402, count: 2 }),
	],
])('if %s, the person is no duplicate in a later round', async (_, rule, fail) => {
	await fail();
	const twice = [anna, anna, anna, berta].map((phone) => ({ phone }));
	const parameters = audience({ duplicates: 'sendFirst', ...rule });
	const options = { items: twice, onError: 'continueRegularOutput' } as const;
	const { rounds } = await loop(parameters, options);
	const states = rounds.flatMap(([output = []]) =>
		output.map(({ json }) => json.reason ?? json.sendStatus),
	);
	expect(states[1]).toMatch(/^(duplicate|.*HTTP 402.*)$/);
	expect(states[2]).not.toBe('duplicate');
});

test('Stop With Error needs a single connected node that gives it all items at once', async () => {
	const parameters = send(audience({ duplicates: 'stop' }));
	const { workflow, status } = await service.run({ parameters, items: [{ phone: anna }] });
	expect([status, service.received()]).toEqual(['success', { [anna]: 1 }]);
	const [start, tested] = workflow.nodes;
	const other = { ...start, id: 'Other', name: 'Other' };
	const to = (node: string) => ({ node, type: 'main' as const, index: 0 });
	const connections = {
		Start: { main: [[to(testedNode), to('Other')]] },
		Other: { main: [[to(testedNode)]] },
	};
	const definition = { ...workflow, nodes: [start, other, tested], connections };
	const options = { items: [{ phone: berta }], credentials: service.credentials() };
	const { error } = await runWorkflow(service.engine.loaded, definition, options);
	expect(error?.message).toContain('2 nodes are connected to this node');
	expect(error?.description).toContain('Merge node');
	expect(service.received()).toEqual({ [anna]: 1 });
});

test('Stop With Error stops the second run of the node, which an earlier node has caused', async () => {
	const parameters = send(audience({ duplicates: 'stop' }));
	const { workflow } = await service.run({ parameters, items: [{ phone: anna }] });
	const [start, tested] = workflow.nodes;
	const [one, between] = ['One', 'Between'].map((name) => ({ ...start, id: name, name }));
	const to = (node: string) => ({ node, type: 'main' as const, index: 0 });
	const connections = {
		Start: { main: [[to('One'), to('Between')]] },
		One: { main: [[to('Between')]] },
		Between: { main: [[to(testedNode)]] },
	};
	const definition = { ...workflow, nodes: [start, one, between, tested], connections };
	const options = { items: [{ phone: berta }], credentials: service.credentials() };
	const { error } = await runWorkflow(service.engine.loaded, definition, options);
	expect(error?.message).toContain('this node has already run in this execution');
	expect(error?.description).toContain('This node may have sent messages in its earlier run.');
	expect(service.received()).toEqual({ [anna]: 1, [berta]: 1 });
});

describe('an n8n that stores nothing between rounds', () => {
	let restore: () => void;
	beforeAll(() => {
		const node = service.engine.loaded.node('businessMessaging');
		const execute = Reflect.get(node, 'execute') as (this: IExecuteFunctions) => Promise<unknown>;
		Reflect.set(node, 'execute', async function (this: IExecuteFunctions) {
			const context = this.getContext('node');
			for (const key of Object.keys(context)) delete context[key];
			return await execute.call(this);
		});
		restore = () => void Reflect.set(node, 'execute', execute);
	});
	afterAll(() => restore());

	test.each([
		["'Send First'", audience({ duplicates: 'sendFirst' }), { [anna]: 1, [berta]: 1 }],
		["'Maximum Recipients'", audience({ maxRecipients: 3 }), { [anna]: 1, [berta]: 1 }],
		[
			"'Number of Test Messages'",
			{ mode: 'test', testNumber: test0, testMessages: 3 },
			{ [test0]: 2 },
		],
	])('refuses a loop with %s before anything is sent', async (rule, parameters, sent) => {
		const { error } = await loop(parameters);
		expect(error?.message).toContain(`${rule} needs all items`);
		expect(error?.description).toContain('If it is in a loop, move it out');
		expect(service.received()).toEqual(sent);
	});
});
