/**
 * Send Once: a campaign reaches each recipient at most once, across executions, workers and crashes. A key (recipient and
 * campaign) is claimed in n8n's database before the send. Afterwards, the claim is confirmed or removed. A claim without
 * confirmation is a message that was under way when n8n stopped. Items share calls of the database.
 * docs/adr/0004-memory.md
 */
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { withLock } from '../mutex';
import type { OperationRequest } from '../operations/operation';
import { recipientOf } from '../operations/phone';
import { InputError, ServiceError } from '../transport/errors';
import { batched } from './batched';
import { History, notWritten } from './history';
import { type Outcome, type SkipReason, type ValidItem, hasFailed, skip } from './item';

/** What the history says about a key before it is sent. */
type Claim = 'new' | Extract<SkipReason, 'alreadySent' | 'mayHaveBeenSent' | 'historyCleared'>;

/** How often the last entries are written if the database fails, and the first pause between, ms. */
const maxWrites = 4;
const pauseMs = 250;
const claimOf = (key: string) => `claimed ${key}`;
const confirmationOf = (key: string) => `sent ${key}`;

/** Keys that running executions of this process have sent or are sending, by lock: none of them is sent again. */
const underWay = new Set<string>();

/** Send Once for the items of a run that have a campaign. */
export class SendOnce {
	/** Keys of messages that were sent, still to be confirmed. */
	private readonly confirmed: string[] = [];
	/** What this run has added to {@link underWay}. */
	private readonly began: string[] = [];
	private readonly lockName: string;
	private readonly history: History;
	private readonly claim: (key: string) => Promise<Claim>;
	private clearing: Promise<'historyCleared'> | undefined;

	constructor(private readonly context: IExecuteFunctions) {
		this.history = new History(context.helpers, 'node');
		this.lockName = `send once ${context.getWorkflow().id} ${context.getNode().id}`;
		this.claim = batched(this.lockName, async (keys) => await this.write(keys));
	}

	/** Sends the message of an item unless its campaign has reached the recipient. */
	async guard(
		item: ValidItem,
		send: (request: OperationRequest) => Promise<Outcome>,
	): Promise<Outcome> {
		const { campaign } = item.request;
		const key = campaignKeyOf(item.request);
		if (!campaign || key === undefined) return await send(item.request);
		const asking = campaign.clearsHistory ? this.clear() : this.claim(key);
		const claim = await asking.catch((cause) => notWritten('Send Once', cause));
		if (claim instanceof InputError) return { failure: claim };
		const name = `${this.lockName} ${key}`;
		const isRepeat =
			claim === 'mayHaveBeenSent' && campaign.repeatsUncertain && !underWay.has(name);
		if (claim !== 'new' && !isRepeat) return skip(item, claim, { campaign: campaign.name });
		underWay.add(name);
		this.began.push(name);
		const outcome = isRepeat ? await repeat(item, send) : await send(item.request);
		if (!hasFailed(outcome)) this.confirmed.push(key);
		else if (outcome.failure.sendStatus === 'notSent') this.history.removals.add(claimOf(key));
		return outcome;
	}

	/** What the history says about the items, without claiming their keys. */
	async look(items: ValidItem[]): Promise<Claim[]> {
		const keys = items.map(({ request }) => campaignKeyOf(request));
		const wanted = keys.filter((key) => key !== undefined);
		return await withLock(this.lockName, async () => {
			const unclaimed = await this.history.missing(wanted.map(claimOf));
			const unconfirmed = await this.history.missing(wanted.map(confirmationOf));
			return items.map(({ request: { campaign } }, index) => {
				const key = keys[index];
				if (!campaign || key === undefined) return 'new';
				if (campaign.clearsHistory) return 'historyCleared';
				const isUncertain = unconfirmed.has(confirmationOf(key));
				const isNew = unclaimed.delete(claimOf(key)) || (isUncertain && campaign.repeatsUncertain);
				if (!isNew) return isUncertain ? 'mayHaveBeenSent' : 'alreadySent';
				unconfirmed.delete(confirmationOf(key)); // another item of the key comes after the message
				return 'new';
			});
		});
	}

	/** Writes what is left at the end of a run, several times if the database fails. @returns what then is wrong */
	async close(): Promise<string | undefined> {
		const isUnwritten = () => this.confirmed.length + this.history.removals.size > 0;
		for (let attempt = 0; attempt < maxWrites && isUnwritten(); attempt++) {
			if (attempt > 0) await sleep(pauseMs * 2 ** attempt);
			await withLock(this.lockName, async () => await this.write([])).catch(() => undefined);
		}
		const { warning } = this;
		const removeMarks = async () => await this.history.removeMarks();
		await withLock(this.lockName, removeMarks).catch(() => undefined);
		for (const name of this.began) underWay.delete(name);
		return warning;
	}

	/** A hint on what later runs will do wrong. */
	private get warning(): string | undefined {
		const prefix = claimOf('');
		const claims = [...this.history.removals].filter((entry) => entry.startsWith(prefix));
		const unsent = claims.map((claim) => claim.slice(prefix.length));
		const start = "Send Once could not write to n8n's database. Later runs will";
		if (unsent.length > 0)
			return `${start} skip people who got no message. Write to them with another campaign name: ${unsent.join(', ')}.`;
		if (this.confirmed.length === 0) return undefined;
		return `${start} report mayHaveBeenSent for messages that were sent: ${this.confirmed.join(', ')}.`;
	}

	/** Forgets all keys, once a run. */
	private async clear(): Promise<'historyCleared'> {
		this.clearing ??= withLock(this.lockName, async () => {
			await this.context.helpers.clearAllProcessedItems('node', { mode: 'entries' });
			const message =
				"The Send Once history of this node was cleared, and nothing was sent. To send, remove the option 'Clear Send Once History'.";
			this.context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
			return 'historyCleared' as const;
		});
		return await this.clearing;
	}

	/** Removes, confirms and claims. What fails is left for the next call. */
	private async write(keys: string[]): Promise<Claim[]> {
		const confirmed = [...this.confirmed];
		if (keys.length + confirmed.length === 0) {
			await this.history.remove();
			return [];
		}
		const claimed = await this.history.add(keys.map(claimOf), confirmed.map(confirmationOf));
		this.confirmed.splice(0, confirmed.length);
		const known = keys.filter((key) => !claimed.has(claimOf(key)));
		const looking = this.history.missing(known.map(confirmationOf));
		const unconfirmed = await looking.catch((error) => {
			for (const claim of claimed) this.history.removals.add(claim);
			throw error;
		});
		return keys.map((key) => {
			if (claimed.delete(claimOf(key))) return 'new'; // if a batch has the same key twice, the first item gets it
			return unconfirmed.has(confirmationOf(key)) ? 'mayHaveBeenSent' : 'alreadySent';
		});
	}
}

/** Identifies one message of a campaign to a recipient: the first one, or the one after a failed message. */
export function campaignKeyOf(request: OperationRequest): string | undefined {
	const { campaign } = request;
	if (!campaign) return undefined;
	const { name, failedMessageId } = campaign;
	const key = `${recipientOf(request)} ${name}`;
	return failedMessageId ? `${key} after ${failedMessageId}` : key;
}

/** Sends a message again. A refusal says nothing about the first attempt, so no fallback template follows. */
async function repeat(
	{ request }: ValidItem,
	send: (request: OperationRequest) => Promise<Outcome>,
): Promise<Outcome> {
	const outcome = await send({ ...request, fallback: undefined });
	if (!hasFailed(outcome)) return outcome;
	const { message, description = '', statusCode } = outcome.failure;
	const failure = new ServiceError(message, {
		kind: 'indeterminate',
		statusCode,
		description: `${description} An earlier run may have sent the message.`.trim(),
	});
	return { failure };
}
