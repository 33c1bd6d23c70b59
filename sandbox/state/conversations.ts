/** Conversations: what was written with one customer, in both directions. They are read from the messages. */
import { findLast, findLastIndex } from 'lodash';

import type { Contacts } from './contacts';
import type { Messages } from './messages';

/** A conversation as the service gives it out. All fields are assumptions. */
export type Conversation = NonNullable<ReturnType<Conversations['withCustomer']>>;

/** One conversation for each phone number. */
export class Conversations {
	constructor(
		private readonly messages: Messages,
		private readonly contacts: Contacts,
	) {}

	/** All, in the order of their beginning. */
	get all(): Conversation[] {
		return this.messages.customers.flatMap((phone) => this.withCustomer(phone) ?? []);
	}

	/** The conversation with a customer. */
	withCustomer(phone: string) {
		const messages = this.messages.withCustomer(phone);
		const [first, last] = [messages[0], messages.at(-1)];
		if (!first || !last) return undefined;
		const contact = this.contacts.findByPhone(phone);
		const { id, direction, text, status, createdAt: timestamp } = last;
		const lastOfOurs = findLastIndex(messages, { direction: 'outbound' });
		return {
			id: first.id.replace(/^msg/, 'cnv'),
			phone,
			name: contact?.name ?? findLast(messages, 'name')?.name ?? null,
			contactId: contact?.id ?? null,
			messageCount: messages.length,
			/** Messages of the customer since we last wrote. */
			unansweredCount: messages.length - 1 - lastOfOurs,
			lastMessage: { id, direction, text, status, timestamp },
			createdAt: first.createdAt,
			updatedAt: timestamp,
		};
	}
}
