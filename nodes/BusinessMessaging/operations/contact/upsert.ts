import { groupBy, isUndefined, omitBy, uniqBy } from 'lodash';

import { endpoints } from '../../api/endpoints';
import { type ServiceRecord, isEmptyValue, textOrJson } from '../../jsonValues';
import { plainName, readRecord } from '../../reading/readResponse';
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
	prepare: async (client, requests) => {
		addHints(client, requests);
		return await openContacts(client, requests);
	},
	run: async (client, request, prepared) => {
		const key = samePhoneKey(phoneOf(request));
		const contacts = (prepared as Map<string, Contacts>).get(key)!;
		const name = `contact ${client.config.id} ${key}`;
		const save = async () => await saveContact(client, request, contacts);
		const { savedAs, response } = await withLock(name, save);
		return record(response, 'contact').map((contact) => ({ ...contact, savedAs }));
	},
};

/** The contacts by the key of each phone. Local numbers in the service's list have the Default Country of the phone's first item. */
async function openContacts(
	client: Client,
	requests: OperationRequest[],
): Promise<Map<string, Contacts>> {
	const opened = new Map<string, Contacts>();
	const firsts = uniqBy(requests, (request) => samePhoneKey(phoneOf(request)));
	for (const [country, own] of Object.entries(groupBy(firsts, (one) => one.country ?? ''))) {
		const phones = own.map(phoneOf);
		const contacts = await Contacts.open(client, phones, country);
		for (const phone of phones) opened.set(samePhoneKey(phone), contacts);
	}
	return opened;
}

/** Says which numbers are in several items, and how many contacts may get no name. */
function addHints({ hints }: Client, requests: OperationRequest[]): void {
	const ofPhone = groupBy(requests, (request) => samePhoneKey(phoneOf(request)));
	const several = Object.values(ofPhone).filter((same) => same.length > 1);
	if (several.length > 0)
		hints.add(
			`${several.length === 1 ? '1 phone number is' : `${several.length} phone numbers are`} in several items, e.g. ${phoneOf(several[0][0])}. The last item of each number counts.`,
		);
	const nameless = requests.filter(({ body }) => textOrJson(body?.name).trim() === '').length;
	if (nameless > 0 && nameless < requests.length)
		hints.add(
			`${nameless} of ${requests.length} items have no name: a contact that exists keeps its name, and a new one has none.`,
		);
}

/** What was done, and the response to it. */
interface Saved {
	savedAs: 'created' | 'updated';
	response: unknown;
}

function phoneOf({ body }: OperationRequest): string {
	return textOrJson(body?.phone);
}

/** @param mayListAgain whether the contacts may be listed again, because they have changed */
async function saveContact(
	client: Client,
	request: OperationRequest,
	contacts: Contacts,
	mayListAgain = true,
): Promise<Saved> {
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
	return { savedAs: contact ? 'updated' : 'created', response };
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
			'Nothing was changed: the service replaces the whole contact, so these characters would be lost. Change the contact on the website of the service, or ask its provider to send UTF-8.',
		);
	const whole = await client
		.call(endpoints.updateContact, { ...request, replacementBody })
		.catch(asRefused);
	const hasKept = isPut && Object.keys(kept).length > 0;
	if (whole instanceof ServiceError && !hasKept) throw whole;
	const isWhole = !(whole instanceof ServiceError);
	const response = isWhole ? whole : await client.call(endpoints.updateContact, request);
	if (isWhole) Object.assign(known, body);
	const shown = readRecord(response, 'contact');
	const lost = Object.keys(kept).filter((name) => isEmptyValue(shown[name]));
	// A response to the whole contact may show nothing of it, e.g. only its ID.
	const showsNothing = isWhole && lost.length === Object.keys(kept).length;
	if (hasKept && lost.length > 0 && !showsNothing)
		client.hints.add(
			`${isWhole ? '' : 'The node was able to send only the changed fields. '}The service may have removed other fields of the contact "${id}": ${lost.join(', ')}. Add these under 'Additional Fields'.`,
		);
	return response;
}

/** @throws the error, unless it refuses the content */
function asRefused(error: unknown): ServiceError {
	if (isRefusedContent(error)) return error;
	throw error;
}

/** Names of fields that a service sets itself (assumption), as `plainName` gives them: all of the name, as `seenWebinar` is the user's. */
const ofService =
	/^(contact)?(id|uuid)$|^(links|self|href)$|^(date|time|last)?(created|updated|modified|deleted|seen)(at|on|by|date|time|timestamp|utc)?$/;

/** Whether the service sets a field itself, or it has no value. */
function isReadOnly(name: string, value: unknown): boolean {
	const isKind = name === 'object' && value === 'contact';
	return isEmptyValue(value) || isKind || name.startsWith('_') || ofService.test(plainName(name));
}
