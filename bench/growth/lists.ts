/** Comparisons of contacts, segments and templates. */
import chunk from 'lodash/chunk';
import range from 'lodash/range';
import { UserError } from '../../harness/cli';
import { ACTION, node } from '../../harness/n8n/workflow';
import { FIRST_NUMBER } from '../../harness/sandboxClient';
import type { Comparison } from './comparison';
import type { NodeRun } from './benchEnvironment';
import { peopleNodes, type BenchEnvironment } from './benchEnvironment';

const largePages = ['--page-size-cap=1000'];
const sendText = { resource: 'message', operation: 'sendText', to: '={{ $json.to }}', text: 'Hi' };
const contact = { resource: 'contact', phone: '={{ $json.to }}', name: 'Anna' };
/** An offset that gives each execution other people. */
const AFRESH = '(Number($execution.id) % 1000) * 5000';
const SEGMENT = 'opted-out';
const SEGMENT_FROM = 6_000_000;

/** Calls the service for each number from 0 on, several at a time. */
async function fill(count: number, work: (index: number) => Promise<void>): Promise<void> {
	for (const some of chunk(range(count), 20)) await Promise.all(some.map(work));
}

/** Runs a workflow, and checks how many items it outputs. */
async function counted(run: Promise<NodeRun>, items: number): Promise<NodeRun> {
	const result = await run;
	if (result.items >= items) return result;
	throw new UserError(`Only ${result.items} of ${items} items came out.`);
}

/** HTTP Request nodes that read pages as people usually set them up. */
const httpPages = (environment: BenchEnvironment, header: string) =>
	node(
		'Pages',
		'n8n-nodes-base.httpRequest',
		4.2,
		{
			url: `${environment.service.url}/v1/contacts`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			sendQuery: true,
			queryParameters: { parameters: [{ name: 'limit', value: '1000' }] },
			options: {
				pagination: {
					pagination: {
						paginationMode: 'updateAParameterInEachRequest',
						parameters: {
							parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
						},
						paginationCompleteWhen: 'other',
						completeExpression: '={{ $response.body.data.length === 0 }}',
					},
				},
			},
		},
		{ credentials: { httpHeaderAuth: { id: header, name: 'Header' } } },
	);

/** Opens a list, as the editor does. */
async function openPicker(
	environment: BenchEnvironment,
	credential: string,
	methodName = 'searchTemplateNames',
) {
	const from = Date.now();
	const { results } = await environment.n8n.client.call<{ results: unknown[] }>(
		'POST',
		'/rest/dynamic-node-parameters/resource-locator-results',
		{
			path: 'parameters.template',
			methodName,
			nodeTypeAndVersion: { name: ACTION, version: 1 },
			currentNodeParameters: { resource: 'message', operation: 'sendTemplate' },
			credentials: { businessMessagingApi: { id: credential, name: 'Service' } },
		},
	);
	return { from, to: Date.now(), items: results.length };
}

export const listComparisons: Comparison[] = [
	{
		name: 'upserts',
		what: 'Create or Update of contacts at 100 ms – as many messages',
		sizes: [1_000],
		quickSizes: [200],
		service: () => ({ latencyMs: 100, flags: largePages }),
		prepare: async (environment, count) => {
			const people = peopleNodes('People', { count, offset: AFRESH });
			const upsert = await environment.action(people, { ...contact, operation: 'upsert' });
			const send = await environment.action(people, sendText);
			return {
				with: async () => await counted(environment.run(upsert), count),
				without: async () => await counted(environment.run(send), count),
			};
		},
	},
	{
		name: 'contacts',
		what: 'contacts that are listed – by HTTP Request and Split Out',
		sizes: [100_000],
		quickSizes: [10_000],
		service: (contacts) => ({ contacts, flags: largePages }),
		prepare: async (environment, count) => {
			const getAll = { resource: 'contact', operation: 'getAll', returnAll: true };
			const ours = await environment.action([], getAll);
			const value = `Bearer ${environment.service.key}`;
			const credential = { name: 'Authorization', value };
			const header = await environment.n8n.client.saveCredential(
				'Header',
				'httpHeaderAuth',
				credential,
			);
			const splitOut = node('Split', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'data' });
			const bare = await environment.create([httpPages(environment, header), splitOut]);
			return {
				with: async () => await counted(environment.run(ours), count),
				without: async () => await counted(environment.run(bare, 'Pages'), count),
			};
		},
	},
	{
		name: 'segment',
		what: 'a campaign to 10,000 people without a segment of so many – without the rule',
		sizes: [20_000],
		quickSizes: [2_000],
		service: () => ({ flags: largePages }),
		prepare: async (environment, size, isQuick) => {
			const contactOf = (index: number) => ({
				...{ phone: `+${FIRST_NUMBER + SEGMENT_FROM + index}`, segments: [SEGMENT] },
			});
			await fill(
				size,
				async (n) => await environment.service.call('post', '/v1/contacts', contactOf(n)),
			);
			const people = peopleNodes('People', { count: isQuick ? 1_000 : 10_000 });
			const rule = { audienceRules: { excludeSegment: SEGMENT } };
			const ids = [
				await environment.action(people, { ...sendText, ...rule }),
				await environment.action(people, sendText),
			];
			const [ours, bare] = ids.map((id) => async () => await environment.run(id));
			return { with: ours, without: bare };
		},
	},
	{
		name: 'picker',
		what: 'the list of so many templates in the editor – Get Many, and an empty list in the editor',
		sizes: [3_000],
		quickSizes: [3_000],
		service: () => ({ flags: [...largePages, '--approval-delay-ms=0'] }),
		prepare: async (environment, count) => {
			const templateOf = (index: number) => ({
				...{ name: `template_${index}`, language: 'en_US', category: 'MARKETING' },
				components: [{ type: 'BODY', text: 'Hi {{1}}' }],
			});
			await fill(
				count,
				async (n) => await environment.service.call('post', '/v1/templates', templateOf(n)),
			);
			const credential = await environment.credential();
			const getAll = { resource: 'template', operation: 'getAll', returnAll: true };
			const bare = await environment.action([], getAll);
			return {
				with: async () => await counted(openPicker(environment, credential), count),
				without: async () => {
					const { from, to } = await counted(environment.run(bare), count);
					// The time that n8n needs to open any list.
					const empty = await openPicker(environment, credential, 'searchWebhooks');
					return { from, to: to + empty.to - empty.from };
				},
			};
		},
	},
];
