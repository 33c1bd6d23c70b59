/** What n8n's cli adds to its engine: credentials, and the data that goes along with every execution. */
import * as n8nCore from 'n8n-core';
import type {
	IAuthenticate,
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialsHelper,
	IHttpRequestOptions,
	INodeParameters,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import type { LoadedPackage } from './package';

/** Missing in older engines: see `npm run test:compat`. */
const { ExternalSecretsProxy }: Partial<Pick<typeof n8nCore, 'ExternalSecretsProxy'>> = n8nCore;
const noSecrets = { hasProvider: () => false, listProviders: () => [] };

/** What a node gets of a credential: the given values, and defaults for the others. Source: CredentialsHelper of n8n's cli. */
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
		) => {
			const authenticate = loaded.credential(type).authenticate as Authenticate;
			return await authenticate(credentials, request);
		},
		getCredentialsProperties: (type: string) => loaded.credential(type).properties,
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
	};
	return helper as unknown as ICredentialsHelper;
}

/**
 * Additional data for executions, hooks and pickers.
 *
 * @param baseUrl n8n's own address, without a slash at the end
 */
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
		setExecutionStatus() {},
		sendDataToUI() {},
	};
	return data as IWorkflowExecuteAdditionalData;
}

/** Presses Test in the credential's dialogue: runs the function that each node declares. Source: CredentialsTester of n8n's cli. */
export async function testCredential(
	loaded: LoadedPackage,
	values: ICredentialDataDecryptedObject,
): Promise<{ status: 'OK' | 'Error'; message: string }> {
	const [type] = loaded.credentialNames;
	const tests = loaded.nodeNames.map((name) => {
		const { description, methods } = loaded.node(name);
		const used = description.credentials?.find((credential) => credential.name === type);
		return methods?.credentialTest?.[used?.testedBy as string];
	});
	const [test, ...others] = tests;
	if (!test || others.some((other) => other !== test))
		throw new Error('The nodes do not all name the same test of the credential');
	const context = new n8nCore.CredentialTestContext(additionalDataFor(loaded, values));
	const data = decrypted(loaded, type, values);
	return await test.call(context, { id: 'temp', name: 'Temp', type, data });
}
