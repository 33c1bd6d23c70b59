/** The example of an MCP server on a real n8n, with the client of the protocol's own makers. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { readExample } from '../../tools/examples';
import { useN8n } from './support/n8n';

const n8n = useN8n();
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
	const workflow = await n8n.client.createWorkflow(file);
	await n8n.client.activate(workflow.id);
}, 60_000);
afterAll(async () => await client.close());

test('without the header nobody gets in', async () => {
	await expect(connect({})).rejects.toThrow('Authorization data is wrong');
});

describe('an assistant', () => {
	beforeAll(async () => await connect({ [header.name]: header.value }));

	test('sees tools with short names, descriptions without articles, and what to fill in', async () => {
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

	test('finds a contact, of whom it reads the selected fields alone', async () => {
		const [{ phone }] = n8n.sandbox.state.contacts.all;
		const found = await call('Find_contacts', { Limit: 50 });
		expect(found).toContain(phone);
		expect(found).not.toContain('createdAt');
	});

	test('sends a message, and then reads it in the newest conversation', async () => {
		await call('Send_message', { Recipient: '+44 7700 900408', Text: 'See you on Tuesday' });
		expect(n8n.sandbox.state.messages.all.at(-1)).toMatchObject({ phone: '+447700900408' });
		expect(await call('Read_conversations', {})).toContain('See you on Tuesday');
	});

	test('reads what is wrong and what to do', async () => {
		const said = await call('Send_message', { Recipient: '0170 1234567', Text: 'Hi' });
		expect(said).toContain('has no country code');
	});
});
