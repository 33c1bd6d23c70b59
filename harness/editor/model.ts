/** A stand-in for a language model (OpenAI's protocol, on loopback): calls its first tool, then repeats the result. */
import fastify from 'fastify';
import omit from 'lodash/omit';

import type { CredentialReference } from '../examples';
import type { N8nClient } from '../n8n/client';

/** A message in OpenAI's protocol. */
export interface ChatMessage {
	role: string;
	content: unknown;
}

/** A tool as it is shown to the model. */
export interface ShownTool {
	name: string;
	description: string;
	/** JSON schema of the tool's arguments. */
	parameters: {
		properties: Record<string, { type: string; description?: string }>;
		required?: string[];
	};
}

interface ChatRequest {
	messages: ChatMessage[];
	tools?: Array<{ function: ShownTool }>;
}

/** A request in the newer protocol, which n8n's node for the model uses by default. */
interface ResponsesRequest {
	input: Array<ChatMessage | { type: 'function_call_output'; output: unknown }>;
	tools?: ShownTool[];
}

/** A running stand-in. */
export type Model = Awaited<ReturnType<typeof startModel>>;

/**
 * Starts a stand-in that calls its tool with `args`, unless `wantsTool`, which may take a while, says no: then it
 * answers. By default, it always calls the tool.
 */
export async function startModel(
	args: object,
	wantsTool: (messages: ChatMessage[]) => boolean | Promise<boolean> = () => true,
) {
	const app = fastify();
	const shown: ShownTool[][] = [];
	const decide = async (messages: ChatMessage[], tools: ShownTool[]) => {
		shown.push(tools);
		const last = messages.at(-1);
		const isToldAlready = last?.role === 'tool' || tools.length === 0;
		const isAnswer = isToldAlready || !(await wantsTool(messages));
		if (isAnswer) return { answer: `Told: ${JSON.stringify(last?.content)}` };
		const [{ name }] = tools;
		return { call: { id: `call_${messages.length}`, name, arguments: JSON.stringify(args) } };
	};
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }) => {
		const tools = (body.tools ?? []).map((one) => one.function);
		const { answer = null, call } = await decide(body.messages, tools);
		const calls = call && [{ index: 0, id: call.id, type: 'function', function: omit(call, 'id') }];
		const message = { role: 'assistant', content: answer, tool_calls: calls };
		return {
			...{ id: 'chat_1', created: 1, model: 'stand-in', object: 'chat.completion' },
			choices: [{ index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	});
	app.post<{ Body: ResponsesRequest }>('/v1/responses', async ({ body }) => {
		const messages = body.input.map((one) =>
			'output' in one ? { role: 'tool', content: one.output } : one,
		);
		const { answer, call } = await decide(messages, body.tools ?? []);
		const text = { type: 'output_text', text: answer, annotations: [] };
		const item = call
			? { type: 'function_call', ...call, call_id: call.id }
			: { type: 'message', id: 'msg_1', role: 'assistant', content: [text] };
		return {
			...{ id: 'resp_1', created_at: 1, model: 'stand-in', object: 'response' },
			...{ status: 'completed', output: [{ ...item, status: 'completed' }] },
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
		};
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		/** The tools that each request offered, oldest first. */
		shown,
		/** Stores a credential for the stand-in. */
		credentialFor: async (client: N8nClient): Promise<CredentialReference> => {
			const data = { apiKey: 'none', url: `${url}/v1` };
			return { name: url, id: await client.createCredential(url, 'openAiApi', data) };
		},
		close: async () => await app.close(),
	};
}
