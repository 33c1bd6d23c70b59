/** What n8n's cli adds to every execution. */
import type { ICredentialsHelper, IWorkflowExecuteAdditionalData } from 'n8n-workflow';

import { noSecrets } from './engineParts';

/** A function of n8n's cli that no test has needed so far. */
function notInHarness(): never {
	throw new Error('The harness does not offer this part of n8n');
}

/**
 * Additional data for executions, hooks and pickers.
 *
 * @param baseUrl n8n's own address, without a slash at the end
 */
export function additionalDataFor(
	credentialsHelper: ICredentialsHelper,
	baseUrl = 'http://n8n.test',
): IWorkflowExecuteAdditionalData {
	return {
		credentialsHelper,
		currentNodeExecutionIndex: 0,
		externalSecretsProxy: noSecrets(),
		variables: {},
		restApiUrl: `${baseUrl}/rest`,
		instanceBaseUrl: `${baseUrl}/`,
		webhookBaseUrl: `${baseUrl}/webhook`,
		webhookTestBaseUrl: `${baseUrl}/webhook-test`,
		webhookWaitingBaseUrl: `${baseUrl}/webhook-waiting`,
		formBaseUrl: `${baseUrl}/form`,
		formTestBaseUrl: `${baseUrl}/form-test`,
		formWaitingBaseUrl: `${baseUrl}/form-waiting`,
		mcpBaseUrl: `${baseUrl}/mcp`,
		mcpTestBaseUrl: `${baseUrl}/mcp-test`,
		setExecutionStatus() {},
		sendDataToUI() {},
		logAiEvent() {},
		executeWorkflow: notInHarness,
		getRunExecutionData: notInHarness,
		getRuntimeCredential: notInHarness,
		startRunnerTask: notInHarness,
	};
}
