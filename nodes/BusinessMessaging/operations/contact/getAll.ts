import { endpoints } from '../../api/endpoints';
import { collectionField, recordField } from '../fieldBuilders';
import { listOperation } from '../operation';
import { shorten } from '../shorten';

const first = [
	'id',
	'name',
	'phone',
	'email',
	'language',
	'segments',
	'tags',
	'status',
	'updatedAt',
];

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
				recordField({
					displayName: 'Segment',
					name: 'segment',
					description: 'Only contacts of this segment',
					searchListMethod: 'searchSegments',
					idMode: 'name',
					idPlaceholder: 'e.g. newsletter',
				}),
			],
		}),
	],
	simplify: (contact) => shorten(contact, first),
	request: ({ filters }) => ({ query: { segment: filters.segment || undefined } }),
});
