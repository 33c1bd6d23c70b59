import { endpoints } from '../../api/endpoints';
import { operation } from '../operation';
import { componentsOf, contentFields, identityFields } from '../templateContent';

/** Creates a template. Source: specification, POST /v1/templates; the body is an assumption. */
export const createTemplate = operation({
	resource: 'template',
	name: 'Create',
	value: 'create',
	action: 'Create template',
	description: 'Create a template and submit it for approval',
	endpoint: endpoints.createTemplate,
	fields: [...identityFields, ...contentFields],
	request: ({ name, language, category, ...content }) => {
		const components = componentsOf(content);
		return { body: { name: name.trim(), language: language.trim(), category, components } };
	},
});
