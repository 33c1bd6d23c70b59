/** What a listing over pages asks the service for, one page at a time or several, and which records it knows already. */
import type { Endpoint } from '../api/endpoints';
import { type ServiceRecord, readId, readList, readTotal } from '../api/read';
import type { Client } from './client';
import { ServiceError, isRefusedContent } from './errors';
import { Scout } from './scout';

/** Greatest number of pages, known to be there, that are asked for ahead of the one that is awaited. */
const mostAhead = 4;
/** How many pages lie between those that are looked for far ahead. */
const stride = 2 * mostAhead;

/** Page sizes, tried until the service takes one; undefined leaves it to the service. */
export type PageSizes = Array<number | undefined>;

/** One page as it was given. */
export interface Page {
	records: ServiceRecord[];
	/** How many records there are on all pages, if the service says so. */
	total?: number;
	/** Which answer of the listing it was, as they came. */
	turn: number;
	/** Whether it was asked for before the page before had come, and so may be the older one. */
	isEarly?: boolean;
}

/** One listing under way: what it asks for, and what it has found. */
export class Listing {
	/** How many requests may still turn out to be needless: of 3, one is for the page that shows the end. */
	spare = 2;
	private readonly seen = new Set<string>();
	private size?: number;
	private readonly ahead = new Map<number, Promise<Page>>();
	/** Answers so far. */
	private turns = 0;
	private scout?: Scout;
	private looking?: Promise<void>;

	constructor(
		private readonly client: Client,
		private readonly endpoint: Endpoint,
		private readonly query: Record<string, unknown>,
	) {}

	/** Whether the user has chosen a page. */
	get isFixed(): boolean {
		return 'page' in this.query;
	}

	/** How many records have been found. */
	get count(): number {
		return this.seen.size;
	}

	/** The first page, of the first size that the service takes. */
	async begin([size, ...others]: PageSizes): Promise<Page> {
		this.size = size;
		const page = this.load();
		if (others.length === 0 || 'limit' in this.query) return await page;
		return await page.catch(async (error) => {
			if (!isRefusedContent(error)) throw error;
			this.spare--;
			return await this.begin(others);
		});
	}

	/**
	 * Asks for pages beyond one that is on its way, as far as they are known to be there.
	 *
	 * @param left how many there are if the service says so; else as many as a page far ahead has shown
	 */
	askAhead(number: number, left = (this.scout?.reached ?? 0) - number): void {
		for (let next = number + 1; next <= number + Math.min(left, mostAhead); next++) this.ask(next);
	}

	/**
	 * Looks for a page far ahead, which shows that those before it are there; a short list is not worth that request.
	 *
	 * @param size records on a full page
	 */
	lookAhead(number: number, size: number): void {
		if (number <= mostAhead || this.looking || this.spare < 1) return;
		this.scout ??= new Scout();
		if (this.scout.reached - number < stride)
			this.looking = this.look(this.scout, Math.max(number, this.scout.seen) + stride, size);
	}

	/** A needless page is forgotten, and if it is the last one, asked for again in its turn. */
	private async look(scout: Scout, number: number, size: number): Promise<void> {
		this.ask(number);
		const { records = [] } = (await this.ahead.get(number)?.catch(() => undefined)) ?? {};
		const isNew = records.length >= size && !this.seen.has(keyOf(records[0]));
		if (!scout.note({ number, keys: records.map(keyOf) }, isNew)) {
			this.spare = 0;
			this.ahead.delete(number);
		}
		this.looking = undefined;
	}

	/** Whether a page is what the service gave far beyond it, and so the last one, or one beyond it that is given again. */
	isLast(number: number, { records }: Page, fresh: ServiceRecord[]): boolean {
		return this.scout?.isLast({ number, keys: records.map(keyOf) }, fresh.length === 0) ?? false;
	}

	private ask(number: number): void {
		if (this.ahead.has(number)) return;
		const page = this.loadOrEnd(number).then((early) => ({ ...early, isEarly: true }));
		page.catch(() => {}); // whoever takes it gets the error
		this.ahead.set(number, page);
	}

	/** A page; without records beyond the last one. One that may not be there is not asked for while that is about to show. */
	async take(number: number): Promise<Page> {
		if (this.looking && !this.ahead.has(number)) await this.looking;
		const page = await (this.ahead.get(number) ?? this.loadOrEnd(number));
		this.ahead.delete(number);
		return page;
	}

	/** Waits until nothing is under way. */
	async settle(): Promise<void> {
		await Promise.allSettled(this.ahead.values());
	}

	private async load(page?: number): Promise<Page> {
		const numbers = {
			...(this.size !== undefined && { limit: this.size }),
			...this.query,
			...(page !== undefined && { page }),
		};
		const body = await this.client.call(this.endpoint, { query: numbers });
		const records = readList(body);
		if (records) return { records, total: readTotal(body), turn: ++this.turns };
		throw new ServiceError('The service answered without a list', {
			kind: 'indeterminate',
			description: 'Check Base URL and Layout in the credential.',
		});
	}

	private async loadOrEnd(page: number): Promise<Page> {
		return await this.load(page).catch((error) => this.endOrThrow(error));
	}

	/** Some services answer a page beyond the last with 404, and one that does not page refuses the parameter. */
	private endOrThrow(error: unknown): Page {
		const isMissing = error instanceof ServiceError && [404, 416].includes(error.statusCode ?? 0);
		if (isMissing || isRefusedContent(error)) return { records: [], turn: ++this.turns };
		throw error;
	}

	/** Leaves out records that an earlier page held, which happens when others are added meanwhile. */
	keepNew({ records }: Page): ServiceRecord[] {
		const own: string[] = [];
		return records.filter((record) => {
			const key = keyOf(record);
			const { size } = this.seen;
			if (this.seen.add(key).size === size) return own.includes(key); // the same twice on this page is the service's own
			own.push(key);
			return true;
		});
	}

	/**
	 * What was on neither of two pages, as there were fewer records when the second was given: it has moved onto the first
	 * meanwhile; or, if the second was given before the first, and records were added in between, onto the second.
	 */
	async findMoved(number: number, { isEarly }: Page): Promise<ServiceRecord[]> {
		const moved = await this.findNew(number - 1);
		return isEarly && moved.length === 0 ? await this.findNew(number) : moved;
	}

	/** What is new on each of these pages, which were read before. */
	async *readAgain(numbers: number[]): AsyncGenerator<ServiceRecord[], void> {
		for (const number of numbers) yield await this.findNew(number);
	}

	/** What is new on a page that was read before; goes back from one page as far as there is nothing known on it. */
	private async findNew(page: number): Promise<ServiceRecord[]> {
		const again = await this.load(page || undefined).catch((error) => this.endOrThrow(error));
		const fresh = this.keepNew(again);
		const isAllNew = page > 0 && fresh.length > 0 && fresh.length === again.records.length;
		return isAllNew ? [...(await this.findNew(page - 1)), ...fresh] : fresh;
	}
}

/** What tells a record from others: its identifier, or all of it where the service shows none. */
function keyOf(record: ServiceRecord): string {
	return readId(record) ?? JSON.stringify(record);
}
