import { endpoints } from '../../api/endpoints';
import { withLock } from '../../mutex';
import { samePhoneKey } from '../../phone/compare';
import type { Client } from '../../transport/client';
import { ServiceError } from '../../transport/errors';
import { asText } from '../../api/read';
import { type Operation, type OperationRequest, record } from '../operation';
import { ContactIndex } from './contactIndex';
import { createContact } from './create';

/** Creates a contact, or updates the one with the same phone number. */
export const upsertContact: Operation = {
	...createContact,
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	repeatsUncertain: true,
	prepare: async (client, requests) => await ContactIndex.open(client, requests.map(phoneOf)),
	run: async (client, request, prepared) => {
		const index = prepared as ContactIndex;
		const name = `contact ${client.config.id} ${samePhoneKey(phoneOf(request))}`;
		return record(await withLock(name, async () => await save(client, request, index)), 'contact');
	},
};

function phoneOf({ body }: OperationRequest): string {
	return asText(body?.phone);
}

/** @returns the response of the service */
async function save(
	client: Client,
	request: OperationRequest,
	index: ContactIndex,
): Promise<unknown> {
	const { body, idempotencyKey } = request;
	const id = await index.find(client, phoneOf(request));
	if (id === undefined) {
		const created = await client.call(endpoints.createContact, { body, idempotencyKey });
		index.add(phoneOf(request), created);
		return created;
	}
	const updated = await client.fetch(endpoints.updateContact, { id, body }).catch(asMissing);
	if (!(updated instanceof ServiceError)) return updated.body;
	await index.list(client); // it was deleted after it was listed
	if ((await index.find(client, phoneOf(request))) === id) throw updated;
	return await save(client, request, index);
}

function asMissing(error: unknown): ServiceError {
	if (error instanceof ServiceError && error.statusCode === 404) return error;
	throw error;
}
