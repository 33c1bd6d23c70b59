import { endpoints } from '../../api/endpoints';
import {
	templateCategoryField,
	templateComponentsField,
	templateLanguageField,
	templateNameField,
} from '../fields';
import { operation } from '../operation';

/** Creates a template. Source: specification, POST /v1/templates; the body is an assumption. */
export const createTemplate = operation({
	resource: 'template',
	name: 'Create',
	value: 'create',
	action: 'Create template',
	description: 'Create a template and submit it for approval',
	endpoint: endpoints.createTemplate,
	fields: [
		templateNameField,
		templateLanguageField,
		templateCategoryField,
		templateComponentsField,
	],
	request: ({ name, language, category, componentsJson: components }) => ({
		body: { name: name.trim(), language: language.trim(), category, components },
	}),
});
