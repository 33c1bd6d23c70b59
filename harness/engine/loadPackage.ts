/**
 * The built package, loaded with n8n-core's own loader; helper nodes; and what n8n's cli adds to its engine for each
 * execution: credentials and additional data.
 */
import '../jest/n8nSettings';

import * as n8nCore from 'n8n-core';
import type {
	IAuthenticate,
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialType,
	ICredentialsHelper,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
	INodeTypes,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { DataTables } from './dataTables';
import { root } from './files';

/** The package after n8n has loaded it. */
export interface LoadedPackage {
	/** npm name, with which node types begin. */
	name: string;
	/** The package's node types and the helper nodes, in the form that `Workflow` needs. */
	nodeTypes: INodeTypes;
	node(name: string): INodeType;
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

/** Outputs the items with which the execution starts. */
export const start: INodeType = {
	description: describe('start', { group: ['trigger'], inputs: [] }),
	async execute(this: IExecuteFunctions) {
		return [this.getInputData()];
	},
};

/** Like n8n's Loop Over Items: the second output gives one batch after another. */
const batches: INodeType = {
	description: describe('batches', {
		outputs: ['main', 'main'],
		properties: [{ displayName: 'Batch Size', name: 'batchSize', type: 'number', default: 1 }],
	}),
	async execute(this: IExecuteFunctions) {
		const memory: { waiting?: INodeExecutionData[] } = this.getContext('node');
		memory.waiting ??= [...this.getInputData()];
		return [[], memory.waiting.splice(0, this.getNodeParameter('batchSize', 0) as number)];
	},
};

/** Like an AI Agent that calls the tool with the name of its parameter, and outputs nothing. */
const agent = {
	description: describe('agent', {
		inputs: ['main', 'ai_tool'],
		properties: [{ displayName: 'Tool', name: 'tool', type: 'string', default: '' }],
	}),
	async execute(this: IExecuteFunctions, response?: { actionResponses: unknown[] }) {
		if (response && response.actionResponses.length > 0) return [[]];
		const nodeName = this.getNodeParameter('tool', 0);
		const actionType = 'ExecutionNodeAction';
		const call = { actionType, nodeName, input: {}, type: 'ai_tool', id: 'call_1', metadata: {} };
		return { actions: [call], metadata: {} };
	},
} as INodeType;

/** n8n's own nodes (Manual Trigger, Loop Over Items, ...) are not part of n8n-core, so these replace them. */
const helperNodes: Record<string, INodeType | undefined> = {
	'n8n-nodes-base.evaluationTrigger': start,
	'test.agent': agent,
	'test.start': start,
	'test.batches': batches,
};

/** Loads the built package with the helper nodes. */
export async function loadPackage(): Promise<LoadedPackage> {
	const { getVersionedNodeType } = NodeHelpers;
	const loader = new n8nCore.PackageDirectoryLoader(root);
	await loader.loadAll();
	const name = loader.packageName;
	// n8n makes variants of a node for AI agents; they run the same code.
	const find = (type: string) =>
		helperNodes[type] ??
		loader.getNode(type.replace(`${name}.`, '').replace(/(Hitl)?Tool$/, '')).type;
	return {
		name,
		nodeTypes: {
			getByName: find,
			getByNameAndVersion: (type, version) => getVersionedNodeType(find(type), version),
			getKnownTypes: () => ({}),
		},
		node: (type) => getVersionedNodeType(loader.getNode(type).type),
		credential: (type) => loader.getCredential(type).type,
	};
}

/** The data tables of all executions. */
export const dataTables = new DataTables();

/** Not available in older engines: see `npm run test:compat`. */
const { ExternalSecretsProxy }: Partial<Pick<typeof n8nCore, 'ExternalSecretsProxy'>> = n8nCore;
const noSecrets = { hasProvider: () => false, listProviders: () => [] };

/** As a node gets them: the given values, and defaults. Source: CredentialsHelper of n8n's cli. */
function decrypted(loaded: LoadedPackage, type: string, values: ICredentialDataDecryptedObject) {
	const { properties } = loaded.credential(type);
	const given = values as INodeParameters;
	const filled = NodeHelpers.getNodeParameters(properties, given, true, false, null, null);
	return { ...values, ...filled } as ICredentialDataDecryptedObject;
}

type Authenticate = Exclude<IAuthenticate, IAuthenticateGeneric>;

/** Returns the same values for every credential. */
function credentialsHelper(loaded: LoadedPackage, values: ICredentialDataDecryptedObject) {
	const helper = {
		getDecrypted: async (_additional: unknown, _details: unknown, type: string) =>
			decrypted(loaded, type, values),
		authenticate: async (
			credentials: ICredentialDataDecryptedObject,
			type: string,
			request: IHttpRequestOptions,
		) => await (loaded.credential(type).authenticate as Authenticate)(credentials, request),
		getCredentialsProperties: (type: string) => loaded.credential(type).properties,
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
	};
	return helper as unknown as ICredentialsHelper;
}

/** What n8n's module of data tables adds; the nodes may not use it. */
type DataTableModule = IWorkflowExecuteAdditionalData['data-table'];

/** Additional data for executions, hooks and pickers. @param baseUrl n8n's own address, without a slash at the end */
export function additionalDataFor(
	loaded: LoadedPackage,
	credentials: ICredentialDataDecryptedObject = {},
	baseUrl = 'http://n8n.test',
): IWorkflowExecuteAdditionalData {
	const secrets = ExternalSecretsProxy ? new ExternalSecretsProxy() : noSecrets;
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper: credentialsHelper(loaded, credentials),
		currentNodeExecutionIndex: 0,
		externalSecretsProxy: secrets as InstanceType<typeof n8nCore.ExternalSecretsProxy>,
		variables: {},
		restApiUrl: `${baseUrl}/rest`,
		instanceBaseUrl: `${baseUrl}/`,
		webhookBaseUrl: `${baseUrl}/webhook`,
		webhookTestBaseUrl: `${baseUrl}/webhook-test`,
		webhookWaitingBaseUrl: `${baseUrl}/webhook-waiting`,
		formWaitingBaseUrl: `${baseUrl}/form-waiting`,
		...(dataTables.isEnabled && {
			'data-table': { dataTableProxyProvider: {} } as DataTableModule,
		}),
		executeWorkflow: dataTables.executeWorkflow,
		setExecutionStatus() {},
		sendDataToUI() {},
	};
	return data as IWorkflowExecuteAdditionalData;
}

/** Presses Test in the credential's dialogue. Source: CredentialsTester of n8n's cli. */
export async function testCredential(
	loaded: LoadedPackage,
	values: ICredentialDataDecryptedObject,
): Promise<{ status: 'OK' | 'Error'; message: string }> {
	const { description, methods } = loaded.node('businessMessaging');
	const [{ name: type, testedBy }] = description.credentials!;
	const context = new n8nCore.CredentialTestContext(additionalDataFor(loaded, values));
	const data = decrypted(loaded, type, values);
	const test = methods!.credentialTest![testedBy as string];
	return await test.call(context, { id: 'temp', name: 'Temp', type, data });
}
