import type {
	ICredentialTestFunctions,
	ICredentialsDecrypted,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { readList } from '../reading/readResponse';
import { Client, type HttpSend } from './client';
import { readBodyText } from './connect';
import { ServiceError, isRefusedContent } from './errors';
import { standardWebhooksKey } from './secrets';
import { readServiceConfig } from './serviceConfig';

const noService = "There is no messaging service at this address. Check 'Base URL' and 'API Path'.";

/** Tests a credential. Any web page could respond, so it also lists contacts, whose shape is specified. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const client = new Client(sender(this, data.apiKey as string), readServiceConfig(data));
		await client.call(endpoints.getCurrentAccount);
		const request = { query: { limit: 1 } };
		const contacts = await client.call(endpoints.listContacts, request).catch(asNoContacts);
		if (!contacts || !readList(contacts, 'contact')) return { status: 'Error', message: noService };
		const problem = secretProblem(data.webhookSecret);
		if (problem) return { status: 'Error', message: problem };
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		const { message, description = '', kind, statusCode = 0 } = error as ServiceError;
		const isPage = kind === 'uncertain' && statusCode > 0 && statusCode < 300;
		if (isPage || [404, 405].includes(statusCode)) return { status: 'Error', message: noService };
		return { status: 'Error', message: `${message}. ${description}`.trim() };
	}
}

/** Why no service can sign with a secret. Only the trigger can check whether it fits the kind of signature. */
function secretProblem(secret: unknown): string | undefined {
	if (typeof secret !== 'string' || secret === '') return undefined;
	const again = 'Copy it again from the service.';
	if (/^\s*whsec_/.test(secret) && !standardWebhooksKey(secret))
		return `'Webhook Secret' begins with whsec_, but no valid base64 follows. ${again}`;
	return /[a-z\d]/i.test(secret)
		? undefined
		: `'Webhook Secret' contains neither letters (A to Z) nor digits. ${again}`;
}

/** Accepts that the list is refused, or that a valid key has no permission for it. @throws any other error */
function asNoContacts(error: unknown): unknown[] {
	if (isRefusedContent(error)) return [];
	if (error instanceof ServiceError && error.statusCode === 403) return [];
	throw error;
}

/** Sends requests with the only helper that n8n provides here, which does not add the key. */
function sender({ helpers }: ICredentialTestFunctions, apiKey: string): HttpSend {
	return async ({ method, url, query, headers, timeoutMs }) => {
		const options = {
			method,
			url,
			qs: query,
			headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey.trim()}`, ...headers },
			timeout: timeoutMs,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
			followRedirect: false, // otherwise the key would be sent to the new address
		};
		return await readBodyText(() => helpers.request(options), timeoutMs);
	};
}
