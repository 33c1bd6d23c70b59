/** A reverse proxy for n8n's webhook processes. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onStop } from '../../tools/cli';

/** Whether n8n takes requests. While it starts, it responds to all of them with 200 and passes nothing on. */
async function isReady(server: string): Promise<boolean> {
	return await fetch(`${server}/healthz/readiness`).then(
		({ ok }) => ok,
		() => false,
	);
}

/** Hands each request to the next of its servers, or all of one path to one server, if that server is ready. */
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
			const target = balancer.serverFor(url);
			const forward = () => {
				const forwarded = httpRequest(`${target}${url}`, { method, headers }, (answer) => {
					response.writeHead(answer.statusCode ?? 502, answer.headers);
					answer.pipe(response);
				});
				forwarded.on('error', () => response.destroy());
				request.pipe(forwarded);
			};
			void isReady(target).then((isUp) => (isUp ? forward() : response.destroy()));
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
