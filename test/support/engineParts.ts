/** Parts of n8n's engine that came with some version, and what stands in for them in older ones: see `npm run test:compat`. */
import * as n8nCore from 'n8n-core';
import type { IRunExecutionData } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

type Core = typeof n8nCore;
const core: Partial<Pick<Core, 'ExternalSecretsProxy'>> = n8nCore;
const workflow: Partial<Pick<typeof n8nWorkflow, 'createRunExecutionData' | 'setSafeRegexEngine'>> =
	n8nWorkflow;

/** The data of a new execution that begins with the given nodes. */
export function newRunData(
	nodeExecutionStack: NonNullable<IRunExecutionData['executionData']>['nodeExecutionStack'] = [],
): IRunExecutionData {
	if (workflow.createRunExecutionData)
		return workflow.createRunExecutionData({ executionData: { nodeExecutionStack } });
	const executionData = {
		contextData: {},
		nodeExecutionStack,
		metadata: {},
		waitingExecution: {},
		waitingExecutionSource: {},
	};
	return {
		startData: {},
		resultData: { runData: {} },
		executionData,
	} as unknown as IRunExecutionData;
}

/** External secrets, of which there are none here. */
export function noSecrets(): InstanceType<Core['ExternalSecretsProxy']> {
	const nothing = { hasProvider: () => false, listProviders: () => [] } as unknown as InstanceType<
		Core['ExternalSecretsProxy']
	>;
	return core.ExternalSecretsProxy ? new core.ExternalSecretsProxy() : nothing;
}

/** Has regular expressions of descriptions run by another engine, where n8n has one of its own for them. */
export function useRegexEngine(engine: Parameters<typeof n8nWorkflow.setSafeRegexEngine>[0]): void {
	workflow.setSafeRegexEngine?.(engine);
}
