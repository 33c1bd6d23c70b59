/** The asking half of the protocol (README.md): the inbox is told about people before they are asked. */
import { InputError } from '../transport/errors';
import { type Person, type Question, type Run, leaseMs } from './core';
import type { CallResult, Calls, Request, InboxResponse } from './protocol';
import { toRecord } from './records';
import type { Triggers } from './urls';

/** How long the asker waits for n8n to respond at its own address, ms. */
const patienceMs = 60_000;
const retryMs = 1_000;
/** How often the inbox learns that the asker is alive, ms. */
const heartbeatMs = leaseMs / 4;

const retry = 'Then retry this execution. Nobody is asked twice.';
const chooseCredential = (url: string) =>
	`In the Business Messaging Trigger at ${url}, choose the credential of this node, and publish its workflow again.`;

/** What the asker needs. */
export interface AskerPorts extends Calls {
	/** @throws ServiceError; InputError if the service hides the addresses of webhooks */
	listTriggers(): Promise<Triggers>;
}

/** What is asked. */
export interface Asking {
	id: string;
	/** The signed URL that resumes the execution. */
	url: string;
	/** The name of the workflow. */
	workflow: string;
	questions: Question[];
	/** How long replies count, ms. */
	limitMs: number;
	/** The service's clock minus that of n8n, ms; null if it is not known. */
	skewMs: number | null;
}

/** A run that asks. */
export class Asker {
	private inbox = '';
	private readonly startedAt: number;
	/** When the time is up, ms since 1970, once all were asked. */
	private until?: number;
	private isAsking = true;
	/** Whether the inbox has ended the run, because it heard nothing from the asker for too long. */
	private isEnded = false;

	constructor(
		private readonly ports: AskerPorts,
		private readonly asking: Asking,
	) {
		this.startedAt = ports.now();
	}

	/** Finds the inbox, and tells the other triggers where it is. @throws InputError that says what to do; ServiceError */
	async open(): Promise<void> {
		const { inboxes, others } = await this.ports.listTriggers();
		this.inbox = await findInbox(this.ports, inboxes);
		await Promise.all(others.map(async (url) => await this.show(url)));
		void this.beat();
	}

	/** The trigger then asks the inbox about messages. @throws InputError if it does not respond, or has another key */
	private async show(url: string): Promise<void> {
		const result = await untilResponse(this.ports, url, { is: 'look', inbox: this.inbox });
		if (result === 'refused')
			throw new InputError(
				'Another trigger in this n8n uses another API key of the same account, so replies would also start its workflow',
				chooseCredential(url),
			);
		if (result === undefined)
			throw new InputError(
				`The Business Messaging Trigger at ${url} did not respond for a minute, so replies could start its workflow`,
				'Check that all n8n processes are running, or unpublish its workflow. Then retry this execution.',
			);
	}

	/** Tells the inbox who is asked next. @throws InputError if it fails: then these people must not be asked */
	async tell(people: Person[]): Promise<void> {
		this.check();
		await this.call('tell', this.toRun(people));
	}

	/** @throws InputError if the inbox has ended the run: then nobody else must be asked */
	check(): void {
		if (this.isEnded) throw hasEnded();
	}

	/** Tells the inbox who was asked in the end. @returns when the time is up, ms since 1970 @throws InputError */
	async close(people: Person[]): Promise<number> {
		this.until = this.ports.now() + this.asking.limitMs;
		try {
			if (people.length === 0) await this.stop();
			else await this.call('close', { ...this.toRun(people), isAsked: true });
			return this.until;
		} finally {
			this.isAsking = false;
		}
	}

	/** Tells the inbox that the run has failed: it asks nobody else and waits for no reply. Does not throw. */
	async stop(): Promise<void> {
		this.isAsking = false;
		await untilResponse(this.ports, this.inbox, { is: 'end', id: this.asking.id });
	}

	private async beat(): Promise<void> {
		for (;;) {
			await this.ports.pause(heartbeatMs);
			if (!this.isAsking) return;
			const result = await this.ports.callTrigger(this.inbox, this.request('tell', this.toRun([])));
			if (typeof result === 'object') this.isEnded ||= result.isOver === true;
		}
	}

	private toRun(people: Person[]): Run {
		const { id, url, workflow, questions, limitMs } = this.asking;
		const { startedAt, until = this.ports.now() + limitMs } = this;
		const byItem = new Map(people.map((person) => [person.item, person]));
		const times = { startedAt, until, heardAt: startedAt };
		return { id, url, workflow, ...times, isAsked: false, questions, people: byItem };
	}

	private request(is: 'tell' | 'close', run: Run): Request {
		const { skewMs } = this.asking;
		return { is, id: run.id, run: toRecord(run, this.inbox), skewMs };
	}

	/** @throws InputError if the inbox does not accept the call within a minute, or has ended the run */
	private async call(is: 'tell' | 'close', run: Run): Promise<void> {
		const response = await untilAccepted(this.ports, this.inbox, this.request(is, run));
		if (response.isOver) throw hasEnded();
	}
}

/** The inbox among the registered ones. @throws InputError if there is not exactly one that takes questions */
export async function findInbox(ports: Calls, urls: string[]): Promise<string> {
	const results = await Promise.all(
		urls.map(async (url) => await untilResponse(ports, url, { is: 'hello' })),
	);
	// A registration of a workflow that is not published was left behind.
	const there = urls.filter((_, index) => results[index] !== 'gone');
	const responses = results.filter((one) => one !== 'gone');
	const [url] = there;
	const [response] = responses;
	if (url === undefined || (typeof response === 'object' && response.inbox === 'no'))
		throw new InputError(
			'No published workflow keeps the replies',
			"Publish the workflow Inbox. If you do not have it, import the example Inbox (see this package's README) and choose this node's credential in its trigger. Or publish another workflow whose trigger has 'Keep Replies for Send and Wait' and this credential.",
		);
	if (there.length > 1) {
		const names = there.map((one, index) => workflowNameOf(one, responses[index]));
		throw new InputError(
			`Several workflows keep the replies: ${names.join(' and ')}`,
			"Switch off 'Keep Replies for Send and Wait' in the triggers of all but one, and publish them again.",
		);
	}
	accepted(response, url);
	return url;
}

/** Repeats a call until the inbox accepts it. @throws InputError if it does not within a minute */
export async function untilAccepted(
	ports: Calls,
	url: string,
	request: Request,
): Promise<InboxResponse> {
	return accepted(await untilResponse(ports, url, request, true), url);
}

/** @throws InputError for any other response than that of an inbox that accepts the call */
function accepted(result: CallResult, url: string): InboxResponse {
	if (result === undefined)
		throw new InputError(
			'n8n was not ready at its own public address for a minute',
			`Check that n8n can call its own address (N8N_WEBHOOK_URL) and is not overloaded. ${retry}`,
		);
	if (result === 'refused')
		throw new InputError(
			"The workflow with 'Keep Replies for Send and Wait' uses another API key",
			chooseCredential(url),
		);
	if (result === 'gone' || result.inbox === 'no')
		throw new InputError(
			"The workflow with 'Keep Replies for Send and Wait' is no longer published, or this option is off",
			`Publish it again with this option. ${retry}`,
		);
	if (result.inbox === 'full')
		throw new InputError(
			'The trigger that keeps the replies cannot wait for replies from more people',
			'Try again when some of the executions that wait have ended.',
		);
	return result;
}

/** Repeats a call until a response is certain, for a minute at most. With `untilPublished`, `gone` is not certain. */
async function untilResponse(
	ports: Calls,
	url: string,
	request: Request,
	untilPublished = false,
): Promise<CallResult> {
	const end = ports.now() + patienceMs;
	for (;;) {
		const result = await ports.callTrigger(url, request);
		const isCertain = result !== undefined && !(untilPublished && result === 'gone');
		if (isCertain || ports.now() > end) return result;
		await ports.pause(retryMs);
	}
}

/** How an error names a trigger: by its workflow, if it responds. */
export function workflowNameOf(url: string, result: CallResult): string {
	const { workflow } = typeof result === 'object' ? result : {};
	return workflow === undefined ? url : `"${workflow}"`;
}

function hasEnded(): InputError {
	return new InputError(
		'For two minutes, this execution did not reach the trigger that keeps the replies, so the trigger no longer waits for its replies',
		`Replies that have already arrived start the workflow of that trigger. Check that n8n can call its own address (N8N_WEBHOOK_URL), that n8n is not overloaded, and that its computer was not in sleep mode. ${retry}`,
	);
}
