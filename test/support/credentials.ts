/** What n8n's cli does with credentials: hands them out with defaults, adds them to requests, and tests them. */
import { CredentialTestContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	IHttpRequestOptions,
	INode,
	INodeParameters,
	INodeProperties,
	IRequestOptionsSimplified,
	Workflow,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers, UnexpectedError } from 'n8n-workflow';

import { additionalDataFor } from './additionalData';
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

/**
 * Saves a credential whose test is a function of the nodes, as each of them declares it. Source: CredentialsTester of n8n's
 * cli.
 *
 * @param type name of the credential type
 * @param values what the user has typed in
 */
export async function testCredential(
	loaded: LoadedPackage,
	type: string,
	values: ICredentialDataDecryptedObject,
): Promise<CredentialTestResult> {
	const tests = loaded.nodeNames.flatMap((name) => {
		const { description, methods } = loaded.node(name);
		const used = description.credentials?.find((credential) => credential.name === type);
		return used ? [methods?.credentialTest?.[used.testedBy as string]] : [];
	});
	const [test, ...others] = tests;
	if (!test || others.some((other) => other !== test))
		throw new UnexpectedError('The nodes do not all name the same test of the credential');
	const helper = new TestCredentialsHelper(loaded, values);
	const data = await helper.getDecrypted(undefined, undefined, type);
	const context = new CredentialTestContext(additionalDataFor(helper));
	return await test.call(context, { id: 'temp', name: 'Temp', type, data });
}
