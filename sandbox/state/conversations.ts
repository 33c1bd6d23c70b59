/** Conversations: what was written with one customer, in both directions. */
import type { Message } from './messages';

/** A conversation as the service gives it out. All fields are assumptions. */
export type Conversation = {
	id: string;
	phone: string;
	/** The contact's name, else the name that the customer's message carried. */
	name: string | null;
	contactId: string | null;
	messageCount: number;
	/** Messages of the customer since we last wrote. */
	unansweredCount: number;
	lastMessage: {
		id: string;
		direction: Message['direction'];
		text: string;
		status: string;
		timestamp: string;
	};
	/** ISO 8601. */
	createdAt: string;
	updatedAt: string;
};

/** All conversations in the order of their beginning, one for each phone number. */
export class Conversations {
	readonly all: Conversation[] = [];

	private readonly byPhone = new Map<string, Conversation>();

	constructor(private readonly newId: (prefix: string) => string) {}

	/** Adds a message to the conversation with its customer, and begins one if there is none. */
	add(message: Message, who: { contactId?: string; name?: string | null }): Conversation {
		const conversation = this.byPhone.get(message.phone) ?? this.begin(message);
		conversation.contactId = who.contactId ?? conversation.contactId;
		conversation.name = who.name ?? conversation.name;
		conversation.messageCount++;
		conversation.unansweredCount =
			message.direction === 'inbound' ? conversation.unansweredCount + 1 : 0;
		conversation.lastMessage = lastMessageOf(message);
		conversation.updatedAt = message.createdAt;
		return conversation;
	}

	/** The conversation with a customer. */
	withCustomer(phone: string): Conversation | undefined {
		return this.byPhone.get(phone);
	}

	/** Shows a new status of a message where it is a conversation's last one. */
	refresh(message: Message): Conversation | undefined {
		const conversation = this.byPhone.get(message.phone);
		if (conversation?.lastMessage.id === message.id)
			conversation.lastMessage.status = message.status;
		return conversation;
	}

	private begin(message: Message): Conversation {
		const conversation: Conversation = {
			id: this.newId('cnv'),
			phone: message.phone,
			name: null,
			contactId: null,
			messageCount: 0,
			unansweredCount: 0,
			lastMessage: lastMessageOf(message),
			createdAt: message.createdAt,
			updatedAt: message.createdAt,
		};
		this.all.push(conversation);
		this.byPhone.set(message.phone, conversation);
		return conversation;
	}
}

function lastMessageOf({
	id,
	direction,
	text,
	status,
	createdAt,
}: Message): Conversation['lastMessage'] {
	return { id, direction, text, status, timestamp: createdAt };
}
