/**
 * Prism as validating proxy. The tests open many sandboxes, each with a state of its own, so each asks for a proxy of its
 * own (test/support/contract.ts); all compare with the same document.
 */
import { readFileSync } from 'node:fs';

import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';
import Fastify from 'fastify';

/** What the tests have counted. */
export interface Tally {
	/** Answers that came through a proxy. */
	answers: number;
	/** Among them: requests that break the document, sent on purpose and refused by the sandbox. */
	refusals: number;
	/** Among them: answers that a test has spoiled on purpose. */
	faults: number;
}

type Operation = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

/** The program that makes the proxies. */
export interface Prism {
	/** `POST /proxies { upstream }` makes one, `POST /tally` adds figures. */
	url: string;
	tally: Tally;
	close: () => Promise<void>;
}

/**
 * Starts to listen on a free port.
 *
 * @param document path of the OpenAPI document
 */
export async function openPrism(document: string): Promise<Prism> {
	const spec = JSON.parse(readFileSync(document, 'utf8')) as object;
	const operations = (await getHttpOperationsFromSpec(spec)).flatMap(atItsServers);
	const tally: Tally = { answers: 0, refusals: 0, faults: 0 };
	const proxies: Array<() => Promise<void>> = [];
	const app = Fastify();
	app.post<{ Body: { upstream: string } }>('/proxies', async ({ body }) => {
		const proxy = proxyTo(new URL(body.upstream), operations);
		proxies.push(proxy.close);
		return { url: await proxy.listen(0, '127.0.0.1') };
	});
	app.post<{ Body: Tally }>('/tally', async ({ body }) => {
		for (const key of Object.keys(tally) as Array<keyof Tally>) tally[key] += body[key];
		return {};
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	const close = async () => {
		await Promise.all([app.close(), ...proxies.map(async (end) => await end())]);
	};
	return { url, tally, close };
}

/** Prism looks for the path alone: an operation gets the path of each of its servers, so that an API path has just its own. */
function atItsServers(operation: Operation): Operation[] {
	return (operation.servers ?? []).map(({ url }) => {
		const prefix = new URL(url).pathname.replace(/\/$/, '');
		return { ...operation, path: `${prefix}${operation.path}`, servers: [] };
	});
}

/** A proxy that forwards everything and tells of each violation in the header `sl-violations`. */
function proxyTo(upstream: URL, operations: Operation[]) {
	return createServer(operations, {
		cors: false,
		components: { logger: createLogger('prism', { enabled: false }) },
		config: {
			isProxy: true,
			upstream,
			upstreamProxy: undefined,
			mock: { dynamic: false },
			checkSecurity: true,
			validateRequest: true,
			validateResponse: true,
			errors: false,
		},
	});
}
