/** What an operator does after the start, all through the proxy: creates the owner, installs the package, imports the examples. */
import axios from 'axios';
import type { INodeTypeDescription } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../../sandbox';
import { onStop } from '../../../harness/cli';
import {
	addSampleContacts,
	addSampleSheet,
	exampleNames,
	readExample,
	type CredentialReference,
} from '../../../harness/examples';
import { N8nClient, type WorkflowFile } from '../../../harness/n8n/client';
import { until } from '../../../harness/until';
import { startModel } from '../../../harness/editor/model';

/** The owner's log-in. */
export const OWNER = { email: 'owner@example.com', password: 'Correct-Horse-1' };
const PACKAGE = 'n8n-nodes-business-messaging';
/** The header by which the MCP server accepts an assistant. */
export const ASSISTANT = { name: 'Authorization', value: 'a long random text' };

/** An operator with the service, n8n's interface and the IDs of the published examples. */
export class Operator {
	readonly client: N8nClient;
	sandbox!: Sandbox;
	/** The IDs of the workflows, by the names of the examples. */
	readonly workflows: Record<string, string> = {};
	types: INodeTypeDescription[] = [];
	credential!: CredentialReference;

	constructor(readonly url: string) {
		this.client = new N8nClient(url);
	}

	async setUp(): Promise<void> {
		this.sandbox = await startSandbox({ port: 0, requestsPerWindow: 0, sampleContacts: 0 });
		onStop(async () => await this.sandbox.close());
		addSampleContacts(this.sandbox);
		const names = { firstName: 'Olive', lastName: 'Owner' };
		const setup = { ...OWNER, ...names };
		// The proxy forwards nothing before it has seen that n8n is ready.
		const isUp = async () =>
			await axios.get(`${this.url}/healthz`, { timeout: 5_000, proxy: false }).then(
				() => true,
				() => false,
			);
		await until('the proxy to reach n8n', isUp);
		await axios.post(`${this.url}/rest/owner/setup`, setup, { proxy: false });
		await this.client.login(OWNER);
		await this.client.call('POST', '/rest/community-packages', { name: PACKAGE });
		this.types = await this.client.nodeTypes();
		await addSampleSheet(this.client);
		const { url: baseUrl, key: apiKey } = this.sandbox;
		const service = { apiKey, baseUrl, apiPath: 'automatic', requestsPerMinute: 100_000 };
		this.credential = await this.keep('businessMessagingApi', service);
		await this.importExamples();
	}

	/** Stores a credential. */
	private async keep(type: string, data: object): Promise<CredentialReference> {
		return { name: type, id: await this.client.createCredential(type, type, data) };
	}

	/** Imports the examples, fills in what their notes ask for, and publishes those that start on external events. */
	private async importExamples(): Promise<void> {
		const model = await startModel({ Summary: 'Somebody needs help.' }, () => false);
		onStop(async () => await model.close());
		const httpHeaderAuth = await this.keep('httpHeaderAuth', ASSISTANT);
		const openAiApi = await model.credentialFor(this.client);
		for (const name of exampleNames()) {
			const file = readExample(name, this.credential);
			for (const node of file.nodes) {
				if (node.parameters.mode === 'preview') node.parameters.mode = 'send';
				if (node.type.endsWith('.mcpTrigger')) node.credentials = { httpHeaderAuth };
				if (node.type.endsWith('.lmChatOpenAi')) node.credentials = { openAiApi };
			}
			const { id } = await this.client.createWorkflow(file);
			this.workflows[name] = id;
			if (this.addressesOf(file).length > 0) await this.client.activate(id);
		}
	}

	/** The nodes of a workflow with a production URL, each with the description of its type. */
	addressesOf({ nodes }: WorkflowFile) {
		return nodes.flatMap((node) => {
			const type = this.types.find(({ name }) => name === node.type);
			const isTrigger = type?.group.includes('trigger') === true;
			return isTrigger ? (type.webhooks ?? []).map((webhook) => ({ node, webhook })) : [];
		});
	}

	/** Stores a workflow and runs it by a click. @returns the execution's ID */
	async run(file: WorkflowFile, trigger: string): Promise<string> {
		const { id } = await this.client.createWorkflow(file);
		return await this.client.run(id, trigger);
	}
}
