/** Events without a message behind them, to try a receiver. */
import { randomUUID } from 'node:crypto';

const phone = '+15550001234';

/** The `data` of a sample event, new with each call. */
export function sampleDataOf(event: string): Record<string, unknown> {
	const own = { id: `msg_test_${randomUUID()}`, timestamp: new Date().toISOString() };
	if (event === 'message.received')
		return { ...own, from: phone, text: 'Hello, this is a test event' };
	return { ...own, to: phone, status: event.split('.').at(-1) };
}
