/** The asking half: registers for the answers before the first question goes out, and has n8n wait. */
import { randomUUID } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { toErrorItem } from '../execution/errors';
import { type Item, type ValidItem, isValid } from '../execution/item';
import type { Listening } from '../execution/run';
import { asText } from '../operations/asText';
import { InputError } from '../operations/inputError';
import { asFailure, hasFailed } from '../operations/outcome';
import { connect } from '../transport/connect';
import { checkDeliverable } from '../webhooks/publicAddress';
import { type Registration, Registry } from './registry';
import { discard, graceMs, watch } from './watch';
import { type Question, keepWait } from './wait';

/** Each of them has a registration of its own, to which the service delivers every message that comes in. */
const mostPeople = 100;
const timeKeys = ['timestamp', 'time', 'createdAt', 'created_at', 'sentAt'];

/**
 * Registers for the answers of all valid items.
 *
 * @throws InputError for an n8n that is too old, an address of it that the service cannot reach, or too many people; ServiceError
 */
export async function listenForReplies(
	context: IExecuteFunctions,
	items: Item[],
): Promise<Listening> {
	if (typeof context.getSignedResumeUrl !== 'function') {
		throw new InputError(
			'Send and Wait for Reply needs n8n 1.107 or newer',
			'Update n8n. Everything else of this node works with this one, too.',
		);
	}
	const client = await connect(context, { signal: context.getExecutionCancelSignal() });
	const asked = items.filter(isValid);
	const registry = Registry.of(context, client);
	check(registry, asked.length);
	// From now on also after those that an n8n which has ended meanwhile has left behind.
	watch(context, registry, await registry.list());

	const run = randomUUID();
	const now = Date.now();
	const until = now + Math.max(0, ...asked.map(({ request }) => request.question?.limitMs ?? 0));
	const registrations = await registerAll(context, registry, asked, { run, asked: now, until });
	watch(context, registry, registrations);
	return {
		stop: async () => await discard(context, registry, registrations),
		wait: async () => {
			const questions = asked.flatMap((item) => toQuestion(item) ?? []);
			const needless = registrations.filter(
				({ ticket }) => !questions.some(({ item }) => item === ticket.item),
			);
			if (needless.length > 0) await discard(context, registry, needless);
			if (questions.length === 0) return false;
			const registrationIds = registrations.flatMap(({ id }) => id ?? []);
			keepWait(context, { run, until, questions, failed: failedItems(items), registrationIds });
			await context.putExecutionToWait(new Date(until + graceMs));
			return true;
		},
	};
}

function failedItems(items: Item[]): INodeExecutionData[] {
	return items.flatMap(({ index, outcome }) =>
		hasFailed(outcome) ? [toErrorItem(outcome.failure, index)] : [],
	);
}

function check({ base, client }: Registry, people: number): void {
	checkDeliverable(base, client.config);
	if (people > mostPeople) {
		throw new InputError(
			`${people} people would be asked at once, and at most ${mostPeople} can be`,
			'Put a Loop Over Items before this node, or call a workflow with it for each item. Nothing was sent.',
		);
	}
}

async function registerAll(
	context: IExecuteFunctions,
	registry: Registry,
	asked: ValidItem[],
	times: { run: string; asked: number; until: number },
): Promise<Registration[]> {
	const outcomes = await Promise.all(
		asked.map(async ({ index, request: { body } }) => {
			const ticket = { ...times, item: index, to: asText(body?.to) };
			return await registry.add(registry.urlFor(context, ticket), ticket).catch(asFailure);
		}),
	);
	const made = outcomes.filter((outcome): outcome is Registration => !(outcome instanceof Error));
	const failure = outcomes.find((outcome) => outcome instanceof Error);
	if (!failure) return made;
	await discard(context, registry, made);
	throw failure;
}

function toQuestion({ index, request, outcome }: ValidItem): Question | undefined {
	const { body, question } = request;
	if (!outcome || hasFailed(outcome) || !question) return undefined;
	const [{ messageId = null, ...record } = {}] = outcome.records;
	const askedTime = timeKeys.map((key) => record[key]).find((time) => typeof time === 'string');
	return {
		item: index,
		to: asText(body?.to),
		askedMessageId: messageId as string | null,
		settings: question,
		...(askedTime && { askedTime }),
	};
}
