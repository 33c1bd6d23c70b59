/** Has the published triggers of this n8n take the answers. */
import type { Listening } from '../execution/run';
import { InputError } from '../operations/inputError';
import { pause } from '../transport/deadline';
import { type Questions, isTriggerUrl, tellTrigger } from '../webhooks/question';
import type { RegisteredWebhook } from '../webhooks/registrations';
import type { Asking } from './asking';

/** How often the triggers hear who was asked meanwhile, ms. */
const tellPauseMs = 1_000;

/**
 * Tells the triggers who will be asked, then every second who was.
 *
 * @returns undefined if there is none
 * @throws InputError if they wait for too many people
 */
export async function listenByTrigger(
	asking: Asking,
	webhooks: RegisteredWebhook[],
): Promise<Listening | undefined> {
	const url = asking.context.getSignedResumeUrl({ wait: asking.run });
	const triggers = await findTriggers(asking, webhooks, asking.toQuestions(url));
	if (triggers.length === 0) return undefined;
	const tell = async (questions: Partial<Questions>, isOver = false) => {
		const request = { questions: { ...asking.toQuestions(url), ...questions }, isOver };
		const taken = await Promise.all(
			triggers.map(
				async (trigger) =>
					await tellTrigger(asking.context, asking.client.config.id, { ...request, trigger }),
			),
		);
		if (!taken.includes('yes'))
			asking.context.logger.warn('No trigger of this n8n took the questions.');
	};
	let isAsking = true;
	void (async () => {
		for (let reported = 0; isAsking; await pause(tellPauseMs)) {
			const { people } = asking;
			if (people.length > reported) await tell({ people });
			reported = people.length;
		}
	})();
	const stop = async () => {
		isAsking = false;
		await tell({}, true);
	};
	const wait = async () => {
		isAsking = false;
		const { people } = asking;
		const until = Date.now() + asking.limitMs;
		await tell({ people, until, isWhole: true }, people.length === 0);
		return people.length > 0 && (await asking.wait(until));
	};
	return { stop, wait };
}

/** The triggers that take the questions. Only addresses of this n8n are called. */
async function findTriggers(
	asking: Asking,
	webhooks: RegisteredWebhook[],
	questions: Questions,
): Promise<string[]> {
	const urls = webhooks.flatMap(({ url }) => (url && isTriggerUrl(url, questions.url) ? url : []));
	const taken = await Promise.all(
		urls.map(
			async (url) =>
				await tellTrigger(asking.context, asking.client.config.id, { trigger: url, questions }),
		),
	);
	if (!taken.includes('yes') && taken.includes('full')) {
		throw new InputError(
			'Business Messaging Trigger already waits for the maximum number of people',
			'Try again when some of them have answered. Nothing was sent.',
		);
	}
	return urls.filter((_, index) => taken[index] === 'yes');
}
