/** What the other triggers of this n8n know: asked when Send and Wait may not have been able to inform a trigger. */
import { compact } from 'lodash';
import type { IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { connect } from '../transport/connect';
import { pause, withDeadline } from '../transport/deadline';
import { InputError, asFailure } from '../transport/errors';
import { nodeKey } from './nodeState';
import { isTriggerUrl } from './question';
import { listWebhooks } from './registrations';
import { isOwnUrl } from './secret';

/** How long a delivery waits for the other triggers, ms. After that, the service has to deliver it again. */
const maxWaitMs = 5_000;
/** How long an attempt may take, and how long after a failed one the next can begin, ms. */
const maxAttemptMs = 30_000;
const attemptPauseMs = 5_000;

/** Asks the other triggers of a service which questions are open. */
export class Learning {
	/** For which publication of a trigger they were asked. */
	private readonly done = new BoundedMap<string, number>({ maxSize: 1_000 });
	/** The attempt that all deliveries wait for, or one that has just failed: whether it has succeeded. */
	private attempt?: Promise<boolean>;

	/** @param ask asks one trigger; false without a response */
	constructor(
		private readonly ask: (context: IWebhookFunctions, url: string) => Promise<boolean>,
	) {}

	/**
	 * Once for each publication of a trigger: it knows nothing of questions that were sent while it was not published, or this
	 * process was down.
	 *
	 * @param own URL of the trigger
	 * @throws InputError while they have not responded, so that the service delivers the message again
	 */
	async once(context: IWebhookFunctions, own: string, publication: number): Promise<void> {
		const node = nodeKey(context);
		if (this.done.get(node) === publication) return;
		if (await this.again(context, own)) this.done.set(node, publication);
	}

	/** @returns whether they could be asked. @throws InputError while they have not responded */
	async again(context: IWebhookFunctions, own: string): Promise<boolean> {
		this.attempt ??= this.askAll(context, own);
		const isDone = await Promise.race([this.attempt, pause(maxWaitMs)]);
		if (isDone === undefined) throw new InputError('It is not known yet which questions are open');
		return isDone;
	}

	/** If it fails, deliveries are handled all the same: a reply that also starts a workflow is better than a lost message. */
	private async askAll(context: IWebhookFunctions, own: string): Promise<boolean> {
		try {
			await withDeadline(this.askEach(context, own), maxAttemptMs);
			this.attempt = undefined;
			return true;
		} catch (error) {
			context.logger.warn(
				`It could not be checked which questions of Send and Wait are open, so replies to them may also start workflows. ${asFailure(error).message}`,
			);
			void pause(attemptPauseMs).then(() => (this.attempt = undefined));
			return false;
		}
	}

	/** Repeats the call of a trigger that does not respond: its process may be starting. */
	private async askEach(context: IWebhookFunctions, own: string): Promise<void> {
		const end = Date.now() + maxAttemptMs;
		const webhooks = await listWebhooks(await connect(context));
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
