/** Previews, and the total above the output of a preview and of a send. */
import { sortBy, uniq } from 'lodash';
import type { INodeParameters } from 'n8n-workflow';

import { runWorkflow, testedNode } from '../../../harness/engine/execution';
import { locator, sendText, useService } from '../../../harness/engine/service';
import { nodeIssues } from '../../../harness/engine/nodeIssues';
import { addManyTemplates, bigFields, welcomeParameters } from '../../../harness/engine/templates';
import { BusinessMessaging } from '../../../nodes/BusinessMessaging/BusinessMessaging.node';
import { type RunValues, anna, audienceRuns, berta, carl, dora, people } from './audienceRuns';

const service = useService();
const { run, sentTo } = audienceRuns(service);

describe('a preview', () => {
	test('sends nothing, shows whom the rules and the campaign log leave out and what fails, and writes nothing into the log', async () => {
		const once = { sendOnce: true, campaign: 'sale' };
		const rules = { excludeNumbers: berta, frequencyCap: { values: { messages: 1, per: 'day' } } };
		const workflowId = 'with a preview';
		await run({ items: [{ phone: carl }], rules, workflowId, parameters: once });
		const { tables } = service.engine;
		const calls: string[] = [];
		tables.before = (operation) => calls.push(operation);
		const preview = await run({
			items: [...people, { phone: 'no number' }],
			rules,
			workflowId,
			parameters: { ...once, mode: 'preview' },
		});
		expect(uniq(calls)).toEqual(['list', 'get']);
		expect(sentTo()).toEqual([carl]);
		expect(
			preview.outputs[0].map(({ json }) => [json.sendStatus, json.text ?? json.reason]),
		).toEqual([
			['preview', `Hello ${anna}`],
			['skipped', 'excluded'],
			['skipped', 'alreadySent'],
			['preview', `Hello ${dora}`],
			['notSent', expect.stringContaining("'Recipient Phone Number' is not a phone number. ")],
		]);
		expect(preview.hints.map(({ message }) => message)).toEqual([
			'Preview: nothing was sent. 2 would be sent, 1 excluded, 1 already sent earlier, 1 cannot be sent (see reason).',
			expect.stringMatching(
				/^If an item cannot be sent, no message is sent at all\. .*Filter node.*'On Error'.*'Continue'/,
			),
			"'Exclude Numbers' has 1 number.",
		]);
	});

	test.each<[INodeParameters, INodeParameters, string]>([
		[{ sendOnce: true, campaign: 'sale' }, {}, 'duplicate'],
		[{}, { frequencyCap: { values: { messages: 1, per: 'day' } } }, 'frequencyCap'],
	])(
		'with %j and the rules %j, counts the messages before in the same list; without a campaign log, it makes none',
		async (parameters, rules, reason) => {
			const items = [anna, berta, anna, carl, berta].map((phone) => ({ phone }));
			const preview = { mode: 'preview', ...parameters };
			const { outputs } = await run({ items, parameters: preview, rules });
			expect(service.engine.tables.rows()).toEqual([]);
			await run({ items: [{ phone: dora }], parameters, rules }); // makes the log
			const again = await run({ items, parameters: preview, rules });
			const shown = (all: typeof outputs) =>
				all[0].map(({ json }) => json.reason ?? json.sendStatus);
			const expected = ['preview', 'preview', reason, 'preview', reason];
			expect([shown(outputs), shown(again.outputs)]).toEqual([expected, expected]);
		},
	);

	test.each([
		['fails', 'no number'],
		['is skipped', berta],
	])(
		'has the columns of the text before those of the list, also if the first item %s',
		async (_, phone) => {
			const template = { operation: 'sendTemplate', ...welcomeParameters };
			const items = [phone, anna, carl].map((one, n) => ({ phone: one, messageId: 'old', n }));
			const { outputs } = await run({
				items,
				rules: { excludeNumbers: berta },
				parameters: { ...template, mode: 'preview', options: { includeOtherFields: true } },
			});
			const rows = outputs[0].map(({ json }) => json);
			// As in n8n's table, columns are in the order in which they first appear.
			const columns = [...new Set(rows.flatMap(Object.keys))];
			expect(columns.slice(0, 3)).toEqual(['to', 'sendStatus', 'reason']);
			expect(columns.indexOf('text')).toBeLessThan(columns.indexOf('phone'));
			expect(columns.indexOf('template')).toBeLessThan(columns.indexOf('phone'));
			expect(columns).not.toContain('messageId');
			const isText = (value: unknown) => value === null || typeof value !== 'object';
			expect(rows.flatMap((row) => Object.values(row)).every(isText)).toBe(true);
		},
	);

	test('shows the input of each item, its number also if another field is wrong, and which fields are empty', async () => {
		const items = [
			{ phone: anna, name: 'Anna', row: 1 },
			{ phone: berta, name: null, row: 2 },
			{ phone: null, name: 'Carl', row: 3 },
		];
		const text = '=Hi {{ $json.name }}';
		const { outputs } = await run({ items, parameters: { mode: 'preview', text } });
		const empty = 'has no value. The field is empty in this item.';
		expect(outputs[0].map(({ json }) => json)).toEqual([
			expect.objectContaining({ to: anna, sendStatus: 'preview', row: 1, name: 'Anna' }),
			expect.objectContaining({
				...{ to: berta, sendStatus: 'notSent', row: 2 },
				reason: expect.stringContaining(`{{ $json.name }} in 'Text' ${empty}`),
			}),
			expect.objectContaining({
				...{ to: null, sendStatus: 'notSent', row: 3, name: 'Carl' },
				reason: expect.stringContaining(`{{ $json.phone }} in 'Recipient Phone Number' ${empty}`),
			}),
		]);
		const missing = await run({
			items,
			parameters: { mode: 'preview', text: '=Hi {{ $json.n }}' },
		});
		expect(missing.outputs[0][0].json.reason).toContain('Check the name of the field');
	});

	test('shows the text of a message that can only be sent later, and when, in the time zone of the person', async () => {
		jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2030-01-30T23:30:00Z'));
		const sendWindow = { values: { hours: '10:00–11:00', days: 'everyDay' } };
		const { outputs, hints } = await run({
			items: [{ phone: '+491701234560' }, { phone: '+12125550123' }],
			rules: { sendWindow },
			parameters: { mode: 'preview' },
		});
		jest.restoreAllMocks();
		expect(hints[0].message).toContain('0 would be sent, 2 must wait');
		expect(outputs[0].map(({ json }) => [json.reason, json.text, json.sendAfter])).toEqual([
			['outsideSendWindow', 'Hello +491701234560', '2030-01-31T10:00:00+01:00'],
			['outsideSendWindow', 'Hello +12125550123', '2030-01-31T10:00:00-05:00'],
		]);
	});

	test.each<[string, INodeParameters, string[], boolean]>([
		['to several people', {}, [anna, dora], true],
		['with Send Once', { sendOnce: true, campaign: 'sale' }, [anna, dora], false],
		['to one person', {}, [anna, anna], false],
		['of a question', { operation: 'sendAndWait', message: 'Tuesday?' }, [anna, dora], false],
	])(
		'%s says only without Send Once that opt-outs are not left out',
		async (_, parameters, phones, isSaid) => {
			const items = phones.map((phone) => ({ phone }));
			const { hints } = await run({ items, parameters: { mode: 'preview', ...parameters } });
			const said = hints.filter(({ message }) => message.startsWith("'Send Once' is off"));
			expect(said).toHaveLength(isSaid ? 1 : 0);
		},
	);

	test('shows the problem of each item if no item can be sent', async () => {
		const items = [{ phone: 'no number' }, { phone: '0170 12' }, { phone: '' }];
		const { error, outputs } = await run({ items, parameters: { mode: 'preview' } });
		expect(error).toBeUndefined();
		expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(items.map(() => 'notSent'));
	});

	test.each<[string, RunValues]>([
		['an evaluation of n8n', { mode: 'evaluation' }],
		['its sub-workflows', { mode: 'integrated', evaluationRunId: '1' }],
	])('replaces sending in %s', async (_, options) => {
		const { outputs } = await run(options);
		expect(outputs[0].map(({ json }) => json.sendStatus)).toEqual(people.map(() => 'preview'));
		expect(sentTo()).toEqual([]);
	});

	test.each<[string, string, number]>([
		['a node', 'Evaluation', 0],
		['a tool', 'Evaluation', 0],
		['a node', 'Start', 1],
		['a tool', 'Start', 1],
	])(
		'%s in an execution in the editor that %s has started sends %d',
		async (kind, trigger, sent) => {
			const isTool = kind === 'a tool';
			const type = isTool ? 'businessMessagingTool' : 'businessMessaging';
			const settings = { type: `n8n-nodes-business-messaging.${type}` };
			const { workflow } = await run({ mode: 'evaluation', settings, items: [{ phone: anna }] });
			const [start, tested] = workflow.nodes;
			const named = (name: string, rest: object) => ({ ...start, id: name, name, ...rest });
			const evaluation = named('Evaluation', { type: 'n8n-nodes-base.evaluationTrigger' });
			const agent = named('Agent', { type: 'test.agent', parameters: { tool: testedNode } });
			const to = (node: string, kind: 'main' | 'ai_tool' = 'main') => ({
				[kind]: [[{ node, type: kind, index: 0 }]],
			});
			const next = to(isTool ? 'Agent' : testedNode);
			const toAgent = isTool && { [testedNode]: to('Agent', 'ai_tool') };
			const triggers = sortBy([start, evaluation], ({ name }) => name !== trigger);
			const definition = {
				...workflow,
				nodes: [...triggers, agent, tested],
				connections: { Start: next, Evaluation: next, ...toAgent },
			};
			const credentials = service.credentials();
			const options = { items: [{ phone: anna }], mode: 'manual' as const, credentials };
			const { error } = await runWorkflow(service.engine.loaded, definition, options);
			expect(error).toBeUndefined();
			expect(sentTo()).toHaveLength(sent);
		},
	);

	test('of a question shows the text, and waits for no reply', async () => {
		const question = { resource: 'message', operation: 'sendAndWait', to: '={{ $json.phone }}' };
		const message = '=Tuesday, {{ $json.phone }}?';
		const parameters = { ...question, message, mode: 'preview' };
		const { status, outputs } = await service.run({ parameters, items: people });
		expect(status).toBe('success');
		const texts = people.map(({ phone }) => `Tuesday, ${phone}?`);
		expect(outputs[0].map(({ json }) => json.text)).toEqual(texts);
		expect(sentTo()).toEqual([]);
	});

	test.each([
		['login_code', ['body_1']],
		['big_order', bigFields],
	])('of the template %s equals what customers receive, part by part', async (name, fields) => {
		addManyTemplates(service.sandbox.state);
		const template = {
			operation: 'sendTemplate',
			template: locator(name, 'name'),
			language: locator('en_US', 'code'),
			variables: {
				mappingMode: 'defineBelow',
				value: Object.fromEntries(fields.map((id) => [id, `={{ $json.phone }} ${id}`])),
			},
		};
		const credentials = service.credentials(service.newKey()); // a key for which no list is cached yet
		const options = { items: [{ phone: anna }], credentials };
		const preview = await run({ ...options, parameters: { ...template, mode: 'preview' } });
		expect(sentTo()).toEqual([]);
		await run({ ...options, parameters: template });
		const [{ text, template: received }] = service.sandbox.state.messages.all;
		const buttons = received?.buttons
			.map((button) => `[${[button.text, button.url].filter(Boolean).join(': ')}]`)
			.join(' ');
		const { json } = preview.outputs[0][0];
		expect([json.text, json.header, json.buttons]).toEqual([
			text,
			received?.header?.text,
			buttons || undefined,
		]);
	});

	test('of a template that was written with spaces in its variables has their values', async () => {
		const components = [{ type: 'BODY', text: 'Hi {{ customer }}, {{points }} points' }];
		const template = { name: 'points', language: 'en_US', components };
		service.sandbox.state.templates.create(template, 'APPROVED');
		const value = { body_customer: 'Anna', body_points: '7' };
		const { outputs } = await run({
			items: [{ phone: anna }],
			credentials: service.credentials(service.newKey()),
			parameters: {
				operation: 'sendTemplate',
				template: locator('points', 'name'),
				language: locator('en_US', 'code'),
				variables: { mappingMode: 'defineBelow', value },
				mode: 'preview',
			},
		});
		expect(outputs[0][0].json.text).toBe('Hi Anna, 7 points');
	});

	test('of a template that the service does not list has no text', async () => {
		service.fault({ endpoint: 'listTemplates', status: 403, count: 9 });
		const credentials = service.credentials(service.newKey());
		const template = { operation: 'sendTemplate', ...welcomeParameters, mode: 'preview' };
		const items = [{ phone: anna, n: 1 }];
		const { outputs, hints } = await run({ items, credentials, parameters: template });
		expect(hints[1].message).toContain('were not checked against their templates');
		const headerDocumentUrl = welcomeParameters.variables.value.headerPdfUrl;
		const expected = { text: null, template: 'welcome', headerDocumentUrl };
		expect(outputs[0][0].json).toMatchObject(expected);
	});
});

describe('the total above the output', () => {
	test('counts the results of all messages', async () => {
		service.fault({ endpoint: 'sendText', match: carl, status: 422 });
		service.fault({ endpoint: 'sendText', match: dora, reset: 'afterRead' });
		const sending: RunValues = {
			items: [...people, { phone: anna }, { phone: 'no number' }],
			rules: { excludeNumbers: berta, duplicates: 'sendFirst' },
			onError: 'continueRegularOutput',
		};
		const totalOf = async (options: RunValues) => (await run(options)).hints[0];
		const counts = '1 duplicate, 1 excluded';
		expect(await totalOf(sending)).toEqual({
			message: `1 sent, ${counts}, 1 may have been sent, 2 not sent (see reason).`,
			location: 'outputPane',
			type: 'info',
		});
		const errorOutput: RunValues = { ...sending, onError: 'continueErrorOutput' };
		expect((await totalOf(errorOutput)).message).toBe(
			`3 sent, ${counts}, 1 not sent (see the error output).`,
		);
		const test = { mode: 'test', testNumber: dora, testMessages: 2 };
		expect((await totalOf({ parameters: test })).message).toBe(
			'2 sent to the test number, 2 not in the test.',
		);
	});

	test('is not shown for a single message, whose item says the same', async () => {
		expect((await run({ items: [{ phone: anna }] })).hints).toEqual([]);
	});
});

describe('Mode as an expression', () => {
	test.each([
		['send', '', 'sent', undefined],
		['preview', '', 'preview', undefined],
		['test', dora, 'test', undefined],
		['test', '', undefined, "'Test Number' is empty"],
	])('that results in %s with the test number %j', async (mode, testNumber, status, problem) => {
		const { outputs, error } = await run({
			items: [{ phone: anna, mode }],
			parameters: { mode: '={{ $json.mode }}', testNumber },
		});
		expect(error?.message ?? '').toContain(problem ?? '');
		expect(outputs[0]?.[0].json.sendStatus).toBe(status);
		expect(sentTo()).toEqual({ sent: [anna], test: [dora] }[status ?? ''] ?? []);
	});

	test('does not demand a test number before the workflow can be published', () => {
		const { description } = new BusinessMessaging();
		const place = { typeVersion: 1, position: [0, 0] as [number, number] };
		const parameters = { ...sendText, mode: '={{ $json.mode }}' };
		const node = { id: '1', name: 'Send', type: description.name, ...place, parameters };
		expect(nodeIssues(node, description)).toEqual([]);
	});
});
