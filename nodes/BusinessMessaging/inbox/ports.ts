/**
 * What the protocol needs from outside: calls, time and storage. n8n gives them in calls.ts and atTrigger.ts; the simulation
 * has its own, so that it runs the same protocol.
 */
import type { Arrival, Person, Run, RunState } from './core';

/** A call of Send and Wait, or of another trigger, to a trigger. Runs are records, see toRecord. */
export type TriggerRequest =
	/** Whether the trigger accepts questions, and who owns the open ones. */
	| { is: 'hello' }
	/** Who is asked next, or was asked. */
	| {
			is: 'tell';
			id: string;
			run: string;
			/** The service's clock minus that of n8n, ms; null if it is not known. */
			skewMs: number | null;
			/** Owners that are certainly not published. */
			without: string[];
	  }
	/** A message of somebody whom the owner's runs ask. */
	| { is: 'message'; from: string; message: Arrival }
	/** What the owner's process knows of a run; without a run, it only has the trigger store what it knows. */
	| { is: 'sync'; id?: string; run?: string }
	/** Messages that came too late for their run start the workflow. */
	| { is: 'late'; id: string; run: string; keys: string[] }
	/** A trigger that was just published asks which questions are open. */
	| { is: 'learn'; from: string };

/** What a trigger responds. */
export interface TriggerResponse {
	/**
	 * `yes`: it can own questions; `member`: it only needs to know of them; `other`: it knows another owner; `full`: too many people;
	 * `busy`: call again; anything else: it accepts none.
	 */
	inbox: 'yes' | 'member' | 'other' | 'full' | 'busy' | 'no';
	/** The owner of the open questions that it knows. */
	owner?: string;
	/** All triggers that have to know of the run. */
	triggers?: string[];
	/** Whether the run is known to be over, and all its messages are settled. */
	isSettled?: boolean;
	/** What the trigger knows of runs. */
	runs?: Array<[id: string, record: string]>;
	/** What a message is. */
	verdict?: Verdict;
	/** Whether the workflow was started. */
	isStarted?: boolean;
}

/** What becomes of a message: a workflow starts with it; or it is a reply, or a second delivery of one. */
export interface Verdict {
	is: 'ordinary' | 'taken' | 'busy';
	/** Whether it starts workflows although it is a reply. */
	startsToo?: boolean;
	/** Whether n8n has to store it. */
	isNew?: boolean;
}

/** `gone`: n8n says that the trigger is not published; undefined: no response of n8n. */
export type CallResult = TriggerResponse | 'gone' | undefined;

/** Time and calls. None of them throws. */
export interface Calls {
	/** ms since 1970. */
	now(): number;
	pause(ms: number): Promise<void>;
	/** Calls a trigger at its URL without a secret. */
	callTrigger(url: string, request: TriggerRequest): Promise<CallResult>;
}

/** What the process of a trigger needs. */
export interface InboxPorts extends Calls {
	/** Encrypts a record for storing; each time to another text. */
	seal(record: string): string;
	/** undefined for what was encrypted with another key. */
	unseal(text: string): string | undefined;
	/** Gives a run its replies, or without a record asks whether it waits. */
	callRun(run: Run, record?: string): Promise<RunState>;
	/** Repeats a question after a message that does not fit. @returns false if it was certainly not sent */
	repeat(run: Run, person: Person, key: string): Promise<boolean>;
	warn(message: string): void;
}

/** A delivery of the service, or a call, while n8n carries it out. */
export interface Delivery {
	/** What n8n had stored with the trigger when the delivery arrived. */
	stored: unknown;
	/** Lets n8n store a value before it responds: in the state that it has then, by `toJSON`. */
	store(live: { toJSON(): unknown }): void;
	/** Whether the response has reached the sender, was lost on its way, or says that n8n has failed; once that is known. */
	ended: Promise<'received' | 'lost' | 'failed'>;
}
