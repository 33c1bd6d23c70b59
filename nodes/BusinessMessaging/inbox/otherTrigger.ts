/** Any other trigger than the inbox: it asks the inbox about each message before it starts its workflow. */
import type { Verdict } from './core';
import type { Delivered, Source } from './messageNames';
import type { CallResult, Calls, Request, InboxResponse } from './protocol';

/** After this time without an inbox, messages are ordinary, ms. */
const maxAbsenceMs = 600_000;
/** The service's list is read once in this time, ms: while no inbox is known, and while the inbox does not respond. */
const listedMs = 60_000;
const listedAgainMs = 5_000;

/** What it needs. */
export interface OtherPorts extends Calls {
	/** Whether its URL is registered by hand: then nobody finds the trigger to tell it where the inbox is. */
	isManual: boolean;
	/** The URL of the inbox that is registered at the service, without its secret. @throws if the list is not known */
	listInbox(): Promise<string | undefined>;
	warn(message: string): void;
}

/** A trigger in one process. */
export class OtherTrigger {
	private known?: string;
	private listedAt = -Infinity;
	private hasListed = false;
	/** Since when the inbox has not responded, ms since 1970. */
	private absentSince?: number;
	private hasWarned = false;

	constructor(public ports: OtherPorts) {}

	/** URL of the inbox, as far as it is known. */
	get inbox(): string | undefined {
		return this.known;
	}

	/**
	 * A trigger learns where the inbox is when either is published, and from each run before it asks. So a trigger that
	 * knows none need not look for one, unless its URL is registered by hand.
	 */
	look(inbox: string): void {
		this.known = inbox;
		this.absentSince = undefined;
		this.hasWarned = false;
	}

	/** An inbox without open questions is gone: messages are ordinary. */
	forget(inbox: string): void {
		if (this.known === inbox) this.known = undefined;
		this.listedAt = this.ports.now();
	}

	/** What messages are. @returns undefined if the service has to deliver again */
	async ask(messages: Delivered[], from: Source): Promise<Verdict[] | undefined> {
		const { isManual } = this.ports;
		if (this.known === undefined && isManual) await this.list(listedMs);
		if (this.known === undefined && (this.hasListed || !isManual)) return this.ordinary(messages);
		const result = await this.call({ is: 'what', from, messages });
		if (isInbox(result)) {
			this.absentSince = undefined;
			this.hasWarned = false;
			const { verdicts = [] } = result;
			return verdicts.some(({ is }) => is === 'busy') ? undefined : verdicts;
		}
		const now = this.ports.now();
		this.absentSince ??= now;
		if (now - this.absentSince < maxAbsenceMs) return undefined;
		if (!this.hasWarned)
			this.ports.warn(
				'The workflow that keeps the replies for Send and Wait has not responded for ten minutes. Until it responds, all messages start this workflow, even replies.',
			);
		this.hasWarned = true;
		return this.ordinary(messages);
	}

	private ordinary(messages: Delivered[]): Verdict[] {
		return messages.map(() => ({ is: 'ordinary' }));
	}

	/** Calls the inbox; if it does not respond, looks whether there is another one by now. */
	private async call(request: Request): Promise<CallResult> {
		const { known } = this;
		const result = await this.callInbox(request);
		if (isInbox(result)) return result;
		await this.list(listedAgainMs);
		return this.known === known ? result : await this.callInbox(request);
	}

	private async callInbox(request: Request): Promise<CallResult> {
		return this.known === undefined ? undefined : await this.ports.callTrigger(this.known, request);
	}

	/** Reads the service's list. An inbox that is no longer listed may only be in the middle of being published again. */
	private async list(ageMs: number): Promise<void> {
		const now = this.ports.now();
		if (now - this.listedAt < ageMs) return;
		this.listedAt = now;
		try {
			const listed = await this.ports.listInbox();
			this.hasListed = true;
			const isAbsent = now - (this.absentSince ?? Infinity) >= maxAbsenceMs;
			if (listed !== undefined || isAbsent) this.known = listed;
		} catch {
			// The inbox that is known counts.
		}
	}
}

function isInbox(result: CallResult): result is InboxResponse {
	return typeof result === 'object' && result.inbox !== 'no';
}
