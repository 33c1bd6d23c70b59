/** Lets the published triggers of this n8n receive the replies. */
import { differenceBy } from 'lodash';

import type { Listening } from '../execution/run';
import { InputError } from '../transport/errors';
import { pause } from '../transport/deadline';
import {
	type Person,
	type Questions,
	callTrigger,
	callTriggers,
	isTriggerUrl,
	tellProcesses,
} from '../webhooks/question';
import type { RegisteredWebhook } from '../webhooks/registrations';
import type { Asking } from './asking';

/** How often the triggers learn who was asked, ms. */
const tellPauseMs = 1_000;

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
	const url = context.getSignedResumeUrl({ wait: asking.run });
	const triggers = await findTriggers(asking, webhooks, asking.toQuestions(url));
	const [first] = triggers;
	if (!first) return undefined;
	const tellFirst = async (questions: Questions) =>
		(await callTrigger(context, client.config.id, { trigger: first, questions })).process;
	const processes = await tellProcesses(async () => await tellFirst(asking.toQuestions(url)));
	const tell = async (questions: Questions, isOver = false) => {
		const taken = await callTriggers(context, client.config.id, triggers, { questions, isOver });
		const isTaken = taken.includes('yes');
		if (!isTaken) context.logger.warn('No trigger of this n8n accepted the questions.');
		if (processes > 1 && !isOver) await tellProcesses(async () => await tellFirst(questions));
		return isTaken;
	};
	let isAsking = true;
	void (async () => {
		for (let reported: Person[] = []; isAsking; await pause(tellPauseMs)) {
			const questions = asking.toQuestions(url);
			const asked = questions.people.filter(([, , , time]) => time !== null);
			const people = differenceBy(asked, reported, '0');
			// Also if nobody new was asked: a message whose sender was not asked waits for this report.
			if (await tell({ ...questions, people })) reported = asked;
		}
	})();
	const stop = async () => {
		isAsking = false;
		await tell(asking.toQuestions(url), true);
	};
	const wait = async () => {
		isAsking = false;
		const questions = asking.toQuestions(url);
		await tell({ ...questions, isWhole: true }, asking.questions.length === 0);
		return asking.questions.length > 0 && (await asking.wait(questions.until));
	};
	return { stop, wait };
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
