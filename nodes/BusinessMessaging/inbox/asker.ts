/**
 * The asking half of the protocol. All triggers are told about a person before the person is asked; the owner is told
 * last. README.md has the whole picture.
 */
import { difference, sortBy, union } from 'lodash';

import { InputError } from '../transport/errors';
import { type Person, type Question, type Run, leaseMs } from './core';
import type { CallResult, Calls, TriggerRequest, TriggerResponse } from './ports';
import { toRecord } from './records';

/** How long the asker waits for a trigger that does not respond, or for an owner that is being published again, ms. */
const patienceMs = 60_000;
const retryMs = 1_000;
/** How often the owner learns that the asker is alive, ms. */
const heartbeatMs = leaseMs / 4;

/** What the asker needs. */
export interface AskerPorts extends Calls {
	/** The URLs of the triggers of this n8n that are registered at the service, without secrets. @throws ServiceError */
	listTriggers(): Promise<string[]>;
}

/** What is asked. */
export interface Asking {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	questions: Question[];
	/** How long replies count, ms. */
	limitMs: number;
	/** The service's clock minus that of n8n, ms; null if it is not known. */
	skewMs: number | null;
}

/** A run that asks. */
export class Asker {
	private owner = '';
	/** Whether the owner has accepted people. Then it stays the owner. */
	private isAccepted = false;
	/** All owners so far. */
	private owners: string[] = [];
	private triggers: string[] = [];
	/** Triggers that did not respond for a minute. Each heartbeat, and the end of asking, tries once to tell them. */
	private readonly silent = new Set<string>();
	/** Owners of open questions that cannot own this run. */
	private readonly without: string[] = [];
	private readonly told: Person[] = [];
	private readonly startedAt: number;
	/** When the time is up, ms since 1970, once all were asked. */
	private until?: number;
	private isAsking = true;
	/** Whether the owner has ended the run, because it heard nothing from the asker for too long. */
	private isEnded = false;

	constructor(
		private readonly ports: AskerPorts,
		private readonly asking: Asking,
	) {
		this.startedAt = ports.now();
	}

	/**
	 * Finds the triggers and their owner.
	 *
	 * @returns false if no trigger accepts questions
	 * @throws InputError if they wait for too many people; ServiceError
	 */
	async open(): Promise<boolean> {
		const urls = await this.ports.listTriggers();
		const responses = await this.greet(urls);
		const known = union([...responses.values()].flatMap(({ owner }) => owner ?? [])).sort();
		for (const owner of known.filter((one) => !responses.has(one))) {
			// The owner may only be in the middle of being published again. Two owners would decide differently.
			const response =
				!this.silent.has(owner) && (await this.untilResponse(owner, { is: 'hello' }, true));
			if (typeof response === 'object' && response.inbox !== 'no') responses.set(owner, response);
			else this.without.push(owner);
		}
		const able = [...responses].filter(([, { inbox }]) => inbox === 'yes' || inbox === 'full');
		// A late reply starts the owner's workflow. If that has filters, it is not meant for all messages.
		const isFiltered = ([, response]: (typeof able)[0]) => response.isFiltered === true;
		const candidates = sortBy(able, isFiltered, ([url]) => url).map(([url]) => url);
		const owner = known.find((one) => candidates.includes(one)) ?? candidates[0];
		if (owner === undefined) return false;
		if (responses.get(owner)?.inbox === 'full') throw isFull();
		this.owner = owner;
		this.triggers = union([...responses.keys()], [...this.silent]);
		void this.beat();
		return true;
	}

	/** The triggers that respond and accept calls about questions. */
	private async greet(urls: string[]): Promise<Map<string, TriggerResponse>> {
		const responses = await Promise.all(
			urls.map(async (url) => await this.untilResponse(url, { is: 'hello' })),
		);
		this.noteSilent(urls, responses);
		const able = responses.map((response) =>
			typeof response === 'object' && response.inbox !== 'no' ? response : undefined,
		);
		return new Map(urls.flatMap((url, index) => (able[index] ? [[url, able[index]]] : [])));
	}

	/**
	 * Tells all triggers who is asked next.
	 *
	 * @throws InputError if the owner does not respond, or has ended the run; then these people must not be asked
	 */
	async tell(people: Person[]): Promise<void> {
		this.check();
		const isFirst = this.told.length === 0;
		this.told.push(...people);
		await this.tellAll(() => this.toRun(people));
		if (!isFirst) return;
		// A trigger that was registered before the owner knew of this run has not heard of the run.
		const urls = await this.ports.listTriggers();
		await this.tellNew(urls);
	}

	/** @throws InputError if the owner has ended the run: then nobody else must be asked */
	check(): void {
		if (this.isEnded) throw hasEnded();
	}

	/** Tells all triggers who was asked, and that nobody else will be. @returns when the time is up, ms since 1970 @throws InputError */
	async close(people: Person[], notAsked: unknown[]): Promise<number> {
		const until = this.ports.now() + this.asking.limitMs;
		this.until = until;
		const whole = { notAsked, isWhole: true, isOver: people.length === 0 };
		try {
			await this.tellSilent();
			await this.tellAll(() => ({ ...this.toRun(people), ...whole }));
			return until;
		} finally {
			this.isAsking = false;
		}
	}

	/**
	 * Tells the owner that the run has failed: it asks nobody else and waits for no reply. Does not throw. The owner tells
	 * the other triggers later, because they may still get copies of replies that only the owner knows. An owner that does
	 * not know of the run cannot tell them: then they would wait for it in vain.
	 */
	async stop(): Promise<void> {
		this.isAsking = false;
		const over = { ...this.toRun([]), isOver: true };
		await this.tellOwner(over).catch(async () => {
			if (!this.isAccepted) await this.tellOthers(over);
		});
	}

	/**
	 * Tells the owner again and again that the asker is alive: the owner counts an asker that is silent for too long as
	 * dead. In this way, the asker also learns of triggers that were published meanwhile, and tells them about the run
	 * before the next people are asked.
	 */
	private async beat(): Promise<void> {
		for (;;) {
			await this.ports.pause(heartbeatMs);
			if (!this.isAsking) return;
			if (!this.isAccepted) continue;
			// No heartbeat waits for triggers that do not respond, and they do not wait for the owner.
			void this.tellSilent();
			const result = await this.ports.callTrigger(this.owner, this.request(this.toRun([])));
			if (typeof result !== 'object') continue;
			this.isEnded ||= result.isOver === true;
			void this.tellNew(result.triggers ?? []);
		}
	}

	private toRun(people: Person[]): Run {
		const { id, url, questions, limitMs } = this.asking;
		const { owner, triggers, startedAt } = this;
		const { until = this.ports.now() + limitMs } = this;
		const state = { isWhole: false, isOver: false, started: [], notAsked: [] };
		const byItem = new Map(people.map((person) => [person.item, person]));
		const times = { startedAt, until, leaseUntil: startedAt };
		return { id, url, owner, triggers, ...times, ...state, questions, people: byItem };
	}

	private request(run: Run, trigger = this.owner): TriggerRequest {
		const { asking, without, owners } = this;
		const left = owners.filter((owner) => owner !== run.owner);
		const record = toRecord(run, trigger);
		return { is: 'tell', id: run.id, run: record, skewMs: asking.skewMs, without, left };
	}

	/** Tells the owner last: replies count from the moment when the owner knows of the question. */
	private async tellAll(toRun: () => Run): Promise<void> {
		const run = toRun();
		const response = (await this.tellOthers(run)) ?? (await this.tellOwner(run));
		if (!this.isAsking) return;
		const named = response.inbox === 'other' ? response.owner : undefined;
		if (named !== undefined) this.chooseOwner(named);
		// Another part of the run may have chosen another owner meanwhile.
		if (named !== undefined || this.owner !== run.owner) return await this.tellAll(toRun);
		this.isAccepted = true;
		const { triggers = [] } = response;
		await this.tellNew(triggers);
		// The owner accepts new people only once every trigger that was published meanwhile has heard of them.
		if (difference(triggers, run.triggers).length > 0) await this.tellAll(toRun);
	}

	/**
	 * Chooses the owner that a trigger has named, because another run already has this owner. Two owners that do not know
	 * of each other would name each other for ever. So if an owner is named again, the one with the first URL is chosen.
	 */
	private chooseOwner(owner: string): void {
		if (owner === this.owner) return; // another part of the run has already chosen this owner
		if (this.isAccepted) return void this.without.push(owner);
		const isBack = this.owners.includes(owner);
		this.owners = union(this.owners, [this.owner, owner]).sort();
		this.owner = isBack ? this.owners[0] : owner;
		if (isBack) this.without.push(...this.owners.slice(1));
		this.triggers = union(this.triggers, this.owners);
	}

	/** Tells triggers that were published meanwhile about all people so far. */
	private async tellNew(urls: string[]): Promise<void> {
		const news = urls.filter((url) => !this.triggers.includes(url));
		if (news.length === 0) return;
		this.triggers = union(this.triggers, news);
		const results = await Promise.all(news.map(async (url) => await this.tellWhole(url, true)));
		this.noteSilent(news, results);
	}

	private noteSilent(urls: string[], results: CallResult[]): void {
		for (const [index, url] of urls.entries()) if (isSilent(results[index])) this.silent.add(url);
	}

	/** Tells all triggers that respond, except the owner. @returns the response of a trigger that knows another owner */
	private async tellOthers(run: Run): Promise<TriggerResponse | undefined> {
		const others = this.triggers.filter((url) => url !== this.owner && !this.silent.has(url));
		const results = await Promise.all(
			others.map(async (url) => await this.untilResponse(url, this.request(run, url))),
		);
		this.noteSilent(others, results);
		const responses = results.filter((result) => typeof result === 'object');
		return responses.find(({ inbox }) => inbox === 'other');
	}

	/** Tries to tell the triggers that did not respond about all people so far, with one call for each. */
	private async tellSilent(): Promise<void> {
		await Promise.all(
			[...this.silent].map(async (url) => {
				const toldBefore = this.told.length;
				const result = await this.tellWhole(url, false);
				// Otherwise the trigger does not know of those who were told meanwhile.
				if (!isSilent(result) && toldBefore === this.told.length) this.silent.delete(url);
			}),
		);
	}

	/** Tells a trigger about all people so far. If it names another owner, it learns that this one cannot own the run. */
	private async tellWhole(url: string, isPatient: boolean): Promise<CallResult> {
		const request = this.request(this.toRun(this.told), url);
		const result = isPatient
			? await this.untilResponse(url, request)
			: await this.ports.callTrigger(url, request);
		const { inbox, owner } = typeof result === 'object' ? result : {};
		if (inbox !== 'other' || owner === undefined || this.without.includes(owner)) return result;
		this.without.push(owner);
		return await this.tellWhole(url, isPatient);
	}

	/** Tells the owner about a run. @throws InputError if the owner does not accept it within a minute, or has ended it */
	private async tellOwner(run: Run): Promise<TriggerResponse> {
		const end = this.ports.now() + patienceMs;
		for (;;) {
			const result = await this.untilResponse(this.owner, this.request(run));
			if (typeof result === 'object') {
				if (result.inbox === 'full') throw isFull();
				if (result.isOver && !run.isOver) throw hasEnded();
				if (result.inbox !== 'no') return result;
			}
			if (this.ports.now() > end) throw isNotTold(result);
			await this.ports.pause(retryMs);
		}
	}

	/**
	 * Repeats a call until n8n responds, for a minute at most.
	 *
	 * @param untilPublished whether to repeat the call also while the trigger is not published
	 */
	private async untilResponse(
		url: string,
		request: TriggerRequest,
		untilPublished = false,
	): Promise<CallResult> {
		const end = this.ports.now() + patienceMs;
		for (;;) {
			const result = await this.ports.callTrigger(url, request);
			const isThere = !isSilent(result) && !(untilPublished && result === 'gone');
			if (isThere || this.ports.now() > end) return result;
			await this.ports.pause(retryMs);
		}
	}
}

/** Whether a call has to be repeated: the trigger did not respond, or is busy. */
export function isSilent(result: CallResult): boolean {
	return result === undefined || (typeof result === 'object' && result.inbox === 'busy');
}

function isFull(): InputError {
	return new InputError(
		'Business Messaging Trigger already waits for the maximum number of people',
		'Try again when some people have replied.',
	);
}

function hasEnded(): InputError {
	return new InputError(
		'The Business Messaging Trigger heard nothing from this execution for two minutes, so it no longer waits for the replies',
		'The replies so far start the workflow of that trigger. Check that n8n can call its own address (N8N_WEBHOOK_URL), is not overloaded, and was not suspended. Then retry this execution. The retry asks nobody twice.',
	);
}

/** The error if the owner could not be told. Its advice depends on the last result. */
function isNotTold(result: CallResult): InputError {
	const isGone = typeof result === 'object' ? result.inbox === 'no' : result === 'gone';
	if (!isGone)
		return new InputError(
			'n8n was not ready at its own public address for a minute, so the replies could not be received',
			'Check that n8n can call its own address (N8N_WEBHOOK_URL) and is not overloaded. Then retry this execution. The retry waits for the replies without asking again.',
		);
	return new InputError(
		'The Business Messaging Trigger that receives the replies is no longer published, or no longer receives messages',
		'Choose Message Received in it and publish it again, then retry this execution. The retry waits for the replies without asking again.',
	);
}
