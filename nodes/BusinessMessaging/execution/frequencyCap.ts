/**
 * Frequency Cap: at most so many messages to one person in so many days, over all nodes of a workflow.
 *
 * Each message takes a place of its day, e.g. the second of today, in n8n's database before it is sent. A place is given
 * back only if the message certainly was not sent. docs/adr/0013-audience-rules.md
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import { range } from 'lodash';

import { withLock } from '../mutex';
import { recipientOf } from '../operations/phone';
import { InputError } from '../transport/errors';
import { batched } from './batched';
import { History, notWritten } from './history';
import { type Outcome, type ValidItem, hasFailed, skip } from './item';

const dayMs = 24 * 60 * 60_000;

/** A person, and how many messages in how many days are allowed. */
interface Wish {
	person: string;
	messages: number;
	days: number;
}

/** The Frequency Cap for the items of a run that have one. */
export class FrequencyCap {
	private readonly history: History;
	private readonly lockName: string;
	/** Takes a place. @returns its name in the database, or undefined if the person has got enough messages */
	private readonly take: (wish: Wish) => Promise<string | undefined>;

	constructor(context: IExecuteFunctions) {
		this.history = new History(context.helpers, 'workflow');
		this.lockName = String(context.getWorkflow().id);
		this.take = batched(this.lockName, async (wishes) => await this.takePlaces(wishes));
	}

	/** Sends the message of an item unless its recipient has got enough. */
	async guard(item: ValidItem, send: () => Promise<Outcome>): Promise<Outcome> {
		const { audience } = item.request;
		if (!audience?.cap) return await send();
		const wish = { person: recipientOf(item.request), ...audience.cap };
		const place = await this.take(wish).catch((cause) => notWritten('Frequency Cap', cause));
		if (place instanceof InputError) return { failure: place };
		if (!place) return skip(item, 'frequencyCap');
		const outcome = await send();
		const isUnsent = hasFailed(outcome)
			? outcome.failure.sendStatus === 'notSent'
			: outcome.isLeftOut;
		if (isUnsent) this.history.removals.add(place);
		return outcome;
	}

	/** Which of the items could be sent in their order, without taking places. `isWanted` says which would be sent. */
	async look(items: ValidItem[], isWanted: boolean[]): Promise<boolean[]> {
		const wishes = items.map(({ request }) => ({
			person: recipientOf(request),
			...(request.audience?.cap ?? { messages: Infinity, days: 0 }),
		}));
		const used = await withLock(this.lockName, async () => await this.countUsed(wishes));
		const earlier = new Map<string, number>();
		return wishes.map(({ person, messages }, index) => {
			const before = earlier.get(person) ?? 0;
			const isAllowed = used[index].count + before < messages;
			earlier.set(person, before + (isAllowed && isWanted[index] ? 1 : 0));
			return isAllowed;
		});
	}

	/** Gives back what is left at the end of a run. Does not throw: the cap then counts a message too many. */
	async close(): Promise<void> {
		const tidy = async () => {
			await this.history.remove();
			await this.history.removeMarks();
		};
		await withLock(this.lockName, tidy).catch(() => undefined);
	}

	private async takePlaces(wishes: Wish[]): Promise<Array<string | undefined>> {
		await this.history.remove(); // places that were given back are free
		const taken = new Map<Wish, string>();
		let open = wishes;
		// A place that another process has just taken is no longer free: then there is a next one, or none.
		while (open.length > 0) {
			const used = await this.countUsed(open);
			const next = new Map(open.map((wish, index) => [wish, used[index]]));
			open = open.filter((wish) => (next.get(wish)?.count ?? 0) < wish.messages);
			const placeFor = (wish: Wish) => next.get(wish)?.nextPlace ?? '';
			const ours = await this.history.add(open.map(placeFor));
			for (const wish of open) if (ours.delete(placeFor(wish))) taken.set(wish, placeFor(wish));
			open = open.filter((wish) => !taken.has(wish));
		}
		return wishes.map((wish) => taken.get(wish));
	}

	/** How many messages each person got, and the first free place of today. */
	private async countUsed(wishes: Wish[]): Promise<Array<{ count: number; nextPlace?: string }>> {
		const today = Math.floor(Date.now() / dayMs);
		const placesOf = ({ person, messages, days }: Wish) =>
			range(0, -days).map((day) =>
				range(0, messages).map((place) => `cap ${person} ${today + day} ${place}`),
			);
		const all = wishes.map(placesOf);
		const free = await this.history.missing(all.flat(2));
		return all.map((days) => ({
			count: days.flat().filter((place) => !free.has(place)).length,
			nextPlace: days[0]?.find((place) => free.has(place)),
		}));
	}
}
