/** The client on n8n's HTTP helpers, with n8n's authentication and proxies. */
import { isEmpty } from 'lodash';
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
import type { ServiceResponse } from './errors';
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
	// Without the abort signal of the context, so that a stopped execution does not interrupt a message under way.
	const requester = {
		helpers: context.helpers,
		logger: context.logger,
		getNode: () => context.getNode(),
	} as unknown as IAllExecuteFunctions;
	// Otherwise n8n reads them from its database for each request.
	const credentialsDecrypted = { id: '', name: '', type: credentialType, data };

	return async ({ method, url, query, body, headers, timeoutMs }) => {
		const options: IHttpRequestOptions = {
			method,
			url,
			qs: query as IDataObject,
			body: isEmpty(body) ? body : JSON.stringify(body), // axios omits some fields of objects
			headers: {
				Accept: 'application/json',
				...(body && { 'Content-Type': 'application/json' }),
				...headers,
			},
			timeout: timeoutMs,
			encoding: 'text',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true, // a redirected POST would become a GET and carry the key
		};
		const response = context.helpers.httpRequestWithAuthentication.call(
			requester,
			credentialType,
			options,
			{ credentialsDecrypted },
		);
		return await readText(response, timeoutMs);
	};
}

/** The response with its body as text. n8n parses some bodies, and returns undefined for an empty one. */
export async function readText(work: Promise<unknown>, timeoutMs: number) {
	// The helper's own timeout restarts with every byte of the response.
	const response = (await withDeadline(work, timeoutMs)) as ServiceResponse;
	const { statusCode, headers, body = '' } = response;
	return { statusCode, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
