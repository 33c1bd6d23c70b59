/**
 * Frequency Cap: limits the messages to one person in a number of days, over all nodes of a workflow. Before it
 * is sent, each message adds an entry to n8n's database, e.g. "second message of today": it takes a place. The
 * place is freed only if the message was certainly not sent. docs/adr/0013-audience-rules.md
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import { range } from 'lodash';

import { withLock } from '../mutex';
import { recipientOf } from '../operations/phone';
import { InputError } from '../transport/errors';
import { batched } from './batched';
import { History, notWritten } from './history';
import { type Outcome, type ValidItem, isUnsent, skip } from './item';

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
	/** Takes a place. @returns its entry in the database, or undefined if the person got enough messages */
	private readonly take: (wish: Wish) => Promise<string | undefined>;

	constructor(context: IExecuteFunctions) {
		this.history = new History(context.helpers, 'workflow');
		this.lockName = String(context.getWorkflow().id);
		this.take = batched(this.lockName, async (wishes) => await this.takePlaces(wishes));
	}

	/** Sends the message of an item unless its recipient got enough. */
	async guard(item: ValidItem, send: () => Promise<Outcome>): Promise<Outcome> {
		const { audience } = item.request;
		if (!audience?.cap) return await send();
		const wish = { person: recipientOf(item.request), ...audience.cap };
		const place = await this.take(wish).catch((cause) => notWritten('Frequency Cap', cause));
		if (place instanceof InputError) return { failure: place };
		if (!place) return skip(item, 'frequencyCap');
		const outcome = await send();
		if (isUnsent(outcome)) this.history.removals.add(place);
		return outcome;
	}

	/** Which of the items could be sent in their order, without taking places. `isWanted` says which ones the other rules allow. */
	async look(items: ValidItem[], isWanted: boolean[]): Promise<boolean[]> {
		const wishes = items.map(({ request }) => ({
			person: recipientOf(request),
			...(request.audience?.cap ?? { messages: Infinity, days: 0 }),
		}));
		const used = await withLock(this.lockName, async () => await this.countUsed(wishes));
		const earlier = new Map<string, number>();
		return wishes.map(({ person, messages }, index) => {
			const before = earlier.get(person) ?? 0;
			const isAllowed = used[index] + before < messages;
			earlier.set(person, before + (isAllowed && isWanted[index] ? 1 : 0));
			return isAllowed;
		});
	}

	/** Frees the remaining places at the end of a run. Does not throw: the cap then counts a message too many. */
	async close(): Promise<void> {
		const tidy = async () => {
			await this.history.remove();
			await this.history.removeMarks();
		};
		await withLock(this.lockName, tidy).catch(() => undefined);
	}

	/**
	 * Takes today's places one after the other without a lookup: a lookup adds and removes entries, which could remove an
	 * entry that another process has just added.
	 */
	private async takePlaces(wishes: Wish[]): Promise<Array<string | undefined>> {
		await this.history.remove(); // freed places are free
		const today = dayOf(Date.now());
		const before = await this.countUsed(wishes, 1);
		const taken = new Map<Wish, string>();
		for (let place = 0; ; place++) {
			const open = wishes.filter(
				(wish, index) => !taken.has(wish) && before[index] + place < wish.messages,
			);
			if (open.length === 0) return wishes.map((wish) => taken.get(wish));
			const placeFor = (wish: Wish) => placeOf(wish, today, place);
			const ours = await this.history.add(open.map(placeFor)).catch((error: unknown) => {
				for (const entry of taken.values()) this.history.removals.add(entry); // nothing is sent
				throw error;
			});
			for (const wish of open) if (ours.delete(placeFor(wish))) taken.set(wish, placeFor(wish));
		}
	}

	/** How many messages each person got on all days of the cap, or only before today. */
	private async countUsed(wishes: Wish[], firstDay = 0): Promise<number[]> {
		const today = dayOf(Date.now());
		const all = wishes.map((wish) =>
			range(firstDay, wish.days).flatMap((day) =>
				range(0, wish.messages).map((place) => placeOf(wish, today - day, place)),
			),
		);
		const free = await this.history.missing(all.flat());
		return all.map((places) => places.filter((place) => !free.has(place)).length);
	}
}

const dayOf = (time: number) => Math.floor(time / dayMs);
const placeOf = ({ person }: Wish, day: number, place: number) => `cap ${person} ${day} ${place}`;
