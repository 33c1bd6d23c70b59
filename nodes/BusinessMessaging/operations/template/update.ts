import { endpoints } from '../../api/endpoints';
import { collectionField, optional } from '../fieldBuilders';
import {
	templateCategoryField,
	templateComponentsField,
	templateIdField,
	templateLanguageField,
	templateNameField,
} from '../fields';
import { readJson } from '../json';
import { operation } from '../operation';

/** Updates a template. Source: specification, PUT /v1/templates/:id; the body is an assumption. */
export const updateTemplate = operation({
	resource: 'template',
	name: 'Update',
	value: 'update',
	action: 'Update template',
	description: 'Change fields of a template',
	endpoint: endpoints.updateTemplate,
	fields: [
		templateIdField,
		collectionField({
			displayName: 'Update Fields',
			name: 'updateFields',
			placeholder: 'Add Field',
			fields: [
				templateCategoryField,
				templateComponentsField,
				optional(templateLanguageField),
				optional(templateNameField),
			],
		}),
	],
	request: ({ templateId, updateFields: { componentsJson, ...fields } }) => ({
		id: templateId,
		body: { ...fields, components: readJson(componentsJson, templateComponentsField.displayName) },
	}),
});
