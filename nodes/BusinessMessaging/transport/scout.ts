/** How far a list goes whose length the service does not say: single pages far ahead show it for those before them. */
import { isEqual } from 'lodash';

/** A page by what tells its records from others. */
interface Found {
	number: number;
	keys: string[];
}

/** What the pages far ahead tell. Some services answer beyond the last page with the last or the first one, always the same. */
export class Scout {
	/** The furthest page that is certainly there. */
	reached = 0;
	private furthest: Found = { number: 0, keys: [] };
	private beyond?: Found;

	/** The furthest page that is there, or is the last one given again. */
	get seen(): number {
		return this.furthest.number;
	}

	/**
	 * Takes note of a page further ahead than those before.
	 *
	 * @param isNew whether it is full, and does not begin as one that was read
	 * @returns whether there may be further ones
	 */
	note(found: Found, isNew: boolean): boolean {
		const isSame = isEqual(found.keys, this.furthest.keys);
		if (!isSame) this.reached = this.furthest.number; // two that differ are not both the last one given again
		const goesOn = isNew && !isSame;
		if (goesOn) this.furthest = found;
		else this.beyond = found;
		return goesOn;
	}

	/** Whether a page is what the service gives far beyond it, too, and so the last one, or one beyond it that is given again. */
	isLast({ number, keys }: Found, isKnown: boolean): boolean {
		const isBefore = (far?: Found) =>
			far !== undefined && number < far.number && isEqual(keys, far.keys);
		return (
			isBefore(this.furthest) ||
			isBefore(this.beyond) ||
			(isKnown && isEqual(keys, this.beyond?.keys))
		);
	}
}
