/** Schedules, and the parts of the simulated world. */
import { isEqual } from 'lodash';

import { defaultAnswer } from '../../../../nodes/BusinessMessaging/operations/sending/questionFields';
import type { Arrival, Question } from '../../../../nodes/BusinessMessaging/inbox/core';
import type { InboxDelivery } from '../../../../nodes/BusinessMessaging/inbox/protocol';
import type { Life } from './time';

/** How n8n runs. The first trigger is the inbox; the third one only wants opt-outs. */
export interface Setting {
	/** Each trigger's URL leads to one of them. */
	processes: number;
	triggers: number;
	/** Whether the second trigger belongs to the workflow of the inbox. */
	sharesWorkflow: boolean;
	/** The trigger whose URL is registered by hand, if there is one. */
	manual: number | null;
	/** Whether the service refuses to repeat questions. */
	refusesRepetitions: boolean;
	/** Whether n8n keeps executions that have ended well. */
	keepsExecutions: boolean;
	/** How many of 100 calls take long. A fifth as many fail, or their response is lost. */
	trouble: number;
	/** The service's clock minus that of n8n, seconds, and whether the service shows it. */
	skew: number;
	showsClock: boolean;
}

/** What happens, at a time in seconds. */
export type Action = { at: number } &
	/**
	 * `failing`: people whose question is not sent, or not for certain. `pace`: the time from one question to the next,
	 * seconds. `dies`: its worker is killed when the inbox knows that everybody was asked, before n8n stores the wait.
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
		| ({ is: 'write' } & Words)
		/** The service delivers several messages at once. */
		| { is: 'list'; messages: Words[] }
		| { is: 'kill'; process: number; down: number }
		/** It is delivered again with another text, if something identifies it. */
		| { is: 'edit'; message: number }
		/** n8n's clock is put back by some seconds. */
		| { is: 'putBack'; by: number }
		/** The API key is changed in the credential of all nodes. */
		| { is: 'changeKey' }
		| { is: 'killAsker'; run: number }
		| { is: 'stop'; run: number }
		/** A user ends the wait for a person, in all runs. */
		| { is: 'endWait'; person: number }
		/** For some seconds, a proxy responds with a page: to calls of runs, or to all requests to triggers. */
		| { is: 'page'; of: 'runs' | 'triggers'; lasts: number }
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
/** What a person writes. `quotes`: the run whose question it quotes. */
export interface Words {
	person: number;
	text: string;
	isCertain: boolean;
	quotes?: number;
}

export type Kind = 'freeText' | 'approval' | 'choice' | 'grouped';

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
	/** When, and what n8n's clock showed then. */
	at: number;
	clock: number;
	isCertain: boolean;
	quoted?: string;
	/** When the question was first repeated after it, or after an equal one that cannot be told from it. */
	repeatedAt?: number;
	/** Whether a trigger has handled it, and the service has got no response. */
	hasLostResponse: boolean;
	/** When a trigger has last received it. */
	handledAt: number;
	/** URLs of triggers whose workflow it has started, each as often; and those for which the service has got no response then. */
	starts: string[];
	lostStarts: string[];
	/** What each trigger has made of it, and when. */
	outcomes: Map<string, { is: 'started' | 'taken' | 'pending' | 'givenUp'; at: number }>;
}

/** A workflow, with what n8n stores of all its triggers together. */
export interface Workflow {
	readonly triggers: Trigger[];
	/** By the name of a part and the URL of its trigger, as JSON. */
	stored: string;
}

/** What n8n stores of a trigger: the state of the inbox; or where the inbox is. */
export interface Stored {
	inbox?: Record<string, string>;
	other?: Noted;
}

/** A trigger of n8n. */
export interface Trigger {
	url: string;
	workflow: Workflow;
	isInbox: boolean;
	/** Whether its URL is registered by hand. */
	isManual: boolean;
	isPublished: boolean;
	isRegistered: boolean;
	/** Whether it was published at any time. Only then may an execution of its workflow be under way. */
	wasPublished: boolean;
	registeredAt: number;
	/** The same by n8n's clock. */
	since: number;
	/** Messages with which n8n is starting its workflow. */
	starting: string[];
	/** Messages with which its workflow has started, and with which it has started late. */
	started: string[];
	late: Array<{ id: string; at: number }>;
}

/** Where the inbox is, as far as another trigger knows it, and when it has learned this. */
export interface Noted {
	url?: string;
	at: number;
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
	/** When its worker was killed. */
	diedAt: number;
	/** When it got its replies, and whether the inbox has got no response then. */
	acceptedAt: number;
	isAcceptedUnheard: boolean;
	until: number;
	/** Whom it asks, and when each of them was asked. */
	phones: string[];
	asked: Map<string, number>;
	kind: Kind;
	/** People whom it could not ask. */
	failing: string[];
	/** The ID of the question to each person, and after which messages it was repeated. */
	questions: Map<string, string>;
	repeated: Map<string, Set<string>>;
	/** The IDs of the messages that it got, and their keys. */
	output: string[];
	keys: string[];
	/** Whether n8n itself has ended the wait. */
	isEndedByLimit: boolean;
	/** Why it has failed, if it has. */
	failure?: string;
	life: Life;
}

/** What n8n has stored of a trigger. */
export function storedOf({ url, workflow }: Pick<Trigger, 'url' | 'workflow'>): Stored {
	return (JSON.parse(workflow.stored) as Record<string, Stored | undefined>)[url] ?? {};
}

/** Changes what n8n has stored of a trigger. */
export function setStored({ url, workflow }: Trigger, changes: Stored): void {
	const column = JSON.parse(workflow.stored) as Record<string, Stored | undefined>;
	workflow.stored = JSON.stringify({ ...column, [url]: { ...column[url], ...changes } });
}

/** A delivery while n8n handles it: what n8n had read, and what it writes back. */
export class DeliveryUnderWay implements InboxDelivery {
	/** What n8n had read of the inbox, if the delivery is one to it. */
	readonly stored: unknown;
	live?: { toJSON(): unknown };
	/** Whether n8n writes back all that it has read, with the changes. */
	writes = false;
	readonly since: number;
	/** n8n forgets changes if the delivery starts the workflow. */
	forgets = false;
	/** What happens once n8n has started the workflow, if it does. */
	readonly starts: Array<() => void> = [];
	end!: (how: 'received' | 'lost' | 'failed') => void;
	readonly ended = new Promise<'received' | 'lost' | 'failed'>((resolve) => (this.end = resolve));
	finish!: (isDone: boolean) => void;
	private readonly finished = new Promise<boolean>((resolve) => (this.finish = resolve));
	private readonly column: string;

	constructor(
		private readonly trigger: Trigger,
		readonly begin: number,
	) {
		this.since = trigger.since;
		this.column = trigger.workflow.stored;
		this.stored = storedOf(trigger).inbox;
	}

	async hasSucceeded(): Promise<boolean> {
		return await this.finished;
	}

	store(live: { toJSON(): unknown }): void {
		this.live = live;
		this.writes = true;
	}

	/** Another trigger stores where the inbox is, if n8n has not stored it. */
	note(inbox: Noted): void {
		const { other } = (JSON.parse(this.column) as Record<string, Stored>)[this.trigger.url] ?? {};
		this.writes ||= inbox.at > 0 && !isEqual(other, inbox);
	}

	/** What n8n writes: what it had read, with what the process knows of the workflow's triggers. */
	written(parts: Record<string, object>): string {
		const { url } = this.trigger;
		const own = this.live && { [url]: { inbox: this.live } };
		return JSON.stringify({ ...(JSON.parse(this.column) as object), ...parts, ...own });
	}
}

/** What equal messages share if they have neither an ID nor a time. */
export function contentOf({
	phone,
	text,
	quoted = '',
}: Pick<Written, 'phone' | 'text' | 'quoted'>) {
	return `u${phone}${text}${quoted}`;
}

/** The message as a trigger reads it. Most messages have neither an ID nor a time, as in the specification's event. */
export function arrivalOf(
	{ id, phone, text, at, isCertain, quoted }: Written,
	skewMs: number,
): Arrival {
	return {
		...{ key: isCertain ? id : contentOf({ phone, text, quoted }), text, messageId: id },
		...{ respondedAt: new Date(at).toISOString(), phone, isCertain },
		...(isCertain && { time: Math.floor(at + skewMs) }),
		...(text === 'STOP' && { isOptOut: true as const }),
		...(quoted !== undefined && { quoted }),
	};
}

/** How often a question is repeated. */
export const repeats = 1;

/** A question whose default is that of the node. */
export function questionOf(kind: Kind): Question {
	return {
		...defaultAnswer(),
		...{ choices: ['Red', 'Blue'], yesWords: ['yes'], noWords: ['no'] },
		kind: kind === 'grouped' ? 'freeText' : kind,
		groupMs: kind === 'grouped' ? 8_000 : 0,
		...{ repeats, repeatText: '', givesUnanswered: true, asked: 'Tuesday?' },
	};
}
