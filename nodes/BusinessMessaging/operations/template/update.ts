import { endpoints } from '../../api/endpoints';
import { collectionField } from '../fieldBuilders';
import {
	templateCategoryField,
	templateComponentsField,
	templateIdField,
	templateLanguageField,
	templateNameField,
} from '../fields';
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
				templateLanguageField,
				templateNameField,
			],
		}),
	],
	request: ({ templateId, updateFields: { componentsJson: components, ...fields } }) => ({
		id: templateId,
		body: { ...fields, components },
	}),
});
