/** What webhooks need of n8n's web server, over real HTTP for the sandbox; and executions that wait for webhooks. */
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Request, type Response } from 'express';
import { parse, stringify } from 'flatted';
import { WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	IRunExecutionData,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { type RunResult, resumeExecution } from './execution';
import { type LoadedPackage, additionalDataFor } from './loadPackage';

/** A request as n8n hands it to nodes. */
export interface WebhookRequest extends Request {
	rawBody: Buffer;
	readRawBody(): Promise<void>;
	/** Without its parameters, in lower case. */
	contentType?: string;
}

/** Responds to the calls of one webhook. */
export type WebhookHandler = (request: WebhookRequest, response: Response) => Promise<void>;

/** Parses the body as n8n does. @returns false if it cannot be parsed; then no node is called */
function parseBody(request: WebhookRequest): boolean {
	request.rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
	request.readRawBody = async () => {};
	request.body = {};
	request.contentType = request.headers['content-type']?.split(';')[0].trim().toLowerCase();
	if (request.rawBody.length === 0) return true;
	const text = request.rawBody.toString();
	try {
		if (request.contentType === 'application/json') request.body = JSON.parse(text) ?? {};
		if (request.contentType === 'text/plain') request.body = text;
		return true;
	} catch {
		return false;
	}
}

/** Listens on a free port of this machine. */
export class WebhookServer {
	private readonly handlers = new Map<string, WebhookHandler>();

	private server?: Server;

	async start(): Promise<void> {
		if (!this.server) {
			this.server = createServer(this.app());
			this.server.keepAliveTimeout = 0; // otherwise, the connection of a client that pauses could be closed at the moment at which the client sends again
			this.server.listen(0, '127.0.0.1');
		}
		if (!this.server.listening) await once(this.server, 'listening');
	}

	/** n8n's address, e.g. `http://127.0.0.1:5678`. */
	get url(): string {
		return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
	}

	/** @param path e.g. `/webhook/id/webhook` */
	register(method: string, path: string, handler: WebhookHandler): void {
		this.handlers.set(`${method} ${path}`, handler);
	}

	/** Calls of the path get a 404 from now on. */
	unregister(method: string, path: string): void {
		this.handlers.delete(`${method} ${path}`);
	}

	async stop(): Promise<void> {
		const { server } = this;
		if (!server) return;
		this.server = undefined;
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	}

	private app(): express.Express {
		const app = express();
		app.use(express.raw({ type: () => true, limit: '16mb' })); // the limit of n8n; larger bodies never reach a node
		app.use(async (request: Request, response: Response) => {
			const handler = this.handlers.get(`${request.method} ${request.path}`);
			if (!handler && request.path.startsWith('/webhook-waiting/')) {
				const [, , id] = request.path.split('/');
				const message = `The execution "${id}" is running already.`;
				response.status(409).json({ code: 409, message });
			} else if (!handler) {
				const [, , ...path] = request.path.split('/');
				const message = `The requested webhook "${request.method} ${path.join('/')}" is not registered.`;
				response.status(404).json({ code: 404, message });
			} else if (!parseBody(request as WebhookRequest)) {
				response.status(422).json({ code: 422, message: 'Failed to parse request body' });
			} else {
				await handler(request as WebhookRequest, response);
			}
		});
		return app;
	}
}

/**
 * An execution that waits for deliveries to its resume URL, with the data that n8n has stored meanwhile. Source:
 * WaitingWebhooks of n8n's cli; the signature of the URL is not checked here.
 */
export class WaitingExecution {
	/** The node's output after it has continued, one list for each output; undefined as long as it waits. */
	outputs?: INodeExecutionData[][];

	/** The responses to the deliveries, in order. */
	readonly answers: Array<{ body?: unknown }> = [];

	private isStopped = false;

	private isRunning = false;

	private readonly node;

	constructor(
		private readonly loaded: LoadedPackage,
		private readonly server: WebhookServer,
		private readonly waiting: RunResult,
		private readonly credentials: ICredentialDataDecryptedObject,
	) {
		const { workflow, run, id } = waiting;
		const { lastNodeExecuted } = run.data.resultData;
		this.node = workflow.nodes.find(({ name }) => name === lastNodeExecuted)!;
		const path = `/webhook-waiting/${id}/${encodeURIComponent(this.node.id)}`;
		server.register('POST', path, async (...call) => await this.receive(...call));
	}

	/** Presses Stop: n8n accepts no further deliveries for the execution. */
	stop(): void {
		this.isStopped = true;
	}

	/** Like a tool of an AI agent, whose context n8n does not show when a delivery arrives. */
	hideContext(): void {
		this.waiting.run.data.executionData!.contextData = {};
	}

	private async receive(httpRequest: WebhookRequest, httpResponse: Response): Promise<void> {
		if (this.isStopped) {
			const message = `The execution "${this.waiting.id}" has finished with error.`;
			httpResponse.status(409).json({ code: 409, message });
			return;
		}
		if (this.outputs) {
			httpResponse.send('<html><title>No action required</title></html>');
			return;
		}
		if (this.isRunning) {
			const message = `The execution "${this.waiting.id}" is running already.`;
			httpResponse.status(409).json({ code: 409, message });
			return;
		}
		const { workflow: definition, run, id } = this.waiting;
		const { nodeTypes } = this.loaded;
		const workflow = new Workflow({ ...structuredClone(definition), active: true, nodeTypes });
		const node = workflow.nodes[this.node.name];
		const nodeType = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const additionalData = {
			...additionalDataFor(this.loaded, this.credentials, this.server.url),
			executionId: id,
			httpRequest,
			httpResponse,
		};
		const data = {
			httpMethod: 'POST' as const,
			node: node.name,
			path: httpRequest.path,
			webhookDescription: nodeType.description.webhooks![0],
			workflowId: definition.id,
			workflowExecuteAdditionalData: additionalData,
		};
		const stored = parse(stringify(run.data)) as IRunExecutionData;
		const context = new WebhookContext(workflow, node, additionalData, 'webhook', data, [], stored);
		const answer: { body?: unknown } = {};
		httpResponse.once('finish', () => this.answers.push(answer));
		await workflow.expression.acquireIsolate?.(); // not available in older versions of n8n
		const answered = nodeType.webhook!.call(context);
		const result = await answered.finally(async () => await workflow.expression.releaseIsolate?.());
		answer.body = result.webhookResponse;
		if (result.workflowData) {
			// As n8n does: its default is this word, and it hides the node's response.
			const { responseData = 'firstEntryJson' } = data.webhookDescription;
			if (responseData) answer.body = responseData === 'noData' ? undefined : responseData;
			this.isRunning = true;
			const options = { credentials: this.credentials, baseUrl: this.server.url };
			const { outputs } = await resumeExecution(
				this.loaded,
				this.waiting,
				result.workflowData,
				options,
			);
			this.outputs = outputs;
		}
		if (!result.noWebhookResponse) httpResponse.status(200).json(answer.body);
	}
}
