/** Analytics: counted while it happens. All fields are assumptions. */
import type { Message, ReceiptStatus } from './messages';

/** How many messages came how far. A read message counts as sent, as delivered and as read. */
export type Figures = {
	total: number;
	sent: number;
	delivered: number;
	read: number;
	failed: number;
};

const none = (): Figures => ({ total: 0, sent: 0, delivered: 0, read: 0, failed: 0 });

/** Counters over all messages, per template and per key. */
export class Analytics {
	readonly overall = { ...none(), received: 0 };

	private readonly perTemplate = new Map<
		string,
		{ template: string; language: string } & Figures
	>();

	private readonly perKey = new Map<string, Figures>();

	/** Counts a new message (`total`, or `received` if a customer wrote it) or a status that one has reached. */
	count(message: Message, what: 'total' | 'received' | ReceiptStatus): void {
		this.overall[what]++;
		if (what === 'received') return;
		if (message.template) this.campaignOf(message.template)[what]++;
		if (message.keyId !== undefined) this.agentOf(message.keyId)[what]++;
	}

	/** Figures per template and language. */
	get campaigns(): Array<{ template: string; language: string } & Figures> {
		return [...this.perTemplate.values()];
	}

	/** Figures of what a key has sent. */
	agentOf(keyId: string): Figures {
		return getOrAdd(this.perKey, keyId, none);
	}

	private campaignOf({ name, language }: { name: string; language: string }) {
		return getOrAdd(this.perTemplate, `${name} ${language}`, () => ({
			template: name,
			language,
			...none(),
		}));
	}
}

function getOrAdd<T>(map: Map<string, T>, key: string, make: () => T): T {
	const known = map.get(key);
	if (known !== undefined) return known;
	const made = make();
	map.set(key, made);
	return made;
}
