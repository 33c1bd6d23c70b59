/** An AI agent on the stand-in model. */
import type { IConnections, INode } from 'n8n-workflow';

import type { N8nClient, WorkflowFile } from '../../../tools/n8n/client';
import { node, to, workflow } from '../../../tools/n8n/workflow';
import type { Model } from './model';
import { manualTrigger } from './n8n';

/** A workflow with an agent and its tools: `tools[0]` is the agent's, each next one that of the one before. */
export async function agentWith(
	client: N8nClient,
	model: Model,
	tools: INode[],
): Promise<WorkflowFile> {
	const id = await client.createCredential(`Model ${model.url}`, 'openAiApi', {
		apiKey: 'none',
		url: model.url,
	});
	const question = { promptType: 'define', text: 'Ask Anna', options: { enableStreaming: false } };
	const standIn = { model: { __rl: true, mode: 'id', value: 'stand-in' } };
	const nodes = [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, question),
		node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, standIn, {
			credentials: { openAiApi: { id, name: 'Model' } },
		}),
		...tools,
	];
	const connections: IConnections = {
		[manualTrigger]: to(['Agent']),
		Model: to(['Agent'], 'ai_languageModel'),
	};
	for (const [index, { name }] of tools.entries())
		connections[name] = to([tools[index - 1]?.name ?? 'Agent'], 'ai_tool');
	return workflow('Agent', nodes, connections);
}
