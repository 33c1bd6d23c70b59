/** What happens when a message goes out or comes in: it is stored, and its events are delivered. */
import type { Deliveries, Delivery } from '../deliveries';
import type { Settings } from '../options';
import type { Message, Messages, NewMessage, ReceiptStatus } from './messages';

interface Environment {
	settings: Settings;
	messages: Messages;
	deliveries: Deliveries;
	/** Aborted when the sandbox is reset or closed. */
	closing: AbortSignal;
	/** Called with each new or changed message. */
	changed: (message: Message) => void;
}

/** Moves messages along. */
export class Traffic {
	constructor(private readonly environment: Environment) {}

	/** Takes a message of ours to a customer; its delivery receipts follow by themselves. */
	send(fields: Omit<NewMessage, 'direction'>): Message {
		const message = this.environment.messages.add({ ...fields, direction: 'outbound' });
		this.environment.changed(message);
		this.scheduleReceipts(message);
		return message;
	}

	/** Takes a message of a customer to us. */
	receive({ from, text, name }: { from: string; text: string; name?: string }): {
		message: Message;
		deliveries: Delivery[];
	} {
		const { messages, deliveries, changed } = this.environment;
		const message = messages.add({ phone: from, text, name, direction: 'inbound' });
		changed(message);
		const data = { id: message.id, from, text, timestamp: message.createdAt };
		return { message, deliveries: deliveries.publish('message.received', data) };
	}

	/** Sets the status of a message of ours and delivers the receipt, without the reason of a failure. */
	setStatus(message: Message, status: ReceiptStatus, failure?: string): Delivery[] {
		const { messages, deliveries, changed } = this.environment;
		const timestamp = messages.setStatus(message, status);
		if (status === 'failed')
			message.failure = failure ?? 'The channel could not deliver the message.';
		changed(message);
		return deliveries.publish(`message.${status}`, {
			id: message.id,
			to: message.phone,
			status,
			timestamp,
		});
	}

	private scheduleReceipts(message: Message): void {
		const { receiptDelaysMs: delays, failingNumbers } = this.environment.settings;
		const fails = failingNumbers.includes(message.phone);
		this.schedule(message, 'sent', delays.sent);
		this.schedule(message, fails ? 'failed' : 'delivered', delays.delivered);
		if (!fails) this.schedule(message, 'read', delays.read);
	}

	private schedule(message: Message, status: ReceiptStatus, delayMs: number | null): void {
		later(this.environment.closing, delayMs, () => {
			// If a test has set a status meanwhile, it stays.
			const passed = message.history.some(
				(step) => step.status === status || step.status === 'failed',
			);
			if (!passed)
				this.setStatus(message, status, 'The sandbox fails every message to this number.');
		});
	}
}

/** Runs a task after a delay (null: never), unless the sandbox was reset or closed by then. Does not keep the process alive. */
export function later(closing: AbortSignal, delayMs: number | null, task: () => void): void {
	if (delayMs === null) return;
	setTimeout(() => {
		if (!closing.aborted) task();
	}, delayMs).unref();
}
