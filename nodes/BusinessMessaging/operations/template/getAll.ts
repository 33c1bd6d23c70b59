import { isUndefined, map, omitBy } from 'lodash';

import { endpoints } from '../../api/endpoints';
import type { ServiceRecord } from '../../jsonValues';
import { readTemplates } from '../../reading/readTemplates';
import { listOperation } from '../operation';
import { simplifyRecord } from '../simplifyRecord';

/** Lists templates. Source: specification, GET /v1/templates. */
export const getTemplates = listOperation({
	resource: 'template',
	endpoint: endpoints.listTemplates,
	fields: [],
	simplify: (template) => {
		const content = contentOf(template);
		const names = ['id', 'name', 'language', 'status', 'category', ...Object.keys(content)];
		return simplifyRecord({ ...template, ...content }, names);
	},
});

/** The texts and variables of a template, with the variables named as in the form; empty if they cannot be read. */
function contentOf(record: ServiceRecord): ServiceRecord {
	const templates = readTemplates(record);
	if (templates.length !== 1) return {};
	const [{ header, body, footer, buttons, variables }] = templates;
	// If the service does not show the text, nobody knows whether there are buttons or variables.
	const known = variables && { buttons: map(buttons, 'text'), variables: map(variables, 'id') };
	return { ...omitBy({ header, body, footer }, isUndefined), ...known };
}
