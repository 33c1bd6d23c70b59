/** Finds the questions to the sender of a message. Like core.ts, without n8n, clock or network. */
import { compact, union, uniqBy } from 'lodash';

import { isPhoneKey, samePhoneKey } from '../phone/compare';
import type { Asked, Person, Run, Sender } from './core';

/** Runs by their names, and by the people whom they ask. */
export class Runs {
	private readonly byId = new Map<string, Run>();
	/** For each name of a person, see namesOf: the runs that ask this person, with the indexes of the items. */
	private readonly byName = new Map<string, Map<string, number[]>>();

	/** How many people the runs ask. */
	people = 0;

	get size(): number {
		return this.byId.size;
	}

	get(id: string): Run | undefined {
		return this.byId.get(id);
	}

	all(): Run[] {
		return [...this.byId.values()];
	}

	/** Adds a run, or a newer state of it. */
	set(run: Run): void {
		this.delete(run.id);
		this.byId.set(run.id, run);
		this.people += run.people.size;
		for (const person of run.people.values())
			for (const name of namesOf(person)) this.add(name, run, person);
	}

	private add(name: string, { id }: Run, { item }: Person): void {
		const runs = this.byName.get(name) ?? new Map<string, number[]>();
		this.byName.set(name, runs);
		runs.set(id, union(runs.get(id), [item]));
	}

	/** A newer state of a person, who may have more names. */
	update(run: Run, person: Person): void {
		run.people.set(person.item, person);
		for (const name of namesOf(person)) this.add(name, run, person);
	}

	/** Learns the name of a person who hides the number and quotes a question. @returns the runs that now know it */
	learnSender(message: Sender): Run[] {
		const { phone: sender, quoted } = message;
		if (sender === '' || isPhoneKey(sender)) return [];
		return this.to(message).flatMap(({ run, person }) => {
			if (!isQuoted(person, quoted) || person.sender !== undefined) return [];
			this.update(run, { ...person, sender });
			return run;
		});
	}

	delete(id: string): void {
		const run = this.byId.get(id);
		if (!run) return;
		this.byId.delete(id);
		this.people -= run.people.size;
		for (const name of [...run.people.values()].flatMap(namesOf)) {
			const runs = this.byName.get(name);
			runs?.delete(id);
			if (runs?.size === 0) this.byName.delete(name);
		}
	}

	/** Whether a message may come from somebody who is asked. */
	asks({ phone, quoted }: Sender): boolean {
		return this.byName.has(phone) || this.byName.has(quoteOf(quoted));
	}

	/**
	 * The questions to a sender: the quoted one alone, or all, the latest first. Thousands of runs may ask one phone. A
	 * person with a number is known by it. A quote that could come from several people is ignored.
	 */
	to({ phone, quoted }: Sender): Asked[] {
		const quoting = isPhoneKey(phone) ? [] : this.find(quoteOf(quoted));
		const isClear = uniqBy(quoting, ({ person }) => samePhoneKey(person.to)).length === 1;
		const asked = isClear
			? uniqBy([...this.find(phone), ...quoting], ({ person }) => person)
			: this.find(phone);
		const wanted = asked.filter(({ person }) => isQuoted(person, quoted));
		return (wanted.length > 0 ? wanted : asked).sort(latestFirst);
	}

	private find(name: string): Asked[] {
		const asked: Asked[] = [];
		for (const [id, items] of this.byName.get(name) ?? []) {
			const run = this.byId.get(id);
			for (const item of items) {
				const person = run?.people.get(item);
				if (run && person) asked.push({ run, person });
			}
		}
		return asked;
	}
}

/** How messages of a person are found: by the phone, the name of a person who hides the number, the quoted question. */
function namesOf(person: Person): string[] {
	return compact([samePhoneKey(person.to), person.sender, ...questionsOf(person).map(quoteOf)]);
}

/** The IDs of the messages that asked a person. */
export function questionsOf({ askedMessageId, misfits }: Person): string[] {
	return compact([askedMessageId, ...misfits.map(({ askedAgain }) => askedAgain)]);
}

function isQuoted(person: Person, quoted?: string): boolean {
	return quoted !== undefined && questionsOf(person).includes(quoted);
}

function quoteOf(id?: string): string {
	return id ? `question ${id}` : '';
}

function latestFirst(one: Asked, other: Asked): number {
	if (one.run === other.run) return other.person.item - one.person.item;
	return other.run.startedAt - one.run.startedAt || (other.run.id > one.run.id ? 1 : -1);
}
