/**
 * Send Once: a campaign reaches each recipient at most once ever, across executions, workers and crashes.
 *
 * A key (recipient and campaign) is claimed in n8n's database before the send and confirmed after it, together with the
 * next claims. The claim is given back only if the message certainly did not go out: one without a confirmation was under
 * way when n8n died. Each call reads and writes all keys, so senders share calls. docs/adr/0004-memory.md
 */
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { withLock } from '../mutex';
import { asText } from '../operations/asText';
import type { Campaign } from '../operations/message/campaign';
import type { Operation } from '../operations/operation';
import { type Outcome, hasFailed } from '../operations/outcome';
import { ServiceError } from '../transport/errors';
import { History } from './history';
import type { ValidItem } from './item';

/** What is known of a key when it is to be sent. */
type Claim = 'new' | 'alreadySent' | 'mayHaveBeenSent';

/** Keys that are claimed together. */
interface Batch {
	keys: string[];
	claims: Promise<Claim[]>;
}

/** How long senders that end at about the same time wait for each other, ms. */
const collectMs = 10;
/** How often what is left at the end is written again if the database fails, and the first pause before that, ms. */
const maxWrites = 4;
const pauseMs = 250;
const claimOf = (key: string) => `claimed ${key}`;
const confirmationOf = (key: string) => `sent ${key}`;

/** Send Once for the items of a run that have a campaign; the scope is that of the first one. */
export class SendOnce {
	/** Keys of messages that were sent, still to be confirmed. */
	private readonly confirmed: string[] = [];
	private readonly scope: Campaign['scope'];
	private readonly lockName: string;
	private readonly history: History;
	private nextBatch: Batch | undefined;
	private clearing: Promise<'notSent'> | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: Operation,
		items: ValidItem[],
	) {
		const first = items.find(({ request }) => request.campaign);
		this.scope = first?.request.campaign?.scope ?? 'node';
		this.history = new History(context.helpers, this.scope);
		const { id } = context.getWorkflow();
		this.lockName = this.scope === 'node' ? `${id} ${context.getNode().id}` : `${id}`;
	}

	/** Sends the message of an item unless its campaign has reached the recipient. */
	async guard({ request }: ValidItem, send: () => Promise<Outcome>): Promise<Outcome> {
		const { campaign, body } = request;
		if (!campaign) return await send();
		const key = `${this.operation.recipientOf?.(request)} ${campaign.name}`;
		const asking = campaign.clearsHistory ? this.clear() : this.claim(key);
		const claim = await asking.catch(notWritten);
		if (claim instanceof ServiceError) return { failure: claim };
		if (claim !== 'new') {
			const to = asText(body?.to);
			return { records: [{ to, skipped: true, sendStatus: claim, campaign: campaign.name }] };
		}
		const outcome = await send();
		if (!hasFailed(outcome)) this.confirmed.push(key);
		else if (outcome.failure.sendStatus === 'notSent') this.history.removals.add(claimOf(key));
		return outcome;
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
		return warning;
	}

	/** What later runs will get wrong. */
	private get warning(): string | undefined {
		const prefix = claimOf('');
		const claims = [...this.history.removals].filter((entry) => entry.startsWith(prefix));
		const unsent = claims.map((claim) => claim.slice(prefix.length));
		const start = "Send Once could not write to n8n's database. Later runs will";
		if (unsent.length > 0)
			return `${start} skip messages that were not sent. Send these with another campaign name: ${unsent.join(', ')}.`;
		if (this.confirmed.length === 0) return undefined;
		return `${start} list messages as mayHaveBeenSent that were sent: ${this.confirmed.join(', ')}.`;
	}

	/** Forgets all keys, once a run. */
	private async clear(): Promise<'notSent'> {
		this.clearing ??= withLock(this.lockName, async () => {
			await this.context.helpers.clearAllProcessedItems(this.scope, { mode: 'entries' });
			const message = `The Send Once history of this ${this.scope} was cleared, and nothing was sent. To send, remove the option 'Clear Send Once History'.`;
			this.context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
			return 'notSent' as const;
		});
		return await this.clearing;
	}

	private async claim(key: string): Promise<Claim> {
		this.nextBatch ??= this.openBatch();
		const { keys, claims } = this.nextBatch;
		const place = keys.push(key) - 1;
		return (await claims)[place];
	}

	/** A batch collects keys until the one before is written. */
	private openBatch(): Batch {
		const keys: string[] = [];
		const write = async () => {
			this.nextBatch = undefined;
			return await this.write(keys);
		};
		const claims = sleep(collectMs).then(async () => await withLock(this.lockName, write));
		return { keys, claims };
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
			if (claimed.delete(claimOf(key))) return 'new'; // the same key twice in one batch: the first one has it
			return unconfirmed.has(confirmationOf(key)) ? 'mayHaveBeenSent' : 'alreadySent';
		});
	}
}

function notWritten(cause: unknown): ServiceError {
	const message = "Send Once could not write to n8n's database, so this message was not sent";
	return new ServiceError(message, {
		kind: 'configuration',
		description: `Run it again when the database works. (${String(cause)})`,
	});
}
