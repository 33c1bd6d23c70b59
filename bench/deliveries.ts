/** Deliveries to our trigger on a real n8n, sent directly, because the sandbox would repeat those that fail. */
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import axios from 'axios';
import type { INodeParameters } from 'n8n-workflow';
import { UserError } from '../tools/cli';
import type { N8nServer } from '../tools/n8n/server';
import { node, TRIGGER, withCredential, workflow } from '../tools/n8n/workflow';
import type { SandboxClient } from '../tools/sandboxClient';

/** How many deliveries are under way at once. */
export const BURST = 20;

const http = axios.create({
	httpAgent: new Agent({ keepAlive: true }),
	proxy: false,
	timeout: 60_000,
	headers: { 'content-type': 'application/json' },
	validateStatus: () => true,
});

/** Delivers one event. @throws UserError when it is not answered with 200 */
export async function post(url: string, event: unknown): Promise<void> {
	const { status } = await http.post(url, event);
	if (status !== 200) throw new UserError(`A delivery was answered with ${status}.`);
}

/** A published workflow with only our trigger. @returns its ID, and the URL that the service has registered */
export async function publishTrigger(
	{ client }: N8nServer,
	service: SandboxClient,
	parameters: INodeParameters = {},
): Promise<{ workflowId: string; url: string }> {
	const values = service.credential();
	const id = await client.saveCredential('Service', 'businessMessagingApi', values);
	const more = { ...withCredential(id), webhookId: randomUUID() };
	const file = workflow('Inbox', [node('Trigger', TRIGGER, 1.1, parameters, more)]);
	const { id: workflowId } = await client.createWorkflow(file);
	await client.activate(workflowId);
	const webhooks = await service.look<{ url: string }>('/webhooks');
	return { workflowId, url: webhooks.at(-1)?.url ?? '' };
}
