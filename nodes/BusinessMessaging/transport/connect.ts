/** Makes a client that uses n8n's HTTP helpers, with n8n's authentication and proxies. */
import { attempt, isEmpty, isError, isObject } from 'lodash';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHookFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { Client, type ClientOptions, type HttpSend } from './client';
import { withDeadline } from './deadline';
import { type ServiceResponse } from '../reading/readResponse';
import { maxResponseBytes, tooLargeCode } from './errors';
import { readServiceConfig } from './serviceConfig';

/** Name of the credential type. */
export const credentialType = 'businessMessagingApi';

type ConnectContext =
	| IExecuteFunctions
	| IHookFunctions
	| ILoadOptionsFunctions
	| IWebhookFunctions;

/** Makes a client from the node's credential, also for use after the execution has ended. @throws ServiceError */
export async function connect(context: ConnectContext, options?: ClientOptions): Promise<Client> {
	const values = await context.getCredentials(credentialType);
	return new Client(sender(context, values), readServiceConfig(values), options);
}

function sender(context: ConnectContext, data: ICredentialDataDecryptedObject): HttpSend {
	// The abort signal of the context is not passed on, so that a stopped execution does not interrupt a message under way.
	const requester = {
		helpers: context.helpers,
		logger: context.logger,
		getNode: () => context.getNode(),
	} as unknown as IAllExecuteFunctions;
	// Without these, n8n would read the credential from its database for each request.
	const credentialsDecrypted = { id: '', name: '', type: credentialType, data };

	return async ({ method, url, query, body, headers, timeoutMs }) => {
		const options: IHttpRequestOptions = {
			method,
			url,
			qs: query as IDataObject,
			body: isEmpty(body) ? body : JSON.stringify(body), // axios would leave out some fields of an object
			headers: {
				Accept: 'application/json',
				...(body && { 'Content-Type': 'application/json' }),
				...headers,
			},
			timeout: timeoutMs,
			encoding: 'stream', // n8n does not limit the size of bodies with other encodings
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true, // a redirected POST would become a GET, and would send the key to another address
		};
		const request = context.helpers.httpRequestWithAuthentication.bind(requester);
		return await readBodyText(
			(abortSignal) =>
				request(credentialType, { ...options, abortSignal }, { credentialsDecrypted }),
			timeoutMs,
		);
	};
}

/** Reads the body as text. @throws an error with the code ETIMEDOUT or {@link tooLargeCode}; the connection closes */
export async function readBodyText(
	send: (signal: AbortSignal) => PromiseLike<unknown>,
	timeoutMs: number,
): Promise<ServiceResponse & { body: string }> {
	// The helper's own timeout starts again with every byte of the response.
	return await withDeadline(async (signal) => {
		const { statusCode, headers, body } = (await send(signal)) as ServiceResponse;
		const charset = /charset="?([\w.:-]+)/i.exec(String(headers['content-type']))?.[1];
		return { statusCode, headers, body: await readText(body, decoderOf(charset), signal) };
	}, timeoutMs);
}

/** A stream with `destroy`, as n8n's helpers return it. */
type Body = AsyncIterable<Uint8Array> & { destroy(): void };

/** The text of a stream. n8n returns undefined for some empty bodies, and an object if one of n8n's tests simulates the service. */
async function readText(
	body: unknown,
	decode: (bytes: Uint8Array) => string,
	signal: AbortSignal,
): Promise<string> {
	if (typeof body === 'string') return body;
	if (!isObject(body) || !(Symbol.asyncIterator in body)) return JSON.stringify(body) ?? '';
	const stream = body as Body;
	const close = () => stream.destroy();
	signal.addEventListener('abort', close);
	if (signal.aborted) close();
	try {
		const bytes = Buffer.concat(await chunksOf(stream));
		return decode(bytes); // without a byte order mark
	} finally {
		signal.removeEventListener('abort', close); // it would keep the response in memory until the timeout
	}
}

/** Decodes the character set that a response names; UTF-8 if it names none, or an unknown one. */
function decoderOf(charset = 'utf-8'): (bytes: Uint8Array) => string {
	const decoder = attempt(() => new TextDecoder(charset));
	return (bytes) => (isError(decoder) ? new TextDecoder() : decoder).decode(bytes);
}

async function chunksOf(stream: Body): Promise<Uint8Array[]> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	// Leaving the loop closes the connection.
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > maxResponseBytes)
			throw Object.assign(new Error('Too large'), { code: tooLargeCode });
		chunks.push(chunk);
	}
	return chunks;
}
