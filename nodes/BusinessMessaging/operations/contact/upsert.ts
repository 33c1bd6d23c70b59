import { isUndefined, omitBy } from 'lodash';

import { endpoints } from '../../api/endpoints';
import { type ServiceRecord, textOrJson } from '../../jsonValues';
import { plain, readRecord } from '../../reading/readResponse';
import { withLock } from '../../mutex';
import { samePhoneKey } from '../../phone/compare';
import type { Client } from '../../transport/client';
import { InputError, ServiceError, isRefusedContent } from '../../transport/errors';
import { type Operation, type OperationRequest, record } from '../operation';
import { Contacts } from '../contactIndex';
import { createContact } from './create';

/** What decoders write in place of bytes that are no character. */
const unreadableCharacter = '\ufffd';

/** Creates a contact, or updates the one with the same phone number. */
export const upsertContact: Operation = {
	...createContact,
	name: 'Create or Update',
	value: 'upsert',
	action: 'Create or update contact',
	description: 'Create a new contact, or update the current one if it already exists (upsert)',
	repeatsUncertain: true,
	queueOf: (request) => samePhoneKey(phoneOf(request)),
	request: (values, settings) => {
		const { defaultCountry } = values.options as { defaultCountry?: string };
		const request = createContact.request(values, settings);
		return { ...request, country: defaultCountry ?? settings.defaultCountry };
	},
	prepare: async (client, requests) =>
		await Contacts.open(client, requests.map(phoneOf), requests[0].country),
	run: async (client, request, prepared) => {
		const contacts = prepared as Contacts;
		const name = `contact ${client.config.id} ${samePhoneKey(phoneOf(request))}`;
		const save = async () => await saveContact(client, request, contacts);
		return record(await withLock(name, save), 'contact');
	},
};

function phoneOf({ body }: OperationRequest): string {
	return textOrJson(body?.phone);
}

/** @param mayListAgain whether the contacts may be listed again, because they have changed */
async function saveContact(
	client: Client,
	request: OperationRequest,
	contacts: Contacts,
	mayListAgain = true,
): Promise<unknown> {
	const { body = {}, idempotencyKey } = request;
	const phone = phoneOf(request);
	const [contact, ...others] = await contacts.find(phone);
	const call = contact
		? updateContact(client, contact, body)
		: client.call(endpoints.createContact, { body, idempotencyKey });
	const response = await call.catch(asChanged);
	if (response instanceof ServiceError) {
		if (!mayListAgain) throw response;
		await contacts.listAgain(phone);
		const [now] = await contacts.find(phone);
		if (now?.id === contact?.id) throw response;
		return await saveContact(client, request, contacts, false);
	}
	if (!contact) contacts.add(phone, body, response);
	if (others.length > 0)
		client.hints.add(
			`${others.length + 1} contacts have the phone number ${phone}. The first one in the list was updated: "${contact.id}".`,
		);
	return response;
}

/** @throws the error, unless it says that a contact was deleted, or created by others, since the contacts were listed */
function asChanged(error: unknown): ServiceError {
	if (!(error instanceof ServiceError) || error.kind !== 'refused') throw error;
	const isDuplicate =
		isRefusedContent(error) && /exist|already|duplicate|taken|unique/i.test(error.message);
	if (isDuplicate || [404, 409].includes(error.statusCode ?? 0)) return error;
	throw error;
}

/** A PUT may replace the whole contact, so the request also contains the other fields that the list shows. */
async function updateContact(
	client: Client,
	{ id, record: known }: { id: string; record: ServiceRecord },
	fields: ServiceRecord,
): Promise<unknown> {
	// A field without a value, such as an empty name, does not replace that of the contact.
	const body = omitBy(fields, isUndefined);
	const kept = omitBy(known, (value, name) => isReadOnly(name, value) || name in body);
	const request = { id, body };
	const replacementBody = { ...kept, ...body };
	const isPut = client.methodOf(endpoints.updateContact) === 'PUT';
	if (isPut && JSON.stringify(kept).includes(unreadableCharacter))
		throw new InputError(
			`The contact "${id}" has characters that the node cannot read`,
			"Nothing was changed: the service replaces the whole contact, so these characters would be lost. Use the operation 'Update', or ask the provider of the service to send UTF-8.",
		);
	const response = await client
		.call(endpoints.updateContact, { ...request, replacementBody })
		.catch(asRefused);
	if (!(response instanceof ServiceError)) {
		Object.assign(known, body);
		return response;
	}
	const isWhole = isPut && Object.keys(kept).length > 0;
	if (!isWhole) throw response;
	const partial = await client.call(endpoints.updateContact, request);
	const shown = readRecord(partial, 'contact');
	const lost = Object.keys(kept).filter((name) => isEmptyValue(shown[name]));
	if (lost.length > 0)
		client.hints.add(
			`The node was able to send only the changed fields. The service may have removed other fields of the contact "${id}": ${lost.join(', ')}. Add these under 'Additional Fields'.`,
		);
	return partial;
}

/** @throws the error, unless it refuses the content */
function asRefused(error: unknown): ServiceError {
	if (isRefusedContent(error)) return error;
	throw error;
}

/** Whether the service sets a field itself, judging by its name (assumption), or it has no value. */
function isReadOnly(name: string, value: unknown): boolean {
	const isOwn =
		/^((contact)?(id|uuid)|links?|object|self|href)$|(created|updated|modified|deleted|seen)/;
	return isEmptyValue(value) || name.startsWith('_') || isOwn.test(plain(name));
}

function isEmptyValue(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}
