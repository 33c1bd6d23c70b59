/** What all records have in common. */
import { pull } from 'lodash';

import { notFound } from '../errorResponses';

/** Records of one kind, which are found and deleted by their ID. */
export abstract class Records<T extends { id: string }> {
	/** In the order of their creation. */
	readonly all: T[] = [];

	/** What a record is called in errors, e.g. `contact`. */
	protected abstract readonly kind: string;

	get(id: string): T | undefined {
		return this.all.find((record) => record.id === id);
	}

	/** @throws HttpError 404 */
	find(id: string): T {
		const record = this.get(id);
		if (!record) throw notFound(`There is no ${this.kind} ${id}`);
		return record;
	}

	/** @returns the deleted record @throws HttpError 404 */
	delete(id: string): T {
		const record = this.find(id);
		pull(this.all, record);
		return record;
	}
}
