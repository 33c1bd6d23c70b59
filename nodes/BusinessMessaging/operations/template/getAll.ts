import { endpoints } from '../../api/endpoints';
import { type ServiceRecord } from '../../api/read';
import { readTemplates } from '../../api/templates';
import { fieldOf } from '../message/variables';
import { listOperation } from '../operation';
import { shorten } from '../shorten';

const keys = [
	'id',
	'name',
	'language',
	'status',
	'category',
	'header',
	'body',
	'footer',
	'buttons',
	'variables',
];

/** Lists templates. Source: specification, GET /v1/templates. */
export const getTemplates = listOperation({
	resource: 'template',
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many templates',
	description: 'Get many templates',
	endpoint: endpoints.listTemplates,
	fields: [],
	simplify: (template) => shorten({ ...template, ...wordsOf(template) }, keys),
});

/** What a template says and wants to be filled in with, under the names of the form's fields; as it is if that cannot be read. */
function wordsOf(record: ServiceRecord): ServiceRecord {
	const templates = readTemplates(record);
	if (templates.length !== 1) return {};
	const [{ header, body, footer, buttons, variables }] = templates;
	return { header, body, footer, buttons, variables: variables?.map(fieldOf) };
}
