/** Messages of both directions. */

/** How far a message has come. Assumption: the specification shows no states. */
export type MessageStatus = 'accepted' | 'sent' | 'delivered' | 'read' | 'failed' | 'received';

/** The kinds of delivery receipt. */
export type ReceiptStatus = 'sent' | 'delivered' | 'read' | 'failed';

/** What a template message showed to the customer. */
export type RenderedTemplate = {
	name: string;
	language: string;
	header?: { format: string; text?: string; documentUrl?: string };
	footer?: string;
	buttons: Array<{ type: string; text: string; url?: string }>;
};

/** A message as the sandbox remembers it. */
export type Message = {
	id: string;
	direction: 'outbound' | 'inbound';
	/** The customer's number: the recipient of an outbound message, the sender of an inbound one. */
	phone: string;
	/** The customer's name, where an inbound message carries one. */
	name?: string;
	/** Text as the customer sees it, with the variables of a template filled in. */
	text: string;
	template?: RenderedTemplate;
	status: MessageStatus;
	/** Why it failed, in a sentence. */
	failure?: string;
	/** When each status was reached, ISO 8601. */
	history: Array<{ status: MessageStatus; timestamp: string }>;
	/** The key that sent it. */
	keyId?: string;
	createdAt: string;
};

/** What a new message is made of. */
export type NewMessage = Omit<Message, 'id' | 'status' | 'history' | 'createdAt'>;

/** All messages in the order of their arrival. */
export class Messages {
	readonly all: Message[] = [];

	private readonly byPhone = new Map<string, Message[]>();

	constructor(private readonly newId: (prefix: string) => string) {}

	add(fields: NewMessage): Message {
		const createdAt = new Date().toISOString();
		const status = fields.direction === 'outbound' ? 'accepted' : 'received';
		const history: Message['history'] = [{ status, timestamp: createdAt }];
		const message: Message = { id: this.newId('msg'), ...fields, status, history, createdAt };
		this.all.push(message);
		const chat = this.byPhone.get(message.phone);
		if (chat) chat.push(message);
		else this.byPhone.set(message.phone, [message]);
		return message;
	}

	get(id: string): Message | undefined {
		return this.all.find((message) => message.id === id);
	}

	/** The phone numbers of all customers, in the order of their first message. */
	get customers(): string[] {
		return [...this.byPhone.keys()];
	}

	/** What was written with a customer, oldest first. */
	withCustomer(phone: string): readonly Message[] {
		return this.byPhone.get(phone) ?? [];
	}

	/** @returns when the status was reached, ISO 8601 */
	setStatus(message: Message, status: MessageStatus): string {
		const timestamp = new Date().toISOString();
		message.status = status;
		message.history.push({ status, timestamp });
		return timestamp;
	}
}
