/** What happens when a message goes out or comes in: it is counted, joins its conversation and has its events. */
import type { Deliveries, Delivery } from '../deliveries';
import type { Settings } from '../options';
import type { Contacts } from './contacts';
import type { Conversation, Conversations } from './conversations';
import type { Message, Messages, NewMessage, ReceiptStatus } from './messages';

interface Environment {
	settings: Settings;
	contacts: Contacts;
	messages: Messages;
	conversations: Conversations;
	deliveries: Deliveries;
	/** Aborted when the sandbox is reset or closed. */
	closing: AbortSignal;
	/** Called with each new or changed message and its conversation. */
	changed: (message: Message, conversation: Conversation) => void;
}

/** Moves messages along. */
export class Traffic {
	private readSoFar = 0;

	constructor(private readonly environment: Environment) {}

	/** Takes a message of ours to a customer; its delivery receipts follow by themselves. */
	send(fields: Omit<NewMessage, 'direction'>): Message {
		const message = this.environment.messages.add({ ...fields, direction: 'outbound' });
		this.join(message);
		this.scheduleReceipts(message);
		return message;
	}

	/** Takes a message of a customer to us. */
	receive({ from, text, name }: { from: string; text: string; name?: string }): {
		message: Message;
		deliveries: Delivery[];
	} {
		const message = this.environment.messages.add({ phone: from, text, direction: 'inbound' });
		this.join(message, name);
		const data = { id: message.id, from, text, timestamp: message.createdAt };
		return { message, deliveries: this.environment.deliveries.publish('message.received', data) };
	}

	/**
	 * Sets the status of a message of ours and delivers the receipt.
	 *
	 * @param failure why it failed, for people who look at the message; not part of the receipt
	 */
	setStatus(message: Message, status: ReceiptStatus, failure?: string): Delivery[] {
		const { messages, conversations, deliveries, changed } = this.environment;
		const timestamp = messages.setStatus(message, status);
		if (status === 'failed')
			message.failure = failure ?? 'The channel could not deliver the message.';
		const conversation = conversations.refresh(message);
		if (conversation) changed(message, conversation);
		return deliveries.publish(`message.${status}`, {
			id: message.id,
			to: message.phone,
			status,
			timestamp,
		});
	}

	private join(message: Message, name?: string): void {
		const contact = this.environment.contacts.findByPhone(message.phone);
		const who = { contactId: contact?.id, name: contact?.name ?? name };
		this.environment.changed(message, this.environment.conversations.add(message, who));
	}

	private scheduleReceipts(message: Message): void {
		const { receiptDelaysMs: delays, failingNumbers } = this.environment.settings;
		const fails = failingNumbers.includes(message.phone);
		this.schedule(message, 'sent', delays.sent);
		this.schedule(message, fails ? 'failed' : 'delivered', delays.delivered);
		if (!fails && this.isRead()) this.schedule(message, 'read', delays.read);
	}

	private schedule(message: Message, status: ReceiptStatus, delayMs: number | null): void {
		if (delayMs === null) return;
		later(this.environment.closing, delayMs, () => {
			// A receipt that was forced meanwhile is not taken back.
			const passed = message.history.some(
				(step) => step.status === status || step.status === 'failed',
			);
			if (!passed)
				this.setStatus(message, status, 'The sandbox fails every message to this number.');
		});
	}

	/** Spreads the read rate evenly over the messages: of four at 0.5, the second and the fourth are read. */
	private isRead(): boolean {
		this.readSoFar += this.environment.settings.readRate;
		if (this.readSoFar < 1) return false;
		this.readSoFar -= 1;
		return true;
	}
}

/** Runs a task after a delay, unless the sandbox was reset or closed by then. Does not keep the process alive. */
export function later(closing: AbortSignal, delayMs: number, task: () => void): void {
	setTimeout(() => {
		if (!closing.aborted) task();
	}, delayMs).unref();
}
