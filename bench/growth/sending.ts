/** Comparisons of campaigns. */
import uniq from 'lodash/uniq';
import type { INode, INodeParameters } from 'n8n-workflow';
import { UserError } from '../../harness/cli';
import { node } from '../../harness/n8n/workflow';
import type { Comparison, Sides } from './comparison';
import type { Span } from './measure';
import { type People, OTHERS_FROM, peopleNodes, type BenchEnvironment } from './benchEnvironment';

const to = '={{ $json.to }}';
const sendText = { resource: 'message', operation: 'sendText', to, text: 'Our sale starts today.' };
/** An offset that gives each execution other people. */
const AFRESH = '(Number($execution.id) % 1000) * 5000';

/** A workflow that sends, and a run of it. The run is checked by what the service received. @param messages how many people get one */
async function sending(
	environment: BenchEnvironment,
	before: INode[],
	parameters: INodeParameters,
	messages: number,
	first?: string,
) {
	const id = await environment.action(before, parameters);
	const run = async (): Promise<Span> => {
		const known = (await environment.service.sent()).length;
		const span = await environment.run(id, first);
		const sent = (await environment.service.sent()).slice(known).map(({ phone }) => phone);
		const people = uniq(sent).length;
		if (sent.length === messages && people === messages) return span;
		throw new UserError(`${sent.length} messages reached ${people} of ${messages} people.`);
	};
	return { id, run };
}

/** Both sides send to the same people. */
async function bothSend(
	environment: BenchEnvironment,
	people: People,
	[more, less]: [INodeParameters, INodeParameters],
	before: INode[] = [],
): Promise<Sides> {
	const nodes = [...before, ...peopleNodes('People', people)];
	const ours = await sending(environment, nodes, { ...sendText, ...more }, people.count);
	const bare = await sending(environment, nodes, { ...sendText, ...less }, people.count);
	return { with: ours.run, without: bare.run };
}

/** Both sides. The first one has sent before, and the campaign log has this number of further rows. */
async function withLog(
	environment: BenchEnvironment,
	rows: number,
	more: INodeParameters,
): Promise<Sides> {
	const sides = await bothSend(environment, { count: 2 * rate.requests, offset: AFRESH }, [
		more,
		{},
	]);
	await sides.with();
	await environment.fillCampaignLog(rows);
	return sides;
}

const threeCalls =
	'=Hi {{ $json.name.trim() }}, your code is {{ $json.code.toUpperCase() }} until {{ $json.until.slice(0, 10) }}.';
const fields = "name: ' Anna ', code: 'k' + index, until: '2030-01-31T10:00', city: 'Ulm'";
/** The documented rate, but six times as fast. With twice as many people, a run has to wait for the rate. */
const rate = { requests: 1_000, windowMs: 10_000 };
const limited = { service: () => ({ rate, latencyMs: 50 }) };
const logSizes = { sizes: [0, 100_000, 300_000], quickSizes: [0, 20_000] };

const templateName = 'five_values';
const template = {
	...{ name: templateName, language: 'en_US', category: 'MARKETING' },
	components: [{ type: 'BODY', text: '{{1}}, {{2}}, {{3}}, {{4}} and {{5}} are new.' }],
};
const variables = (values: string[]) => ({
	mappingMode: 'defineBelow',
	value: Object.fromEntries(values.map((value, index) => [`body_${index + 1}`, value])),
});
const locator = (value: string, mode: string) => ({ __rl: true, mode, value });
const sendTemplate = {
	...{ resource: 'message', operation: 'sendTemplate', to },
	template: locator(templateName, 'name'),
	language: locator('en_US', 'code'),
};

export const sendingComparisons: Comparison[] = [
	{
		name: 'exclude',
		what: 'a campaign with as many numbers excluded by an expression – without the rule',
		sizes: [1_000, 5_000, 10_000],
		quickSizes: [500, 1_000],
		prepare: async (environment, size) => {
			const excludeNumbers = "={{ $('Opt-outs').all().map(row => row.json.to) }}";
			const optOuts = peopleNodes('Opt-outs', { count: size, from: OTHERS_FROM });
			const rule = { audienceRules: { excludeNumbers } };
			return await bothSend(environment, { count: size }, [rule, {}], optOuts);
		},
	},
	{
		name: 'texts',
		what: "a text with three method calls – evaluated by n8n's Edit Fields",
		sizes: [3_000, 10_000],
		quickSizes: [1_000],
		prepare: async (environment, size) => {
			const people = peopleNodes('People', { count: size, fields });
			const assignments = [{ id: '1', name: 'text', type: 'string', value: threeCalls }];
			const options = { assignments: { assignments }, includeOtherFields: true, options: {} };
			const edit = node('Texts', 'n8n-nodes-base.set', 3.4, options);
			const edited = { ...sendText, text: '={{ $json.text }}' };
			const ours = await sending(environment, people, { ...sendText, text: threeCalls }, size);
			const bare = await sending(environment, [...people, edit], edited, size, 'Texts');
			return { with: ours.run, without: bare.run };
		},
	},
	{
		name: 'template',
		what: 'a template with five values of the item – with fixed values',
		sizes: [3_000],
		quickSizes: [1_000],
		service: () => ({ flags: ['--approval-delay-ms=0'] }),
		prepare: async (environment, size) => {
			await environment.service.call('post', '/v1/templates', template);
			const names = ['name', 'code', 'until', 'city', 'to'];
			const moving = variables(names.map((name) => `={{ $json.${name} }}`));
			const sides: [INodeParameters, INodeParameters] = [
				{ ...sendTemplate, variables: moving },
				{ ...sendTemplate, variables: variables(names) },
			];
			return await bothSend(environment, { count: size, fields }, sides);
		},
	},
	{
		...{ name: 'sendOnce', what: 'Send Once, 2,000 people, a log with so many rows – without' },
		...logSizes,
		...limited,
		prepare: async (environment, rows) =>
			await withLog(environment, rows, { sendOnce: true, campaign: 'Spring' }),
	},
	{
		...{ name: 'cap', what: 'Frequency Cap, 2,000 people, a log with so many rows – without' },
		...logSizes,
		...limited,
		prepare: async (environment, rows) => {
			const frequencyCap = { values: { messages: 1, per: 'week' } };
			return await withLog(environment, rows, { audienceRules: { frequencyCap } });
		},
	},
	{
		name: 'five',
		what: 'a service that accepts five requests at once – with Simultaneous Requests at 5',
		sizes: [200],
		quickSizes: [200],
		service: () => ({ latencyMs: 50, flags: ['--simultaneous-requests=5'] }),
		prepare: async (environment, count) => {
			const sides: [INodeParameters, INodeParameters] = [{}, { options: { concurrency: 5 } }];
			const both = await bothSend(environment, { count }, sides);
			const refusals = async () =>
				(await environment.service.counter('sendText'))?.byStatus['429'] ?? 0;
			const checked = async () => {
				const before = await refusals();
				const span = await both.with();
				const share = ((await refusals()) - before) / count;
				if (share > 0.05) throw new UserError(`It refused ${Math.round(100 * share)} %.`);
				return span;
			};
			return { ...both, with: checked };
		},
	},
];
