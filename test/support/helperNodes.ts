/** Nodes for workflows in tests: n8n's own (Manual Trigger, Loop Over Items, ...) are no part of n8n-core. */
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

const Main = 'main';

function describe(name: string, rest: Partial<INodeTypeDescription>): INodeTypeDescription {
	return {
		displayName: name,
		name,
		group: ['transform'],
		version: 1,
		description: 'A node for tests',
		defaults: { name },
		inputs: [Main],
		outputs: [Main],
		properties: [],
		...rest,
	};
}

/** Hands on the items that the execution starts with. */
export const start: INodeType = {
	description: describe('start', { group: ['trigger'], inputs: [] }),
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

/** Like n8n's Loop Over Items: output 1 gives one batch after another, output 0 everything that came back, at the end. */
const batches: INodeType = {
	description: describe('batches', {
		outputs: [Main, Main],
		properties: [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
	}),
	async execute(this: IExecuteFunctions) {
		const memory = this.getContext('node') as {
			waiting?: INodeExecutionData[];
			done?: INodeExecutionData[];
		};
		if (memory.waiting) memory.done?.push(...this.getInputData());
		memory.waiting ??= [...this.getInputData()];
		memory.done ??= [];
		const batch = memory.waiting.splice(0, this.getNodeParameter('batchSize', 0) as number);
		return batch.length > 0 ? [[], batch] : [memory.done, []];
	},
};

/** The helper nodes by type. */
export const helperNodes: Record<string, INodeType | undefined> = {
	'test.start': start,
	'test.batches': batches,
};
