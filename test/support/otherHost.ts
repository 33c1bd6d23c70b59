/** A host that is not the service, and remembers what it was sent. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it came. */
export interface SeenRequest {
	method: string;
	url: string;
	headers: IncomingHttpHeaders;
	body: string;
}

/** Such a host, for the tests of one file. */
export interface OtherHost {
	/** e.g. `http://127.0.0.1:4711`. */
	url: string;
	seen: SeenRequest[];
}

/** Starts it before the tests and stops it after them; what it has seen is forgotten before each. */
export function useOtherHost(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
): OtherHost {
	const host: OtherHost = { url: '', seen: [] };
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { method = '', url = '', headers } = request;
			host.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
			answer(request, response);
		});
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		host.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => {
		host.seen.length = 0;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return host;
}
