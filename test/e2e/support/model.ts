/** A stand-in for a language model that speaks OpenAI's protocol on loopback: it calls its first tool, then says what came back. */
import type { AddressInfo } from 'node:net';

import fastify from 'fastify';

interface ChatMessage {
	role: string;
	content: unknown;
}

interface ChatRequest {
	messages: ChatMessage[];
	tools?: Array<{ function: { name: string; description?: string; parameters?: object } }>;
	stream?: boolean;
}

/** A running stand-in. */
export interface Model {
	/** Base URL of the API. */
	url: string;
	/** What it was sent. */
	requests: ChatRequest[];
	close: () => Promise<void>;
}

/**
 * Starts one.
 *
 * @param args what it calls the tool with
 * @param wantsTool whether it calls the tool after these messages, or answers at once; by default always
 */
export async function startModel(
	args: object,
	wantsTool: (messages: ChatMessage[]) => boolean = () => true,
): Promise<Model> {
	const requests: ChatRequest[] = [];
	const app = fastify();
	app.post<{ Body: ChatRequest }>('/v1/chat/completions', async ({ body }, reply) => {
		requests.push(body);
		const last = body.messages.at(-1);
		const call = {
			index: 0,
			id: `call_${requests.length}`,
			type: 'function',
			function: { name: body.tools?.[0]?.function.name, arguments: JSON.stringify(args) },
		};
		const isAnswer =
			last?.role === 'tool' || call.function.name === undefined || !wantsTool(body.messages);
		const message = isAnswer
			? { role: 'assistant', content: `Told: ${JSON.stringify(last?.content)}` }
			: { role: 'assistant', content: null, tool_calls: [call] };
		const finish = isAnswer ? 'stop' : 'tool_calls';
		const common = { id: 'chat_1', created: 1, model: 'stand-in' };
		if (!body.stream)
			return {
				...common,
				object: 'chat.completion',
				choices: [{ index: 0, message, finish_reason: finish }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			};
		const chunks = [
			{ index: 0, delta: message, finish_reason: null },
			{ index: 0, delta: {}, finish_reason: finish },
		];
		const lines = chunks.map(
			(choice) =>
				`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [choice] })}\n\n`,
		);
		return await reply.type('text/event-stream').send(`${lines.join('')}data: [DONE]\n\n`);
	});
	app.get('/v1/models', async () => ({
		object: 'list',
		data: [{ id: 'stand-in', object: 'model' }],
	}));
	await app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = app.server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/v1`, requests, close: async () => await app.close() };
}
