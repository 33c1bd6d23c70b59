/** Any other trigger than the inbox: it asks the inbox about each message before it starts its workflow. */
import type { Verdict } from './core';
import type { CallResult, Calls, Delivered } from './protocol';

/** After this time without an inbox, messages are ordinary, ms. */
const maxAbsenceMs = 600_000;
/** How long the service's list counts, ms: if no inbox was listed, and if the inbox does not respond. */
const listedMs = 60_000;
const listedAgainMs = 5_000;

/** What it needs. */
export interface OtherPorts extends Calls {
	/** The URL of the inbox that is registered at the service, without its secret. @throws if the list is not known */
	listInbox(): Promise<string | undefined>;
	warn(message: string): void;
}

/** A trigger in one process. */
export class OtherTrigger {
	private listedAt = -Infinity;
	private hasListed = false;
	/** Since when the inbox has not responded, or the list is not known, ms since 1970. */
	private absentSince?: number;
	private hasWarned = false;

	/**
	 * @param own URL of the trigger without its secret
	 * @param inbox URL of the inbox as far as it is known. n8n stores it: after a restart, the inbox may be in the middle
	 * of being published again, and then the service does not list it
	 */
	constructor(
		private readonly own: string,
		public ports: OtherPorts,
		public inbox: string | undefined,
	) {}

	/** A run says where the inbox is. */
	look(inbox: string): void {
		this.inbox = inbox;
		this.hasListed = true;
		this.listedAt = this.ports.now();
	}

	/**
	 * What messages are.
	 *
	 * @param since when the trigger was registered at the service, ms since 1970
	 * @returns undefined if the service has to deliver again
	 */
	async ask(messages: Delivered[], since: number): Promise<Verdict[] | undefined> {
		const isOld = this.ports.now() - this.listedAt > listedMs;
		if (!this.hasListed && !this.inbox) await this.list();
		else if (!this.inbox && isOld) void this.list(); // a run that asks says so itself
		if (this.hasListed && !this.inbox) return this.ordinary(messages);
		const result = await this.call(messages, since);
		if (typeof result === 'object' && result.inbox !== 'no') {
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
				'The workflow that keeps the replies for Send and Wait has not responded for ten minutes, so messages start this workflow, also if they are replies.',
			);
		this.hasWarned = true;
		return this.ordinary(messages);
	}

	private ordinary(messages: Delivered[]): Verdict[] {
		return messages.map(() => ({ is: 'ordinary' }));
	}

	/** Calls the inbox; if it does not respond, looks whether there is another one by now. */
	private async call(messages: Delivered[], since: number): Promise<CallResult> {
		const { inbox } = this;
		const request = { is: 'what' as const, from: this.own, since, messages };
		const result = inbox === undefined ? undefined : await this.ports.callTrigger(inbox, request);
		if (typeof result === 'object' && result.inbox !== 'no') return result;
		if (this.ports.now() - this.listedAt > listedAgainMs) await this.list();
		if (this.inbox === undefined || this.inbox === inbox) return result;
		return await this.ports.callTrigger(this.inbox, request);
	}

	/** Reads the service's list. An inbox that is no longer listed may only be in the middle of being published again. */
	private async list(): Promise<void> {
		this.listedAt = this.ports.now();
		try {
			const listed = await this.ports.listInbox();
			this.hasListed = true;
			const isAbsent = this.ports.now() - (this.absentSince ?? Infinity) >= maxAbsenceMs;
			if (listed !== undefined || isAbsent) this.inbox = listed;
		} catch {
			// The inbox that is known counts, and without one, the message is delivered again.
		}
	}
}
