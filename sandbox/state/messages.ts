/** Messages in both directions. When one is sent or received, its events are delivered. */
import { findLast } from 'lodash';
import type { Deliveries, Delivery } from '../deliveries';
import { hiddenId, newId } from '../ids';
import type { Settings } from '../options';

/** The kinds of delivery receipt. */
export type ReceiptStatus = 'sent' | 'delivered' | 'read' | 'failed';
/** The status of a message. Assumption: the specification shows none. */
export type MessageStatus = 'accepted' | 'received' | ReceiptStatus;

/** A template message as the customer sees it. */
export type RenderedTemplate = {
	name: string;
	language: string;
	header?: { format: string; text?: string; documentUrl?: string };
	footer?: string;
	buttons: Array<{ type: string; text: string; url?: string }>;
};

/** A message as the sandbox stores it. */
export type Message = {
	id: string;
	direction: 'outbound' | 'inbound';
	/** The customer's number: the recipient of an outbound message, the sender of an inbound one. */
	phone: string;
	/** The customer's name, if an inbound message contains it. */
	name?: string;
	/** Text as the customer sees it, with the variables of a template filled in; empty for a picture. */
	text: string;
	/** Whether the customer has sent a picture instead of a text. */
	isPicture?: boolean;
	template?: RenderedTemplate;
	status: MessageStatus;
	/** Why the message failed, in a sentence. */
	failure?: string;
	/** When each status was reached, ISO 8601. */
	history: Array<{ status: MessageStatus; timestamp: string }>;
	/** The API key that sent the message. */
	keyId?: string;
	createdAt: string;
};

/** The fields of a new message. */
type NewMessage = Omit<Message, 'id' | 'status' | 'history' | 'createdAt'>;

/** All messages in the order of their arrival. */
export class Messages {
	readonly all: Message[] = [];

	private readonly byPhone = new Map<string, Message[]>();

	add(fields: NewMessage): Message {
		const createdAt = new Date().toISOString();
		const status = fields.direction === 'outbound' ? 'accepted' : 'received';
		const history: Message['history'] = [{ status, timestamp: createdAt }];
		const message: Message = { id: newId('msg'), ...fields, status, history, createdAt };
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

	/** All messages to and from a customer, oldest first. */
	withCustomer(phone: string): readonly Message[] {
		return this.byPhone.get(phone) ?? [];
	}
}

/** A message that a customer sends: a text, or a picture without text. */
export interface Inbound {
	/** E.164, even if the service hides the number. */
	from: string;
	text?: string;
	isPicture?: boolean;
	name?: string;
	/** The ID of the message that is quoted; empty for none. By default, a customer who hides the number quotes our last message. */
	quotes?: string;
}

interface Environment {
	settings: Settings;
	messages: Messages;
	deliveries: Deliveries;
	/** Aborted when the sandbox is reset or closed. */
	closing: AbortSignal;
	/** Called with each new or changed message. */
	changed: (message: Message) => void;
}

/** Sends and receives messages, and changes their status. */
export class Traffic {
	constructor(private readonly environment: Environment) {}

	/** The delivery receipts follow automatically. */
	send(fields: Omit<NewMessage, 'direction'>): Message {
		const { messages, settings, changed } = this.environment;
		const message = messages.add({ ...fields, direction: 'outbound' });
		changed(message);
		const { sent, delivered, read } = settings.receiptDelaysMs;
		const fails = settings.failingNumbers.includes(message.phone);
		this.schedule(message, 'sent', sent);
		this.schedule(message, fails ? 'failed' : 'delivered', delivered);
		const staysUnread = fails || settings.unreadNumbers.includes(message.phone);
		if (!staysUnread) this.schedule(message, 'read', read);
		return message;
	}

	receive({ from, text = '', isPicture, name, quotes }: Inbound): {
		message: Message;
		deliveries: Delivery[];
	} {
		const { messages, deliveries, settings, changed } = this.environment;
		const last = findLast(messages.withCustomer(from), { direction: 'outbound' });
		const message = messages.add({ phone: from, text, isPicture, name, direction: 'inbound' });
		changed(message);
		const quoted = quotes ?? (settings.hidesNumbers ? last?.id : undefined);
		const content = isPicture
			? { type: 'image', image: { link: 'https://example.com/picture.jpg' } }
			: { text };
		const data = {
			id: message.id,
			from: settings.hidesNumbers ? hiddenId(from) : from,
			...content,
			...(quoted && { context: { id: quoted } }),
			timestamp: message.createdAt,
		};
		return { message, deliveries: deliveries.publish('message.received', data) };
	}

	/** Sets the status of a message of ours and delivers the receipt. The receipt does not contain the reason of a failure. */
	setStatus(message: Message, status: ReceiptStatus, failure?: string): Delivery[] {
		const { deliveries, changed } = this.environment;
		const timestamp = new Date().toISOString();
		message.status = status;
		message.history.push({ status, timestamp });
		if (status === 'failed')
			message.failure = failure ?? 'The channel could not deliver the message.';
		changed(message);
		const data = { id: message.id, to: message.phone, status, timestamp };
		return deliveries.publish(`message.${status}`, data);
	}

	private schedule(message: Message, status: ReceiptStatus, delayMs: number | null): void {
		later(this.environment.closing, delayMs, () => {
			// A status that a test has set meanwhile stays.
			const isPassed = message.history.some((step) => [status, 'failed'].includes(step.status));
			if (!isPassed)
				this.setStatus(message, status, 'The sandbox fails every message to this number.');
		});
	}
}

/** Runs a task after a delay, unless the sandbox was reset or closed meanwhile; null means never. Does not keep the process alive. */
export function later(closing: AbortSignal, delayMs: number | null, task: () => void): void {
	if (delayMs === null) return;
	setTimeout(() => {
		if (!closing.aborted) task();
	}, delayMs).unref();
}
