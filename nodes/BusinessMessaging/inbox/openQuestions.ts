/** Who was asked, and who has answered, while runs wait. Like core.ts, without n8n, clock or network. */
import { sortBy } from 'lodash';
import { z } from 'zod';

import type { OpenQuestion } from '../operations/sending/openQuestions';
import { type Person, type Run, isAwaited } from './core';
import type { Runs } from './runs';
import { executionOf } from './urls';

/** How many questions one response has at most. */
const maxInResponse = 2_000;

/** The place of a question in the order of all: the ID of its run, and the index of its item. */
export const placeSchema = z.tuple([z.string(), z.number()]);
export type Place = z.infer<typeof placeSchema>;

/** The questions of runs after a place, in an order that does not change, and the last one's place if there are more. */
export function openQuestions(
	runs: Runs,
	after?: Place,
): { inbox: 'yes'; open: OpenQuestion[]; next?: Place } {
	const open: OpenQuestion[] = [];
	let last: Place | undefined;
	for (const run of sortBy(runs.all(), 'id'))
		for (const person of sortBy([...run.people.values()], 'item')) {
			const place: Place = [run.id, person.item];
			if (after && !isAfter(place, after)) continue;
			if (open.length === maxInResponse) return { inbox: 'yes', open, next: last };
			open.push(toOpenQuestion(run, person));
			last = place;
		}
	return { inbox: 'yes', open };
}

function isAfter([run, item]: Place, [otherRun, otherItem]: Place): boolean {
	return run > otherRun || (run === otherRun && item > otherItem);
}

function toOpenQuestion(run: Run, person: Person): OpenQuestion {
	const { to, toldAt, messages, misfits, question, askedMessageId } = person;
	const { text = null, respondedAt = null } = [...misfits, ...messages].at(-1) ?? {};
	return {
		phone: to,
		status: statusOf(person),
		lastText: text,
		lastTextAt: respondedAt,
		question: run.questions[question].asked || null,
		askedAt: new Date(toldAt).toISOString(),
		waitsUntil: run.isAsked ? new Date(run.until).toISOString() : null,
		workflow: run.workflow,
		executionId: executionOf(run.url),
		askedMessageId,
	};
}

function statusOf(person: Person): OpenQuestion['status'] {
	if (isAwaited(person)) return 'waiting';
	return person.messages.length > 0 ? 'answered' : 'ended';
}
