import { endpoints } from '../../api/endpoints';
import { templateContentFields } from '../fields';
import { operation } from '../operation';

/** Creates a template. Source: specification, POST /v1/templates; the body is an assumption. */
export const createTemplate = operation({
	resource: 'template',
	name: 'Create',
	value: 'create',
	action: 'Create template',
	description: 'Create a template and submit it for approval',
	endpoint: endpoints.createTemplate,
	fields: templateContentFields,
	request: ({ name, language, category, componentsJson: components }) => ({
		body: { name: name.trim(), language: language.trim(), category, components },
	}),
});
