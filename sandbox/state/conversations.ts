/** Conversations and statistics, derived from the messages. All fields are assumptions. */
import { countBy, findLast, findLastIndex, groupBy } from 'lodash';

import type { Contacts } from './contacts';
import type { Message, Messages } from './messages';

/** A conversation as the service shows it. */
export type Conversation = NonNullable<ReturnType<Conversations['withCustomer']>>;

/** One conversation for each phone number. */
export class Conversations {
	constructor(
		private readonly messages: Messages,
		private readonly contacts: Contacts,
	) {}

	/** All conversations, in the order of their first message. */
	get all(): Conversation[] {
		return this.messages.customers.flatMap((phone) => this.withCustomer(phone) ?? []);
	}

	withCustomer(phone: string) {
		const messages = this.messages.withCustomer(phone);
		const [first, last] = [messages[0], messages.at(-1)];
		if (!first || !last) return undefined;
		const { id, direction, text, status, createdAt: timestamp } = last;
		const contact = this.contacts.findByPhone(phone);
		const lastOfOurs = findLastIndex(messages, { direction: 'outbound' });
		return {
			id: first.id.replace(/^msg/, 'cnv'),
			phone,
			name: contact?.name ?? findLast(messages, 'name')?.name ?? null,
			contactId: contact?.id ?? null,
			messageCount: messages.length,
			/** Since our last message. */
			unansweredCount: messages.length - 1 - lastOfOurs,
			lastMessage: { id, direction, text, status, timestamp },
			createdAt: first.createdAt,
			updatedAt: timestamp,
		};
	}
}

/** How many messages have reached each status. A message that was read counts as sent, delivered and read. */
function figuresOf(messages: readonly Message[]) {
	const reached = countBy(messages.flatMap(({ history }) => history.map(({ status }) => status)));
	const { sent = 0, delivered = 0, read = 0, failed = 0 } = reached;
	return { total: messages.length, sent, delivered, read, failed };
}

/** Statistics of the messages in a period (assumption). */
export class Analytics {
	private readonly outbound: Message[];
	private readonly received: number;

	/** @param period from and to in ISO 8601; without them, all time */
	constructor(
		messages: readonly Message[],
		{ from = '', to = '' }: { from?: string; to?: string },
	) {
		const [start, end] = [Date.parse(from), Date.parse(to)];
		const all = messages.filter(({ createdAt }) => {
			const time = Date.parse(createdAt);
			return !(time < start || time >= end);
		});
		this.outbound = all.filter(({ direction }) => direction === 'outbound');
		this.received = all.length - this.outbound.length;
	}

	get overall() {
		return { ...figuresOf(this.outbound), received: this.received };
	}

	/** Statistics by template and language. */
	get campaigns() {
		const sent = this.outbound.filter(({ template }) => template);
		const campaigns = groupBy(sent, ({ template }) => `${template?.name} ${template?.language}`);
		return Object.values(campaigns).map((messages) => {
			const { name = '', language = '' } = messages[0].template ?? {};
			return { template: name, language, ...figuresOf(messages) };
		});
	}

	/** Statistics of the messages that an API key has sent. */
	agentOf(id: string) {
		return figuresOf(this.outbound.filter(({ keyId }) => keyId === id));
	}
}
