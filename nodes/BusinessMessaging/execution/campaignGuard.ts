/** Send Once and Frequency Cap: holds back messages that the campaign log forbids, and writes the others into it. */
import { randomUUID } from 'crypto';
import { compact, uniq } from 'lodash';
import { DateTime } from 'luxon';
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { textOrJson } from '../jsonValues';
import type { OperationRequest } from '../operations/operation';
import type { Cap } from '../operations/sending/audienceRules';
import { InputError } from '../transport/errors';
import { type Claim, CampaignClaims, type MessageResult } from './campaignClaims';
import type { HoldReason, Wish } from './campaignLog';
import { type Guard, type Outcome, type Send, type ValidItem, hasFailed, skip } from './item';
import { wordsOf } from './dataTable';
import { logTableName, openLogTable } from './logTable';
import { isTool } from './toolReview';

/** Send Once and Frequency Cap for the items of a run that have one of them. */
export class CampaignGuard implements Guard {
	private constructor(private readonly claims: CampaignClaims) {}

	/** Reads the campaign log; undefined if no item has a campaign or a cap. @throws InputError; then nothing may be sent */
	static async open(
		context: IExecuteFunctions,
		items: ValidItem[],
	): Promise<CampaignGuard | undefined> {
		const wishes = compact(items.map(({ request }) => wishOf(request)));
		if (wishes.length === 0) return undefined;
		const isPreview = items.some(({ request }) => request.rules?.isPreview);
		const table = await openLogTable(context, isPreview);
		// An agent may run several of its tools at once in one execution. Each must see the claims of the others.
		const part = isTool(context.getNode()) ? ` ${randomUUID().slice(0, 4)}` : '';
		const claims = new CampaignClaims(table, {
			execution: context.getExecutionId() + part,
			now: Date.now,
			elapsed: () => performance.now(),
			pause: sleep,
			newKey: () => randomUUID().replaceAll('-', ''),
		});
		await claims.read(wishes).catch((error: unknown) => {
			throw new InputError(`The data table "${logTableName}" could not be read`, wordsOf(error));
		});
		return new CampaignGuard(claims);
	}

	/** How long before its turn a message has to be claimed, ms. */
	get aheadMs(): number {
		return this.claims.aheadMs;
	}

	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const { request } = item;
		const wish = wishOf(request);
		if (!wish) return await send();
		const details = {
			name: request.rules?.campaign?.person ?? '',
			account: '',
			message: messageOf(request),
			variant: request.rules?.campaign?.variant ?? '',
		};
		const taken = await this.claims.claim(wish, details).catch(notWritten);
		if (taken instanceof InputError) return { failure: taken };
		if (typeof taken === 'string') return held(item, taken, wish);
		item.idempotencyKey = taken.key;
		return await this.sendClaimed(item, taken, send);
	}

	/** Leaves out an item that the log holds back, as if the items before it had been sent. Writes nothing. */
	preview(item: ValidItem): void {
		const wish = wishOf(item.request);
		const taken = wish && this.claims.preview(wish);
		if (taken) item.outcome = held(item, taken, wish);
	}

	/** Writes the rest at the end of a run. @returns a warning about what later runs will do wrong if this fails */
	async close(): Promise<string | undefined> {
		const { unwritten, unremoved } = await this.claims.close();
		const start = `The data table "${logTableName}" could not be written. Later runs will`;
		if (unremoved.length > 0)
			return `${start} skip these people, although they got no message: ${uniq(unremoved).join(', ')}. Delete their rows.`;
		if (unwritten.length === 0) return undefined;
		return `${start} report these people as mayHaveBeenSent, although the result is known: ${uniq(unwritten).join(', ')}.`;
	}

	private async sendClaimed(item: ValidItem, claim: Claim, send: Send): Promise<Outcome> {
		const outcome = await send();
		if (!hasFailed(outcome)) {
			const [record] = outcome.records;
			const { template } = item.request.rules?.fallback?.body ?? {};
			const messageId = textOrJson(record?.messageId ?? '');
			const message = record?.sentAs === 'template' ? { message: textOrJson(template) } : {};
			this.claims.settle(claim, { status: 'sent', messageId, ...message });
		} else if (item.hasBegun) this.claims.settle(claim, toResult(outcome));
		else this.claims.release(claim);
		return outcome;
	}
}

const toResult = ({ failure }: Extract<Outcome, { failure: unknown }>): MessageResult => ({
	status: failure.sendStatus,
	reason: failure.message,
});

const held = (item: ValidItem, taken: HoldReason, { campaign }: Wish): Outcome =>
	skip(item, taken, taken === 'frequencyCap' ? {} : { campaign });

/** What a request asks the log for; undefined without Send Once and Frequency Cap. */
function wishOf({ body, rules }: OperationRequest): Wish | undefined {
	const campaign = rules?.campaign?.name;
	const cap = rules?.audience?.cap;
	if (campaign === undefined && !cap) return undefined;
	const limit = cap && { messages: cap.messages, since: periodStart(cap.per) };
	return { phone: textOrJson(body?.to), campaign, cap: limit };
}

/** When the present day, week (from Monday) or month began in UTC, ms. */
function periodStart(per: Cap['per']): number {
	return DateTime.utc().startOf(per).toMillis();
}

function messageOf({ body, rules }: OperationRequest): string {
	return rules?.template?.name ?? textOrJson(body?.template ?? 'text');
}

function notWritten(cause: unknown): InputError {
	return new InputError(
		`The data table "${logTableName}" could not be written, so this message was not sent`,
		`Run the node again when the problem is solved. n8n says: ${wordsOf(cause)}`,
	);
}
