/** An n8n and a service in which the two sides of a comparison run. */
import type { INode, INodeParameters } from 'n8n-workflow';
import { UserError } from '../../harness/cli';
import { type Database, fillCampaignLog } from '../../harness/n8n/database';
import { hasEnded, outputOf } from '../../harness/n8n/client';
import type { N8nServer } from '../../harness/n8n/server';
import { ACTION, node, withCredential, workflow } from '../../harness/n8n/workflow';
import { FIRST_NUMBER, type Rate, type SandboxClient } from '../../harness/sandboxClient';
import { until } from '../../harness/until';
import type { Span } from './measure';

const START = 'Start';
/** First number of people who are not in the campaign, counted from the first number of all. */
export const OTHERS_FROM = 5_000_000;
/** The node that is measured. */
const MEASURED = 'Measured';
const RUN_LIMIT = 30 * 60_000;

/** What a run of a node took, and how many items it output. */
export type NodeRun = Span & { items: number };

/** People with consecutive numbers. */
export interface People {
	count: number;
	from?: number;
	/** A JavaScript expression that is added to `from`. */
	offset?: string;
	/** Further fields of each person's item, in JavaScript, e.g. `name: 'Anna'`; `index` counts the people. */
	fields?: string;
}

/** The n8n and the service in which comparisons run. */
export class BenchEnvironment {
	constructor(
		readonly n8n: N8nServer,
		readonly service: SandboxClient,
		readonly database: Database,
		private readonly rate?: Rate,
	) {}

	/** Saves the credential of the service. @returns its ID */
	async credential(): Promise<string> {
		const values = this.service.credential(this.rate);
		return await this.n8n.client.saveCredential('Service', 'businessMessagingApi', values);
	}

	/** A workflow that ends with our action node. @returns its ID */
	async action(before: INode[], parameters: INodeParameters): Promise<string> {
		const own = withCredential(await this.credential());
		return await this.create([...before, node(MEASURED, ACTION, 1, parameters, own)]);
	}

	/** A workflow that ends with any node. @returns its ID */
	async create(nodes: INode[]): Promise<string> {
		const row = [node(START, 'n8n-nodes-base.manualTrigger', 1), ...nodes.slice(0, -1)];
		const last = { ...nodes[nodes.length - 1], name: MEASURED };
		const { id } = await this.n8n.client.createWorkflow(workflow('Growth', [...row, last]));
		return id;
	}

	/** Runs a workflow. @returns the time of its last node, or of all nodes from `first` on @throws UserError if the run fails */
	async run(workflowId: string, first = MEASURED): Promise<NodeRun> {
		const { client } = this.n8n;
		const id = await client.run(workflowId, START);
		const isOver = async () => {
			const [execution] = await client.listExecutions(workflowId, 1).catch(() => []);
			return execution && hasEnded(execution);
		};
		await until('a run to end', isOver, { limit: RUN_LIMIT, interval: 500 });
		const execution = await client.getExecution(id);
		const { resultData } = execution.data;
		const [run] = resultData.runData[MEASURED] ?? [];
		if (!run || resultData.error)
			throw new UserError(`A run failed: ${resultData.error?.message ?? 'nothing was measured'}`);
		const from = resultData.runData[first][0].startTime;
		const to = run.startTime + run.executionTime;
		return { from, to, items: outputOf(execution, MEASURED).length };
	}

	/** Replaces the rows of the campaign log by those of other people. @throws Error if there is no campaign log yet */
	async fillCampaignLog(rows: number): Promise<void> {
		await fillCampaignLog(this.database, rows, FIRST_NUMBER + OTHERS_FROM);
	}
}

/** Two nodes that run once and output one item for each person, whatever their input is. */
export function peopleNodes(name: string, people: People): INode[] {
	const { count, from = 0, offset = '0', fields = '' } = people;
	const number = `(${FIRST_NUMBER + from} + ${offset} + index)`;
	const value = `={{ Array.from({ length: ${count} }, (_, index) => ({ to: '+' + ${number}, ${fields} })) }}`;
	const assignments = [{ id: '1', name: 'records', type: 'array', value }];
	const list = { assignments: { assignments }, options: {} };
	return [
		node(`${name} as a list`, 'n8n-nodes-base.set', 3.4, list, { executeOnce: true }),
		node(name, 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'records', options: {} }),
	];
}
