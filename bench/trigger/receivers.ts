/** What takes the deliveries: our trigger, and n8n's own Webhook node, each alone in a workflow and answering at once. */
import { randomUUID } from 'node:crypto';
import type { SandboxClient } from '../../tools/sandboxClient';
import type { INode } from 'n8n-workflow';
import type { N8nServer } from '../../tools/n8n/server';

/** An active workflow and where to deliver. */
export interface Receiver {
	name: 'Business Messaging Trigger' | 'Webhook';
	workflowId: string;
	/** Name of the node. */
	node: string;
	url: string;
}

const node = 'Trigger';

async function activate(
	{ client }: N8nServer,
	name: string,
	settings: Pick<INode, 'type' | 'typeVersion' | 'parameters' | 'credentials' | 'webhookId'>,
): Promise<string> {
	const { id } = await client.createWorkflow({
		name,
		nodes: [{ id: '1', name: node, position: [0, 0], ...settings }],
		connections: {},
	});
	await client.activate(id);
	return id;
}

/** Our trigger, with its defaults; the service tells what was registered. */
export async function makeOurs(n8n: N8nServer, service: SandboxClient): Promise<Receiver> {
	const id = await n8n.client.saveCredential(
		'Service',
		'businessMessagingApi',
		service.credential(),
	);
	const workflowId = await activate(n8n, 'Ours', {
		type: 'n8n-nodes-business-messaging.businessMessagingTrigger',
		typeVersion: 1.1,
		parameters: {},
		credentials: { businessMessagingApi: { id, name: 'Service' } },
		webhookId: randomUUID(),
	});
	const webhooks = await service.look<{ url: string }>('/webhooks');
	return {
		name: 'Business Messaging Trigger',
		workflowId,
		node,
		url: webhooks.at(-1)?.url ?? '',
	};
}

/** n8n's own, with its defaults. */
export async function makePlain(n8n: N8nServer): Promise<Receiver> {
	const path = randomUUID();
	const parameters = { httpMethod: 'POST', path, options: {} };
	const workflowId = await activate(n8n, 'Plain', {
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		parameters,
		webhookId: path,
	});
	return { name: 'Webhook', workflowId, node, url: `${n8n.url}/webhook/${path}` };
}
