/** What a listing over pages asks the service for, one page at a time or several, and which records it knows already. */
import type { Endpoint } from '../api/endpoints';
import { type ServiceRecord, readId, readList, readTotal } from '../api/read';
import type { Client } from './client';
import { ServiceError, isRefusedContent } from './errors';

/** Greatest number of pages asked for ahead of the one that is awaited. */
const mostAhead = 4;

/** Page sizes, tried until the service takes one; undefined leaves it to the service. */
export type PageSizes = Array<number | undefined>;

/** One page as it was given. */
export interface Page {
	records: ServiceRecord[];
	/** How many records there are on all pages, if the service says so. */
	total?: number;
	/** Whether it was asked for before the page before had come, and so may be the older one. */
	isEarly?: boolean;
}

/** One listing under way: what it asks for, and what it has found. */
export class Listing {
	/** How many requests there may still be beyond the fewest possible: of 3, one is for the page that shows the end. */
	spare = 2;
	private readonly seen = new Set<string>();
	private size?: number;
	private readonly ahead = new Map<number, Promise<Page>>();
	private readonly come = new Set<number>();

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
	 * Asks for pages beyond one that is on its way.
	 *
	 * @param needed how many there certainly are; Infinity if nobody knows, when they may turn out to be too many
	 */
	askAhead(number: number, needed: number): void {
		const last = number + (needed === Infinity ? this.spare : Math.min(needed, mostAhead));
		for (let next = number + 1; next <= last; next++) {
			if (this.ahead.has(next)) continue;
			const page = this.loadOrEnd(next).then((early) => {
				this.come.add(next);
				return { ...early, isEarly: true };
			});
			page.catch(() => {}); // whoever takes it gets the error
			this.ahead.set(next, page);
		}
	}

	/** A page; without records beyond the last one. */
	async take(number: number): Promise<Page> {
		const page = await (this.ahead.get(number) ?? this.loadOrEnd(number));
		this.ahead.delete(number);
		return page;
	}

	/** Waits until nothing is under way. */
	async settle(): Promise<void> {
		await Promise.allSettled(this.ahead.values());
	}

	/** Has those pages ahead that have come asked for again. */
	forgetCome(): void {
		for (const number of this.ahead.keys()) if (this.come.has(number)) this.ahead.delete(number);
	}

	private async load(page?: number): Promise<Page> {
		const numbers = { ...(this.size !== undefined && { limit: this.size }), ...this.query, ...(page !== undefined && { page }) };
		const body = await this.client.call(this.endpoint, { query: numbers });
		const records = readList(body);
		if (records) return { records, total: readTotal(body) };
		throw new ServiceError('The service answered without a list', {
			kind: 'unknown',
			description: 'Check Base URL and Layout in the credential.',
		});
	}

	private async loadOrEnd(page: number): Promise<Page> {
		return await this.load(page).catch(endOrThrow);
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
		const moved = await this.readAgain(number - 1);
		return isEarly && moved.length === 0 ? await this.readAgain(number) : moved;
	}

	/** What is new on a page that was read before; goes back from one page as far as there is nothing known on it. */
	private async readAgain(page: number): Promise<ServiceRecord[]> {
		const again = await this.load(page || undefined).catch(endOrThrow);
		const fresh = this.keepNew(again);
		const isAllNew = page > 0 && fresh.length > 0 && fresh.length === again.records.length;
		return isAllNew ? [...(await this.readAgain(page - 1)), ...fresh] : fresh;
	}
}

/** What tells a record from others: its identifier, or all of it where the service shows none. */
function keyOf(record: ServiceRecord): string {
	return readId(record) ?? JSON.stringify(record);
}

/** Some services answer a page beyond the last with 404, and one that does not page refuses the parameter. */
function endOrThrow(error: unknown): Page {
	const isMissing = error instanceof ServiceError && [404, 416].includes(error.statusCode ?? 0);
	if (isMissing || isRefusedContent(error)) return { records: [] };
	throw error;
}
