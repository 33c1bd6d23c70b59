/** A process that works with a list of claims, in virtual time. */
import { type Call, Claims } from '../../../nodes/BusinessMessaging/execution/claims';

/** For how long a claim is watched while others may write, ms. */
export const watched = 14_000;
export const isMark = (entry: string) => entry.startsWith('mark ');

/** A process with its own clock, and a list that has existed for long. */
export class Process {
	now = 0;
	/** When it was alone, or had met others, ms. */
	start = 0;
	/** How long each call takes, ms. */
	callMs = 10;
	/** How many entries a call removes because the list is full, the oldest ones first. */
	lost = 0;
	readonly list = new Set(['list', 'older']);
	/** When each call began, its method and its entries without marks. */
	calls: Array<[at: number, method: string, ...entries: string[]]> = [];
	/** For each entry, the verdict and its time. */
	verdicts: Record<string, [verdict: boolean, at: number]> = {};
	/** Called after each call has counted the entries. */
	between = () => {};

	constructor(readonly claims = new Claims('this')) {}

	/** Does what is to be done before a time, ms. */
	work(until = Infinity, isFlushing = false): void {
		while (this.now < until) {
			const step = this.claims.next(this.now, isFlushing);
			if (step === undefined) return;
			if (typeof step === 'number') this.now = Math.min(step, until);
			else this.call(step);
		}
	}

	/** Makes the process the only one known: it has claimed an entry and watched it. */
	becomeAlone(): this {
		this.claimToTheEnd('first');
		expect(this.claims.isAlone(this.now)).toBe(true);
		return this;
	}

	/** Lets the process notice that others write. */
	meetOthers(): this {
		this.becomeAlone().list.add('foreign');
		this.claimToTheEnd('older');
		expect(this.claims.hasMet(this.now)).toBe(true);
		return this;
	}

	private claimToTheEnd(entry: string): void {
		this.claims.want(entry);
		this.work();
		this.now += 10;
		this.start = this.now;
		this.calls = [];
	}

	call(step: Call): void {
		const { method, entries } = step;
		const startedAt = this.now;
		const before = this.list.size;
		this.between();
		const added = new Set(method === 'add' ? entries.filter((one) => !this.list.has(one)) : []);
		for (const entry of [...this.list].slice(0, this.lost)) this.list.delete(entry);
		for (const entry of entries) if (method === 'add') this.list.add(entry);
		if (method === 'remove') for (const entry of entries) this.list.delete(entry);
		this.calls.push([startedAt, method, ...entries.filter((one) => !isMark(one))]);
		this.now += this.callMs;
		const change = method === 'add' ? added.size : -entries.length;
		const after = before + change - this.lost;
		const result = { added, before, after, startedAt, endedAt: this.now };
		for (const [entry, verdict] of this.claims.note(step, result))
			this.verdicts[entry] = [verdict, this.now];
	}
}
