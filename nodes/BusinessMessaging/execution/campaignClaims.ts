/** Claims recipients in the campaign log, and writes the results; independent of n8n. docs/adr/0014-campaign-log.md */
import { difference, noop, partition, uniq } from 'lodash';

import {
	type HoldReason,
	type LogRow,
	type LogView,
	type Wish,
	decide,
	maxInsertMs,
} from './campaignLog';
import type {
	Claim,
	ClaimSettings,
	LogDetails,
	LogWriter,
	MessageResult,
	NewLogRow,
	Unfinished,
} from './claim';
import type { LogReader } from './logReader';
import { type Removal, RowRemovals, settledMs } from './logRemovals';
import { RowResults } from './logResults';
import { RepeatedWork } from './logRounds';
import { UnderWay } from './underWay';

/** A claim without a decision. */
interface OpenClaim extends Claim {
	/** The ID of its row, as soon as it is known. */
	id?: number;
	/** Whether a look has not found its row. */
	isMissing?: boolean;
	readonly resolve: (taken: HoldReason | Claim) => void;
	readonly reject: (error: unknown) => void;
}

/** What is known of a claim that is given up. */
type Released = Pick<Claim, 'key' | 'execution' | 'phone'>;

/** How long a claim waits for later claims of other runs to leave or to be sent, ms. */
const maxWaitMs = 60_000;
/** After so many failed rounds in a row, claims are rejected. */
const maxFailures = 3;
/** How long a run tries to write what is left at its end, ms. */
const maxCloseMs = 60_000;

/** The claims of one run, or of several that share their calls of the table. */
export class CampaignClaims {
	/** Claims that are not written yet, and those without a decision. */
	private wanted: OpenClaim[] = [];
	private readonly open = new Map<string, OpenClaim>();
	/** The IDs of the rows of claims, by key. */
	private readonly ids = new Map<string, number>();
	private readonly results: RowResults;
	private readonly removals: RowRemovals;
	/** Claims that are to be removed, by key, as long as it is not known whether they are in the table. */
	private readonly unseen = new Map<string, Released>();
	readonly underWay = new UnderWay();
	private closing = 0; // runs that write the rest now
	/** Runs that have given up. */
	private readonly forgotten = new Set<string>();
	/** Why nothing more may be sent: n8n does not carry out the calls of the table. */
	refusal?: Error;
	private roundEnds: Array<() => void> = [];
	readonly claiming: RepeatedWork;
	readonly writing: RepeatedWork;

	constructor(
		readonly reader: LogReader,
		private readonly writer: LogWriter,
		private readonly settings: ClaimSettings,
	) {
		this.removals = new RowRemovals(writer, settings.elapsed, ({ key }) => {
			this.ids.delete(key);
			this.underWay.free(key);
		});
		this.results = new RowResults(writer, settings.elapsed, ({ key, execution }, isInClaim) => {
			const id = this.ids.get(key)!;
			if (isInClaim) this.ids.delete(key);
			else this.remove(id, { execution, key, phone: '', isBelow: true });
			this.underWay.free(key);
		});
		const hasClaims = () => this.wanted.length + this.open.size + this.unseen.size > 0;
		const hasResults = () => this.results.size > 0 || this.removals.areDue(this.closing > 0);
		this.claiming = new RepeatedWork(
			settings,
			hasClaims,
			async () => await this.claimRound(),
			(...end) => this.endClaiming(...end),
		);
		this.writing = new RepeatedWork(
			settings,
			hasResults,
			async () => await this.writeRound(),
			(...end) => this.endRound(...end),
		);
	}

	/**
	 * @returns the claim, which has to be settled or released; or why the message must not be sent
	 * @throws Error if the log cannot be written or read; then the message must not be sent either
	 */
	async claim(wish: Wish, execution: string, details: LogDetails): Promise<HoldReason | Claim> {
		for (;;) {
			const held = this.heldBack(wish);
			if (held) return held;
			if (this.refusal && !this.underWay.isEmpty) throw this.refusal;
			if (!this.underWay.isFull) break;
			await this.underWay.wait();
		}
		return await new Promise((resolve, reject) => {
			const { elapsed, newKey } = this.settings;
			const key = newKey();
			this.underWay.add(key);
			this.wanted.push({ ...wish, execution, details, key, begin: elapsed(), resolve, reject });
			this.claiming.begin();
		});
	}

	settle(claim: Claim, result: MessageResult): void {
		const { status, reason = '', messageId = '', message = claim.details.message } = result;
		const row = { ...this.rowOf(claim), status, reason, messageId, message };
		const id = this.ids.get(claim.key)!;
		this.results.add({ row, id, begin: claim.begin });
		this.reader.known?.add({ ...row, id, createdAt: row.sentAt });
		this.writing.begin();
	}

	/** Gives up a claim whose message was not tried. */
	release({ key, execution, phone }: Released): void {
		const id = this.ids.get(key);
		if (id === undefined) {
			if (!this.forgotten.has(execution)) this.unseen.set(key, { key, execution, phone });
			this.claiming.begin();
		} else {
			this.reader.known?.remove(id);
			this.remove(id, { execution, key, phone, isBelow: false });
		}
	}

	/** Removes rows that a crash has left beside those that count. */
	removeSuperseded(view: LogView, execution: string): void {
		for (const { id } of view.superseded())
			this.remove(id, { execution, key: '', phone: '', isBelow: false });
	}

	/** Writes the rest at the end of a run. Does not throw; returns what could not be written within a minute. */
	async close(execution: string): Promise<Unfinished> {
		this.closing++;
		return await this.writeRest(execution).finally(() => this.closing--);
	}

	private async writeRest(execution: string): Promise<Unfinished> {
		const end = this.settings.elapsed() + maxCloseMs;
		this.claiming.begin();
		this.writing.begin();
		for (;;) {
			const left = this.leftOf(execution);
			const isDone = left.unwritten.length + left.unremoved.length + left.others === 0;
			if (isDone || this.settings.elapsed() >= end) return left;
			if (!this.reader.isShared) {
				this.claiming.skipPause();
				this.writing.skipPause();
			}
			await new Promise<void>((resolve) => this.roundEnds.push(resolve));
		}
	}

	/** Gives up what a run could not write. */
	forget(execution: string): void {
		this.forgotten.add(execution);
		const isOther = (one: { execution: string }) => one.execution !== execution;
		this.results.forget(execution);
		this.removals.forget(execution);
		for (const [key, claim] of this.unseen) if (!isOther(claim)) this.unseen.delete(key);
		// Nothing else waits for what this run had under way.
		if (!this.reader.isShared) this.underWay.clear();
	}

	/** Why the log holds back a message, as far as it is known before a claim. */
	private heldBack(wish: Wish): HoldReason | undefined {
		const view = this.reader.known;
		const verdict = view ? decide(wish, view.messagesTo(wish)) : 'send';
		return verdict === 'send' || verdict === 'wait' ? undefined : verdict;
	}

	private leftOf(execution: string): Unfinished & { others: number } {
		const isOwn = (one: { execution: string }) => one.execution === execution;
		const removals = [...this.removals.all, ...this.unseen.values()].filter(isOwn);
		const phones = removals.map(({ phone }) => phone);
		const [unremoved, others] = partition(phones, Boolean);
		const unwritten = uniq(this.results.phonesOf(execution));
		return { unwritten, unremoved: uniq(unremoved), others: others.length };
	}

	private remove(id: number, removal: Removal): void {
		if (this.removals.isEmpty) void this.settings.pause(settledMs).then(() => this.writing.begin());
		if (!this.forgotten.has(removal.execution)) this.removals.add(id, removal);
		this.writing.begin();
	}

	private endRound(error: Error | undefined, failures: number): void {
		if (failures >= maxFailures) this.refusal = error;
		const ends = this.roundEnds;
		this.roundEnds = [];
		for (const resolve of ends) resolve();
		this.underWay.admit(); // the bound depends on the time
	}

	/** After a failed round, claims wait for the next one; after several, their messages are not sent. */
	private endClaiming(error: Error | undefined, failures: number): void {
		if (failures >= maxFailures) {
			const claims = [...this.wanted, ...this.open.values()];
			this.wanted = [];
			for (const claim of claims) this.reject(claim, error);
		}
		this.endRound(error, failures);
	}

	/** Writes new claims, then looks and decides. @throws Error */
	private async claimRound(): Promise<void> {
		const wanted = [...this.wanted];
		const free = this.reader.isShared ? await this.lookBefore(wanted) : wanted;
		this.wanted = difference(this.wanted, wanted);
		await this.look(free);
	}

	/** Nothing is known of the people of a shared call: those who are held back need no claim. @returns the others */
	private async lookBefore(wanted: OpenClaim[]): Promise<OpenClaim[]> {
		if (wanted.length === 0) return [];
		const view = await this.lookWithoutOver(wanted, Infinity, noop);
		return wanted.filter((claim) => {
			const verdict = decide(claim, view.messagesTo(claim));
			if (verdict === 'send' || verdict === 'wait') return true;
			this.underWay.free(claim.key);
			claim.resolve(verdict);
			return false;
		});
	}

	private rowOf({ phone, account, campaign = '', key, execution, details }: Claim): NewLogRow {
		const row = { campaign, phone, account, execution, key, ...details };
		return { ...row, status: '', reason: '', messageId: '', sentAt: this.settings.now() };
	}

	/** Inserts rows. If n8n refuses them, nothing more is sent until it accepts some. */
	private async insert(rows: NewLogRow[]): Promise<void> {
		await this.writer.insert(rows).catch((error: unknown) => {
			this.refuse(error as Error);
			throw error;
		});
		this.refusal = undefined;
	}

	private refuse(error: Error): void {
		this.refusal = error;
		this.underWay.admit();
	}

	/** Other runs may not see a claim that was written so slowly: they do not look back that far. @returns it, to be removed */
	private claimAgain(claim: OpenClaim): Released {
		const { key, execution, phone } = claim;
		const released = { key, execution, phone };
		this.unseen.set(key, released);
		if (this.settings.elapsed() - claim.begin > maxWaitMs)
			claim.reject(new Error("n8n's database is too slow"));
		else {
			const again = { ...claim, key: this.settings.newKey() };
			this.underWay.add(again.key);
			this.wanted.push(again);
		}
		return released;
	}

	/** Writes new claims, reads what has changed for all that are open, and decides. @throws Error */
	private async look(added: OpenClaim[]): Promise<void> {
		const open = [...this.open.values()];
		const sought: Released[] = [...this.unseen.values()];
		if (open.length + sought.length + added.length === 0) return;
		const waiting = Math.min(...open.map(({ id = Infinity }) => id));
		const found = new Map<string, LogRow>();
		const begin = this.settings.elapsed();
		const rows = added.map((claim) => ({ ...this.rowOf(claim), status: 'sending' }));
		const view = await this.lookWithoutOver(
			[...open, ...added, ...sought],
			waiting,
			(row) => found.set(row.key, row),
			rows,
		).catch((error: unknown) => {
			// Nobody knows whether the claims were written.
			if (added.length > 0) this.refuse(error as Error);
			for (const claim of added) this.reject(claim, error);
			throw error;
		});
		if (added.length > 0) this.refusal = undefined;
		const isSlow = this.settings.elapsed() - begin > maxInsertMs;
		for (const claim of added) {
			if (isSlow) sought.push(this.claimAgain(claim));
			else this.open.set(claim.key, claim);
		}
		for (const one of sought) this.removeUnseen(one, found.get(one.key), view);
		for (const claim of isSlow ? open : [...open, ...added]) {
			claim.id ??= found.get(claim.key)?.id;
			if (claim.id === undefined) this.miss(claim);
			else {
				this.ids.set(claim.key, claim.id);
				this.conclude(claim, view);
			}
		}
		const [first] = [...open, ...added];
		if (this.reader.isShared && first) this.removeSuperseded(view, first.execution);
	}

	/**
	 * Looks without rows that are still in the table but were over before: they hold back nobody. A row that is over only
	 * since then stays, because the look may not have found the result in its place.
	 */
	private async lookWithoutOver(...[wishes, waiting, found, added]: Parameters<LogReader['look']>) {
		const over = this.reader.isShared ? this.removals.ids : []; // a reader that knows its rows has left them out
		const note = (row: LogRow) => {
			found(row);
			if (this.unseen.has(row.key)) over.push(row.id);
		};
		const view = await this.reader.look(wishes, waiting, note, added);
		for (const id of over) view.remove(id);
		return view;
	}

	private removeUnseen(released: Released, row: LogRow | undefined, view: LogView): void {
		const { key, execution, phone } = released;
		this.unseen.delete(key);
		if (!row) return this.underWay.free(key);
		view.remove(row.id);
		this.remove(row.id, { execution, key, phone, isBelow: false });
	}

	/** Somebody has deleted rows: SQLite gives their IDs again, so everything is read once more. */
	private miss(claim: OpenClaim): void {
		if (claim.isMissing) return this.reject(claim, new Error('The claim was deleted'));
		claim.isMissing = true;
		this.reader.forget();
	}

	private conclude(claim: OpenClaim, view: LogView): void {
		const verdict = decide(claim, view.messagesTo(claim, claim.key), claim.id);
		const hasWaited = this.settings.elapsed() - claim.begin > maxWaitMs;
		if (verdict === 'wait' && !hasWaited) return;
		this.open.delete(claim.key);
		claim.isUnderOtherKey = view.isUnderOtherKey(claim);
		if (verdict === 'send') return claim.resolve(claim);
		this.release(claim);
		const whileOpen = claim.campaign === undefined ? 'frequencyCap' : 'mayHaveBeenSent';
		claim.resolve(verdict === 'wait' ? whileOpen : verdict);
	}

	private reject(claim: OpenClaim, error: unknown): void {
		this.open.delete(claim.key);
		this.release(claim);
		claim.reject(error);
	}

	/** Writes results, and removes rows that are over. @throws Error */
	private async writeRound(): Promise<void> {
		await this.results.write(async (rows) => await this.insert(rows));
		if (this.removals.areDue(this.closing > 0)) await this.removals.carryOut(this.reader.greatest);
		this.refusal = undefined;
	}
}
