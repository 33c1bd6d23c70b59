/**
 * What the protocol needs from outside: calls, time and storage. calls.ts and atTrigger.ts provide this in n8n; the
 * simulation provides its own, and so runs the same protocol.
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
			/** Triggers that must not become the owner of this run, because they have refused it or cannot be reached. */
			without: string[];
			/** Owners that the run has had before. */
			left?: string[];
	  }
	/** A message of somebody whom the owner's runs ask. */
	| { is: 'message'; from: string; message: Arrival }
	/**
	 * What the owner's process knows about a run. Without a run, the trigger only stores what it knows. If `others` names
	 * triggers, it tells them which questions are open.
	 */
	| { is: 'sync'; id?: string; run?: string; others?: string[] }
	/** Messages that came too late for their run start the workflow. */
	| { is: 'late'; id: string; run: string; keys: string[] }
	/** A trigger that was just published asks which questions are open. */
	| { is: 'learn'; from: string }
	/** The open runs, which were also in the response to `learn`: n8n may have lost the response. */
	| { is: 'known'; runs: Array<[id: string, record: string]> };

/** What a trigger responds. */
export interface TriggerResponse {
	/**
	 * `yes`: it can own questions; `member`: it only needs to know of them; `other`: it knows another owner; `full`: too
	 * many people; `busy`: call again later; `no` or anything else: it accepts no questions.
	 */
	inbox: 'yes' | 'member' | 'other' | 'full' | 'busy' | 'no';
	/** Whether the trigger has filters for messages. Late replies start only a workflow whose filters they pass. */
	isFiltered?: boolean;
	/** The owner of the open questions that it knows. */
	owner?: string;
	/** All triggers that have to know of the run. If the run did not name one of them, the owner has not accepted new people. */
	triggers?: string[];
	/** Whether the run in the request is over, so that it gets no more replies. */
	isOver?: boolean;
	/** Whether the run is known to be over and all its messages are settled. */
	isSettled?: boolean;
	/** What the trigger knows of runs. */
	runs?: Array<[id: string, record: string]>;
	/** The decision about the message of the call. */
	verdict?: Verdict;
	/** Whether the workflow was started. */
	isStarted?: boolean;
}

/**
 * The decision about a message. `ordinary`: a workflow starts with it. `taken`: it is a reply, or a second delivery of
 * one. `busy`: this is not known at the moment.
 */
export interface Verdict {
	is: 'ordinary' | 'taken' | 'busy';
	/** Whether the message also starts workflows although it is a reply. */
	startsToo?: boolean;
	/** Whether n8n has to store the decision: it is new, or a copy shows that storing it may have failed. */
	isNew?: boolean;
}

/** `gone`: n8n says that the trigger is not published. undefined: n8n has not responded. */
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
	/** Encrypts a record for storing. The same record gives another text each time. */
	seal(record: string): string;
	/** undefined for what was encrypted with another key. */
	unseal(text: string): string | undefined;
	/** Gives a run its replies; without a record, asks the run whether it still waits. */
	callRun(run: Run, record?: string): Promise<RunState>;
	/** Repeats a question after a message that does not fit. @returns false if it was certainly not sent */
	repeat(run: Run, person: Person, key: string): Promise<boolean>;
	warn(message: string): void;
}

/** A delivery of the service, or a call, while n8n handles it. */
export interface Delivery {
	/** What n8n had stored with the trigger when the delivery arrived. */
	stored: unknown;
	/** Lets n8n store a value before n8n responds: the state at that moment, by `toJSON`. */
	store(live: { toJSON(): unknown }): void;
	/**
	 * Resolves once the end is known: the sender has received the response; the response was lost on its way; or the
	 * response says that n8n has failed.
	 */
	ended: Promise<'received' | 'lost' | 'failed'>;
	/**
	 * Waits until n8n has ended its response, also if nobody waits for it any more. Resolves to whether n8n has started the
	 * workflow, if the delivery starts it.
	 */
	hasSucceeded(): Promise<boolean>;
}
