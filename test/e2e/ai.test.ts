/** What an AI does with the nodes on a real n8n: an agent with them as tools and as its human, and an assistant by MCP. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { IConnections, INode, INodeParameters, INodeProperties } from 'n8n-workflow';

import { properties } from '../../nodes/BusinessMessaging/description';
import { readExample } from '../../tools/examples';
import { type Execution, outputOf } from '../../tools/n8n/client';
import { ACTION, node, to, withCredential, workflow } from '../../tools/n8n/workflow';
import { until } from '../../tools/until';
import { type Model, startModel } from './support/model';
import { manualTrigger, tested, useN8n } from './support/n8n';

const n8n = useN8n();
const anna = '+15550001001';
const messages = () => n8n.sandbox.state.messages.all;

beforeEach(() => n8n.sandbox.reset());

/** Has an agent run with tools: the first is its own, each next one that of the one before. @returns the execution's ID */
async function startAgent(model: Model, tools: INode[]): Promise<string> {
	const id = await n8n.client.createCredential(`Model ${model.url}`, 'openAiApi', {
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
	const file = workflow('Agent', nodes, connections);
	return await n8n.client.run((await n8n.client.createWorkflow(file)).id, manualTrigger);
}

const saidBy = (execution: Execution) => outputOf(execution, 'Agent')[0]?.json.output;
const ours = () => withCredential(n8n.playground.credential.id);

describe('an agent with the node as its tool', () => {
	/** The name that n8n's editor gives a field that the model fills in: made of its label. */
	const keyOf = (label: string) => label.replace(/[^a-zA-Z0-9-]/g, '_').slice(0, 63);
	const fromModel = (label: string) => `={{ $fromAI('${keyOf(label)}', \`\`, 'string') }}`;

	function labelOf(operation: string, name: string): string {
		const isOurs = ({ displayOptions }: INodeProperties) =>
			displayOptions?.show?.operation?.includes(operation);
		return (
			properties.find((property) => property.name === name && isOurs(property))?.displayName ?? ''
		);
	}

	/** Has the model call the tool. @returns the tool as the model was shown it, and what it said in the end */
	async function call(args: Record<string, string>, operation: string, own: INodeParameters) {
		const model = await startModel(args);
		try {
			const parameters = { resource: 'message', operation, ...own };
			const tool = node(tested, `${ACTION}Tool`, 1, parameters, ours());
			const said = saidBy(await n8n.client.waitForExecution(await startAgent(model, [tool])));
			return { shown: model.requests[0].tools, said };
		} finally {
			await model.close();
		}
	}

	test('sends a text to the number that the model gives; both fields are required', async () => {
		const [phone, text] = [labelOf('sendText', 'to'), labelOf('sendText', 'text')];
		const args = { [keyOf(phone)]: '+1 555 000 1001', [keyOf(text)]: 'We are open' };
		const own = { to: fromModel(phone), text: fromModel(text) };
		const { shown, said } = await call(args, 'sendText', own);
		expect(shown).toMatchObject([
			{
				function: {
					description: 'Send text message in Business Messaging',
					parameters: { required: ['Recipient_Phone_Number', 'Text'] },
				},
			},
		]);
		expect(messages()).toMatchObject([{ phone: anna, text: 'We are open' }]);
		expect(said).toContain('messageId');
	});

	test('the model sees the variables of a template with the text around them', async () => {
		const label = 'Body 1: {{1}} is your…';
		const field = { id: 'body_1', displayName: label, type: 'string' };
		const schema = [{ ...field, required: true, defaultMatch: false, display: true }];
		const value = { body_1: fromModel(label) };
		const { shown } = await call({ [keyOf(label)]: '4711' }, 'sendTemplate', {
			to: anna,
			template: { __rl: true, mode: 'list', value: 'login_code' },
			language: { __rl: true, mode: 'list', value: 'en_US' },
			specifyVariables: 'fields',
			variables: { mappingMode: 'defineBelow', value, matchingColumns: [], schema },
		});
		expect(shown).toMatchObject([
			{
				function: {
					description: 'Send template message in Business Messaging',
					parameters: { required: [keyOf(label)] },
				},
			},
		]);
		expect(messages()).toMatchObject([{ text: '4711 is your login code.' }]);
	});
});

describe('an agent asks a human', () => {
	const human = (type: string, own: INodeParameters) =>
		node(
			'Ask Human',
			`n8n-nodes-business-messaging.${type}`,
			1,
			{ limitWaitTime: 60, waitTimeUnit: 'minutes', to: anna, ...own },
			ours(),
		);

	/** Runs the agent, and answers for the human. @returns what the agent said in the end */
	async function ask(args: object, tools: INode[], question: RegExp, answer: string) {
		const model = await startModel(args);
		try {
			const id = await startAgent(model, tools);
			await until(
				'n8n to wait',
				async () => (await n8n.client.getExecution(id)).status === 'waiting',
			);
			expect(messages()).toMatchObject([{ phone: anna, text: expect.stringMatching(question) }]);
			n8n.sandbox.state.traffic.receive({ from: anna, text: answer });
			return saidBy(await n8n.client.waitForExecution(id));
		} finally {
			await model.close();
		}
	}
	afterEach(async () => {
		const { webhooks } = n8n.sandbox.state;
		await until('all webhooks to be removed', () => webhooks.all.length === 0);
	});

	test('with its tool, and continues with the answer', async () => {
		const message = "={{ $fromAI('Question', 'What to ask', 'string') }}";
		const own = { resource: 'message', operation: 'sendAndWait', message };
		const tool = human('businessMessagingTool', own);
		const said = await ask({ Question: 'Which colour?' }, [tool], /^Which colour\?$/, 'Dark green');
		expect(said).toContain('Dark green');
	});

	test.each([
		['Yes', /"?42/],
		['No', /rejected/],
	])('whether its tool may run: %s', async (answer, expected) => {
		const args = { toolParameters: { input: '6*7' }, hitlParameters: {} };
		const review = human('businessMessagingHitlTool', { message: '=May I run {{ $tool.name }}?' });
		const calculator = node('Calculator', '@n8n/n8n-nodes-langchain.toolCalculator', 1);
		const said = await ask(args, [review, calculator], /^May I run \w+\?$/, answer);
		expect(said).toMatch(expected);
	});
});

describe('the example of an MCP server, with the client of the protocol’s own makers', () => {
	const client = new Client({ name: 'test', version: '1.0.0' });
	const header = { name: 'Authorization', value: 'a long random text' };

	async function connect(headers: Record<string, string>): Promise<void> {
		const url = new URL(`${n8n.playground.n8n.url}/mcp/business-messaging`);
		await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
	}

	/** What a tool gives, as its client gets it. */
	async function call(name: string, args: Record<string, unknown>): Promise<string> {
		const { content } = await client.callTool({ name, arguments: args });
		return JSON.stringify(content);
	}

	beforeAll(async () => {
		const file = readExample('mcp-server', n8n.playground.credential);
		const id = await n8n.client.createCredential('MCP clients', 'httpHeaderAuth', header);
		const trigger = file.nodes.find(({ type }) => type.endsWith('.mcpTrigger'))!;
		trigger.credentials = { httpHeaderAuth: { id, name: 'MCP clients' } };
		await n8n.client.activate((await n8n.client.createWorkflow(file)).id);
	}, 60_000);
	afterAll(async () => await client.close());

	test('lets nobody in without the header', async () => {
		await expect(connect({})).rejects.toThrow('Authorization data is wrong');
	});

	describe('to an assistant', () => {
		beforeAll(async () => await connect({ [header.name]: header.value }));

		test('shows tools with short names, descriptions without articles, and what to fill in', async () => {
			const { tools } = await client.listTools();
			expect(tools.map(({ name }) => name).sort()).toEqual([
				'Find_contacts',
				'Read_conversations',
				'Send_message',
			]);
			for (const { description } of tools) expect(description).not.toMatch(/\b(an?|the)\b/i);
			const send = tools.find(({ name }) => name === 'Send_message');
			expect(send?.inputSchema.required).toEqual(['Recipient', 'Text']);
		});

		test('finds a contact, of whom it gives the selected fields alone', async () => {
			const [{ phone }] = n8n.sandbox.state.contacts.all;
			const found = await call('Find_contacts', { Limit: 50 });
			expect(found).toContain(phone);
			expect(found).not.toContain('createdAt');
		});

		test('sends a message, and then gives it in the newest conversation', async () => {
			await call('Send_message', { Recipient: '+44 7700 900408', Text: 'See you on Tuesday' });
			expect(messages().at(-1)).toMatchObject({ phone: '+447700900408' });
			expect(await call('Read_conversations', {})).toContain('See you on Tuesday');
		});

		test('says what is wrong and what to do', async () => {
			const said = await call('Send_message', { Recipient: '0170 1234567', Text: 'Hi' });
			expect(said).toContain('has no country code');
		});
	});
});
