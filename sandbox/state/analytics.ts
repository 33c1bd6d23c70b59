/** Analytics: what the messages have come to so far. All fields are assumptions. */
import { countBy, groupBy } from 'lodash';

import type { Message, Messages } from './messages';

/** How many messages came how far. A read message counts as sent, as delivered and as read. */
export type Figures = {
	total: number;
	sent: number;
	delivered: number;
	read: number;
	failed: number;
};

function figuresOf(messages: readonly Message[]): Figures {
	const reached = countBy(messages.flatMap(({ history }) => history.map(({ status }) => status)));
	const { sent = 0, delivered = 0, read = 0, failed = 0 } = reached;
	return { total: messages.length, sent, delivered, read, failed };
}

/** Figures over all messages of ours, per template and per key. */
export class Analytics {
	constructor(private readonly messages: Messages) {}

	get overall(): Figures & { received: number } {
		const received = this.messages.all.length - this.outbound.length;
		return { ...figuresOf(this.outbound), received };
	}

	/** Figures per template and language. */
	get campaigns(): Array<{ template: string; language: string } & Figures> {
		const sent = this.outbound.filter(({ template }) => template);
		const campaigns = groupBy(sent, ({ template }) => `${template?.name} ${template?.language}`);
		return Object.values(campaigns).map((messages) => {
			const { name = '', language = '' } = messages[0]?.template ?? {};
			return { template: name, language, ...figuresOf(messages) };
		});
	}

	/** Figures of what a key has sent. */
	agentOf(id: string): Figures {
		return figuresOf(this.outbound.filter(({ keyId }) => keyId === id));
	}

	private get outbound(): Message[] {
		return this.messages.all.filter(({ direction }) => direction === 'outbound');
	}
}
