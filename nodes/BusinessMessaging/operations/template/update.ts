import { endpoints } from '../../api/endpoints';
import { collectionField, recordField } from '../fields';
import { operation } from '../operation';
import { componentsField, identityFields } from '../templateContent';

/** Updates a template. Source: specification, PUT /v1/templates/:id; the body is an assumption. */
export const updateTemplate = operation({
	resource: 'template',
	name: 'Update',
	value: 'update',
	action: 'Update template',
	description: 'Change fields of a template',
	endpoint: endpoints.updateTemplate,
	fields: [
		recordField({
			displayName: 'Template',
			name: 'templateId',
			required: true,
			description: 'The template to change',
			searchListMethod: 'searchTemplates',
			idPlaceholder: 'e.g. template_123',
		}),
		collectionField({
			displayName: 'Update Fields',
			name: 'updateFields',
			placeholder: 'Add Field',
			fields: [...identityFields, componentsField],
		}),
	],
	request: ({ templateId, updateFields }) => {
		const { componentsJson: components, name, language, ...fields } = updateFields;
		const trimmed = { name: name?.trim(), language: language?.trim() };
		return { id: templateId, body: { ...trimmed, ...fields, components } };
	},
});
