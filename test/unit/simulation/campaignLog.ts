/**
 * Runs of several processes that claim the same people in one campaign log, in virtual time. A statement of the database
 * is atomic. Between any two of them a process may stand still for up to two minutes, or be killed. A call may fail,
 * whether it has taken effect or not, or get no response; after the timeout of a run, all its calls fail. In SQLite, the
 * next ID follows the greatest one in the table; in PostgreSQL, a row gets its ID before others can see it.
 */
import { countBy, groupBy, max, range } from 'lodash';

import { CampaignClaims } from '../../../nodes/BusinessMessaging/execution/campaignClaims';
import { CampaignReader, PeopleReader } from '../../../nodes/BusinessMessaging/execution/logReader';
import type { Claim, MessageResult } from '../../../nodes/BusinessMessaging/execution/claim';
import type { Wish } from '../../../nodes/BusinessMessaging/execution/campaignLog';
import { Machine, type Message, Process } from './machine';
import { Recording } from './recording';

/** One schedule, made from its seed. */
export class Schedule extends Machine {
	readonly recording = new Recording(this);
	/** The greatest number of messages of a run that were under way or unwritten at the same time, beyond what is allowed. */
	excess = 0;
	private keys = 0;

	/** Counts the messages of a run that the service has and whose results the table does not have. */
	private checkBound(execution: string, bound: number): void {
		const { rows, deleted } = this.storage;
		const hasResult = ({ key }: Message) =>
			deleted.has(key) || rows.some((row) => row.key === key && row.status !== 'sending');
		const unwritten = this.sent.filter((one) => one.execution === execution && !hasResult(one));
		this.excess = Math.max(this.excess, unwritten.length - bound);
	}

	/** What becomes of a request. @param fate 0 to 1 @returns what the run knows of it */
	private send(
		{ phone, campaign = '' }: Wish,
		{ key, execution }: Claim,
		fate: number,
	): MessageResult {
		if (fate < 0.15) return { status: 'notSent' };
		const isReceived = fate > 0.2;
		const id = `m${this.sent.length}`;
		const isCertain = fate > 0.3;
		const message = { id, phone, campaign, key, execution, isCertain };
		if (isReceived) {
			this.sent.push(message);
			this.recording.follow(message);
		}
		if (isCertain) return { status: 'sent', messageId: id };
		this.slow.add(phone);
		this.doubts.add(`${phone} ${campaign}`);
		return { status: 'mayHaveBeenSent' };
	}

	private async respondLate({ phone }: Wish, pause: (ms: number) => Promise<void>): Promise<void> {
		this.slow.add(phone);
		await pause(this.integer(40_000));
	}

	/**
	 * Runs a campaign.
	 *
	 * @param pauseMs how long each wish waits for its turn
	 * @returns what became of each wish; nothing for those that a killed process had under way
	 */
	async run(
		process: Process,
		execution: string,
		wishes: Wish[],
		pauseMs: (index: number) => number = () =>
			this.isLong && !this.isQuiet ? this.integer(this.paceMs) : 0,
	): Promise<string[]> {
		const outcomes: string[] = [];
		const settings = { ...this.clocksOf(process), newKey: () => `key${++this.keys}` };
		const table = this.storage.ofSender(this.callerOf(process), execution);
		const isShared = !this.isQuiet && this.random() < 0.4;
		const bound = isShared ? Infinity : 1 + this.integer(4);
		const claims = isShared
			? (process.shared ??= new CampaignClaims(new PeopleReader(table), table, settings))
			: new CampaignClaims(new CampaignReader(table, execution), table, settings);
		claims.underWay.bound = () => bound;
		try {
			await claims.reader.read(wishes);
		} catch {
			return wishes.map(() => 'notRead');
		}
		if (claims.reader.known) claims.removeSuperseded(claims.reader.known, execution);
		const sendOne = async (wish: Wish, index: number) => {
			const ms = pauseMs(index);
			if (ms > 0) await settings.pause(ms);
			const taken = await claims
				.claim(wish, execution, { name: '', message: 'text', variant: '' })
				.catch((error: Error) => error.message);
			if (typeof taken === 'string') return void (outcomes[index] = taken);
			const fate = this.isQuiet ? 0.5 : this.random();
			if (fate < 0.05 || claims.refusal || this.clock.now >= process.endsAt)
				return claims.release(taken);
			await this.wait(process);
			const result = this.send(wish, taken, fate);
			this.checkBound(execution, bound);
			await this.wait(process);
			// Responses that do not come are known only after a timeout.
			if (result.status !== 'notSent' && !this.isQuiet && this.random() < 0.2)
				await this.respondLate(wish, settings.pause);
			outcomes[index] = result.status;
			claims.settle(taken, result);
		};
		// As in a run: some at the same time, and those of one person in their order.
		const queues = Object.values(
			groupBy(range(wishes.length), (index) => (this.isLong ? '' : wishes[index].phone)),
		);
		await Promise.all(
			queues.map(async (queue) => {
				for (const index of queue) await sendOne(wishes[index], index);
			}),
		);
		const { unwritten, unremoved } = await claims.close(execution);
		claims.forget(execution);
		process.hasWarned ||= unwritten.length + unremoved.length > 0;
		return outcomes;
	}
}

/** What was found in a schedule. */
export interface Result {
	steps: number;
	sent: number;
	/** Messages that the last run reported as uncertain. */
	uncertain: number;
	/** Receipts that were recorded, and those of them that are about messages for which there is an exception. */
	receipts: number;
	excused: number;
	failures: string[];
}

export const account = 'api.example.com 00000000';

/** Runs a schedule: at first several processes at the same time, then one without troubles. */
export async function simulate(seed: number): Promise<Result> {
	const schedule = new Schedule(seed);
	const isCapped = schedule.integer(3) === 0;
	const campaigns = schedule.integer(3) === 0 ? ['spring', 'autumn'] : ['spring'];
	const cap = { messages: 1 + schedule.integer(3), since: 0 };
	const phones = range(schedule.isLong ? 6 : 3).map((n) => `+1555000000${n}`);
	const wishesOf = (count: number): Wish[] =>
		range(count).map(() => ({
			phone: schedule.pick(phones),
			account,
			...(isCapped && { cap }),
			...((!isCapped || schedule.integer(2) === 0) && { campaign: schedule.pick(campaigns) }),
		}));
	const processes = range(1 + schedule.integer(4)).map(() => new Process());
	if (schedule.trouble.timeouts)
		for (const process of processes) process.endsAt = schedule.clock.now + schedule.integer(20_000);
	const runs = range(processes.length + schedule.integer(2)).map((index) => {
		const process = processes[index % processes.length];
		const count = 1 + schedule.integer(schedule.isLong ? 8 : 4);
		const wishes = wishesOf(index === 0 && schedule.storage.lateMs > 0 ? 1 : count);
		schedule.clock.after(schedule.integer(schedule.pick([1, 500, 40_000])), () => {
			void schedule.run(process, `run${index}`, wishes);
		});
		return wishes;
	});
	const { sent, trouble, storage, recording, doubts } = schedule;
	if (schedule.integer(5) === 0) recording.followStray(schedule.pick(phones));
	if (schedule.integer(5) === 0)
		schedule.clock.after(schedule.integer(60_000), () => storage.deleteSome());
	const failures: string[] = [];
	const check = (isRight: boolean, failure: string) => void (isRight || failures.push(failure));
	await schedule.clock.runAll();
	schedule.calm();
	void recording.again(sent);
	await schedule.clock.runAll();
	failures.push(...recording.faults(storage.rows, sent));
	const misled = recording.misled(storage.rows);
	const { counts } = recording;
	// People have deleted its row, or that of which SQLite has given it the ID again, so that a late call removed it.
	const { deleted, reused } = storage;
	const isGone = ({ key }: Message) => deleted.has(key) || reused.has(key);
	const hasRow = ({ key }: Message) => storage.rows.some((row) => row.key === key);
	for (const message of sent)
		check(isGone(message) || hasRow(message), `${message.id} has no row any more`);
	const all = runs.flat();
	const last = new Process();
	let outcomes: string[] | undefined;
	schedule.clock.after(0, () => {
		void schedule.run(last, 'last', all).then((found) => (outcomes = found));
	});
	await schedule.clock.runAll();
	check(outcomes !== undefined && !last.hasWarned, 'The last run does not end well');
	// After some failures, and to people whose rows somebody has deleted, a message may be sent again.
	const final = sent.filter((one) => !isGone(one) && !recording.isFreed(one));
	const nameOf = ({ phone, campaign = '' }: Pick<Wish, 'phone' | 'campaign'>) =>
		`${phone} ${campaign}`;
	const perCampaign = countBy(
		final.filter(({ campaign }) => campaign),
		nameOf,
	);
	check((max(Object.values(perCampaign)) ?? 0) <= 1, `Doubled: ${JSON.stringify(perCampaign)}`);
	const perPerson = countBy(final, 'phone');
	if (isCapped)
		check(
			(max(Object.values(perPerson)) ?? 0) <= cap.messages,
			`Cap: ${JSON.stringify(perPerson)}`,
		);
	const uncertain = all.filter((_, index) => outcomes?.[index] === 'mayHaveBeenSent');
	for (const [index, { phone, campaign }] of all.entries()) {
		const outcome = outcomes?.[index];
		const message = sent.find((one) => one.phone === phone && one.campaign === campaign);
		const name = `${phone} ${campaign}: ${outcome}`;
		if (outcome === 'alreadySent')
			check(message !== undefined || misled.length > 0, `${name}, but nothing was sent`);
		if (outcome !== 'mayHaveBeenSent') continue;
		const isExplained =
			processes.some((one) => one.isDead || one.hasWarned || one.hasLostCalls) ||
			doubts.has(nameOf({ phone, campaign })) ||
			// A run does not find its own slow claim if people have deleted the last rows, and SQLite gives their IDs again.
			storage.deleted.size > 0;
		check(isExplained, `${name} without a reason`);
	}
	check(schedule.excess <= 0, `${schedule.excess} more messages under way than allowed`);
	const { kills, failures: fails, timeouts } = trouble;
	const isSteady = !kills && !fails && !timeouts && !processes.some(({ hasWarned }) => hasWarned);
	// Claims whose IDs SQLite had given before, so that their run may not have found them, are doubts as well.
	const lostClaims = storage.rows.filter(
		({ key, status }) => status === 'sending' && reused.has(key),
	);
	const doubtful = new Set([...doubts, ...lostClaims.map(nameOf)]);
	if (!isCapped && isSteady && misled.length === 0)
		for (const { phone, campaign = '' } of all)
			check(
				doubtful.has(nameOf({ phone, campaign })) ||
					sent.some((one) => one.phone === phone && one.campaign === campaign),
				`${phone} ${campaign} got nothing`,
			);
	const isOnlyCapped = all.every(({ campaign }) => campaign === undefined) && doubts.size === 0;
	if (isOnlyCapped && isSteady && misled.length === 0)
		for (const [phone, wanted] of Object.entries(countBy(all, 'phone')))
			check(
				sent.filter((one) => one.phone === phone).length >= Math.min(wanted, cap.messages),
				`${phone} got too little`,
			);
	const { steps } = schedule.clock;
	return { steps, sent: sent.length, uncertain: uncertain.length, ...counts, failures };
}
