/** What n8n does when a user saves the credential or clicks Retry: it asks the service, and says what the nodes would say. */
import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { readList } from '../api/read';
import { Client, type HttpSend } from './client';
import { readText } from './connect';
import { ServiceError, isRefusedContent } from './errors';
import { readServiceConfig } from './serviceConfig';

const noService = "There is no messaging service at this address. Check 'Base URL' and 'API Path'.";

/**
 * Tests the credential; both nodes name it under `testedBy`. Any web page responds, so two responses have to be those of
 * this service: the caller of the key, and the list of contacts, which is all whose shape the specification shows.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const client = new Client(sender(this, data.apiKey as string), readServiceConfig(data));
		await client.call(endpoints.getCurrentAccount);
		const request = { query: { limit: 1 } };
		const contacts = await client.call(endpoints.listContacts, request).catch(asNoContacts);
		if (!contacts || !readList(contacts)) return { status: 'Error', message: noService };
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		const { message, description = '', kind, statusCode = 0 } = error as ServiceError;
		const isPage = kind === 'indeterminate' && statusCode > 0 && statusCode < 300;
		if (isPage || [404, 405].includes(statusCode)) return { status: 'Error', message: noService };
		return { status: 'Error', message: `${message}. ${description}`.trim() };
	}
}

/** A key without permission to list contacts is a good key. @throws any other error */
function asNoContacts(error: unknown): unknown[] {
	if (isRefusedContent(error)) return [];
	if (error instanceof ServiceError && error.statusCode === 403) return [];
	throw error;
}

/** This context of n8n has no other helper for requests, and does not add the key by itself. */
function sender({ helpers }: ICredentialTestFunctions, apiKey: string): HttpSend {
	return async ({ method, url, query, headers, timeoutMs }) => {
		const options = {
			method,
			url,
			qs: query,
			headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}`, ...headers },
			timeout: timeoutMs,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false, // the key would go along
		};
		return await readText(helpers.request(options), timeoutMs);
	};
}
