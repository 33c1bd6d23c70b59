/** Claims recipients in the campaign log, and writes the results; independent of n8n. docs/adr/0014-campaign-log.md */
import {
	type HoldReason,
	type LogRow,
	LogView,
	type Wish,
	decide,
	lastDigits,
	maxInsertMs,
} from './campaignLog';

/** Which rows are read: all conditions hold. */
export interface LogFilter {
	campaign?: string;
	/** The digits at the end of the phone, however they are separated. */
	lastDigits?: string;
	/** Made since this time, ms. */
	since?: number;
	/** Written by other executions than this one. */
	notBy?: string;
	/** Claims of this execution. */
	claimsOf?: string;
}

/** A row to be written. */
export type NewLogRow = Pick<
	LogRow,
	'campaign' | 'phone' | 'status' | 'execution' | 'key' | 'sentAt'
> &
	LogDetails & { reason: string; messageId: string };

/** What people read in a row, and no decision depends on. */
export interface LogDetails {
	/** What the run knows of the person, e.g. a first name; may be empty. */
	name: string;
	/** The account of the service; may be empty. */
	account: string;
	/** The name of the template, or `text`. */
	message: string;
	variant: string;
}

/** The campaign log. All methods throw an Error if n8n does not carry them out. */
export interface LogTable {
	/** The rows after an ID (exclusive) in the order of their IDs, in parts. */
	read: (filter: LogFilter, from: number) => AsyncIterable<LogRow[]>;
	/** The last row; undefined in an empty table. */
	last: () => Promise<LogRow | undefined>;
	insert: (rows: NewLogRow[]) => Promise<void>;
	delete: (ids: number[]) => Promise<void>;
}

/** What the claims of a run need from outside: the ID of the execution, two clocks (ms) and unique keys. */
export interface ClaimSettings {
	execution: string;
	/** The time of day, for people. It may be changed at any moment, so it measures nothing. */
	now: () => number;
	/** A clock that nobody changes. */
	elapsed: () => number;
	pause: (ms: number) => Promise<unknown>;
	newKey: () => string;
}

/** A message that is claimed: its row has this key. */
export interface Claim extends Wish {
	readonly key: string;
	readonly details: LogDetails;
}

/** The result of a message. */
export interface MessageResult {
	status: 'sent' | 'mayHaveBeenSent' | 'notSent';
	reason?: string;
	messageId?: string;
	message?: string;
}

/** A claim without a decision. */
interface OpenClaim extends Claim {
	/** The ID of its row, as soon as it is known. */
	id?: number;
	readonly begin: number;
	readonly resolve: (taken: HoldReason | Claim) => void;
	readonly reject: (error: unknown) => void;
}

/** Between two rounds, ms. After a crash, the claims of one round and one pause remain, so nothing is sent to these people again. */
const pauseMs = 300;
/** How long a claim waits for later claims of other runs to leave or to be sent, ms. */
const maxWaitMs = 60_000;
/** After so many failed rounds in a row, claims are rejected; at the end of a run, unwritten results are given up. */
const maxFailures = 3;
/** With more campaigns in a run, the whole log is read instead of one campaign after the other. */
const maxCampaigns = 100;

/** The claims of one run. */
export class CampaignClaims {
	private readonly view = new LogView();
	private filter: LogFilter = {};
	/** Claims that are not written yet, and those without a decision. */
	private wanted: OpenClaim[] = [];
	private readonly open = new Map<string, OpenClaim>();
	/** The IDs of the rows of this run's claims, by key. */
	private readonly ids = new Map<string, number>();
	/** After this ID, there may be rows of this run whose ID is not known. */
	private ownFrom = 0;
	/** The ID of the last message of a preview; no row has a negative one. */
	private previewId = 0;
	private results: NewLogRow[] = [];
	/** The phones of claims whose rows are to be deleted, by row ID; empty if the result is written in another row. */
	private readonly done = new Map<number, string>();
	/** The same by key, as long as it is not known whether there is such a row. */
	private readonly unseen = new Map<string, string>();
	private working?: Promise<void>;
	private failures = 0;
	private roundMs = 200;
	private isClosing = false;
	private beginClosing = () => {};
	private readonly closing = new Promise<void>((resolve) => (this.beginClosing = resolve));

	constructor(
		private readonly table: LogTable,
		private readonly settings: ClaimSettings,
	) {}

	/** How long before its turn a message has to be claimed, so that it does not wait for the decision, ms. */
	get aheadMs(): number {
		return pauseMs + this.roundMs;
	}

	/** Reads what the log has about the wishes of this run. @throws Error */
	async read(wishes: Wish[]): Promise<void> {
		const digits = new Set(wishes.map(({ phone }) => lastDigits(phone)));
		const campaigns = new Set(wishes.flatMap(({ campaign }) => campaign ?? []));
		const since = Math.min(...wishes.map(({ cap }) => cap?.since ?? Infinity));
		if (digits.size === 1) {
			this.filter = { lastDigits: [...digits][0] };
			return await this.readAll(this.filter);
		}
		if (campaigns.size === 1 && since === Infinity) this.filter = { campaign: [...campaigns][0] };
		const last = await this.table.last();
		if (campaigns.size > maxCampaigns) await this.readAll({});
		else for (const campaign of campaigns) await this.readAll({ campaign });
		if (since !== Infinity) await this.readAll({ since });
		if (!last) return;
		this.view.see(last);
		this.ownFrom = last.id;
		this.view.endLook(last.createdAt);
	}

	/**
	 * @returns the claim, which has to be settled or released; or why the message must not be sent
	 * @throws Error if the log cannot be written or read; then the message must not be sent either
	 */
	async claim(wish: Wish, details: LogDetails): Promise<HoldReason | Claim> {
		const verdict = decide(wish, this.view.messagesTo(wish.phone));
		if (verdict !== 'send' && verdict !== 'wait') return verdict;
		return await new Promise((resolve, reject) => {
			const { elapsed, newKey } = this.settings;
			this.wanted.push({ ...wish, details, key: newKey(), begin: elapsed(), resolve, reject });
			this.work();
		});
	}

	/** Why the log holds back a message; otherwise notes it as sent, in this run only. */
	preview(wish: Wish): HoldReason | undefined {
		const { phone, campaign = '' } = wish;
		const verdict = decide(wish, this.view.messagesTo(phone));
		if (verdict !== 'send' && verdict !== 'wait') return verdict;
		const { execution, newKey, now } = this.settings;
		const row = { campaign, phone, status: 'sent', execution, key: newKey() };
		this.view.add({ ...row, id: --this.previewId, sentAt: now(), createdAt: now() });
		return undefined;
	}

	settle({ key, phone, campaign = '', details }: Claim, result: MessageResult): void {
		const { execution, now } = this.settings;
		const { status, reason = '', messageId = '', message = details.message } = result;
		const row = { campaign, phone, status, execution, key, sentAt: now() };
		this.results.push({ ...row, ...details, reason, messageId, message });
		this.view.add({ ...row, id: this.ids.get(key)!, createdAt: row.sentAt });
		this.work();
	}

	/** Gives up a claim whose message was not tried. */
	release({ key, phone }: Pick<Claim, 'key' | 'phone'>): void {
		const id = this.ids.get(key);
		if (id === undefined) this.unseen.set(key, phone);
		else {
			this.done.set(id, phone);
			this.view.remove(id);
		}
		this.work();
	}

	/** Writes the rest at the end of a run. Does not throw; returns phones whose rows could not be written or removed. */
	async close(): Promise<{ unwritten: string[]; unremoved: string[] }> {
		this.isClosing = true;
		this.failures = 0;
		this.beginClosing();
		this.work();
		await this.working;
		const unremoved = [...this.done.values(), ...this.unseen.values()].filter(Boolean);
		return { unwritten: this.results.map(({ phone }) => phone), unremoved };
	}

	private work(): void {
		this.working ??= this.rounds().finally(() => (this.working = undefined));
	}

	private get hasWork(): boolean {
		const { wanted, open, results, done, unseen } = this;
		return wanted.length + open.size + results.length + done.size + unseen.size > 0;
	}

	private async rounds(): Promise<void> {
		while (this.hasWork && !(this.isClosing && this.failures >= maxFailures)) {
			const begin = this.settings.elapsed();
			try {
				await this.round();
				this.failures = 0;
			} catch (error) {
				this.failures++;
				this.giveUp(error);
			}
			this.roundMs = this.settings.elapsed() - begin;
			const pause = this.settings.pause(pauseMs);
			// At the end of a run, only a table that fails and claims of other runs are waited for.
			const waits = this.failures > 0 || this.open.size > 0;
			await (waits ? pause : Promise.race([pause, this.closing]));
		}
	}

	/** Writes what is waiting, then looks, decides, and deletes what is over. @throws Error */
	private async round(): Promise<void> {
		await this.write();
		if (this.open.size + this.unseen.size > 0) await this.look();
		for (const claim of this.open.values()) this.conclude(claim);
		const ids = [...this.done.keys()];
		if (ids.length > 0) await this.table.delete(ids);
		for (const id of ids) this.done.delete(id);
	}

	private async write(): Promise<void> {
		const { wanted, results } = this;
		if (wanted.length + results.length === 0) return;
		[this.wanted, this.results] = [[], []];
		const begin = this.settings.elapsed();
		const claims = wanted.map((claim) => this.rowOf(claim));
		await this.table.insert([...results, ...claims]).catch((error: unknown) => {
			this.results.unshift(...results);
			for (const claim of wanted) this.reject(claim, error);
			throw error;
		});
		for (const { key } of results) this.done.set(this.ids.get(key)!, '');
		const isSlow = this.settings.elapsed() - begin > maxInsertMs;
		for (const claim of wanted) {
			if (isSlow) this.claimAgain(claim);
			else this.open.set(claim.key, claim);
		}
	}

	private rowOf({ phone, campaign = '', key, details }: Claim): NewLogRow {
		const { execution, now } = this.settings;
		const row = { campaign, phone, status: 'sending', execution, key, sentAt: now() };
		return { ...row, ...details, reason: '', messageId: '' };
	}

	/** Other runs may not see a claim that was written so slowly: they do not look back that far. */
	private claimAgain(claim: OpenClaim): void {
		if (this.settings.elapsed() - claim.begin > maxWaitMs)
			return this.reject(claim, new Error("n8n's database is too slow"));
		this.unseen.set(claim.key, claim.phone);
		this.wanted.push({ ...claim, key: this.settings.newKey() });
	}

	/** Reads the rows that were made since the last look, and those that may not have been visible then. */
	private async look(): Promise<void> {
		const { execution } = this.settings;
		for await (const rows of this.table.read({ claimsOf: execution }, this.ownFrom))
			for (const row of rows) this.findOwn(row);
		this.unseen.clear();
		for (const claim of this.open.values())
			if (claim.id === undefined) this.reject(claim, new Error('The claim was deleted'));
		const waiting = [...this.open.values()].map(({ id = 0 }) => id);
		const from = Math.min(this.view.from, ...waiting);
		const { createdAt } = this.view.newest;
		const isOfOthers = (row: LogRow) => row.execution !== execution;
		const gone = new Set(this.view.idsAfter(from, isOfOthers));
		for await (const rows of this.table.read({ ...this.filter, notBy: execution }, from))
			for (const row of rows) {
				this.view.see(row);
				this.view.add(row);
				gone.delete(row.id);
			}
		for (const id of gone) this.view.remove(id);
		this.view.endLook(createdAt);
	}

	private findOwn(row: LogRow): void {
		this.view.see(row);
		this.ownFrom = Math.max(this.ownFrom, row.id);
		const phone = this.unseen.get(row.key);
		if (phone !== undefined) this.done.set(row.id, phone);
		const claim = this.open.get(row.key);
		if (!claim) return;
		claim.id = row.id;
		this.ids.set(row.key, row.id);
		this.view.add(row);
	}

	private conclude(claim: OpenClaim): void {
		const verdict = decide(claim, this.view.messagesTo(claim.phone, claim.key), claim.id);
		const hasWaited = this.settings.elapsed() - claim.begin > maxWaitMs;
		if (verdict === 'wait' && !hasWaited) return;
		this.open.delete(claim.key);
		if (verdict === 'send') return claim.resolve(claim);
		this.release(claim);
		const whileOpen = claim.campaign === undefined ? 'frequencyCap' : 'mayHaveBeenSent';
		claim.resolve(verdict === 'wait' ? whileOpen : verdict);
	}

	/** After a failed round, claims wait for the next one; after several, their messages are not sent. */
	private giveUp(error: unknown): void {
		if (this.failures < maxFailures) return;
		for (const claim of this.open.values()) this.reject(claim, error);
	}

	private reject(claim: OpenClaim, error: unknown): void {
		this.open.delete(claim.key);
		this.release(claim);
		claim.reject(error);
	}

	private async readAll(filter: LogFilter): Promise<void> {
		for await (const rows of this.table.read(filter, 0)) {
			for (const row of rows) this.view.add(row);
			this.view.see(rows[rows.length - 1]);
		}
	}
}
