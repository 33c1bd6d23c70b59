/**
 * Looks after waiting executions from within the process, since n8n runs nothing of ours when the time is up or when
 * the user stops an execution that waits.
 *
 * A look is a request to the execution's own URL. While the execution waits, our webhook answers it, and ends the wait
 * if the time is up; once the execution has ended in whatever way, n8n itself answers otherwise, and the registration
 * is removed. Looks become rarer the longer a wait lasts.
 */
import type { IExecuteFunctions, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { sortBy } from 'lodash';

import { isRecord } from '../api/read';
import { asFailure } from '../operations/outcome';
import { pause } from '../transport/deadline';
import type { Registration, Registry } from './registry';

/** The kind of event that a look pretends to be; no service delivers it. */
export const lookEvent = 'wait.look';

/** How much later than the time limit n8n itself resumes an execution that our look could not reach, ms. */
export const graceMs = 60_000;

/** How an execution was found. */
type Finding = 'waiting' | 'ended' | 'unknown';

type WatchContext = Pick<
	IExecuteFunctions | IHookFunctions | IWebhookFunctions,
	'helpers' | 'logger'
>;

/** One look a round: each costs n8n about as much as a delivery. */
const roundMs = 500;
const shortestPauseMs = 5_000;
const longestPauseMs = 10 * 60_000;
/** The share of the time it has waited after which the next look at a wait follows. */
const pauseShare = 0.1;
const lookTimeoutMs = 10_000;

/** A run of a node that waits, with its registrations: one look tells about them all. */
interface Watched {
	registrations: Map<string, Registration>;
	nextLook: number;
}

/** Looks after the waits of one n8n at one service. */
class Watcher {
	private readonly watched = new Map<string, Watched>();
	private isRunning = false;

	/** Both are those of the newest execution, so that older ones can be forgotten. */
	constructor(
		public registry: Registry,
		public context: WatchContext,
	) {}

	add(registration: Registration): void {
		const { url, ticket } = registration;
		const nextLook = Math.min(Date.now() + shortestPauseMs, Math.max(Date.now(), ticket.until));
		const watched = this.watched.get(ticket.run) ?? {
			registrations: new Map<string, Registration>(),
			nextLook,
		};
		watched.registrations.set(url, registration);
		this.watched.set(ticket.run, watched);
		if (!this.isRunning) void this.run();
	}

	/** Whether a run of a node is looked after. */
	has(run: string): boolean {
		return this.watched.has(run);
	}

	drop(registrations: Registration[]): void {
		for (const { url, ticket } of registrations) {
			const watched = this.watched.get(ticket.run);
			watched?.registrations.delete(url);
			if (watched?.registrations.size === 0) this.watched.delete(ticket.run);
		}
	}

	/** Ends when nothing waits any more; its timers keep no process alive. */
	private async run(): Promise<void> {
		this.isRunning = true;
		while (this.watched.size > 0) {
			await pause(roundMs);
			const due = [...this.watched.values()].filter(({ nextLook }) => nextLook <= Date.now());
			const [next] = sortBy(due, 'nextLook');
			if (next) await this.visit(next);
		}
		this.isRunning = false;
	}

	private async visit(watched: Watched): Promise<void> {
		const registrations = [...watched.registrations.values()];
		const [{ ticket, url }] = registrations;
		const finding = await look(this.context, url);
		const now = Date.now();
		const after = Math.min(
			Math.max((now - ticket.asked) * pauseShare, shortestPauseMs),
			longestPauseMs,
		);
		watched.nextLook = now < ticket.until ? Math.min(now + after, ticket.until) : now + after;
		if (finding === 'ended' || now > ticket.until + 2 * graceMs) await this.remove(registrations);
	}

	private async remove(registrations: Registration[]): Promise<void> {
		const failure = await this.registry.remove(registrations).then(() => undefined, asFailure);
		if (!failure) this.drop(registrations);
		else
			this.context.logger.warn(
				`The webhook of a question that is over could not be removed at the service: ${failure.message}. It is tried again.`,
			);
	}
}

const watchers = new Map<string, Watcher>();

/** The watcher for a registry. */
function watcherOf(registry: Registry, context: WatchContext): Watcher {
	const key = `${registry.client.config.id} ${registry.base}`;
	const watcher = watchers.get(key) ?? new Watcher(registry, context);
	watchers.set(key, watcher);
	[watcher.registry, watcher.context] = [registry, context];
	return watcher;
}

/** Looks after registrations from now on; among them may be those that another process has made before it ended. */
export function watch(
	context: WatchContext,
	registry: Registry,
	registrations: Registration[],
): void {
	const watcher = watcherOf(registry, context);
	for (const registration of registrations) watcher.add(registration);
}

/**
 * Looks after a run that another process has begun to wait in, which may have ended since: by its registrations at the
 * service, without holding up the delivery by which this process has learnt of it. Does not throw.
 */
export async function takeOver(
	context: WatchContext,
	registry: Registry,
	run: string,
): Promise<void> {
	if (watcherOf(registry, context).has(run)) return;
	try {
		watch(context, registry, await registry.list());
	} catch (error) {
		context.logger.warn(
			`The webhooks of questions could not be listed: ${asFailure(error).message}. The next delivery tries again.`,
		);
	}
}

/** Removes registrations, now or, if the service does not answer, as soon as it does. Does not throw. */
export async function discard(
	context: WatchContext,
	registry: Registry,
	registrations: Registration[],
): Promise<void> {
	const watcher = watcherOf(registry, context);
	try {
		await registry.remove(registrations);
		watcher.drop(registrations);
	} catch (error) {
		context.logger.warn(
			`A webhook could not be removed at the service: ${asFailure(error).message}. It is tried again.`,
		);
		watch(context, registry, registrations);
	}
}

/** Whether the execution behind a URL still waits. */
export async function look(context: WatchContext, url: string): Promise<Finding> {
	try {
		const { statusCode, body } = (await context.helpers.httpRequest({
			method: 'POST',
			url,
			body: { event: lookEvent, data: {} },
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			timeout: lookTimeoutMs,
		})) as { statusCode: number; body: unknown };
		if (statusCode === 200) return isRecord(body) && body.waiting === true ? 'waiting' : 'ended';
		// n8n: 409 with these words for an execution that runs at the moment, e.g. one that has not begun to wait
		const isRunning = statusCode === 409 && /running/.test(JSON.stringify(body));
		return [404, 409, 410].includes(statusCode) && !isRunning ? 'ended' : 'unknown';
	} catch {
		return 'unknown';
	}
}
