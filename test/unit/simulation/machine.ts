/** Processes whose calls of the campaign log take random times, may fail, and may be killed in between. */
import type { CampaignClaims } from '../../../nodes/BusinessMessaging/execution/campaignClaims';
import { maxInsertMs } from '../../../nodes/BusinessMessaging/execution/campaignLog';
import { type Caller, LogStorage } from './logStorage';
import { Clock, randomFrom } from './virtualTime';

/** What happens in a schedule besides runs. */
interface Trouble {
	kills: boolean;
	failures: boolean;
	/** Whether n8n's timeout ends runs. */
	timeouts: boolean;
	/** How often a process stands still. */
	stalls: number;
}

/** A process that may be killed. */
export class Process {
	isDead = false;
	/** Whether a result could not be written: the run has said so. */
	hasWarned = false;
	/** Whether a call got no response, or n8n has ended a run: nobody could write the rest. */
	hasLostCalls = false;
	/** When n8n's timeout ends its runs. */
	endsAt = Infinity;
	/** The claims of its runs that share their calls. */
	shared?: CampaignClaims;
}

/** A message that the service has received. */
export interface Message {
	id: string;
	phone: string;
	campaign: string;
	/** The key of its row. */
	key: string;
	execution: string;
	/** Whether its run knows that the service has received it. */
	isCertain: boolean;
}

/** The machine of one schedule, made from its seed. */
export class Machine {
	readonly clock = new Clock();
	readonly sent: Message[] = [];
	/** Messages of which nobody knows whether the service has received them: person and campaign. */
	readonly doubts = new Set<string>();
	/** People of whose messages the result came late or is not known. */
	readonly slow = new Set<string>();
	readonly storage: LogStorage;
	protected readonly random: () => number;
	readonly trouble: Trouble;
	protected isQuiet = false;
	/** Whether the runs last so long that a look no longer reads the rows of their beginning. */
	readonly isLong: boolean;
	/** The longest pause between two messages of a long run, ms. */
	protected readonly paceMs: number;

	constructor(seed: number) {
		this.random = randomFrom(seed);
		const chance = (part: number) => this.random() < part;
		const stalls = this.pick([0, 0.03, 0.2]);
		const isLate = chance(0.2);
		const lateMs = isLate ? this.pick([maxInsertMs, 120_000]) * this.random() : 0;
		this.paceMs = this.pick([3_000, 30_000]);
		this.isLong = isLate || chance(0.2);
		this.storage = new LogStorage(this.clock, !isLate && chance(0.6), this.random);
		this.storage.lateMs = lateMs;
		this.trouble = {
			...{ stalls, kills: chance(0.4), failures: chance(0.3) },
			timeouts: chance(0.2),
		};
	}

	/** Whether nothing disturbs the processes, so that each receipt finds its message. */
	get isSteady(): boolean {
		const { kills, failures, timeouts, stalls } = this.trouble;
		return !kills && !failures && !timeouts && stalls === 0;
	}

	integer(below: number): number {
		return Math.floor(this.random() * below);
	}

	pick<T>(values: T[]): T {
		return values[this.integer(values.length)];
	}

	/** Ends the troubles, so that a last run shows what the table says. */
	calm(): void {
		this.isQuiet = true;
	}

	/** Lets a process wait for a time as its machine and the network have it. Never returns if the process is dead. */
	protected async wait(process: Process): Promise<void> {
		const { stalls, kills } = this.trouble;
		const isStill = !this.isQuiet && this.random() < stalls;
		const ms = this.random() * (isStill ? this.pick([300, 3_000, 12_000, 120_000]) : 60);
		if (kills && !this.isQuiet && this.random() < 0.01) process.isDead = true;
		await new Promise<void>((resolve) => {
			this.clock.after(ms, () => process.isDead || resolve());
		});
	}

	/** Carries out a call: it may fail before or after its effect, or take effect when nobody waits for it any more. */
	private async call(process: Process, effect: () => Promise<void> | void): Promise<void> {
		const fails = this.trouble.failures && !this.isQuiet && this.random() < 0.1;
		const isEarly = this.random() < 0.5;
		const isHung = fails && this.random() < 0.1;
		await this.wait(process);
		if (this.clock.now >= process.endsAt) {
			process.hasLostCalls = true;
			throw new Error('The execution was cancelled because it timed out');
		}
		if (isHung) {
			process.hasLostCalls = true;
			if (!isEarly) this.clock.after(this.integer(120_000), () => void effect());
			await new Promise<void>((resolve) => this.clock.after(60_000, resolve));
			throw new Error('The data table did not respond');
		}
		if (fails && isEarly) throw new Error('SQLITE_BUSY');
		await effect();
		await this.wait(process);
		if (fails) throw new Error('Connection lost');
	}

	/** The calls of a process. */
	callerOf(process: Process): Caller {
		return {
			wait: async () => await this.wait(process),
			call: async (effect) => await this.call(process, effect),
		};
	}

	/** The clocks and pauses of a process. */
	clocksOf(process: Process) {
		return {
			// Somebody may set n8n's clock at any moment.
			now: () => this.clock.now + (this.isQuiet ? 0 : this.integer(240_000) - 120_000),
			elapsed: () => this.clock.now,
			pause: async (ms: number) =>
				await new Promise<void>((resolve) =>
					this.clock.after(ms, () => process.isDead || resolve()),
				),
		};
	}
}
