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
					description: 'Only contacts of the segment with this name',
				}),
			],
		}),
	],
	simplify: (contact) => simplifyRecord(contact, first),
	namesLeftOut: true,
	request: ({ filters }) => ({ query: { segment: filters.segment?.trim() || undefined } }),
});
