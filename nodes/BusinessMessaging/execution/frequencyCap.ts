/**
 * Frequency Cap: limits the messages to one person in a calendar day, week or month (UTC), over all nodes of a
 * workflow. Before a message is sent, it takes a place: an entry in n8n's database, e.g. "second message of this week".
 * The place is freed only if the message was certainly not sent. docs/adr/0013-audience-rules.md
 */
import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Cap } from '../operations/sending/audienceRules';
import { recipientOf } from '../operations/phoneFields';
import { InputError } from '../transport/errors';
import { EntryStore, notWritten } from './entryStore';
import { type Guard, type Outcome, type Send, type ValidItem, isUnsent, skip } from './item';

/** The Frequency Cap for the items of a run that have one. */
export class FrequencyCap implements Guard {
	readonly store: EntryStore;
	private readonly freed = new Set<string>();

	constructor(context: IExecuteFunctions) {
		this.store = EntryStore.of(context, 'workflow');
	}

	/** Sends the message of an item unless its recipient has had the maximum number of messages. */
	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const cap = item.request.rules?.audience?.cap;
		if (!cap) return await send();
		const taking = this.takePlace(recipientOf(item.request), cap);
		const place = await taking.catch((cause) => notWritten('Frequency Cap', cause));
		if (place instanceof InputError) return { failure: place };
		if (!place) return skip(item, 'frequencyCap');
		const outcome = await send();
		if (isUnsent(outcome)) {
			this.store.remove(place);
			this.freed.add(place);
		}
		return outcome;
	}

	/** Frees the places that are still to be freed, at the end of a run. Does not throw: if this fails, the cap counts a message too many. */
	async close(): Promise<void> {
		await this.store.flush(this.freed);
	}

	/** Takes the first free place. @returns its entry, or undefined if the person has had the maximum number of messages */
	private async takePlace(person: string, { messages, per }: Cap): Promise<string | undefined> {
		const period = periodOf(per, Date.now());
		for (let place = 1; place <= messages; place++) {
			const entry = `cap ${person} ${period} ${place}`;
			if (await this.store.claim(entry)) return entry;
		}
		return undefined;
	}
}

/** The name of a calendar day, week (from Monday) or month in UTC, e.g. `2030-02-28`, `2030-W09` or `2030-02`. */
function periodOf(per: Cap['per'], time: number): string {
	const date = DateTime.fromMillis(time, { zone: 'utc' });
	const names = {
		day: () => date.toISODate(),
		week: () => date.toISOWeekDate()?.slice(0, -2),
		month: () => date.toISODate()?.slice(0, -3),
	};
	return String(names[per]());
}
