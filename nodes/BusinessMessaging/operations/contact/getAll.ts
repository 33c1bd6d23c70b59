import { endpoints } from '../../api/endpoints';
import { collectionField, textField } from '../fields';
import { listOperation } from '../operation';
import { simplifyRecord } from '../simplifyRecord';

const first = 'id name phone email language segments tags status updatedAt'.split(' ');

/** Lists contacts. Source: specification, GET /v1/contacts. */
export const getContacts = listOperation({
	resource: 'contact',
	description: 'Get many contacts, or only those of a segment',
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
					description: 'Name of a segment, to get only its contacts',
				}),
			],
		}),
	],
	simplify: (contact) => simplifyRecord(contact, first),
	request: ({ filters }) => ({ query: { segment: filters.segment?.trim() || undefined } }),
});
