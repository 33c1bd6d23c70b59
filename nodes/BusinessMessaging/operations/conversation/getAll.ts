import { endpoints } from '../../api/endpoints';
import { type ServiceRecord, isRecord } from '../../api/read';
import { listOperation } from '../operation';
import { shorten } from '../shorten';

/** Lists conversations. Source: specification, GET /v1/conversations. */
export const getConversations = listOperation({
	resource: 'conversation',
	endpoint: endpoints.listConversations,
	fields: [],
	simplify: (conversation) => {
		const last = lastMessageOf(conversation);
		const names = [
			'id',
			'name',
			'phone',
			'status',
			'updatedAt',
			'lastMessage',
			...Object.keys(last),
		];
		return shorten({ ...conversation, ...last }, names);
	},
});

/** The last message as plain fields, where the service shows it as a record. */
function lastMessageOf({ lastMessage }: ServiceRecord): ServiceRecord {
	if (!isRecord(lastMessage)) return {};
	const { text, direction, status } = lastMessage;
	return { lastMessage: text, lastMessageDirection: direction, lastMessageStatus: status };
}
