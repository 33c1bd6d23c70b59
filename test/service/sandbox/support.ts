/** What the tests of the sandbox share: a client with the demo key, a receiver of webhooks, waiting with a limit. */
import type { IncomingHttpHeaders } from 'node:http';

import axios, { type AxiosInstance } from 'axios';
import Fastify from 'fastify';
import { omit } from 'lodash';

import {
	endpoints,
	type Endpoint,
	type EndpointName,
} from '../../../nodes/BusinessMessaging/api/endpoints';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { buildOpenApiDocument } from '../../../sandbox/openapi';

/** A free port, and receipts that follow at once. */
const testOptions: SandboxOptions = {
	port: 0,
	receiptDelaysMs: { sent: 0, delivered: 10, read: 20 },
	approvalDelayMs: 50,
	deliveryRetryDelayMs: 10,
};

/** A client that returns every response, whatever its status. */
export function clientOf(baseURL: string, key?: string): AxiosInstance {
	const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
	return axios.create({
		baseURL,
		headers,
		validateStatus: () => true,
		proxy: false,
		timeout: 10_000,
	});
}

const open: Array<() => Promise<void>> = [];

/** A sandbox that is closed after the test, its address, and a client for each API path and for the controls. */
export async function openSandbox(options: SandboxOptions = {}) {
	const sandbox: Sandbox = await startSandbox({ ...testOptions, ...options });
	open.push(async () => {
		await sandbox.close();
		expect(undeclaredStatuses(sandbox)).toEqual([]);
	});
	const { url } = sandbox;
	return {
		sandbox,
		url,
		api: clientOf(`${url}/v1`, sandbox.key),
		shared: clientOf(`${url}/api/v1`, sandbox.key),
		controls: clientOf(`${url}/_sandbox`),
	};
}

const { paths } = buildOpenApiDocument();

/** The statuses that the OpenAPI document has for an endpoint, in each of its methods. */
export function declaredStatuses(name: EndpointName): string[][] {
	const { path, methods }: Endpoint = endpoints[name];
	const item = paths[path.replace(':id', '{id}')] as Record<string, { responses: object }>;
	return Object.values(methods).map((method) => Object.keys(item[method.toLowerCase()].responses));
}

/** The statuses of a sandbox's responses that the OpenAPI document does not have. Failures of the server are ordered by tests. */
function undeclaredStatuses({ state }: Sandbox): string[] {
	const ofEndpoints = omit(state.requests.counters, 'notListed');
	return Object.entries(ofEndpoints).flatMap(([name, { byStatus }]) => {
		const declared = declaredStatuses(name as EndpointName).flat();
		return Object.keys(byStatus)
			.filter((status) => !declared.includes(status) && Number(status) < 500)
			.map((status) => `${name} gave ${status}: declare it in errorAnswers of sandbox/openapi.ts`);
	});
}

/**
 * A receiver of deliveries that is closed after the test.
 * @param answers HTTP status of each answer in turn, 200 afterwards; null for none at all
 */
export async function openReceiver(answers: Array<number | null> = []) {
	const received: Array<{
		body: unknown;
		/** The body as it arrived. */
		raw: string;
		type?: string;
		headers: IncomingHttpHeaders;
	}> = [];
	const app = Fastify({ forceCloseConnections: true });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
	app.post('/hook', async ({ body, headers }, reply) => {
		const raw = String(body);
		received.push({ body: JSON.parse(raw), raw, type: headers['content-type'], headers });
		const status = answers.length > 0 ? answers.shift() : 200;
		if (status) await reply.code(status).send();
		else reply.hijack();
	});
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	open.push(async () => await app.close());
	return { url: `${url}/hook`, received };
}

/** Closes what a test has opened. */
export async function closeAll(): Promise<void> {
	await Promise.all(open.splice(0).map(async (close) => await close()));
}
