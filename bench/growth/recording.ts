/** Comparisons of what is recorded in the campaign log, and read from it. */
import type { INode, INodeParameters } from 'n8n-workflow';
import { UserError } from '../../harness/cli';
import { dataTableId } from '../../harness/n8n/database';
import { ACTION, listNodes, node, to, withCredential, workflow } from '../../harness/n8n/workflow';
import { type BenchEnvironment, peopleNodes } from './benchEnvironment';
import type { Comparison } from './comparison';
import type { Span } from './measure';

const tableName = 'Business Messaging Campaigns';
/** The campaign whose receipts come. */
const campaign = 'Spring';
/** A minute of receipts at the documented rate, in the batches in which a trigger outputs them. */
const [receipts, batch] = [1_000, 20];
const sizes = { sizes: [0, 100_000, 300_000], quickSizes: [0, 20_000] };

const textTo = { resource: 'message', operation: 'sendText', to: '={{ $json.to }}', text: 'Hi' };

/** Sends the campaign behind so many rows of other people. @returns the name of the table in n8n's database */
async function sendCampaign(environment: BenchEnvironment, rows: number): Promise<string> {
	const send = async (count: number, name: string) => {
		const sending = { ...textTo, sendOnce: true, campaign: name };
		const id = await environment.action(peopleNodes('People', { count }), sending);
		await environment.run(id);
	};
	await send(1, 'First');
	await environment.fillCampaignLog(rows);
	await send(receipts, campaign);
	return (await dataTableId(environment.database, tableName))!;
}

/** Gives one of two tables the name of the campaign log. */
async function use(environment: BenchEnvironment, id: string, other: string): Promise<void> {
	const rename = 'UPDATE data_table SET name = ? WHERE id = ?';
	await environment.database.run(rename, [`${tableName} ${other}`, other]);
	await environment.database.run(rename, [tableName, id]);
}

/** A run that records the receipts of a campaign in batches. */
async function recording(environment: BenchEnvironment, id: string): Promise<() => Promise<Span>> {
	const { client } = environment.n8n;
	const table = `"data_table_user_${id}"`;
	const sent = await environment.database.run(
		`SELECT phone, "messageId" FROM ${table} WHERE campaign = ?`,
		[campaign],
	);
	const events = sent.map(({ phone, messageId }) => ({
		...{ event: 'message.delivered', to: phone, messageId },
	}));
	const own = withCredential(await environment.credential());
	const operation = { resource: 'campaign', operation: 'recordEvents' };
	const nodes: INode[] = [
		node('Start', 'n8n-nodes-base.manualTrigger', 1),
		...listNodes(JSON.stringify(events)),
		node('Batches', 'n8n-nodes-base.splitInBatches', 3, { batchSize: batch }),
		node('Record', ACTION, 1, operation, own),
		node('Measured', 'n8n-nodes-base.noOp', 1),
	];
	const connections = {
		...{ Start: to(['List']), List: to(['Items']), Items: to(['Batches']) },
		...{ Batches: to(['Measured', 'Record']), Record: to(['Batches']) },
	};
	const file = workflow('Growth', nodes, connections);
	const workflowId = (await client.createWorkflow(file)).id;
	return async () => {
		await environment.database.run(`UPDATE ${table} SET "deliveredAt" = NULL`);
		const span = await environment.run(workflowId, 'Batches');
		const [recorded] = await environment.database.numbers(
			`SELECT count("deliveredAt") FROM ${table}`,
		);
		if (recorded === receipts) return span;
		throw new UserError(`Only ${recorded} of ${receipts} receipts were recorded.`);
	};
}

/** A run of an operation of the resource Campaign, and one of n8n's own node that reads the same rows. */
async function reading(
	environment: BenchEnvironment,
	rows: number,
	parameters: INodeParameters,
	filters: INodeParameters,
) {
	await sendCampaign(environment, rows);
	const dataTableId = { __rl: true, mode: 'name', value: tableName };
	const get = { operation: 'get', dataTableId, returnAll: true, ...filters };
	const start = peopleNodes('People', { count: 1 });
	const ours = await environment.action(start, { resource: 'campaign', ...parameters });
	const bare = await environment.create([
		...start,
		node('Table', 'n8n-nodes-base.dataTable', 1.1, get),
	]);
	return {
		with: async () => await environment.run(ours),
		without: async () => await environment.run(bare),
	};
}

export const recordingComparisons: Comparison[] = [
	{
		name: 'record',
		what: 'Record Events, 1,000 receipts in batches of 20, a log with so many other rows – without them',
		...sizes,
		prepare: async (environment, rows) => {
			const large = await sendCampaign(environment, rows);
			await use(environment, 'none', large);
			const small = await sendCampaign(environment, 0);
			const withRows = await recording(environment, large);
			const without = await recording(environment, small);
			const side = (own: string, other: string, run: () => Promise<Span>) => async () => {
				await use(environment, own, other);
				return await run();
			};
			return { with: side(large, small, withRows), without: side(small, large, without) };
		},
	},
	{
		name: 'recipients',
		what: "Get Recipients, 1,000 people, a log with so many other rows – n8n's Data Table node gets the same rows",
		...sizes,
		prepare: async (environment, rows) => {
			const conditions = [{ keyName: 'campaign', condition: 'eq', keyValue: campaign }];
			const parameters = { operation: 'getRecipients', campaign, people: 'notRead' };
			return await reading(environment, rows, parameters, { filters: { conditions } });
		},
	},
	{
		name: 'report',
		what: "Get Report of all campaigns, a log with so many other rows – n8n's Data Table node gets all rows",
		// n8n's own node fails with 300,000 rows.
		...sizes,
		sizes: sizes.sizes.filter((size) => size < 300_000),
		prepare: async (environment, rows) =>
			await reading(environment, rows, { operation: 'getReport', campaign: '' }, {}),
	},
];
