/** A message that is claimed in the campaign log, and what is written about it. docs/adr/0014-campaign-log.md */
import type { LogRow, Wish } from './campaignLog';

/** A row to be written. */
export type NewLogRow = Omit<LogRow, 'id' | 'createdAt'> &
	LogDetails & { reason: string; messageId: string };

/** What people read in a row, and no decision depends on. */
export interface LogDetails {
	/** What the run knows of the person, e.g. a first name; may be empty. */
	name: string;
	/** The name of the template, or `text`. */
	message: string;
	variant: string;
}

/** Writes into the campaign log. All methods throw an Error if n8n does not carry them out. */
export interface LogWriter {
	insert: (rows: NewLogRow[]) => Promise<void>;
	/** Which of these claims have changed since they were inserted, e.g. because a receipt was recorded in them. */
	changed: (ids: number[]) => Promise<number[]>;
	/** Writes a result into the row of its claim, if that is still a claim. */
	conclude: (id: number, row: NewLogRow) => Promise<void>;
	/** Gives rows the status `notSent`. */
	retire: (ids: number[]) => Promise<void>;
	delete: (ids: number[]) => Promise<void>;
}

/** What claims need from outside: two clocks (ms) and unique keys. */
export interface ClaimSettings {
	/** The time of day, for people. It may be changed at any moment, so it measures nothing. */
	now: () => number;
	/** A clock that nobody changes. */
	elapsed: () => number;
	pause: (ms: number) => Promise<unknown>;
	newKey: () => string;
}

/** A message that is claimed: its row has this key. */
export interface Claim extends Wish {
	readonly key: string;
	readonly execution: string;
	readonly details: LogDetails;
	/** When it was claimed, ms of a clock that nobody changes. */
	readonly begin: number;
	/** Whether the person has, or may have, the campaign from another key of the account's host. */
	isUnderOtherKey?: boolean;
}

/** The result of a message. */
export interface MessageResult {
	status: 'sent' | 'mayHaveBeenSent' | 'notSent';
	reason?: string;
	messageId?: string;
	message?: string;
}

/** People for whom the log is not what it should be. */
export interface Unfinished {
	/** Their results could not be written. */
	unwritten: string[];
	/** Their claims could not be removed, although they got nothing. */
	unremoved: string[];
}
