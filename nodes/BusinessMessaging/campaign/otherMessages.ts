/** Messages that this process has sent without the campaign log, e.g. an auto-reply: their receipts prove nothing of a campaign. */
import { BoundedMap } from '../boundedMap';

/** As long as a receipt may settle a message of a campaign, ms. */
const maxAgeMs = 24 * 3_600_000;
const others = new BoundedMap<string, true>({ maxSize: 50_000, maxAgeMs });

/** Remembers such a message, if the service gave it an ID. */
export function noteOther(messageId: string): void {
	if (messageId !== '') others.set(messageId, true);
}

/** Whether it is one of them. Another process of n8n does not know them. */
export function isOther(messageId: string): boolean {
	return others.has(messageId);
}
