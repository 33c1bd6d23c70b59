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
	const tellFirst = async (questions: Questions) =>
		(await callTrigger(context, client.config.id, { trigger: first, questions }))?.process;
	const processes = await tellProcesses(async () => await tellFirst(asking.toQuestions(url)));
	const tell = async (questions: Questions, isOver = false) => {
		const taken = await callTriggers(context, client.config.id, triggers, { questions, isOver });
		const isTaken = taken.includes('yes');
		if (processes > 1 && !isOver) await tellProcesses(async () => await tellFirst(questions));
		return isTaken;
	};
	let isAsking = true;
	void (async () => {
		for (let reported: Person[] = []; isAsking; await pause(tellPauseMs)) {
			const questions = asking.toQuestions(url);
			const asked = questions.people.filter(([, , , time]) => time !== null);
			// Also if nobody new was asked: a message whose sender was not asked waits for this report.
			if (await tell({ ...questions, people: differenceBy(asked, reported, '0') }))
				reported = asked;
		}
	})();
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
