/** Lets the published triggers of this n8n receive the replies. */
import { differenceBy } from 'lodash';
import { type INode, NodeOperationError } from 'n8n-workflow';

import type { Listening } from '../execution/run';
import { InputError } from '../transport/errors';
import { pause } from '../transport/deadline';
import { canonical } from '../webhooks/publicAddress';
import {
	type Person,
	type Questions,
	type TriggerResponse,
	callTrigger,
	callTriggers,
	isTriggerUrl,
	tellProcesses,
} from '../webhooks/question';
import type { RegisteredWebhook } from '../webhooks/registrations';
import type { Asking } from './asking';

/** How often the triggers learn who was asked, ms. */
const tellPauseMs = 1_000;
/** How often the final list is sent to the triggers, until one of them accepts it. */
const maxTold = 5;

/**
 * Tells the triggers who will be asked, then every second who was asked.
 *
 * @returns undefined without a trigger
 * @throws InputError if they wait for too many people
 */
export async function listenByTrigger(
	asking: Asking,
	webhooks: RegisteredWebhook[],
): Promise<Listening | undefined> {
	const { context, client } = asking;
	const url = canonical(context.getSignedResumeUrl({ wait: asking.run }));
	const triggers = await findTriggers(asking, webhooks, asking.toQuestions(url));
	const [first] = triggers;
	if (!first) return undefined;
	const call = async (trigger: string, questions: Questions) =>
		await callTrigger(context, client.config.id, { trigger, questions });
	const processes = await tellProcesses(
		async () => (await call(first, asking.toQuestions(url)))?.process,
	);
	const tell = async (questions: Questions, isOver = false) => {
		const taken = await callTriggers(context, client.config.id, triggers, { questions, isOver });
		if (processes > 1 && !isOver)
			await tellProcesses(async () => (await call(first, questions))?.process);
		return taken.includes('yes');
	};
	let isAsking = true;
	for (const trigger of triggers) {
		const callIt = async (questions: Questions) => await call(trigger, questions);
		const isShared = processes > 1 && trigger === first;
		void new Report(asking, url, callIt, isShared).repeat(() => isAsking);
	}
	const stop = async () => {
		isAsking = false;
		await tell(asking.toQuestions(url), true);
	};
	const wait = async () => {
		isAsking = false;
		const whole = { ...asking.toQuestions(url), isWhole: true };
		const isOver = asking.questions.length === 0;
		await untilTaken(context.getNode(), async () => (await tell(whole, isOver)) || isOver);
		return !isOver && (await asking.wait(whole.until));
	};
	return { stop, wait };
}

/** Tells a trigger who was asked since the last report. */
class Report {
	private reported: Person[] = [];

	/** @param isShared whether several processes are behind the URL */
	constructor(
		private readonly asking: Asking,
		private readonly url: string,
		private readonly call: (questions: Questions) => Promise<TriggerResponse | undefined>,
		private readonly isShared: boolean,
	) {}

	/** Every second, also if nobody new was asked: a message whose sender was not asked waits for this. */
	async repeat(isAsking: () => boolean): Promise<void> {
		for (; isAsking(); await pause(tellPauseMs)) await this.tell();
	}

	private async tell(): Promise<void> {
		const tellOne = async () => {
			const all = this.asking.toQuestions(this.url);
			const asked = all.people.filter(([, , , time]) => time !== null);
			const news = { ...all, people: differenceBy(asked, this.reported, '0') };
			const response = await this.call(news);
			// A process that was killed knows only what n8n has stored, and may lack earlier reports.
			const isIncomplete = Number(response?.known) < all.people.length + asked.length;
			return { asked, response: isIncomplete ? await this.call(all) : response };
		};
		const { asked, response } = await tellOne();
		if (this.isShared) await tellProcesses(async () => (await tellOne()).response?.process);
		if (response?.inbox === 'yes') this.reported = asked;
	}
}

/** Repeats what was not taken, as the trigger may just be published again. @throws NodeOperationError */
async function untilTaken(node: INode, tell: () => Promise<boolean>): Promise<void> {
	for (let attempt = 1; !(await tell()); attempt++) {
		if (attempt === maxTold)
			throw new NodeOperationError(
				node,
				'The questions were sent, but no Business Messaging Trigger of this n8n receives the replies',
				{
					description:
						'Publish the workflow with the trigger again, then retry this execution: it waits for the replies without asking again.',
				},
			);
		await pause(tellPauseMs);
	}
}

/** The triggers that accept the questions. Only URLs of this n8n are called. */
async function findTriggers(
	{ context, client }: Asking,
	webhooks: RegisteredWebhook[],
	questions: Questions,
): Promise<string[]> {
	const urls = webhooks.flatMap(({ url }) => (url && isTriggerUrl(url, questions.url) ? url : []));
	const taken = await callTriggers(context, client.config.id, urls, { questions });
	if (!taken.includes('yes') && taken.includes('full')) {
		throw new InputError(
			'Business Messaging Trigger already waits for the maximum number of people',
			'Try again when some of them have replied. Nothing was sent.',
		);
	}
	return urls.filter((_, index) => taken[index] === 'yes');
}
