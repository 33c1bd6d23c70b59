/** What comes in at a trigger: who may deliver, and what the events of a delivery are. */
import type { IWebhookFunctions } from 'n8n-workflow';

import { eventEnvelopeSchema } from '../api/events';
import { connect } from '../transport/connect';
import { toArrival } from '../inbox/arrival';
import type { Arrival } from '../inbox/core';
import { readDelivery, readEvents } from '../webhooks/delivery';
import { type IncomingEvent, readIncoming } from '../webhooks/incomingEvent';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { Refusal } from '../webhooks/refusal';
import { givenSecret, isSame } from '../webhooks/secret';
import { isSigned } from '../webhooks/signature';
import { passesFilters } from './filters';
import type { TriggerMemory } from './memory';
import { secretOf } from './registrationRecord';
import { type TriggerSettings, credentialSecret, isChosen, readFilters } from './settings';

/** An event of a delivery. */
export interface Incoming extends IncomingEvent {
	/** The event as a message that may be a reply; absent for any other event. */
	arrival?: Arrival;
	/** Whether the trigger's settings and filters allow it to start the workflow. */
	isWanted: boolean;
}

/** Reads a delivery. @returns its events @throws Refusal if the secret, the size, the signature or the body is wrong */
export async function admit(
	context: IWebhookFunctions,
	memory: TriggerMemory,
	settings: TriggerSettings,
): Promise<Incoming[]> {
	await checkSecret(context, memory, settings);
	const delivery = await readDelivery(context);
	if (delivery.rawBody.length > settings.maxPayloadBytes)
		throw new Refusal(413, 'The body is too large');
	const { signature } = settings;
	if (signature && !isSigned(signature, await credentialSecret(context), delivery, Date.now()))
		throw new Refusal(401, 'The signature is missing, wrong or too old');
	const events = await readEvents(context, delivery);
	const isOneEvent = eventEnvelopeSchema.safeParse(context.getBodyData()).success;
	const filters = readFilters(context, isOneEvent);
	// The ID of a delivery with several events does not identify any of them.
	const headers = events.length > 1 ? {} : delivery.headers;
	return events.map((envelope) => {
		const event = readIncoming(envelope, headers);
		const isWanted = isChosen(settings, envelope) && passesFilters(filters, event.fields);
		return { ...event, arrival: toArrival(event), isWanted };
	});
}

async function checkSecret(
	context: IWebhookFunctions,
	{ registration }: TriggerMemory,
	{ isManual, demandsSecret, isTest, secretVersion }: TriggerSettings,
): Promise<void> {
	if (isManual && !demandsSecret) return;
	const given = givenSecret(context);
	const url = webhookUrlOf(context);
	const derived = async () => {
		const client = await connect(context).catch(() => undefined);
		if (!client) throw new Refusal(503, 'The secret could not be checked');
		return secretOf(context, client.config.keyId, secretVersion, isTest);
	};
	const isRight = isManual
		? isCredentialSecret(await credentialSecret(context), given)
		: await registration.knowsSecret(given, { url, secretVersion, isTest }, derived);
	if (!isRight) throw new Refusal(401, 'The secret is missing or wrong');
}

function isCredentialSecret(secret: string, given: string): boolean {
	// A + in the URL arrives as a space, so both count as the same character.
	const [expected, received] = [secret, given].map((text) => text.replaceAll('+', ' '));
	return secret !== '' && isSame(expected, received);
}
