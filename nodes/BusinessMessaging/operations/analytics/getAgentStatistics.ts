import { endpoints } from '../../api/endpoints';
import { operation, records } from '../operation';
import { periodQuery, periodField } from '../period';

/** Reads analytics of agents. Source: specification, GET /v1/analytics/agents; query and response are not shown there. */
export const getAgentStatistics = operation({
	resource: 'analytics',
	name: 'Get Agent Statistics',
	value: 'getAgentStatistics',
	action: 'Get agent statistics',
	description: 'Get statistics for each agent',
	endpoint: endpoints.getAgentStatistics,
	fields: [periodField],
	request: periodQuery,
	output: (body) => records(body, 'agent'),
});
