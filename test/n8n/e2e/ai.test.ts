/** What an AI does with the nodes on a real n8n: an agent asks a human, and an assistant calls them by MCP. The example of an agent is in examples.test.ts. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';

import { type Execution, outputOf } from '../../../harness/n8n/client';
import { node, to, withCredential, workflow } from '../../../harness/n8n/workflow';
import { type Model, startModel } from '../../../harness/editor/model';
import { manualTrigger, useN8n } from '../../../harness/useN8n';

const n8n = useN8n();
const anna = '+15550001001';

/**
 * Runs an agent with tools. The first tool belongs to this agent; each further one belongs to the tool before it.
 *
 * @returns the execution's ID
 */
async function startAgent(model: Model, tools: INode[]): Promise<string> {
	const question = { promptType: 'define', text: 'Ask Anna', options: { enableStreaming: false } };
	const standIn = { model: { __rl: true, mode: 'id', value: 'stand-in' } };
	const credentials = { openAiApi: await model.credentialFor(n8n.client) };
	const nodes = [
		node(manualTrigger, 'n8n-nodes-base.manualTrigger', 1),
		node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, question),
		node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, standIn, { credentials }),
		...tools,
	];
	const connections: IConnections = {
		[manualTrigger]: to(['Agent']),
		Model: to(['Agent'], 'ai_languageModel'),
	};
	for (const [index, { name }] of tools.entries())
		connections[name] = to([tools[index - 1]?.name ?? 'Agent'], 'ai_tool');
	return await n8n.start(workflow('Agent', nodes, connections));
}

const saidBy = (execution: Execution) => outputOf(execution, 'Agent')[0]?.json.output;

/** A node of ours that the agent uses. */
const ours = (name: string, type: string, parameters: INodeParameters) =>
	node(
		name,
		`n8n-nodes-business-messaging.${type}`,
		1,
		parameters,
		withCredential(n8n.playground.credential.id),
	);

describe('an agent asks a human', () => {
	const limits = { limitWaitTime: 60, waitTimeUnit: 'minutes', to: anna };

	/** Runs the agent, and answers in place of the human. @returns the agent's last message */
	async function ask(args: object, tools: INode[], question: RegExp, answer: string) {
		const model = await startModel(args);
		try {
			const id = await startAgent(model, tools);
			await n8n.untilWaiting(id);
			expect(n8n.outbound).toMatchObject([{ phone: anna, text: expect.stringMatching(question) }]);
			n8n.write(anna, answer);
			return saidBy(await n8n.client.waitForExecution(id));
		} finally {
			await model.close();
		}
	}
	beforeEach(async () => await n8n.publishInbox());

	test('with its tool, and continues with the answer', async () => {
		const message = "={{ $fromAI('Question', 'What to ask', 'string') }}";
		const own = { resource: 'message', operation: 'sendAndWait', message, ...limits };
		const tool = ours('Ask Human', 'businessMessagingTool', own);
		const said = await ask({ Question: 'Which colour?' }, [tool], /^Which colour\?$/, 'Dark green');
		expect(said).toContain('Dark green');
	});

	test('whether its tool may run, in the words that n8n fills in', async () => {
		const types = await n8n.client.nodeTypes();
		const type = types.find(({ name }) => name.endsWith('.businessMessagingHitlTool'));
		const message = type?.properties.find(({ name }) => name === 'message')?.default;
		expect(message).toMatch(/^=.*\{\{ \$tool\.parameters \}\}/s);
		const args = { toolParameters: { input: '6*7' }, hitlParameters: {} };
		const own = { message: message as string, ...limits };
		const review = ours('Ask Human', 'businessMessagingHitlTool', own);
		const calculator = node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1);
		const question = /input: 6\*7\n\nReply yes or no\.$/;
		expect(await ask(args, [review, calculator], question, 'Yes')).toMatch(/"?42/);
	});

	test.each([
		['Yes', /"?42/],
		['No', /rejected/],
	])('whether its tool may run: %s', async (answer, expected) => {
		const args = { toolParameters: { input: '6*7' }, hitlParameters: {} };
		const message = '=May I run {{ $tool.name }}?';
		const review = ours('Ask Human', 'businessMessagingHitlTool', { message, ...limits });
		const calculator = node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1);
		const said = await ask(args, [review, calculator], /^May I run \w+\?$/, answer);
		expect(said).toMatch(expected);
	});
});

describe('an agent is shown', () => {
	/** The name that n8n's editor gives to a field that the model fills in. It is made from the field's label. */
	const keyOf = (label: string) => label.replace(/[^a-zA-Z0-9-]/g, '_').slice(0, 63);
	const fromModel = (label: string, type = 'string') =>
		`={{ $fromAI('${keyOf(label)}', \`\`, '${type}') }}`;
	const list = (value: string) => ({ __rl: true, mode: 'list', value });

	/** Makes an agent call a tool once. @returns the tool as it was shown to the model, and the agent's last message */
	async function call(args: object, parameters: INodeParameters) {
		const model = await startModel(args);
		try {
			const tool = ours('Customer messages', 'businessMessagingTool', parameters);
			const id = await startAgent(model, [tool]);
			const said = String(saidBy(await n8n.client.waitForExecution(id)));
			return { shown: model.shown[0][0], said };
		} finally {
			await model.close();
		}
	}

	test('what a tool does and what to fill in, by the labels of the fields', async () => {
		const { shown, said } = await call(
			{ Recipient_Phone_Number: '+1 555 000 1001', Text: 'We are open' },
			{
				resource: 'message',
				operation: 'sendText',
				to: fromModel('Recipient Phone Number'),
				text: fromModel('Text'),
			},
		);
		expect(shown).toMatchObject({
			name: 'Customer_messages',
			description: 'Send text message in Business Messaging',
			parameters: { required: ['Recipient_Phone_Number', 'Text'] },
		});
		expect(n8n.outbound).toMatchObject([{ phone: anna, text: 'We are open' }]);
		expect(said).toContain('messageId');
	});

	test('the variables of a template with the text around them', async () => {
		const label = 'Body 1: {{1}} is your…';
		const field = { id: 'body_1', displayName: label, type: 'string', required: true };
		const { shown } = await call(
			{ [keyOf(label)]: '4711' },
			{
				resource: 'message',
				operation: 'sendTemplate',
				to: anna,
				template: list('login_code'),
				language: list('en_US'),
				variables: {
					mappingMode: 'defineBelow',
					value: { body_1: fromModel(label) },
					matchingColumns: [],
					schema: [{ ...field, defaultMatch: false, display: true }],
				},
			},
		);
		expect(shown).toMatchObject({
			description: 'Send template message in Business Messaging',
			parameters: { required: [keyOf(label)] },
		});
		expect(n8n.outbound).toMatchObject([{ text: '4711 is your login code.' }]);
	});

	test('that a field accepts a number, and the number is used', async () => {
		const contacts = { resource: 'contact', operation: 'getAll', returnAll: false };
		const { shown, said } = await call(
			{ Limit: 2 },
			{ ...contacts, limit: fromModel('Limit', 'number') },
		);
		expect(shown.parameters).toMatchObject({
			properties: { Limit: { type: 'number' } },
			required: ['Limit'],
		});
		const [first, second, third] = n8n.sandbox.state.contacts.all.map(({ phone }) => phone);
		expect([first, second, third].map((phone) => said.includes(phone))).toEqual([
			true,
			true,
			false,
		]);
	});

	test('the reason why a message was refused', async () => {
		const { said } = await call(
			{ Recipient_Phone_Number: '0170 1234567' },
			{
				resource: 'message',
				operation: 'sendText',
				to: fromModel('Recipient Phone Number'),
				text: 'Hi',
			},
		);
		expect(said).toContain('has no country code');
		expect(n8n.outbound).toEqual([]);
	});
});

test('the example of an MCP server accepts only clients with the header, shows what to fill in, finds contacts and sends', async () => {
	const header = { name: 'Authorization', value: 'a long random text' };
	const id = await n8n.client.createCredential('MCP clients', 'httpHeaderAuth', header);
	const credentials = { httpHeaderAuth: { id, name: 'MCP clients' } };
	await n8n.publish(
		n8n.example('mcp-server', {
			'MCP Server Trigger': (one) => Object.assign(one, { credentials }),
		}),
	);
	const client = new Client({ name: 'test', version: '1.0.0' });
	const connect = async (headers: Record<string, string>) => {
		const url = new URL(`${n8n.playground.n8n.url}/mcp/business-messaging`);
		await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	};
	/** The result of a tool, as the client gets it. */
	const call = async (name: string, args: Record<string, unknown>) =>
		JSON.stringify((await client.callTool({ name, arguments: args })).content);
	await expect(connect({})).rejects.toThrow('Authorization data is wrong');
	await connect({ [header.name]: header.value });
	try {
		const { tools } = await client.listTools();
		const names = ['Find_contacts', 'Read_conversations', 'Send_message'];
		expect(tools.map(({ name }) => name).sort()).toEqual(names);
		const send = tools.find(({ name }) => name === 'Send_message');
		expect(send?.inputSchema.required).toEqual(['Recipient', 'Text']);

		const found = await call('Find_contacts', { Limit: 50 });
		expect(found).toContain(n8n.sandbox.state.contacts.all[0].phone);
		expect(found).not.toContain('createdAt');
		await call('Send_message', { Recipient: '+44 7700 900408', Text: 'See you on Tuesday' });
		expect(n8n.outbound).toMatchObject([{ phone: '+447700900408' }]);
		expect(await call('Read_conversations', {})).toContain('See you on Tuesday');
		const refused = await call('Send_message', { Recipient: '0170 1234567', Text: 'Hi' });
		expect(refused).toContain('has no country code');
	} finally {
		await client.close();
	}
});
