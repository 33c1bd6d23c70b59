/** The messages between our nodes, and what the inbox needs from outside (calls.ts, inboxMemory.ts or simulation). */
import type { Late, Person, Run, RunState, Verdict } from './core';
import type { Delivered, Source } from './messageNames';

/** A call to a trigger. Runs are records, see toRecord. */
export type Request =
	/** Of Send and Wait, to the inbox: which workflow it is in, and whether it takes questions. */
	| { is: 'hello' }
	/** Of Send and Wait, to the inbox: who is asked next; in the end, who was asked (`close`). */
	| {
			is: 'tell' | 'close';
			id: string;
			run: string;
			/** The service's clock minus that of n8n, ms; null if it is not known. */
			skewMs: number | null;
	  }
	/** Of Send and Wait, to the inbox: the run has failed. */
	| { is: 'end'; id: string }
	/** Of Send and Wait, to another trigger: where the inbox is. */
	| { is: 'look'; inbox: string }
	/** Of the inbox, to another trigger: no question is open, and the inbox is being unpublished or switched off. */
	| { is: 'bye'; inbox: string }
	/** Of another trigger, to the inbox: what these messages are. */
	| { is: 'what'; from: Source; messages: Delivered[] }
	/** Of the inbox to itself: store what you know. */
	| { is: 'wake' }
	/** Of the inbox to itself: start the workflow with late replies. */
	| { is: 'late' };

/** The response to a call. */
export interface InboxResponse {
	/** `no`: the trigger is no inbox. */
	inbox: 'yes' | 'no' | 'full';
	/** The name of the workflow. */
	workflow?: string;
	/** Whether the run of the call is over. */
	isOver?: boolean;
	/** What the messages of the call are. */
	verdicts?: Verdict[];
}

/** `refused`: the trigger could not open the call; `gone`: n8n says that it is unpublished; undefined: uncertain. */
export type CallResult = InboxResponse | 'refused' | 'gone' | undefined;

/** Time and calls. None of them throws. */
export interface Calls {
	/** ms since 1970. */
	now(): number;
	pause(ms: number): Promise<void>;
	/** Calls a trigger at its URL without a secret. */
	callTrigger(url: string, request: Request): Promise<CallResult>;
}

/** What the process of the inbox needs. */
export interface KeeperPorts extends Calls {
	/** Encrypts a text for storing. */
	seal(text: string): string;
	/** undefined for what was encrypted with another key. */
	unseal(text: string): string | undefined;
	/** Gives a run its replies, or only asks whether it still waits. */
	callRun(run: Run, isHandOver: boolean): Promise<RunState>;
	/** Asks a person again after a reply that is not valid. @returns false if this was certainly not sent */
	repeat(run: Run, person: Person, key: string): Promise<boolean>;
	warn(message: string): void;
}

/** A delivery of the service, or a call, while n8n handles it. */
export interface InboxDelivery {
	/** What n8n had stored with the trigger when the delivery arrived. */
	stored: unknown;
	/** When the trigger was registered at the service, ms since 1970. */
	since: number;
	/** Lets n8n store a value before n8n responds: the state at that moment, by `toJSON`. */
	store(live: { toJSON(): unknown }): void;
	/** How n8n's response ended: the sender has it; it was lost on its way; or it says that n8n has failed. */
	ended: Promise<'received' | 'lost' | 'failed'>;
	/**
	 * Whether n8n has started the workflow, if the delivery starts it. Resolves when n8n has ended its response, even if
	 * nobody waits for it any more.
	 */
	hasSucceeded(): Promise<boolean>;
}

/** A response, and the late replies with which the call starts the workflow. */
export type Responded = { response: InboxResponse; late?: Late[] };
