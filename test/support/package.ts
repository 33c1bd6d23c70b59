/** The built package, loaded with n8n-core's own loader and offered to n8n's engine as n8n does, and nodes to run it with. */
import './environment';

import 'reflect-metadata';

import { PackageDirectoryLoader } from 'n8n-core';
import type {
	ICredentialType,
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
} from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { root } from './files';

/** Missing in older engines: see `npm run test:compat`. */
const { setSafeRegexEngine }: Partial<Pick<typeof n8nWorkflow, 'setSafeRegexEngine'>> = n8nWorkflow;

// n8n runs a regular expression of a description in a separate context for at most 250 ms, which is sometimes too
// little on a busy machine. Without that limit no test depends on the machine's speed.
setSafeRegexEngine?.({
	exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
	test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
	replace: (pattern, input, flags, replacement) =>
		input.replace(new RegExp(pattern, flags), replacement),
	matchAll: (pattern, input, flags = '') => [
		...input.matchAll(new RegExp(pattern, flags.includes('g') ? flags : `${flags}g`)),
	],
	split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
});

/** The package as n8n has it in memory. */
export interface LoadedPackage {
	/** npm name, which is also the first part of its node types. */
	name: string;
	/** Names of its node types without the package, e.g. `businessMessaging`. */
	nodeNames: string[];
	credentialNames: string[];
	/** The package's node types and the helper nodes, as `Workflow` wants them. */
	nodeTypes: INodeTypes;
	/** @throws UnrecognizedNodeTypeError if the package has no such node */
	node(name: string): INodeType;
	/** @throws UnrecognizedCredentialTypeError if the package has no such credential type */
	credential(name: string): ICredentialType;
}

const describe = (name: string, rest: Partial<INodeTypeDescription>): INodeTypeDescription => ({
	displayName: name,
	name,
	group: ['transform'],
	version: 1,
	description: 'A node for tests',
	defaults: { name },
	inputs: ['main'],
	outputs: ['main'],
	properties: [],
	...rest,
});

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
		outputs: ['main', 'main'],
		properties: [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
	}),
	async execute(this: IExecuteFunctions) {
		const memory: { waiting?: INodeExecutionData[]; done?: INodeExecutionData[] } =
			this.getContext('node');
		if (memory.waiting) memory.done?.push(...this.getInputData());
		memory.waiting ??= [...this.getInputData()];
		memory.done ??= [];
		const batch = memory.waiting.splice(0, this.getNodeParameter('batchSize', 0) as number);
		return batch.length > 0 ? [[], batch] : [memory.done, []];
	},
};

/** n8n's own nodes (Manual Trigger, Loop Over Items, ...) are no part of n8n-core. */
const helperNodes: Record<string, INodeType | undefined> = {
	'test.start': start,
	'test.batches': batches,
};

/** Loads the built package. */
export async function loadPackage(): Promise<LoadedPackage> {
	const { getVersionedNodeType } = n8nWorkflow.NodeHelpers;
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const name = loader.packageName;
	const find = (type: string) =>
		helperNodes[type] ?? loader.getNode(type.replace(`${name}.`, '')).type;
	return {
		name,
		nodeNames: Object.keys(loader.nodeTypes),
		credentialNames: Object.keys(loader.credentialTypes),
		nodeTypes: {
			getByName: find,
			getByNameAndVersion: (type, version) => getVersionedNodeType(find(type), version),
			getKnownTypes: () => ({}),
		},
		node: (type) => getVersionedNodeType(loader.getNode(type).type),
		credential: (type) => loader.getCredential(type).type,
	};
}
