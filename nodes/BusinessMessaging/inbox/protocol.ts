/** The messages between our nodes, and what the inbox needs from outside (calls.ts, inboxMemory.ts or simulation). */
import { z } from 'zod';

import {
	type Late,
	type Message,
	type Person,
	type Run,
	type RunState,
	verdictSchema,
} from './core';
import { endedSchema, openQuestionSchema } from '../operations/sending/openQuestions';
import { deliveredSchema, sourceSchema } from './messageNames';
import { placeSchema } from './openQuestions';

/** Who is asked: a run as a record, see toRecord. */
const asking = {
	id: z.string(),
	run: z.string(),
	/** The service's clock minus that of n8n, ms; null if it is not known. */
	skewMs: z.number().nullable(),
};

/** A call to a trigger. */
export const requestSchema = z.discriminatedUnion('is', [
	/** Of Send and Wait, to the inbox: which workflow it is in, and whether it takes questions. */
	z.object({ is: z.literal('hello') }),
	/** Of Send and Wait, to the inbox: who is asked next. */
	z.object({ is: z.literal('tell'), ...asking }),
	/** Of Send and Wait, to the inbox: who was asked in the end. */
	z.object({ is: z.literal('close'), ...asking }),
	/** Of Send and Wait, to the inbox: the run has failed. */
	z.object({ is: z.literal('end'), id: z.string() }),
	/** Of our action node, to the inbox: who was asked, from a place on. */
	z.object({ is: z.literal('open'), after: placeSchema.optional() }),
	/** Of our action node, to the inbox: do not wait for these people any more. */
	z.object({ is: z.literal('endWait'), people: z.array(endedSchema) }),
	/** Of Send and Wait and of the inbox, to another trigger: where the inbox is. */
	z.object({ is: z.literal('look'), inbox: z.string() }),
	/** Of the inbox, to another trigger: no question is open, and the inbox is being unpublished or switched off. */
	z.object({ is: z.literal('bye'), inbox: z.string() }),
	/** Of another trigger, to the inbox: what these messages are. */
	z.object({ is: z.literal('what'), from: sourceSchema, messages: z.array(deliveredSchema) }),
	/** Of the inbox to itself: store what you know. */
	z.object({ is: z.literal('wake') }),
	/** Of the inbox to itself: start the workflow with late replies. */
	z.object({ is: z.literal('late') }),
]);
export type Request = z.infer<typeof requestSchema>;

/** The response to a call. */
export const inboxResponseSchema = z.object({
	/** `no`: the trigger is no inbox, or cannot read the run; `full`: it waits for too many people. */
	inbox: z.enum(['yes', 'no', 'full']),
	/** The name of the workflow. */
	workflow: z.string().optional(),
	/** Whether the run of the call is over. */
	isOver: z.boolean().optional(),
	/** What the messages of the call are. */
	verdicts: z.array(verdictSchema).optional(),
	/** Who was asked, and the place after which there are more. */
	open: z.array(openQuestionSchema).optional(),
	next: placeSchema.optional(),
	/** To how many questions of each person the run does not wait for a reply any more. */
	ended: z.array(z.number()).optional(),
});
export type InboxResponse = z.infer<typeof inboxResponseSchema>;

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

/** A question that was repeated, with the ID of the message if the service gave one. */
export interface Repetition {
	messageId?: string;
}

/** What the process of the inbox needs. */
export interface KeeperPorts extends Calls {
	/** Encrypts a text for storing. */
	seal(text: string): string;
	/** undefined for what was encrypted with another key. */
	unseal(text: string): string | undefined;
	/** Gives a run its replies, or only asks whether it still waits. */
	callRun(run: Run, isHandOver: boolean): Promise<RunState>;
	/** Asks a person again after a reply that is not valid. @returns undefined if this was certainly not sent */
	repeat(run: Run, person: Person, message: Message): Promise<Repetition | undefined>;
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
