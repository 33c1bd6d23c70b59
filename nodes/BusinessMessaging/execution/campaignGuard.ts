/** Send Once and Frequency Cap: holds back messages that the campaign log forbids, and writes the others into it. */
import { randomUUID } from 'crypto';
import { clamp, compact, noop } from 'lodash';
import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';

import { noteOther } from '../campaign/otherMessages';
import { textOrJson } from '../jsonValues';
import type { OperationRequest } from '../operations/operation';
import type { Cap } from '../operations/sending/audienceRules';
import type { Client } from '../transport/client';
import { InputError, ServiceError } from '../transport/errors';
import { accountOf } from './account';
import type { CampaignClaims } from './campaignClaims';
import type { Claim, LogDetails, MessageResult, Unfinished } from './claim';
import { type HoldReason, type LogView, type Wish, decide } from './campaignLog';
import { wordsOf } from './dataTable';
import { type Guard, type Outcome, type Send, type ValidItem, hasFailed, skip } from './item';
import { PeopleReader, CampaignReader } from './logReader';
import { type LogRun, endOf, openLogRun } from './logRun';
import { logTableName, openLogTable } from './logTable';
import { RecentSpeed } from './recentSpeed';
import { isTool } from './toolReview';

/** The fewest messages that may be under way; so many that a short campaign goes out at once; and the most, ever. */
const [leastUnderWay, burst, mostUnderWay] = [4, 40, 600];
/** So fast a run begins to send what its plan allows at once: messages per ms. */
const firstPerMs = 0.1;
/** How long n8n usually takes to insert rows, ms. */
const insertMs = 50;
/** If the table takes longer for a message, ms, a run sends more slowly than its plan allows: less is uncertain then. */
const slowTableMs = 1_000;
/** How long before n8n's timeout a run stops at least and at most, ms. */
const [leastEndMs, mostEndMs] = [3_000, 30_000];

const unreadable = (error: unknown) =>
	error instanceof InputError
		? error
		: new InputError(`The data table "${logTableName}" could not be read`, wordsOf(error));

/** Send Once and Frequency Cap for the items of a run that have one of them. */
export class CampaignGuard implements Guard {
	/** Items that were held back because of a claim of another run. */
	private readonly doubtful: Array<{ item: ValidItem; wish: Wish }> = [];
	/** People who have the campaign from another key of the account's host. */
	private underOtherKey = 0;
	private readonly endsAt: number;
	private readonly speed = new RecentSpeed();

	private constructor(
		private readonly context: IExecuteFunctions,
		private readonly execution: string,
		private readonly client: Client,
		private readonly account: string,
		private readonly run: LogRun,
	) {
		this.endsAt = endOf(context);
		if (!this.claims.reader.isShared) this.claims.underWay.bound = () => this.mostUnderWay;
	}

	/** Reads the campaign log; undefined if no item has a campaign or a cap. @throws InputError; then nothing may be sent */
	static async open(
		context: IExecuteFunctions,
		items: ValidItem[],
		client: Client,
	): Promise<CampaignGuard | undefined> {
		if (!items.some(({ request }) => isLogged(request))) return undefined;
		const account = await accountOf(client.config);
		const wishes = compact(items.map(({ request }) => wishOf(request, account)));
		// An agent may run several of its tools at once in one execution. Each must see the claims of the others.
		const part = isTool(context.getNode()) ? ` ${randomUUID().slice(0, 4)}` : '';
		const execution = context.getExecutionId() + part;
		const run = await openLogRun(context, execution, wishes).catch((error: unknown) => {
			throw unreadable(error);
		});
		return new CampaignGuard(context, execution, client, account, run);
	}

	/** How many messages may be claimed, sent or written at the same time. After a crash, they are uncertain. */
	get mostUnderWay(): number {
		const { requests, windowMs } = this.client.config.rate;
		const { claiming, writing } = this.claims;
		const responseMs = this.client.averageResponseMs;
		const ms = responseMs + Math.min(claiming.delayMs + writing.delayMs, slowTableMs);
		const planPerMs = requests / windowMs;
		const startPerMs = Math.max(planPerMs, Math.min(6 * planPerMs, firstPerMs));
		const first = startPerMs * (responseMs + 2 * insertMs);
		// More than this machine sends is as useless as more than the plan needs.
		const growing = Math.min(2 * this.speed.perMs * ms, Math.max(burst, 2 * planPerMs * ms));
		const most = clamp(Math.ceil(Math.max(growing, first)), leastUnderWay, mostUnderWay);
		return Math.min(most, Math.max(leastUnderWay, this.client.freeWithin(ms)));
	}

	/** Whether n8n's timeout is so near that nothing more may be begun: after it, n8n carries out no call of the table. */
	get isEnding(): boolean {
		const { claiming, writing } = this.claims;
		const needed = 2 * (claiming.slowMs + this.client.averageResponseMs + 2 * writing.slowMs);
		return Date.now() >= this.endsAt - clamp(needed, leastEndMs, mostEndMs);
	}

	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const { request } = item;
		const wish = wishOf(request, this.account);
		if (!wish) return await send();
		const taken = await this.claims
			.claim(wish, this.execution, detailsOf(request))
			.catch(notWritten);
		if (taken instanceof InputError) return { failure: taken };
		if (typeof taken === 'string') {
			if (taken === 'mayHaveBeenSent') this.doubtful.push({ item, wish });
			return held(item, taken, wish);
		}
		item.idempotencyKey = taken.key;
		return await this.sendClaimed(item, taken, send);
	}

	/** Writes the rest at the end of a run. @returns warnings about later runs */
	async close(): Promise<string[]> {
		await this.lookAgain();
		const left = await this.claims.close(this.execution);
		const warnings = compact([
			await this.warningOf(left),
			otherKeyWarning(this.underOtherKey, this.account),
		]);
		this.claims.forget(this.execution);
		this.run.leave();
		return warnings;
	}

	private get claims(): CampaignClaims {
		return this.run.claims;
	}

	private async sendClaimed(item: ValidItem, claim: Claim, send: Send): Promise<Outcome> {
		if (this.claims.refusal) {
			this.claims.release(claim);
			return { failure: notWritten(this.claims.refusal) };
		}
		const outcome = await send();
		if (item.hasBegun) this.speed.add();
		if (!hasFailed(outcome)) {
			const [record] = outcome.records;
			const { template } = item.request.rules?.fallback?.body ?? {};
			const messageId = textOrJson(record?.messageId ?? '');
			const message = record?.sentAs === 'template' ? { message: textOrJson(template) } : {};
			this.claims.settle(claim, { status: 'sent', messageId, ...message });
			if (claim.isUnderOtherKey) this.underOtherKey++;
		} else if (item.hasBegun) this.claims.settle(claim, toResult(outcome));
		else this.claims.release(claim);
		return outcome;
	}

	/** The run that held back these messages may have sent them meanwhile. */
	private async lookAgain(): Promise<void> {
		if (this.doubtful.length === 0) return;
		const wishes = this.doubtful.map(({ wish }) => wish);
		const { reader } = this.claims;
		const view = await reader.look(wishes, Infinity, noop).catch(noop);
		for (const { item, wish } of this.doubtful)
			if (view && decide(wish, view.messagesTo(wish)) === 'alreadySent')
				item.outcome = held(item, 'alreadySent', wish);
	}

	/** What later runs will do wrong. */
	private async warningOf({ unwritten, unremoved }: Unfinished): Promise<string | undefined> {
		if (unwritten.length + unremoved.length === 0) return undefined;
		const start = `The data table "${logTableName}" could not be written. Later runs will`;
		if (await this.isDeleted())
			return unwritten.length === 0
				? undefined
				: `The data table "${logTableName}" was deleted during this run. Later runs do not know who got a message, so they send again to everybody, also to ${some(unwritten)}.`;
		const words: string[] = [];
		if (unwritten.length > 0)
			words.push(`report ${some(unwritten)} as mayHaveBeenSent, although the result is known`);
		if (unremoved.length > 0)
			words.push(`skip ${some(unremoved)}, although they got no message: delete their rows`);
		return `${start} ${words.join(', and ')}.`;
	}

	private async isDeleted(): Promise<boolean> {
		const source = await openLogTable(this.context, true).catch(() => undefined);
		const last = await source?.last().catch(() => undefined);
		return source !== undefined && last === undefined;
	}
}

/** Leaves out the items that the log holds back, as if the items before them had been sent. Writes nothing. */
export async function previewLog(
	context: IExecuteFunctions,
	items: ValidItem[],
	client: Client,
): Promise<{ preview: (item: ValidItem) => void; warning: () => string | undefined } | undefined> {
	if (!items.some(({ request }) => isLogged(request))) return undefined;
	const account = await accountOf(client.config);
	const wishes = compact(items.map(({ request }) => wishOf(request, account)));
	const view = await readLog(context, wishes).catch((error: unknown) => {
		throw unreadable(error);
	});
	let underOtherKey = 0;
	let previewId = 0; // no row has a negative ID
	const preview = (item: ValidItem) => {
		const wish = wishOf(item.request, account);
		if (!wish) return;
		const verdict = decide(wish, view.messagesTo(wish));
		if (verdict !== 'send' && verdict !== 'wait') item.outcome = held(item, verdict, wish);
		else {
			if (view.isUnderOtherKey(wish)) underOtherKey++;
			const { phone, campaign = '' } = wish;
			const times = { sentAt: Date.now(), createdAt: Date.now() };
			const row = { campaign, phone, account, status: 'sent', execution: '', key: '', ...times };
			view.add({ ...row, id: --previewId });
		}
	};
	return { preview, warning: () => otherKeyWarning(underOtherKey, account) };
}

async function readLog(context: IExecuteFunctions, wishes: Wish[]): Promise<LogView> {
	const source = await openLogTable(context, true);
	if (wishes.length === 1) return await new PeopleReader(source).look(wishes, 0, () => undefined);
	const reader = new CampaignReader(source, '');
	await reader.read(wishes);
	return reader.known;
}

function otherKeyWarning(count: number, account: string): string | undefined {
	if (count === 0) return undefined;
	const [host] = account.split(' ');
	const who = count === 1 ? '1 person of this run has' : `${count} people of this run have`;
	return `${who} this campaign already from another API key of ${host}. For Send Once, each key is another account. If this is the same account with a new key, put "${account}" into the column account of their rows in the data table "${logTableName}".`;
}

const examples = 3;

/** Some people: how many, and three of them. */
function some(phones: string[]): string {
	const shown = phones.slice(0, examples).join(', ');
	if (phones.length <= examples) return shown;
	return `${phones.length} people (${shown}, …)`;
}

const toResult = ({ failure }: Extract<Outcome, { failure: unknown }>): MessageResult => ({
	status: failure.sendStatus,
	reason: failure.message,
});

const held = (item: ValidItem, taken: HoldReason, { campaign }: Wish): Outcome =>
	skip(item, taken, taken === 'frequencyCap' ? {} : { campaign });

const isLogged = ({ rules }: OperationRequest) =>
	rules?.campaign !== undefined || rules?.audience?.cap !== undefined;

/** Remembers a message that was sent without the log, so that its receipts are not taken for those of a campaign. */
export function noteWithoutLog({ request }: ValidItem, outcome: Outcome): void {
	if (hasFailed(outcome) || isLogged(request)) return;
	noteOther(textOrJson(outcome.records[0]?.messageId ?? ''));
}

/** What a request asks the log for; undefined without Send Once and Frequency Cap. */
function wishOf(request: OperationRequest, account: string): Wish | undefined {
	if (!isLogged(request)) return undefined;
	const { body, rules } = request;
	const cap = rules?.audience?.cap;
	const limit = cap && { messages: cap.messages, since: periodStart(cap.per) };
	return { phone: textOrJson(body?.to), account, campaign: rules?.campaign?.name, cap: limit };
}

/** When the present day, week (from Monday) or month began in UTC, ms. */
function periodStart(per: Cap['per']): number {
	return DateTime.utc().startOf(per).toMillis();
}

function detailsOf({ body, rules }: OperationRequest): LogDetails {
	const message = rules?.template?.name ?? textOrJson(body?.template ?? 'text');
	const { person: name = '', variant = '' } = rules?.campaign ?? {};
	return { name, message, variant };
}

/** What guards and users see of a message whose turn did not come before n8n's timeout. */
export const timedOut = new ServiceError(
	"n8n's execution timeout came before this message was sent",
	{
		kind: 'cancelled',
		description:
			'Run the workflow again. With Send Once, it continues with the others. To send to everybody in one run, raise or switch off the timeout in the settings of the workflow.',
	},
);

function notWritten(cause: unknown): InputError {
	return new InputError(
		`The data table "${logTableName}" could not be written, so this message was not sent`,
		`Try again when the problem is solved. Reason: ${wordsOf(cause)}`,
	);
}
