/** The data table Opt-outs of a project: people who get no question, and no message with Send Once or Exclude Opt-Outs. docs/adr/0013-audience-rules.md */
import { noop } from 'lodash';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { quoted, textOrJson } from '../jsonValues';
import { recipientOf } from '../operations/phoneFields';
import { lastDigits } from '../phone/compare';
import { readEntry } from '../phone/entry';
import { isPersonId } from '../phone/readPhone';
import { InputError } from '../transport/errors';
import { yieldToN8n } from '../yieldToN8n';
import {
	type DataTable,
	type TableCaller,
	type TableDescription,
	openDataTable,
	wordsOf,
} from './dataTable';
import { type Outcome, type ValidItem, inState, skip } from './item';

/** The table. People may have made it themselves, with the phones only. */
export const optOutTable: TableDescription = {
	name: 'Opt-outs',
	columns: { phone: 'string', since: 'date', words: 'string', workflow: 'string' },
	optional: ['since', 'words', 'workflow'],
	isMadeByHand: true,
};

/** A run that sends looks again this often, ms. */
const lookEveryMs = 1_000;
/** When a message goes out, the last look is at most this old, ms. */
const maxAgeMs = 2_000;
/** A larger table is read completely only once in this time, ms; otherwise only its changed rows. */
const completeEveryMs = 60_000;
const smallTable = 1_000;
/** A changed row may become visible this late, ms. */
const overlapMs = 60_000;
/** The database's clock is at most so much behind n8n's, ms. If it is more, a change is seen when everything is read again. */
const maxBehindMs = 300_000;

/** Work that many wait for: all calls while it is under way share the next time. */
class SharedWork {
	private current?: Promise<void>;
	private next?: Promise<void>;

	/** @throws what the work throws */
	async run(work: () => Promise<void>): Promise<void> {
		const begin = async () => {
			this.next = undefined;
			this.current = work().finally(() => (this.current = undefined));
			await this.current;
		};
		if (!this.current) return await begin();
		this.next ??= this.current.then(begin, begin);
		await this.next;
	}
}

/** Who has opted out. */
class Entries {
	private readonly people = new Set<string>();
	/** The last digits of numbers that cannot be read, e.g. without a country code: everybody with these is left out. */
	private readonly digits = new Set<string>();
	/** Entries that are no phone numbers. */
	readonly unread = new Set<string>();
	/** Whether no entry has any text, e.g. because the numbers are in a column with another name. */
	isBlank = true;

	has(person: string): boolean {
		return this.people.has(person) || this.digits.has(lastDigits(person));
	}

	add(phone: unknown): void {
		const written = textOrJson(phone).trim();
		if (written !== '') this.isBlank = false;
		const { people, digits } = readEntry(written);
		if (people.length === 0 && written !== '' && !isPersonId(written)) this.unread.add(written);
		for (const person of people) this.people.add(person);
		for (const one of digits) this.digits.add(one);
	}
}

/** What this process knows of a table. All runs that use the table share it. */
class OptOutList {
	entries = new Entries();
	private size = 0;
	private newest = 0;
	/** When the last look began that has succeeded, ms since 1970. */
	private lookedAt = 0;
	private completeAt = -Infinity;
	private readonly looks = new SharedWork();

	/** Reads what is new in the table by now. @throws Error */
	async look(table: DataTable): Promise<void> {
		await this.looks.run(async () => await this.read(table));
	}

	private async read(table: DataTable): Promise<void> {
		const begin = performance.now();
		const isComplete = this.size < smallTable || begin - this.completeAt > completeEveryMs;
		const [now, since] = [Date.now(), Math.max(this.newest, this.lookedAt - maxBehindMs)];
		const value = new Date(since - overlapMs).toISOString();
		const changed = [{ column: 'updatedAt', is: 'gte' as const, value }];
		const rows: IDataObject[] = [];
		for await (const part of table.read(isComplete ? [] : changed, 0)) rows.push(...part);
		const entries = isComplete ? new Entries() : this.entries; // others ask the old ones until these are complete
		const yieldNow = yieldToN8n();
		for (const { phone, updatedAt } of rows) {
			this.newest = Math.max(this.newest, new Date(textOrJson(updatedAt)).getTime() || 0);
			entries.add(phone);
			await yieldNow();
		}
		if (isComplete && rows.length > 0 && entries.isBlank)
			throw new InputError(
				`The data table "${optOutTable.name}" has rows, but no phone number in the column phone, so nobody would be left out`,
				'This message was not sent. Put the numbers into this column, or delete the rows.',
			);
		this.entries = entries;
		this.lookedAt = now;
		if (isComplete) [this.size, this.completeAt] = [rows.length, begin];
	}
}

/** By the ID of their table. */
const lists = new BoundedMap<string, OptOutList>({ maxSize: 100, maxAgeMs: 3_600_000 });

/**
 * The table of a workflow's project, if there is one. All executions of the workflow share the looks at it: each call of
 * a table costs n8n about as much as a message.
 */
class OptOutSource {
	list?: OptOutList;
	private table?: DataTable;
	/** Whether the table may be another one than at the last look. */
	private isUnknown = true;
	/** When the last look began that has succeeded. */
	private lookedAt = -Infinity;
	private readonly looks = new SharedWork();
	private refreshing?: Promise<void>;

	get ageMs(): number {
		return performance.now() - this.lookedAt;
	}

	/** @param isFirst whether it is the first look of a run @throws Error, also if n8n ends the run that carries the look */
	async look(caller: TableCaller, isFirst: boolean): Promise<void> {
		this.isUnknown ||= isFirst;
		await this.looks.run(async () => await this.read(caller));
	}

	/** A look that may have begun before this call. @throws Error */
	async refresh(caller: TableCaller): Promise<void> {
		const end = () => (this.refreshing = undefined);
		this.refreshing ??= this.look(caller, false).finally(end);
		await this.refreshing;
	}

	private async read(caller: TableCaller): Promise<void> {
		const begin = performance.now();
		if (this.isUnknown) this.table = undefined;
		this.isUnknown = false;
		this.table ??= await openDataTable(caller, optOutTable, use, 'return');
		// There is no table before the first person has opted out.
		this.list = this.table && lists.getOrSet(this.table.id, () => new OptOutList());
		if (this.table) await this.list?.look(this.table.calledBy(caller));
		this.lookedAt = begin;
	}
}

/** By the ID of their workflow. */
const sources = new BoundedMap<string, OptOutSource>({ maxSize: 1_000, maxAgeMs: 3_600_000 });

const use = {
	needs: "'Exclude Opt-Outs' or 'Send Once'",
	otherwise: 'This message was not sent.',
	without: "Questions need none if 'Exclude Opt-Outs' is off.",
};

/** Leaves out people who have opted out: before the first message, and right before each message goes out. */
export class OptOuts {
	private constructor(
		private readonly caller: TableCaller,
		private readonly source: OptOutSource,
	) {}

	/** Undefined if the messages of all items are for everybody. @throws InputError; then nothing may be sent */
	static async open(context: IExecuteFunctions, items: ValidItem[]): Promise<OptOuts | undefined> {
		if (!items.some(isMeant)) return undefined;
		if (!items.some(isRequired) && !('getDataTableProxy' in context.helpers)) return undefined;
		const source = sources.getOrSet(String(context.getWorkflow().id), () => new OptOutSource());
		const optOuts = new OptOuts(context, source);
		await optOuts.look();
		return optOuts;
	}

	/** Gives an outcome to items whose recipients have opted out. */
	leaveOut(items: ValidItem[]): void {
		for (const item of items.filter(inState('pending'))) item.outcome = this.outcomeOf(item);
	}

	/** What users should know of the table. */
	get hints(): string[] {
		const unread = [...(this.source.list?.entries.unread ?? [])];
		if (unread.length === 0) return [];
		const examples = unread.slice(0, 3).map((one) => `"${quoted(one)}"`);
		return [
			`The data table "${optOutTable.name}" has entries that are not phone numbers, so nobody was left out because of them: ${examples.join(', ')}. Correct the column phone.`,
		];
	}

	/** The outcome of an item whose recipient has opted out by now. @throws InputError if that is not known */
	async hold(item: ValidItem): Promise<Outcome | undefined> {
		if (!isMeant(item)) return undefined;
		const { source } = this;
		if (source.ageMs > lookEveryMs) {
			const refreshed = source.refresh(this.caller);
			refreshed.catch(noop); // the next message looks again
			if (source.ageMs > maxAgeMs) await refreshed.catch(async () => await this.look());
		}
		return this.outcomeOf(item);
	}

	private outcomeOf(item: ValidItem): Outcome | undefined {
		return isMeant(item) && this.source.list?.entries.has(recipientOf(item.request))
			? skip(item, 'optedOut')
			: undefined;
	}

	/** @throws InputError */
	private async look(): Promise<void> {
		const look = async () => await this.source.look(this.caller, true);
		// The look may have failed only because another run has ended, or because the table was made again.
		await look()
			.catch(look)
			.catch((error: unknown) => {
				if (error instanceof InputError) throw error;
				throw new InputError(
					`The data table "${optOutTable.name}" could not be read, so this message was not sent`,
					`Try again when the problem is solved. n8n says: ${wordsOf(error)}`,
				);
			});
	}
}

/** Whether the user has chosen that opted-out people do not get this message: then it is not sent without data tables. */
const isRequired = ({ request: { rules } }: ValidItem): boolean =>
	rules?.audience?.excludesOptOuts === true ||
	(rules?.campaign !== undefined && !rules.campaign.includesOptedOut);

/** Whether opted-out people do not get this message; a question only if the user has chosen that they get it. */
const isMeant = (item: ValidItem): boolean => {
	const { audience, question } = item.request.rules ?? {};
	return isRequired(item) || (question !== undefined && audience?.excludesOptOuts !== false);
};
