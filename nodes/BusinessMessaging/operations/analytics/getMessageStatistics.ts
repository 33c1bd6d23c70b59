import { endpoints } from '../../api/endpoints';
import { operation, records } from '../operation';
import { periodQuery, periodField } from '../period';

/** Reads analytics of messages. Source: specification, GET /v1/analytics/messages; query and response are not shown there. */
export const getMessageStatistics = operation({
	resource: 'analytics',
	name: 'Get Message Statistics',
	value: 'getMessageStatistics',
	action: 'Get message statistics',
	description: 'Get statistics of messages, e.g. sent, delivered and read',
	endpoint: endpoints.getMessageStatistics,
	fields: [periodField],
	request: periodQuery,
	output: (body) => records(body, 'message'),
});
