/** Any other trigger than the inbox: it asks the inbox about each message before it starts its workflow. */
import type { Verdict } from './core';
import type { Delivered, Source } from './messageNames';
import type { CallResult, Calls, Request, InboxResponse } from './protocol';

/** After this time without a response of the inbox, messages are ordinary, ms. */
const maxAbsenceMs = 600_000;
/** What lies between two messages that found no inbox, ms: after a longer time, another absence begins. */
const maxGapMs = 3_600_000;
/** While messages are ordinary, the inbox is called once in this time, ms. */
const probeMs = 30_000;
/** The service's list is read once in this time, ms: while no inbox is known, and while the inbox does not respond. */
const listedMs = 5_000;

/** What it needs. */
export interface OtherPorts extends Calls {
	/** Whether its URL is registered by hand: then nobody finds the trigger to tell it where the inbox is. */
	isManual: boolean;
	/** The URL of the inbox that is registered at the service, without its secret. @throws if the list is not known */
	listInbox(): Promise<string | undefined>;
	warn(message: string): void;
}

/** A time without a response of the inbox, ms since 1970. */
interface Absence {
	since: number;
	/** When the inbox was last called. */
	calledAt: number;
	/** Whether it has lasted so long that messages are ordinary. */
	isNoted: boolean;
}

/** A trigger in one process. */
export class OtherTrigger {
	/** URL of the inbox, as far as it is known. */
	inbox?: string;
	private listedAt = -Infinity;
	private hasListed = false;
	private absence?: Absence;

	constructor(public ports: OtherPorts) {}

	/**
	 * A trigger learns where the inbox is when either is published, and from each run before it asks. So a trigger that
	 * knows none need not look for one, unless its URL is registered by hand.
	 */
	look(inbox: string): void {
		this.inbox = inbox;
		this.absence = undefined;
	}

	/** An inbox without open questions is gone: messages are ordinary. */
	forget(inbox: string): void {
		if (this.inbox === inbox) this.inbox = undefined;
		this.listedAt = this.ports.now();
	}

	/** What messages are. @returns undefined if the service has to deliver again */
	async ask(messages: Delivered[], from: Source): Promise<Verdict[] | undefined> {
		const { isManual } = this.ports;
		if (this.inbox === undefined && isManual) await this.list();
		if (this.inbox === undefined && (this.hasListed || !isManual)) return this.ordinary(messages);
		if (this.absence?.isNoted) {
			void this.probe(this.absence);
			return this.ordinary(messages);
		}
		const result = await this.call({ is: 'what', from, messages });
		if (isResponse(result)) {
			const { inbox, verdicts = [] } = result;
			if (inbox === 'no') return this.ordinary(messages);
			const isSure = verdicts.every(({ is }) => is !== 'busy');
			return isSure && verdicts.length === messages.length ? verdicts : undefined;
		}
		return this.isAbsent() ? this.ordinary(messages) : undefined;
	}

	private ordinary(messages: Delivered[]): Verdict[] {
		return messages.map(() => ({ is: 'ordinary' }));
	}

	/** Whether the inbox has not responded for so long that messages are ordinary. */
	private isAbsent(): boolean {
		const now = this.ports.now();
		const { absence } = this;
		const isSame = absence !== undefined && now - absence.calledAt < maxGapMs;
		const since = isSame ? absence.since : now;
		const isNoted = now - since >= maxAbsenceMs;
		this.absence = { since, calledAt: now, isNoted };
		if (isNoted && !absence?.isNoted)
			this.ports.warn(
				'The workflow that keeps the replies for Send and Wait has not responded for ten minutes. Until it does, all messages start this workflow, even replies.',
			);
		return isNoted;
	}

	/** Calls an inbox whose absence was noted. No message waits for it. */
	private async probe(absence: Absence): Promise<void> {
		const now = this.ports.now();
		if (now - absence.calledAt < probeMs) return;
		absence.calledAt = now;
		await this.call({ is: 'hello' });
	}

	/** Calls the inbox. If it does not respond or is none any more, looks whether there is another one by now. */
	private async call(request: Request): Promise<CallResult> {
		const { inbox: known } = this;
		const result = await this.callInbox(request);
		if (isResponse(result) && result.inbox !== 'no') return result;
		await this.list();
		if (this.inbox !== known) return await this.callInbox(request);
		if (isResponse(result)) this.inbox = undefined;
		return result;
	}

	private async callInbox(request: Request): Promise<CallResult> {
		if (this.inbox === undefined) return undefined;
		const result = await this.ports.callTrigger(this.inbox, request);
		if (isResponse(result)) this.absence = undefined;
		return result;
	}

	/** Reads the service's list. An inbox that is no longer listed may only be in the middle of being published again. */
	private async list(): Promise<void> {
		const now = this.ports.now();
		if (now - this.listedAt < listedMs) return;
		this.listedAt = now;
		try {
			const listed = await this.ports.listInbox();
			this.hasListed = true;
			if (listed !== undefined || this.absence?.isNoted) this.inbox = listed;
		} catch {
			// The inbox that is known counts.
		}
	}
}

function isResponse(result: CallResult): result is InboxResponse {
	return typeof result === 'object';
}
