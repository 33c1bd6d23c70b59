import { endpoints } from '../../api/endpoints';
import { listOperation } from '../operation';

/** Lists templates. Source: specification, GET /v1/templates. */
export const getTemplates = listOperation({
	resource: 'template',
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many templates',
	description: 'Get many templates',
	endpoint: endpoints.listTemplates,
	fields: [],
});
