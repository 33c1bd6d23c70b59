/** What n8n's cli does with credentials: hands them out with defaults, adds them to requests, and tests them. */
import { ExecuteContext, RoutingNode } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialTestRequestData,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeProperties,
	INodeType,
	IRequestOptionsSimplified,
} from 'n8n-workflow';
import {
	ICredentialsHelper,
	NodeConnectionTypes,
	NodeHelpers,
	UnexpectedError,
	Workflow,
} from 'n8n-workflow';

import { additionalDataFor } from './additionalData';
import { newRunData } from './engineParts';
import type { LoadedPackage } from './package';

/** Hands out the same values whichever credential a node asks for. Source: CredentialsHelper of n8n's cli. */
export class TestCredentialsHelper extends ICredentialsHelper {
	constructor(
		private readonly loaded: LoadedPackage,
		private readonly values: ICredentialDataDecryptedObject,
	) {
		super();
	}

	async getDecrypted(
		_additional: unknown,
		_details: unknown,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		const properties = this.getCredentialsProperties(type);
		const filled = NodeHelpers.getNodeParameters(
			properties,
			this.values as INodeParameters,
			true,
			false,
			null,
			null,
		);
		return { ...this.values, ...filled } as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions | IRequestOptionsSimplified,
		workflow?: Workflow,
		node?: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loaded.credential(typeName);
		const request = options as IHttpRequestOptions & Record<string, unknown>;
		if (typeof authenticate === 'function') return await authenticate(credentials, request);
		if (!workflow || !node)
			throw new UnexpectedError('A declarative credential needs a workflow and a node');

		const resolve = (value: unknown) =>
			workflow.expression
				.getSimpleParameterValue(
					node,
					value as string,
					'internal',
					{ $credentials: credentials },
					undefined,
					'',
				)
				?.toString() ?? '';
		for (const [part, entries] of Object.entries(authenticate?.properties ?? {})) {
			const resolved = Object.entries(entries as object).map(([key, value]) => [
				resolve(key),
				resolve(value),
			]);
			request[part] = { ...(request[part] as object | undefined), ...Object.fromEntries(resolved) };
		}
		return request;
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.loaded.credential(type).properties;
	}

	getParentTypes(type: string): string[] {
		return this.loaded.credential(type).extends ?? [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async preAuthentication(): Promise<undefined> {}

	async runPreAuthentication(): Promise<undefined> {}

	async getCredentials(): Promise<ICredentials> {
		throw new UnexpectedError('The harness has no stored credentials');
	}

	async updateCredentials(): Promise<void> {}

	async updateCredentialsOauthTokenData(): Promise<void> {}
}

/** What the editor shows below a credential after Test. */
export interface CredentialTestResult {
	status: 'OK' | 'Error';
	message: string;
}

/** A node type that makes the credential's test request, as n8n's cli puts one together for the test. */
function testNodeType(
	type: string,
	{ request }: ICredentialTestRequestData['testRequest'],
): INodeType {
	return {
		description: {
			displayName: 'Temp',
			name: 'temp',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: type, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
}

function explain(error: unknown, { rules }: ICredentialTestRequestData['testRequest']): string {
	const { message, cause } = error as Error & {
		cause?: { code?: string; response?: { status: number; statusText?: string } };
	};
	if (!cause?.response) return cause?.code ?? message;
	const { status, statusText } = cause.response;
	const rule = rules?.find(
		({ type, properties }) => type === 'responseCode' && properties.value === status,
	);
	return rule?.properties.message ?? (statusText || `Received HTTP status code: ${status}`);
}

/**
 * Presses the Test button of a credential that declares a test request. Source: CredentialsTester of n8n's cli.
 *
 * @param type name of the credential type
 * @param values what the user has typed in
 */
export async function testCredential(
	loaded: LoadedPackage,
	type: string,
	values: ICredentialDataDecryptedObject,
): Promise<CredentialTestResult> {
	const { test } = loaded.credential(type);
	if (!test) return { status: 'Error', message: 'No testing function found for this credential.' };

	const nodeType = testNodeType(type, test);
	const node: INode = {
		id: 'temp',
		name: 'Temp-Node',
		type: 'temp',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		credentials: { [type]: { id: 'temp', name: 'Temp' } },
	};
	const nodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const helper = new TestCredentialsHelper(loaded, values);
	const data = await helper.getDecrypted(undefined, undefined, type);
	const context = new ExecuteContext(
		workflow,
		node,
		additionalDataFor(helper),
		'internal',
		newRunData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	try {
		await new RoutingNode(context, nodeType, { id: 'temp', name: 'Temp', type, data }).runNode();
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: explain(error, test) };
	}
}
