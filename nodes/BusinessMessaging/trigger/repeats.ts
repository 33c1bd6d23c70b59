/**
 * Events that were delivered before. A service delivers again what it believes not to have arrived.
 *
 * What came is remembered in this process, for copies that come at the same moment, and in n8n's static data, for later
 * ones and over restarts. n8n writes that after the execution has been stored and before it answers, so that after a
 * crash an event may come twice but is never lost. Several processes that take deliveries share it only as far as
 * they read what another one has written.
 */
import { createHash } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import { type EventEnvelope, eventKinds } from '../api/events';
import { readId } from '../api/read';
import { nodeKey } from './memory';

/** How many events are remembered over restarts, and in the process. */
const maxStored = 500;
const maxInProcess = 5_000;

const known = new Map<string, Set<string>>();

/**
 * What tells an event from all others: the identifier of the event, and that of the message with the kind of event.
 * Both, as an identifier beside the data might be that of the account, the same with every event.
 *
 * @returns undefined if there is neither, as two equal texts of a customer are two messages
 */
export function identityOf({ event, data, ...envelope }: EventEnvelope, headers: Record<string, unknown>): string | undefined {
	const eventId = headers['webhook-id'] ?? envelope.eventId ?? envelope.event_id ?? readId(envelope);
	const messageId = readId(data);
	if (eventId === undefined && messageId === undefined) return undefined;
	const isKnownKind = eventKinds.some(({ value }) => value === event);
	return hash(JSON.stringify([eventId, event, messageId, isKnownKind && messageId !== undefined ? data.status : data]));
}

/** 66 bits are plenty among some hundred events. */
function hash(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 11);
}

/**
 * Remembers an event, unless n8n then fails to start the execution: the service delivers it again, and it is new again.
 *
 * @returns whether it was known already
 */
export function isRepeat(context: IWebhookFunctions, identity: string): boolean {
	const memory = known.get(nodeKey(context)) ?? new Set<string>();
	known.set(nodeKey(context), memory);
	const staticData = context.getWorkflowStaticData('node');
	const stored = typeof staticData.recentEvents === 'string' ? staticData.recentEvents.split(' ') : [];
	if (memory.has(identity) || stored.includes(identity)) return true;
	for (const other of stored) memory.add(other);
	memory.add(identity);
	for (const oldest of memory) {
		if (memory.size <= maxInProcess) break;
		memory.delete(oldest);
	}
	staticData.recentEvents = [...memory].slice(-maxStored).join(' ');
	const response = context.getResponseObject();
	response.once('finish', () => {
		if (response.statusCode >= 300) memory.delete(identity);
	});
	return false;
}
