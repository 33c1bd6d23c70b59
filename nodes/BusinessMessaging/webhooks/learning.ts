/** What the other triggers of this n8n know: asked when Send and Wait may not have been able to inform a trigger. */
import { compact } from 'lodash';
import type { IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { pause, withDeadline } from '../transport/deadline';
import { InputError, asFailure } from '../transport/errors';
import { nodeKey } from './nodeState';
import { isTriggerUrl } from './question';
import { type RegisteredWebhook, listWebhooks } from './registrations';
import { isOwnUrl } from './secret';

/** How long a delivery waits for the other triggers, ms. After that, the service has to deliver it again. */
const maxWaitMs = 5_000;
/** How long an attempt may take, and how long after a failed one the next can begin, ms. */
const maxAttemptMs = 30_000;
const attemptPauseMs = 5_000;

/** Asks the other triggers of a service which questions are open. */
export class Learning {
	/** The first attempt for each publication of a trigger. */
	private readonly first = new BoundedMap<string, Promise<boolean>>({ maxSize: 1_000 });
	/** The attempt of deliveries that need to know more, or one of theirs that has just failed. */
	private latest?: Promise<boolean>;

	/** @param ask asks one trigger; false without a response */
	constructor(
		private readonly ask: (context: IWebhookFunctions, url: string) => Promise<boolean>,
	) {}

	/**
	 * Once for each publication of a trigger: it knows nothing of questions that were sent while it was not published, or this
	 * process was down. After a failure, later deliveries are handled at once.
	 *
	 * @param own URL of the trigger
	 * @throws InputError while they have not responded, so that the service delivers the message again
	 */
	async once(context: IWebhookFunctions, own: string, publication: number): Promise<void> {
		const key = `${nodeKey(context)} ${publication}`;
		await untilOver(this.first.getOrSet(key, async () => await this.askAll(context, own)));
	}

	/** Asks again. @throws InputError while they have not responded */
	async again(context: IWebhookFunctions, own: string): Promise<void> {
		this.latest ??= this.askAll(context, own).then((isDone) => {
			void pause(isDone ? 0 : attemptPauseMs).then(() => (this.latest = undefined));
			return isDone;
		});
		await untilOver(this.latest);
	}

	/**
	 * If it fails, deliveries are handled all the same: a reply that also starts a workflow is better than a lost message.
	 *
	 * @returns whether all have responded
	 */
	private async askAll(context: IWebhookFunctions, own: string): Promise<boolean> {
		try {
			await withDeadline(this.askEach(context, own), maxAttemptMs);
			return true;
		} catch (error) {
			writeLog(
				context,
				'warn',
				`It could not be checked which questions of Send and Wait are open, so replies to them may also start workflows. ${asFailure(error).message}`,
			);
			return false;
		}
	}

	/** Repeats the call of a trigger that does not respond: its process may be starting. */
	private async askEach(context: IWebhookFunctions, own: string): Promise<void> {
		const end = Date.now() + maxAttemptMs;
		const webhooks = await listUntil(end, await connect(context));
		const others = compact(webhooks.map(({ url }) => url)).filter(
			(url) => isTriggerUrl(url, own) && !isOwnUrl(url, own),
		);
		const askOne = async (url: string) => {
			while (!(await this.ask(context, url))) {
				if (Date.now() > end) throw new InputError('Another trigger does not respond');
				await pause(1_000);
			}
		};
		await Promise.all(others.map(askOne));
	}
}

/** @throws InputError if an attempt is not over soon */
async function untilOver(attempt: Promise<boolean>): Promise<void> {
	if ((await Promise.race([attempt, pause(maxWaitMs)])) === undefined)
		throw new InputError('It is not known yet which questions are open');
}

/** Repeats the call while the service does not respond. @param end when to give up, ms since 1970. @throws ServiceError */
async function listUntil(end: number, client: Client): Promise<RegisteredWebhook[]> {
	for (;;) {
		const webhooks = await listWebhooks(client).catch(asFailure);
		if (Array.isArray(webhooks)) return webhooks;
		const mayPass = webhooks.kind === 'unreachable' || webhooks.kind === 'indeterminate';
		if (!mayPass || Date.now() > end) throw webhooks;
		await pause(1_000);
	}
}
