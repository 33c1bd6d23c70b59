/** Has the published triggers of this n8n take the answers. */
import { isRecord } from '../api/read';
import type { Listening } from '../execution/run';
import { InputError } from '../operations/inputError';
import { pause } from '../transport/deadline';
import { type Questions, post, rootOf, sealedRequest } from '../webhooks/question';
import type { RegisteredWebhook } from '../webhooks/registrations';
import type { Asking } from './asking';

/** How often the triggers hear who was asked meanwhile, ms. */
const tellPauseMs = 1_000;
const maxAttempts = 3;

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
			triggers.map(async (trigger) => await tellTrigger(asking, trigger, request)),
		);
		if (!taken.includes('yes'))
			asking.context.logger.warn('No trigger of this n8n could be told who was asked.');
	};
	let isAsking = true;
	void (async () => {
		for (let told = 0; isAsking; await pause(tellPauseMs)) {
			const people = asking.people;
			if (people.length > told) await tell({ people });
			told = people.length;
		}
	})();
	return {
		stop: async () => {
			isAsking = false;
			await tell({}, true);
		},
		wait: async () => {
			isAsking = false;
			const [{ people }, until] = [asking, Date.now() + asking.limitMs];
			const hasQuestions = people.length > 0;
			await tell({ people, until, isWhole: true }, !hasQuestions);
			return hasQuestions && (await asking.wait(until));
		},
	};
}

/** The triggers that take the questions. Only addresses of this n8n are called. */
async function findTriggers(
	asking: Asking,
	webhooks: RegisteredWebhook[],
	questions: Questions,
): Promise<string[]> {
	const root = rootOf(questions.url);
	const isTrigger = ({ url = '' }: RegisteredWebhook) =>
		url.startsWith(root) &&
		URL.canParse(url) &&
		new URL(url).href === url &&
		/^(?!webhook-test\/)[^?]+\/webhook\?token=[\w-]{43}$/.test(url.slice(root.length));
	const urls = webhooks.filter(isTrigger).map(({ url }) => url as string);
	const taken = await Promise.all(
		urls.map(async (url) => await tellTrigger(asking, url, { questions })),
	);
	if (!taken.includes('yes') && taken.includes('full')) {
		throw new InputError(
			'Business Messaging Trigger waits for the answers of as many people as it can',
			'Try again when some of them have answered. Nothing was sent.',
		);
	}
	return urls.filter((_, index) => taken[index] === 'yes');
}

/** @returns yes or full; anything else if it takes no questions */
async function tellTrigger(
	{ context, client }: Asking,
	url: string,
	request: { questions: Questions; isOver?: boolean },
): Promise<unknown> {
	for (let attempt = 1; ; attempt++) {
		const body = sealedRequest(client.config.id, { ...request, trigger: url });
		const response = await post(context, url, body).catch(() => undefined);
		if (response && response.statusCode < 500)
			return isRecord(response.body) ? response.body.inbox : undefined;
		if (attempt === maxAttempts) return undefined;
		await pause(attempt * tellPauseMs);
	}
}
