/**
 * Executions that wait: takes what is delivered to their resume URLs over HTTP and lets the node's webhook decide whether they go
 * on, with the data that went through n8n's database in between. Source: WaitingWebhooks of n8n's cli; the signature of the
 * URL is not checked here.
 */
import { parse, stringify } from 'flatted';
import { WebhookContext } from 'n8n-core';
import type { Response } from 'express';
import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	IRunExecutionData,
	IWebhookResponseData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { additionalDataFor } from './additionalData';
import { TestCredentialsHelper } from './credentials';
import type { Execution } from './execution';
import type { LoadedPackage } from './package';
import type { WebhookRequest, WebhookServer } from './webhookServer';

/** An execution that waits, until its node's webhook lets it go on. */
export class WaitingExecution {
	/** What the node gives when it goes on, one list for each output; undefined as long as it waits. */
	outputs?: INodeExecutionData[][];

	/** How the deliveries were answered, in order. */
	readonly answers: Array<{ status: number; body: unknown }> = [];

	private isStopped = false;

	constructor(
		private readonly loaded: LoadedPackage,
		private readonly server: WebhookServer,
		private readonly execution: Execution,
		private readonly credentials: ICredentialDataDecryptedObject,
	) {
		server.register(
			'POST',
			`/webhook-waiting/${execution.id}/${encodeURIComponent(this.node.id)}`,
			async (request, response) => await this.receive(request, response),
		);
	}

	/** Presses Stop: n8n no longer takes what comes for it. */
	stop(): void {
		this.isStopped = true;
	}

	private get node() {
		const { lastNodeExecuted } = this.execution.run.data.resultData;
		const node = this.execution.definition.nodes.find(({ name }) => name === lastNodeExecuted);
		if (!node) throw new Error('No node of the execution waits');
		return node;
	}

	private async receive(request: WebhookRequest, response: Response): Promise<void> {
		if (this.isStopped || this.outputs) {
			response
				.status(409)
				.json({ message: `The execution "${this.execution.id}" has finished already.` });
			return;
		}
		const sent: { body?: unknown } = {};
		response.once('finish', () =>
			this.answers.push({ status: response.statusCode, body: sent.body }),
		);
		const result = await this.runWebhook(request, response);
		sent.body = result.webhookResponse;
		if (result.workflowData) this.outputs = result.workflowData;
		if (!result.noWebhookResponse) response.status(200).json(result.webhookResponse);
	}

	private async runWebhook(
		httpRequest: WebhookRequest,
		httpResponse: Response,
	): Promise<IWebhookResponseData> {
		const { definition, run, id } = this.execution;
		const workflow = new Workflow({
			...structuredClone(definition),
			active: true,
			nodeTypes: this.loaded.nodeTypes,
		});
		const node = workflow.nodes[this.node.name];
		const nodeType = this.loaded.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const [webhookDescription] = nodeType.description.webhooks ?? [];
		const additionalData = {
			...additionalDataFor(
				new TestCredentialsHelper(this.loaded, this.credentials),
				this.server.url,
			),
			executionId: id,
			httpRequest,
			httpResponse,
		};
		const data = {
			httpMethod: 'POST' as const,
			node: node.name,
			path: httpRequest.path,
			webhookDescription,
			workflowId: definition.id,
			workflowExecuteAdditionalData: additionalData,
		};
		const stored = parse(stringify(run.data)) as IRunExecutionData;
		const context = new WebhookContext(workflow, node, additionalData, 'webhook', data, [], stored);
		return (await nodeType.webhook?.call(context)) ?? {};
	}
}
