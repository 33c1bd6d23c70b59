/** A stand-in for a language model that speaks OpenAI's protocol on loopback: it calls its first tool, then says what came back. */
import fastify from 'fastify';

import type { CredentialReference } from '../examples';
import type { N8nClient } from '../n8n/client';

/** A message as OpenAI's protocol has it. */
export interface ChatMessage {
	role: string;
	content: unknown;
}

/** A tool as the model is shown it. */
export interface ShownTool {
	name: string;
	description: string;
	/** JSON schema of its arguments. */
	parameters: {
		properties: Record<string, { type: string; description?: string }>;
		required?: string[];
	};
}

interface ChatRequest {
	messages: ChatMessage[];
	tools?: Array<{ function: ShownTool }>;
}

/** A running stand-in. */
export type Model = Awaited<ReturnType<typeof startModel>>;

/**
 * Starts one.
 *
 * @param args what it calls the tool with
 * @param wantsTool whether it calls the tool after these messages, or answers; by default always. The function may take a while
 */
export async function startModel(
	args: object,
	wantsTool: (messages: ChatMessage[]) => boolean | Promise<boolean> = () => true,
) {
	const app = fastify();
	const shown: ShownTool[][] = [];
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }) => {
		const { messages, tools } = body;
		const last = messages.at(-1);
		shown.push((tools ?? []).map((one) => one.function));
		const tool = { name: tools?.[0]?.function.name, arguments: JSON.stringify(args) };
		const call = { index: 0, id: `call_${messages.length}`, type: 'function', function: tool };
		const isToldAlready = last?.role === 'tool' || tool.name === undefined;
		const isAnswer = isToldAlready || !(await wantsTool(messages));
		const message = isAnswer
			? { role: 'assistant', content: `Told: ${JSON.stringify(last?.content)}` }
			: { role: 'assistant', content: null, tool_calls: [call] };
		return {
			...{ id: 'chat_1', created: 1, model: 'stand-in', object: 'chat.completion' },
			choices: [{ index: 0, message, finish_reason: isAnswer ? 'stop' : 'tool_calls' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		/** The tools that each request offered, oldest first. */
		shown,
		/** Stores a credential that leads to it. */
		credentialFor: async (client: N8nClient): Promise<CredentialReference> => {
			const data = { apiKey: 'none', url: `${url}/v1` };
			return { name: url, id: await client.createCredential(url, 'openAiApi', data) };
		},
		close: async () => await app.close(),
	};
}
