/** n8n's own web server, as far as webhooks need it: real HTTP, so that the sandbox can deliver to it by itself. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import type { Request, Response } from 'express';

/** A request as n8n hands it to nodes. */
export interface WebhookRequest extends Request {
	rawBody: Buffer;
	readRawBody(): Promise<void>;
	/** Without parameters, in lower case. */
	contentType?: string;
}

/** Answers the calls of one webhook. */
export type WebhookHandler = (request: WebhookRequest, response: Response) => Promise<void>;

/** As in n8n; larger bodies never get to a node. */
const largestBody = '16mb';

/** Parses the body as n8n does. @returns false if it cannot be parsed, in which case no node is called */
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
		if (request.contentType === 'application/x-www-form-urlencoded') {
			request.body = Object.fromEntries(new URLSearchParams(text));
		}
		return true;
	} catch {
		return false;
	}
}

/** Listens on a free port of this machine. */
export class WebhookServer {
	private readonly handlers = new Map<string, WebhookHandler>();

	private server?: Server;

	/** Starts it, if it does not run yet. */
	async start(): Promise<void> {
		if (!this.server) {
			this.server = createServer(this.app());
			this.server.keepAliveTimeout = 0; // a client that pauses longer would find its connection closed just as it sends
			this.server.listen(0, '127.0.0.1');
		}
		if (!this.server.listening) await once(this.server, 'listening');
	}

	/** n8n's address, e.g. `http://127.0.0.1:5678`. */
	get url(): string {
		const address = this.server?.address() as AddressInfo | null | undefined;
		if (!address) throw new Error('The webhook server does not run');
		return `http://127.0.0.1:${address.port}`;
	}

	/** Registers what answers a path, e.g. `/webhook/id/webhook`. */
	register(method: string, path: string, handler: WebhookHandler): void {
		this.handlers.set(`${method} ${path}`, handler);
	}

	/** The path is answered with 404 from now on. */
	unregister(method: string, path: string): void {
		this.handlers.delete(`${method} ${path}`);
	}

	async stop(): Promise<void> {
		const { server } = this;
		this.server = undefined;
		server?.closeAllConnections();
		await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
	}

	private app(): express.Express {
		const app = express();
		app.use(express.raw({ type: () => true, limit: largestBody }));
		app.use(async (request: Request, response: Response) => {
			const handler = this.handlers.get(`${request.method} ${request.path}`);
			if (!handler && request.path.startsWith('/webhook-waiting/')) {
				response.status(409).json({ message: 'The execution is running already.' });
			} else if (!handler) {
				response.status(404).json({
					code: 404,
					message: `The requested webhook "${request.path}" is not registered.`,
				});
			} else if (!parseBody(request as WebhookRequest)) {
				response.status(422).json({ code: 422, message: 'Failed to parse request body' });
			} else {
				await handler(request as WebhookRequest, response);
			}
		});
		return app;
	}
}
