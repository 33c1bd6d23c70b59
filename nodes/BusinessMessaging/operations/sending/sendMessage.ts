import type { IDataObject } from 'n8n-workflow';

import type { Endpoint } from '../../api/endpoints';
import { readRecord } from '../../reading/readResponse';
import { readSend } from '../../reading/readSend';
import type { Client } from '../../transport/client';
import { errorFromSend } from '../../transport/errors';
import { type OperationRequest, sendResult } from '../operation';

/**
 * Sends a message. The output has the fields of every send, then what the service says.
 *
 * @throws ServiceError, also for a response with a successful HTTP status whose body says no, or neither yes nor no
 */
export async function sendMessage(
	client: Client,
	endpoint: Endpoint,
	request: OperationRequest,
): Promise<IDataObject[]> {
	const response = await client.fetch(endpoint, { ...request, isRefused: () => false });
	const { sendStatus, messageId = null, signs } = readSend(response);
	if (sendStatus !== 'sent') throw errorFromSend(response, sendStatus, signs);
	const { rules: { test } = {}, body } = request;
	const result = {
		...sendResult(body?.to as string, test ? 'test' : 'sent', { messageId }),
		...(test && { meantFor: test.meantFor }),
	};
	const fields = readRecord(response.body, 'message') as IDataObject;
	return [{ ...result, ...fields, ...result }];
}
