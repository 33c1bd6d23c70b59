/** What n8n does when a user saves the credential or clicks Retry: it asks the service, and says what the nodes would say. */
import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { readList } from '../api/read';
import { Client, type HttpSend } from './client';
import { withText } from './connect';
import { withDeadline } from './deadline';
import { ServiceError, type ServiceResponse, isRefusedContent } from './errors';
import { readServiceConfig } from './serviceConfig';

/** Tests the credential; both nodes name it under `testedBy`. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const config = readServiceConfig(data);
		await findService(new Client(sender(this, data.apiKey as string), config));
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		const { message, description = '' } = error as ServiceError;
		return { status: 'Error', message: `${message}. ${description}`.trim() };
	}
}

/**
 * Any web page responds, so two responses have to be those of this service: the caller of the key, and the list of contacts,
 * which is all whose shape the specification shows. A key without permission to list contacts is a good key.
 *
 * @throws ServiceError
 */
async function findService(client: Client): Promise<void> {
	await client.call(endpoints.getCurrentAccount).catch(explain);
	const request = { query: { limit: 1 } };
	const contacts = await client.call(endpoints.listContacts, request).catch((error: unknown) => {
		const isPermission = error instanceof ServiceError && error.statusCode === 403;
		return isPermission || isRefusedContent(error) ? [] : explain(error);
	});
	if (!contacts || !readList(contacts)) throw noService();
}

/** @throws ServiceError that there is nothing of this service, or the given one */
function explain(error: unknown): never {
	const { statusCode = 0, kind } = error as ServiceError;
	const isPage = kind === 'indeterminate' && statusCode > 0 && statusCode < 300;
	throw isPage || statusCode === 404 || statusCode === 405 ? noService() : error;
}

function noService(): ServiceError {
	return new ServiceError('There is no messaging service at this address', {
		kind: 'configuration',
		description: "Check 'Base URL' and 'API Path'.",
	});
}

/** This context of n8n has no other helper for requests, and does not add the key by itself. */
function sender({ helpers }: ICredentialTestFunctions, apiKey: string): HttpSend {
	return async ({ method, url, query, headers, timeoutMs }) => {
		const response = helpers.request({
			method,
			url,
			qs: query,
			headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}`, ...headers },
			timeout: timeoutMs,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false, // the key would go along
		}) as Promise<ServiceResponse>;
		return withText(await withDeadline(response, timeoutMs));
	};
}
