import { endpoints } from '../../api/endpoints';
import { collectionField, textField } from '../fieldBuilders';
import { listOperation } from '../operation';

/** Lists contacts. Source: specification, GET /v1/contacts. */
export const getContacts = listOperation({
	resource: 'contact',
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many contacts',
	description: 'Get many contacts, also of one segment',
	endpoint: endpoints.listContacts,
	fields: [
		collectionField({
			displayName: 'Filters',
			name: 'filters',
			placeholder: 'Add Filter',
			fields: [
				textField({
					displayName: 'Segment',
					name: 'segment',
					placeholder: 'e.g. newsletter',
					description: 'Only contacts of the segment with this name',
				}),
			],
		}),
	],
	request: ({ filters }) => ({ query: { segment: filters.segment || undefined } }),
});
