/** Identifiers and moments as a service with other habits writes them. */
import { isPlainObject, mapKeys } from 'lodash';

import type { Choice } from './table';

const timeKeys = ['timestamp', 'createdAt', 'updatedAt'];

/** Rewrites records on their way out, and identifiers on their way in. */
export class Wording {
	private readonly numbers = new Map<string, number>();
	private readonly originals = new Map<string, string>();

	constructor(private readonly choice: Choice) {}

	/**
	 * A record, a list of them, or what holds some, in the service's words.
	 *
	 * @param isMessage whether a record is a message
	 */
	out(value: unknown, isMessage: boolean): unknown {
		const { choice } = this;
		const isUsual =
			choice['id-key'] === 'id' &&
			choice['id-type'] === 'string' &&
			choice['time-format'] === 'iso';
		return isUsual
			? value
			: this.rewrite(
					value,
					choice['id-key'] === 'messageId' && !isMessage ? 'id' : choice['id-key'],
				);
	}

	/** The sandbox's own identifier for one that it has given out. */
	in(id: string): string {
		return this.originals.get(id) ?? id;
	}

	private rewrite(value: unknown, idKey: string): unknown {
		if (Array.isArray(value)) return value.map((entry) => this.rewrite(entry, idKey));
		if (!isPlainObject(value)) return value;
		const fields = Object.entries(value as object).flatMap(([key, entry]) =>
			this.field(key, entry, idKey),
		);
		return mapKeys(Object.fromEntries(fields), (_, key) => (key === 'id' ? idKey : key));
	}

	private field(key: string, value: unknown, idKey: string): Array<[string, unknown]> {
		if (timeKeys.includes(key) && typeof value === 'string') return this.time(key, value);
		const isId = /^id$|Id$/.test(key) && typeof value === 'string';
		return [[key, isId ? this.id(value) : this.rewrite(value, idKey)]];
	}

	private id(id: string): string | number {
		if (this.choice['id-type'] === 'string') return id;
		const number = this.numbers.get(id) ?? 1001 + this.numbers.size;
		this.numbers.set(id, number);
		this.originals.set(String(number), id);
		return number;
	}

	private time(key: string, value: string): Array<[string, unknown]> {
		const ms = Date.parse(value);
		const forms = {
			iso: value,
			seconds: Math.floor(ms / 1000),
			milliseconds: ms,
			absent: undefined,
		};
		const time = forms[this.choice['time-format']];
		return time === undefined ? [] : [[key, time]];
	}
}
