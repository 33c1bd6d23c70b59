/**
 * Record Events beside the runs that send: receipts come in any order, more than once, before the row of their message,
 * and in processes that stand still or are killed. What is recorded is compared with what the service has delivered.
 */
import { groupBy, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { readCampaignEvent } from '../../../nodes/BusinessMessaging/campaign/events';
import { type Recorded, Recorder } from '../../../nodes/BusinessMessaging/campaign/recorder';
import { type Machine, type Message, Process } from './machine';
import type { StoredRow } from './logStorage';

/** What happens to a message after the service has accepted it. */
const histories = [
	['sent', 'delivered', 'read'],
	['sent', 'delivered', 'read'],
	['delivered'],
	['sent'],
	['failed'],
	['sent', 'failed'],
	// A service may say both.
	['failed', 'delivered'],
	['delivered', 'failed'],
];

/** Something that the service tells. */
interface Happening {
	kind: string;
	/** The message that a receipt is about. */
	message?: Message;
	phone: string;
}

/** An event that a process was given. */
interface Given extends Happening {
	process: Process;
	from: number;
	/** When it was recorded; undefined if the process was killed, or n8n refused its calls. */
	to?: number;
	recorded?: Recorded;
}

const column = {
	delivered: 'deliveredAt',
	read: 'readAt',
	failed: 'failedAt',
	replied: 'repliedAt',
} as const;
const isArrival = ({ kind }: Given) => kind === 'delivered' || kind === 'read';

/** A process that records. */
interface Receiver {
	process: Process;
	recorder: Recorder;
}

/** What one schedule records. */
export class Recording {
	/** Whether the service tells nothing. */
	isSilent = false;
	readonly given: Given[] = [];
	private readonly receivers: Receiver[];

	constructor(private readonly schedule: Machine) {
		this.receivers = range(1 + schedule.integer(2)).map(() => this.start());
	}

	/** The service has accepted a message that is in no log. */
	followStray(phone: string): void {
		this.follow({ id: 'stray', phone, campaign: '', key: '', execution: '', isCertain: true });
	}

	/** The service has accepted a message. */
	follow(message: Message): void {
		const { schedule } = this;
		const history = schedule.pick(histories);
		for (const kind of history) {
			this.after({ kind, message, phone: message.phone });
			if (schedule.integer(3) === 0) this.after({ kind, message, phone: message.phone });
		}
		if (schedule.integer(4) === 0) this.after({ kind: 'replied', phone: message.phone });
	}

	/** A receipt of each message comes again, to a process that has just started. */
	async again(messages: Message[]): Promise<void> {
		const receiver = this.start();
		const events = messages.map((message) => ({ kind: 'sent', message, phone: message.phone }));
		await Promise.all(events.map(async (event) => await this.record(receiver, event)));
	}

	/** Whether a message may be sent again: it was said to have failed, and not before that to have arrived. */
	isFreed(message: Message): boolean {
		if (!message.isCertain) return false;
		const own = this.given.filter((one) => one.message === message);
		const arrivals = own.filter((one) => isArrival(one) && one.recorded?.message);
		const isBefore = (one: Given, other: Given) =>
			one.to! <= other.from || (one.process === other.process && one.from < other.from);
		return own.some(
			(one) =>
				one.kind === 'failed' &&
				(this.schedule.storage.replaced.has(message.key) ||
					!arrivals.some((arrival) => isBefore(arrival, one))),
		);
	}

	/** Keys of rows that a receipt of a message without a row has settled, as docs/adr/0016-recording.md says. */
	misled(rows: StoredRow[]): string[] {
		return rows.filter((row) => this.isMisled(row)).map(({ key }) => key);
	}

	private isMisled({ key, messageId }: StoredRow): boolean {
		const { deleted, reused } = this.schedule.storage;
		const own = this.keyOf(messageId) ?? key;
		return this.isTaken(own) || (own !== key && (deleted.has(own) || reused.has(own)));
	}

	/** Whether a receipt of another message has settled the row, so that its own receipts look for another one. */
	private isTaken(key: string): boolean {
		const { settled } = this.schedule.storage;
		return settled.some((one) => one.key === key && this.keyOf(one.messageId) !== key);
	}

	private keyOf(messageId: string): string | undefined {
		return this.schedule.sent.find(({ id }) => id === messageId)?.key;
	}

	/** How many receipts were given, and how many of them are of messages for which the documentation has an exception. */
	get counts(): { receipts: number; excused: number } {
		const receipts = this.given.filter(({ message }) => message?.key);
		return {
			receipts: receipts.length,
			excused: receipts.filter(({ message }) => this.isExcused(message!.key)).length,
		};
	}

	/** People have deleted the row, a call took longer than an event waits, or another message has settled the row. */
	private isExcused(key: string): boolean {
		const { deleted, replaced, reused, rows } = this.schedule.storage;
		const isOther = deleted.has(key) || reused.has(key);
		return isOther || replaced.has(key) || this.misled(rows).includes(key);
	}

	/** What was recorded wrongly, or not at all. */
	faults(rows: StoredRow[], messages: Message[]): string[] {
		const { slow } = this.schedule;
		const faults = rows.flatMap((row) => this.wrongIn(row, messages));
		const byKey = groupBy(rows, 'key');
		for (const one of this.given) {
			const { kind, message, recorded } = one;
			const key = message?.key ?? '';
			const name = column[kind as keyof typeof column];
			if (!recorded?.message || key === '' || this.isExcused(key)) continue;
			if (name && !byKey[key]?.some((row) => row[name]))
				faults.push(`${kind} of ${message?.id} was recorded, and is not in the table`);
		}
		if (this.schedule.isSteady && this.schedule.storage.lost.size > 0)
			faults.push('A result took the place of a claim in which something was recorded');
		if (this.schedule.isSteady)
			for (const { kind, message, phone, recorded } of this.given)
				if (message?.key && !recorded?.message && !this.isExcused(message.key) && !slow.has(phone))
					faults.push(`${kind} of ${message.id} found no row`);
		return [...faults, ...this.missed(rows), ...this.unsettled(rows, messages)];
	}

	/** Receipts that came after their row and did not find it, or did not change its status. */
	private missed(rows: StoredRow[]): string[] {
		return rows.flatMap((row) => {
			const { key, isResult, status, messageId, visibleAt = Infinity } = row;
			const own = this.given.filter(({ message }) => message?.isCertain && message.key === key);
			if (!isResult || this.isExcused(key)) return [];
			const isLost = own.some((one) => one.from > visibleAt && one.to && !one.recorded?.message);
			const failedBy = Math.max(
				...own.filter(({ kind }) => kind === 'failed').map(({ to = Infinity }) => to),
			);
			const hasArrived = own.some((one) => isArrival(one) && one.to && one.from > failedBy);
			return [
				...(isLost ? [`A receipt of ${messageId} did not find its row`] : []),
				...(hasArrived && status !== 'sent' ? [`${messageId} has arrived, and is ${status}`] : []),
			];
		});
	}

	/** What a row says and the service did not. */
	private wrongIn(row: StoredRow, messages: Message[]): string[] {
		const { key, phone, status, messageId } = row;
		if (this.isMisled(row) || this.schedule.storage.reused.has(key)) return [];
		const message = messages.find((one) => one.key === key);
		const faults = [];
		if (status === 'sent' && !message) faults.push('nothing was sent');
		if (messageId && message?.id !== messageId) faults.push(`${messageId} is another message`);
		for (const [kind, name] of Object.entries(column)) {
			const isGiven = (one: Given) =>
				one.kind === kind && (kind === 'replied' ? one.phone === phone : one.message === message);
			if (row[name] && !this.given.some(isGiven)) faults.push(`nobody said ${kind}`);
		}
		return faults.map((fault) => `${JSON.stringify(row)}: ${fault}`);
	}

	/** People with exactly one uncertain row, of whose message a receipt has come. */
	private unsettled(rows: StoredRow[], messages: Message[]): string[] {
		const isUncertain = ({ status }: StoredRow) => /^(?:sending|mayHaveBeenSent)$/.test(status);
		// A crash can leave a claim beside its result.
		const isOnly = ({ key, id }: StoredRow) =>
			!rows.some((row) => row.key === key && (row.id > id || !isUncertain(row)));
		const uncertain = rows.filter((row) => isUncertain(row) && isOnly(row));
		return Object.values(groupBy(uncertain, 'phone'))
			.filter(({ length }) => length === 1)
			.flatMap(([{ key }]) => messages.filter((one) => one.key === key))
			.map(({ id }) => `${id} is not settled`);
	}

	private start(): Receiver {
		return { process: new Process(), recorder: new Recorder() };
	}

	private after(event: Happening): void {
		if (this.isSilent) return;
		const { schedule } = this;
		const ms = schedule.integer(schedule.pick([100, 3_000, 60_000]));
		schedule.clock.after(ms, () => {
			const index = schedule.integer(this.receivers.length);
			if (this.receivers[index].process.isDead) this.receivers[index] = this.start();
			void this.record(this.receivers[index], event);
		});
	}

	private async record({ process, recorder }: Receiver, event: Happening): Promise<void> {
		const { clock, storage } = this.schedule;
		const given: Given = { ...event, process, from: clock.now };
		this.given.push(given);
		const run = {
			...{
				table: storage.ofRecorder(this.schedule.callerOf(process)),
				isOwn: () => true,
				isOther: () => false,
			},
			...this.schedule.clocksOf(process),
			yieldNow: async () => await Promise.resolve(),
			sendsAgain: true,
		};
		try {
			[given.recorded] = await recorder.record(run, [readCampaignEvent(toItem(event))!]);
			given.to = clock.now;
		} catch {
			// n8n refused the calls: the run has failed, and says so
		}
	}
}

/** What the trigger outputs. */
function toItem({ kind, message, phone }: Happening): IDataObject {
	const time = '2030-01-01T00:00:00Z';
	if (!message) return { event: 'message.received', from: phone, text: 'Yes', time };
	return { event: `message.${kind}`, to: phone, messageId: message.id, status: kind, time };
}
