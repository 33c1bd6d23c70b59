/** Schedules, and the parts of the simulated world. */
import type { Arrival, Question } from '../../../../nodes/BusinessMessaging/inbox/core';
import type { Delivery } from '../../../../nodes/BusinessMessaging/inbox/ports';
import type { Life } from './time';

/** How n8n runs. */
export interface Setting {
	processes: number;
	/** Whether each trigger's URL leads to one process. Otherwise, any process may get any call. */
	isRouted: boolean;
	triggers: number;
	/** Whether the service refuses to repeat questions. */
	refusesRepetitions: boolean;
	/** Whether n8n keeps executions that have ended well. */
	keepsExecutions: boolean;
	/** How many of 100 calls take long. A fifth as many fail, or their response is lost. */
	trouble: number;
}

/** What happens, at a time in seconds. */
export type Action = { at: number } &
	/**
	 * `failing`: people whose question is not sent, or not for certain. `pace`: the time from one question to the next,
	 * seconds. `dies`: its worker is killed when the triggers know that everybody was asked, before n8n stores the wait.
	 */
	(| {
				is: 'ask';
				people: number[];
				failing: number[];
				kind: Kind;
				limit: number;
				pace: number;
				dies: boolean;
		  }
		| { is: 'write'; person: number; text: string; isCertain: boolean }
		| { is: 'kill'; process: number; down: number }
		| { is: 'killAsker'; run: number }
		| { is: 'stop'; run: number }
		/** For some seconds, the owner, or every other trigger, hears nothing from a run that asks. */
		| { is: 'cutOff'; run: number; lasts: number; from: CutOff['from'] }
		| { is: 'olderCopy'; trigger: number; after: number }
		/** A trigger that is new was not there before. One that is removed gets no deliveries meanwhile. */
		| {
				is: 'publish';
				trigger: number;
				gone: number;
				takes: number;
				isNew: boolean;
				isRemoved: boolean;
		  }
	);
export type Kind = 'freeText' | 'approval' | 'grouped';

/** A schedule. */
export interface Schedule {
	setting: Setting;
	seed: number;
	actions: Action[];
}

/** A message that somebody wrote. */
export interface Written {
	id: string;
	phone: string;
	text: string;
	at: number;
	isCertain: boolean;
	/** Whether the question was repeated after it. */
	isRepeatedFor: boolean;
	/** Whether the message was nowhere after the service had delivered it. */
	isLost: boolean;
	/** What each trigger has made of it. */
	outcomes: Map<string, 'started' | 'taken' | 'pending' | 'givenUp'>;
}

/** A trigger of n8n. */
export interface Trigger {
	url: string;
	isPublished: boolean;
	isRegistered: boolean;
	stored: string;
	/** Messages with which n8n is starting its workflow. */
	starting: string[];
	/** Messages with which its workflow has started, and with which it has started late. */
	started: string[];
	late: Array<{ id: string; at: number }>;
}

/** A time when the owner, or every other trigger, hears nothing from a run that asks. */
export interface CutOff {
	from: 'owner' | 'others';
	lastsMs: number;
	until: number;
}

/** An execution of Send and Wait. */
export interface Execution {
	id: string;
	url: string;
	state: 'asking' | 'waiting' | 'over' | 'dead' | 'failed';
	isStopped: boolean;
	/** When it began to ask, and to wait. */
	startedAt: number;
	waitsAt: number;
	/** When it was clear that nobody else would be asked. */
	endedAskingAt: number;
	/** When its worker was killed. */
	diedAt: number;
	/** When it has called its owner. */
	calledOwnerAt: number[];
	/** When it got its replies. */
	acceptedAt: number;
	until: number;
	/** Who hears nothing from it for a while. */
	cutOffs: CutOff[];
	/** When it has called a trigger that is not the owner, without a response. */
	lostCallsAt: number[];
	/** Whom it asks, and when each of them was asked. */
	phones: string[];
	asked: Map<string, number>;
	/** After which messages, by their keys, the question to each person was repeated, and when. */
	repeated: Map<string, Map<string, number>>;
	output: string[];
	/** Whether n8n itself has ended the wait. */
	isEndedByLimit: boolean;
	life: Life;
}

/** A delivery while n8n handles it: what n8n had read, and what it writes back. */
export class DeliveryUnderWay implements Delivery {
	stored: unknown;
	live?: { toJSON(): unknown };
	/** Whether n8n writes back all that it has read, with the changes. */
	writes = false;
	/** n8n forgets changes if the delivery starts the workflow. */
	forgets = false;
	/** What happens once n8n has started the workflow, if it does. */
	readonly starts: Array<() => void> = [];
	end!: (how: 'received' | 'lost' | 'failed') => void;
	readonly ended = new Promise<'received' | 'lost' | 'failed'>((resolve) => (this.end = resolve));
	finish!: (isDone: boolean) => void;
	private readonly finished = new Promise<boolean>((resolve) => (this.finish = resolve));
	private column: Record<string, unknown> = {};

	async hasSucceeded(): Promise<boolean> {
		return await this.finished;
	}

	read(column: string): void {
		this.column = JSON.parse(column) as Record<string, unknown>;
		this.stored = this.column.inbox;
	}

	store(live: { toJSON(): unknown }): void {
		this.live = live;
		this.writes = true;
	}

	written(): string {
		return JSON.stringify({ ...this.column, inbox: this.live ?? this.stored });
	}
}

/** The message as a trigger reads it. */
export function arrivalOf({ id, phone, text, at, isCertain }: Written): Arrival {
	return {
		...{ key: isCertain ? id : `u${phone}${text}`, text, messageId: id },
		respondedAt: new Date(at).toISOString(),
		...{ phone, time: isCertain ? at : Number.NaN, isOptOut: text === 'STOP', isCertain },
	};
}

/** How often a question is repeated. */
export const repeats = 1;

/** A question whose default is that of the node. */
export function questionOf(kind: Kind): Question {
	return {
		...{ choices: [], yesWords: ['yes'], noWords: ['no'], isDayFirst: true },
		kind: kind === 'approval' ? 'approval' : 'freeText',
		groupMs: kind === 'grouped' ? 8_000 : 0,
		...{ repeats, repeatText: '', givesUnanswered: true, asked: 'Tuesday?' },
	};
}
