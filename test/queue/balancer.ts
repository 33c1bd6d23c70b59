/** A reverse proxy for n8n's webhook processes. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onStop } from '../../tools/cli';

/** Hands each request to the next of its servers, or all of one path to one server. */
export class Balancer {
	/** The servers that currently receive requests. */
	servers: Array<{ url: string }> = [];
	isByPath = false;
	private count = 0;

	private constructor(private readonly server: Server) {}

	/** Listens until the program ends. */
	static async start(): Promise<Balancer> {
		const server = createServer((request, response) => {
			const { method, headers, url = '/' } = request;
			const forwarded = httpRequest(
				`${balancer.serverFor(url)}${url}`,
				{ method, headers },
				(answer) => {
					response.writeHead(answer.statusCode ?? 502, answer.headers);
					answer.pipe(response);
				},
			);
			forwarded.on('error', () => response.destroy());
			request.pipe(forwarded);
		});
		const balancer = new Balancer(server);
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		onStop(async () => {
			server.closeAllConnections();
			server.close();
		});
		return balancer;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	private serverFor(url: string): string {
		const [path] = url.split('?');
		const place = this.isByPath
			? Buffer.from(path).reduce((sum, byte) => sum + byte)
			: this.count++;
		return this.servers[place % this.servers.length].url;
	}
}
