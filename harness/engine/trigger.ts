/**
 * A trigger node in a workflow, with the static data that n8n would store. Source: ActiveWorkflowManager, LiveWebhooks,
 * TestWebhooks and WebhookHelpers of n8n's cli.
 */
import axios from 'axios';
import type { Response } from 'express';
import { sortBy } from 'lodash';
import { HookContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestMethods,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IWebhookData,
	IWebhookDescription,
	IWorkflowExecuteAdditionalData,
	WebhookSetupMethodNames,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeHelpers, Workflow, sleep } from 'n8n-workflow';

import { type LoadedPackage, additionalDataFor } from './loadPackage';
import type { WebhookRequest, WebhookServer } from './webhooks';

/** How a trigger is set up, in its own workflow. */
export interface TriggerOptions {
	parameters?: INodeParameters;
	/** By default the newest version. */
	typeVersion?: number;
	/** Name of the node, which users may change; its ID stays the same. */
	name?: string;
	credentials?: ICredentialDataDecryptedObject;
	/** `production` by default: the workflow is active. `test`: the editor listens for one event on the test URL. */
	mode?: 'production' | 'test';
	workflowId?: string;
	/** Another trigger of the same workflow: n8n stores the static data of both as one text. */
	beside?: Trigger;
	/** The random part of the URL, by default the same for all triggers. */
	webhookId?: string;
	/** The workflow's global static data from an earlier time. */
	staticData?: IDataObject;
	/** n8n's WEBHOOK_URL; by default the address at which it listens. */
	webhookBaseUrl?: string;
}

/** The response to a delivery. */
export interface Answer {
	status: number;
	body: unknown;
	/** The items with which an execution has started, one list for each output; undefined if none has started. */
	workflowData?: INodeExecutionData[][];
}

/** An execution that a delivery has started. */
export interface StartedExecution {
	items: INodeExecutionData[][];
	/** The error that the node's webhook has thrown; n8n records a failed execution for it. */
	error?: Error;
}

/** A webhook of the description whose method is not an expression. */
type TriggerWebhook = IWebhookDescription & { httpMethod: IHttpRequestMethods };

/** A trigger node. */
export class Trigger {
	readonly executions: StartedExecution[] = [];

	/** What n8n stores with the workflow. */
	private readonly database: { staticData: string };

	/** Resolves when the latest test on the test URL has ended: n8n responds first, and removes the webhook then. */
	testEnded: Promise<void> = Promise.resolve();

	/** Stores an execution that a delivery starts. If it throws, n8n has stored nothing, and responds with 500. */
	storeExecution: (response: Response) => Promise<void> = async () => await sleep(5);

	/** Called when the node has handled a request, before n8n responds. */
	beforeResponse: (response: Response) => Promise<void> = async () => {};

	private readonly isTest: boolean;

	private readonly workflowId: string;

	private readonly nodeType: INodeType;

	/** The webhook that is registered at the service comes first. */
	private readonly webhooks: TriggerWebhook[];

	private readonly path: string;

	constructor(
		private readonly loaded: LoadedPackage,
		private readonly server: WebhookServer,
		private readonly node: INode,
		private readonly options: TriggerOptions,
	) {
		this.isTest = options.mode === 'test';
		this.workflowId = options.beside?.workflowId ?? options.workflowId ?? 'workflow';
		this.database = options.beside?.database ?? { staticData: '{}' };
		this.nodeType = loaded.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const webhooks = this.nodeType.description.webhooks as TriggerWebhook[];
		this.webhooks = sortBy(webhooks, ({ name }) => name !== 'default');
		const full = NodeHelpers.getNodeWebhookPath(this.workflowId, node, this.webhooks[0].path);
		this.path = `/${this.isTest ? 'webhook-test' : 'webhook'}/${full}`;
		if (options.staticData) this.staticData = options.staticData;
	}

	get url(): string {
		return `${this.server.url}${this.path}`;
	}

	private get stored(): string {
		return this.database.staticData;
	}

	private set stored(text: string) {
		this.database.staticData = text;
	}

	get staticData(): IDataObject {
		return (JSON.parse(this.stored) as { global?: IDataObject }).global ?? {};
	}

	/** Simulates a delivery or an execution that began earlier and ends now: n8n writes back the data of the earlier time. */
	set staticData(global: IDataObject) {
		this.stored = JSON.stringify({ global });
	}

	/**
	 * Activates the workflow (with `init`: at n8n's start), or listens for a test event. If the node fails, n8n asks it
	 * to clean up. @throws what the node throws
	 */
	async activate(reason: WorkflowActivateMode = this.isTest ? 'manual' : 'activate') {
		for (const webhook of this.webhooks)
			this.server.register(
				webhook.httpMethod,
				this.path,
				async (...call) => await this.receive(webhook, ...call),
			);
		try {
			const mode = this.isTest ? 'manual' : 'trigger';
			const exists = await this.hook('checkExists', mode, reason);
			if (!exists) await this.hook('create', mode, reason);
		} catch (error) {
			await this.deactivate().catch(() => {});
			throw error;
		}
	}

	/** Deactivates the workflow. @throws what the node throws */
	async deactivate(): Promise<void> {
		for (const { httpMethod } of this.webhooks) this.server.unregister(httpMethod, this.path);
		await this.hook('delete', 'internal', 'update');
	}

	/** Delivers over HTTP, as the service would: an object as JSON, a string or a buffer as it is. */
	async deliver(
		body: unknown,
		headers: Record<string, string> = {},
		url = this.url,
	): Promise<Answer> {
		const before = this.executions.length;
		const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
		const { status, data } = await axios.post<unknown>(url, isRaw ? body : JSON.stringify(body), {
			headers: { 'Content-Type': 'application/json', ...headers },
			transformRequest: (value: unknown) => value,
			validateStatus: () => true,
			timeout: 60_000,
		});
		await this.testEnded;
		return { status, body: data, workflowData: this.executions.slice(before).at(0)?.items };
	}

	private webhookData(
		workflowExecuteAdditionalData: IWorkflowExecuteAdditionalData,
		webhookDescription: TriggerWebhook,
	): IWebhookData {
		return {
			httpMethod: webhookDescription.httpMethod,
			node: this.node.name,
			path: this.path.split('/').slice(2).join('/'),
			webhookDescription,
			workflowId: this.workflowId,
			workflowExecuteAdditionalData,
			isTest: this.isTest,
		};
	}

	/** n8n loads the workflow for every hook and delivery, and then stores the static data if it has changed. */
	private async withWorkflow<T>(
		use: (workflow: Workflow, node: INode, data: IWorkflowExecuteAdditionalData) => Promise<T>,
	): Promise<T> {
		const workflow = new Workflow({
			id: this.workflowId,
			name: this.workflowId,
			nodes: [structuredClone(this.node)],
			connections: {},
			active: !this.isTest,
			nodeTypes: this.loaded.nodeTypes,
			staticData: JSON.parse(this.stored) as IDataObject,
		});
		const { credentials, webhookBaseUrl = this.server.url } = this.options;
		const additionalData = additionalDataFor(this.loaded, credentials, webhookBaseUrl);
		await workflow.expression.acquireIsolate?.(); // not available in older versions of n8n
		try {
			return await use(workflow, workflow.nodes[this.node.name], additionalData);
		} finally {
			await workflow.expression.releaseIsolate?.();
			if (workflow.staticData.__dataChanged) this.stored = JSON.stringify(workflow.staticData);
		}
	}

	private async hook(
		name: WebhookSetupMethodNames,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	): Promise<boolean | undefined> {
		return await this.withWorkflow(async (workflow, node, additionalData) => {
			const data = this.webhookData(additionalData, this.webhooks[0]);
			const context = new HookContext(workflow, node, additionalData, mode, activation, data);
			return await this.nodeType.webhookMethods?.default?.[name]?.call(context);
		});
	}

	private async receive(
		webhook: TriggerWebhook,
		httpRequest: WebhookRequest,
		httpResponse: Response,
	): Promise<void> {
		try {
			const result = await this.withWorkflow(async (workflow, node, own) => {
				const additionalData = { ...own, httpRequest, httpResponse };
				const mode = this.isTest ? 'manual' : 'webhook';
				const data = this.webhookData(additionalData, webhook);
				const context = new WebhookContext(workflow, node, additionalData, mode, data, [], null);
				const called = await this.nodeType.webhook!.call(context);
				if (called.workflowData) {
					// When n8n begins to store the execution, it forgets that the static data was changed.
					workflow.staticData.__dataChanged = false;
					await this.storeExecution(httpResponse);
				}
				return called;
			});
			const { workflowData, noWebhookResponse, webhookResponse } = result;
			if (workflowData) this.executions.push({ items: workflowData });
			// The editor listens for one event only.
			if (this.isTest && workflowData) this.testEnded = this.deactivate();
			const message = workflowData ? 'Workflow was started' : 'Webhook call received';
			await this.beforeResponse(httpResponse);
			if (!noWebhookResponse) httpResponse.status(200).json(webhookResponse ?? { message });
		} catch (error) {
			this.executions.push({ items: [[{ json: {} }]], error: error as Error });
			httpResponse.status(500).json({ code: 0, message: 'Workflow could not be started!' });
		}
	}
}
