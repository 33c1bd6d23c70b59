import { camelCase, mapKeys, orderBy } from 'lodash';

import { type Endpoint, endpoints } from '../../api/endpoints';
import { type ServiceRecord, isRecord } from '../../jsonValues';
import { asMilliseconds } from '../../reading/readResponse';
import type { Client } from '../../transport/client';
import { type ListRequest, type RecordList, readRecords } from '../../transport/lists';
import { listOperation } from '../operation';
import { simplifyRecord } from '../simplifyRecord';

/** Lists conversations, the newest first. Source: specification, GET /v1/conversations. */
export const getConversations = listOperation({
	resource: 'conversation',
	description: 'Get many conversations, the newest first',
	endpoint: endpoints.listConversations,
	fields: [],
	simplify: (conversation) => {
		const last = lastMessageOf(conversation);
		const names = [
			'name',
			'phone',
			...Object.keys(last),
			'lastMessage',
			'status',
			'updatedAt',
			'id',
		];
		return simplifyRecord({ ...conversation, ...last }, names);
	},
	read: readNewestFirst,
});

/** If the service lists the oldest first, reads all pages, because the newest are at the end. */
async function readNewestFirst(
	client: Client,
	endpoint: Endpoint,
	{ limit = Infinity, ...request }: ListRequest = {},
): Promise<RecordList> {
	const sorted = (records: ServiceRecord[]) => orderBy(records, timeOf, 'desc');
	const list = await readRecords(client, endpoint, { ...request, limit: Math.max(limit, 2) });
	const isWhole = list.records.length < limit || isNewestFirst(list.records);
	const { records, ...facts } = isWhole ? list : await readRecords(client, endpoint, request);
	if (records.length > 1 && !records.some(timeOf))
		client.hints.add(
			"The conversations show no time that the node can read, so they are in the service's order.",
		);
	const isComplete = facts.isComplete && records.length <= limit;
	return { ...facts, isComplete, records: sorted(records).slice(0, limit) };
}

/** Allows for a few conversations that have changed since their last message, by which the list is sorted. */
function isNewestFirst(records: ServiceRecord[]): boolean {
	const times = records.map(timeOf);
	const rises = times.slice(1).filter((time, index) => time > times[index]);
	return rises.length <= times.length / 10;
}

/** When a conversation last changed, ms since 1970; 0 if the record does not say. */
function timeOf(conversation: ServiceRecord): number {
	const { updatedAt, lastMessageAt, lastMessage } = inCamelCase(conversation);
	const { timestamp, createdAt } = inCamelCase(lastMessage);
	return asMilliseconds(updatedAt ?? lastMessageAt ?? timestamp ?? createdAt) || 0;
}

/** A copy with field names in camel case: `updated_at` and `updatedAt` are the same name. */
function inCamelCase(record: unknown): ServiceRecord {
	return mapKeys(isRecord(record) ? record : {}, (_, name) => camelCase(name));
}

/** The last message as plain fields, if the service shows it as a record. */
function lastMessageOf({ lastMessage }: ServiceRecord): ServiceRecord {
	if (!isRecord(lastMessage)) return {};
	const { text, direction, status } = lastMessage;
	return { lastMessage: text, lastMessageDirection: direction, lastMessageStatus: status };
}
