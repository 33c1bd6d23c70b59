/** Contacts. */
import { z } from 'zod';

import { parse } from '../errors';
import { pageOf } from '../paging';
import type { ContactFields } from '../state/contacts';
import type { Handlers } from './types';

/** Segments of a contact (assumption): a list of names, or a single name. */
const segmentsSchema = z
	.object({
		segments: z
			.union([
				z
					.string()
					.min(1)
					.transform((name) => [name]),
				z.array(z.string().min(1)),
			])
			.optional(),
	})
	.passthrough();

function withSegments<T extends ContactFields>(body: T): T {
	return { ...body, ...parse(segmentsSchema, body) };
}

export const contactHandlers: Pick<Handlers, 'listContacts' | 'createContact' | 'updateContact'> = {
	listContacts: ({ state, query }) =>
		pageOf(state.contacts.inSegment(query.segment), query, state.settings),

	createContact: ({ state, body }) => state.contacts.create(withSegments(body)),

	updateContact: ({ state, id, body }) => state.contacts.update(id, withSegments(body)),
};
