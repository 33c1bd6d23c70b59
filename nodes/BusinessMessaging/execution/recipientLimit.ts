/** Maximum Recipients: how many people get a message in one execution, counted by what really goes out. */
import { compact, min } from 'lodash';

import { recipientOf } from '../operations/phoneFields';
import {
	type Guard,
	type Outcome,
	type Send,
	type ValidItem,
	inState,
	isUnsent,
	skip,
} from './item';
import type { Rounds } from './rounds';

/** Asked before the other rules that hold back messages: whom they hold back takes up no place. */
export class RecipientLimit implements Guard {
	/** Everybody who got a message, or may have got one. */
	private readonly reached: Set<string>;

	private constructor(
		private readonly most: number,
		private readonly rounds: Rounds,
		items: ValidItem[],
	) {
		this.reached = new Set(rounds.reachedBefore());
		items.filter(inState('done', 'uncertain')).forEach((item) => this.add(item));
	}

	/**
	 * Undefined without the rule. If items differ, the smallest number counts.
	 *
	 * @param items also those that an earlier attempt has sent
	 * @throws InputError if this n8n forgets the earlier rounds of a loop
	 */
	static of(items: ValidItem[], rounds: Rounds): RecipientLimit | undefined {
		const limits = items.map(({ request }) => request.rules?.audience?.maxRecipients);
		const most = min(compact(limits));
		if (most === undefined) return undefined;
		rounds.checkKept("'Maximum Recipients'");
		return new RecipientLimit(most, rounds, items);
	}

	/** How many messages may be under way: with more, it would not be known who gets the last places. */
	get free(): number {
		return this.most - this.reached.size;
	}

	/** The outcome of an item that gets no place. */
	hold(item: ValidItem): Outcome | undefined {
		const hasPlace = this.free > 0 || this.reached.has(recipientOf(item.request));
		return hasPlace ? undefined : skip(item, 'limit');
	}

	/** Its person has a place. */
	add({ request }: ValidItem): void {
		const person = recipientOf(request);
		this.reached.add(person);
		this.rounds.reach(person);
	}

	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const held = this.hold(item);
		if (held) return held;
		const outcome = await send();
		if (!isUnsent(outcome)) this.add(item);
		return outcome;
	}
}
