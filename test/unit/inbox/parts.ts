/** Runs, people and messages for the tests of the inbox. */
import type {
	Arrived,
	Message,
	Person,
	Question,
	Run,
	RunState,
} from '../../../nodes/BusinessMessaging/inbox/core';
import { Keeper } from '../../../nodes/BusinessMessaging/inbox/keeper';
import { defaultAnswer } from '../../../nodes/BusinessMessaging/operations/sending/questionFields';

/** The URL of the trigger, and the number of the first person. */
export const own = 'https://n8n.test/webhook/a/webhook';
export const anna = '+15550001000';

/** The URL that resumes an execution. */
const waitingUrl = (id: string) =>
	`https://n8n.test/webhook-waiting/1/node?wait=${id}&signature=${'a'.repeat(64)}`;

/** A question for free text. */
export const questionOf = (more: Partial<Question> = {}): Question => ({
	...defaultAnswer(),
	asked: 'Tuesday?',
	...more,
});

/** A message of a reply, with its key as its text. */
export const messageOf = (key: string, more: Partial<Message> = {}): Message => ({
	...{ key, text: key, respondedAt: `at ${key}` },
	...more,
});

/** A message as a trigger receives it, without a time. */
export const arrivalOf = (more: Partial<Arrived> = {}): Arrived => ({
	...messageOf('m'),
	...{ phone: anna, firstAt: 0, isCertain: true },
	...more,
});

/** The person whom an item asks; each item asks another number. */
export const personOf = (item: number, more: Partial<Person> = {}): Person => ({
	...{ item, to: `+1555000100${item}`, question: 0, since: 0, toldAt: 0 },
	...{ askedMessageId: null, messages: [], misfits: [] },
	...more,
});

/** Their place in a run. */
export const byItem = (people: Person[]) => new Map(people.map((person) => [person.item, person]));

/** A run that has asked one person and waits; its time is up after ten minutes. */
export function runOf(more: Partial<Run> = {}): Run {
	const { id = 'run-0000001', startedAt = 0 } = more;
	return {
		...{ id, url: waitingUrl(id), workflow: 'Ask', startedAt, heardAt: startedAt },
		...{ until: startedAt + 600_000, isAsked: true },
		questions: [questionOf()],
		people: byItem([personOf(0)]),
		...more,
	};
}

/** An inbox to whose calls n8n responds with these states, and the texts that it outputs as late replies. */
export function inboxWith({
	states = [],
	isStoring = true,
	isStill = false,
}: {
	states?: RunState[];
	/** Whether n8n confirms that it has stored what is known. */
	isStoring?: boolean;
	/** Whether the clock stands still; otherwise, each pause is over at once. */
	isStill?: boolean;
}) {
	const late: Array<string | null> = [];
	let now = 1_000;
	const keeper: Keeper = new Keeper(
		own,
		{
			now: () => now,
			pause: async (ms) => {
				if (isStill) await new Promise(() => undefined);
				now += ms;
			},
			seal: (text) => text,
			unseal: (text) => text,
			callRun: async () => await Promise.resolve(states.shift() ?? 'gone'),
			callTrigger: async (_, { is }) => {
				if (is === 'late') {
					late.push(...[...keeper.known.late.values()].map(({ message }) => message.text));
					keeper.known.noteStarted([...keeper.known.late.keys()], now);
				}
				return await Promise.resolve(isStoring ? { inbox: 'yes' as const } : undefined);
			},
			repeat: async () => await Promise.resolve(undefined),
			warn: () => undefined,
		},
		'process',
	);
	return { keeper, late };
}
