import { endpoints } from '../../api/endpoints';
import { operation, records } from '../operation';
import { periodQuery, periodField } from '../period';

/** Reads analytics of campaigns. Source: specification, GET /v1/analytics/campaigns; query and response are not shown there. */
export const getCampaignStatistics = operation({
	resource: 'analytics',
	name: 'Get Campaign Statistics',
	value: 'getCampaignStatistics',
	action: 'Get campaign statistics of the service',
	description:
		'Get statistics for each campaign or template of the service. For Send Once, use Campaign → Get Report.',
	endpoint: endpoints.getCampaignStatistics,
	fields: [periodField],
	request: periodQuery,
	output: (body) => records(body, 'campaign'),
});
