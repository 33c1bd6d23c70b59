/** An AI agent on the stand-in model. */
import type { INode, INodeParameters, NodeConnectionType } from 'n8n-workflow';

import type { N8nClient, WorkflowFile } from '../../../tools/n8n/client';
import type { Model } from './model';
import { manualTrigger } from './n8n';

/** A workflow with an agent and its tools: `tools[0]` is the agent's, each next one that of the one before. */
export async function agentWith(
	client: N8nClient,
	model: Model,
	tools: INode[],
): Promise<WorkflowFile> {
	const credential = await client.createCredential(`Model ${model.url}`, 'openAiApi', {
		apiKey: 'none',
		url: model.url,
	});
	const node = (
		name: string,
		type: string,
		typeVersion: number,
		parameters: INodeParameters,
		more: Partial<INode> = {},
	): INode => ({
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...more,
	});
	const nodes = [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1, {}),
		node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, {
			promptType: 'define',
			text: 'Ask Anna',
			options: { enableStreaming: false },
		}),
		node(
			'Model',
			'@n8n/n8n-nodes-langchain.lmChatOpenAi',
			1.2,
			{ model: { __rl: true, mode: 'id', value: 'stand-in' } },
			{ credentials: { openAiApi: { id: credential, name: 'Model' } } },
		),
		...tools,
	];
	const to = (target: string, type: NodeConnectionType) => ({
		[type]: [[{ node: target, type, index: 0 }]],
	});
	const links = tools.map(
		(tool, index) => [tool.name, to(tools[index - 1]?.name ?? 'Agent', 'ai_tool')] as const,
	);
	const connections = {
		[manualTrigger]: to('Agent', 'main'),
		Model: to('Agent', 'ai_languageModel'),
		...Object.fromEntries(links),
	};
	return {
		name: 'Agent',
		nodes,
		connections,
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	};
}
