/**
 * Send Once: a key (e.g. campaign and phone) is sent at most once ever, across executions, workers and crashes.
 *
 * Kept in n8n's own database through its deduplication helper. A key is claimed before the send and confirmed after it;
 * the claim is given back only if the message certainly did not go out. A claim that was never confirmed is one that was
 * under way when n8n died: it may have been sent. Since every message waits for its claim, and the confirmation of a
 * sender's last message travels with the claim of its next one, there are never more of these than senders.
 *
 * The helper reads and writes all keys in one go, so calls are shared: while one is under way, the next ones collect.
 * Calls of one process go one after the other; what several processes do at the same time is the history's part.
 */
import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { withLock } from '../mutex';
import { asText } from '../operations/asText';
import type { SendOnceValues } from '../operations/message/sendOnce';
import type { OperationRequest } from '../operations/operation';
import { type Outcome, hasFailed } from '../operations/outcome';
import { ServiceError } from '../transport/errors';
import { History } from './history';

/** Sends what was not sent yet. */
export type SendOnceGuard = (
	request: OperationRequest,
	send: () => Promise<Outcome>,
) => Promise<Outcome>;

/** What is known of a key when it is to be sent. */
type Claim = 'new' | 'alreadySent' | 'mayHaveBeenSent' | 'historyFull';

const collectMs = 10;
const claimOf = (key: string) => `claimed ${key}`;
const confirmationOf = (key: string) => `sent ${key}`;
/** A key takes two entries: its claim and its confirmation. */
const entriesPerKey = 2;

/** Opens Send Once for a run; items without a key are simply sent. */
export function openSendOnce(context: IExecuteFunctions): {
	guard: SendOnceGuard;
	close(): Promise<void>;
} {
	let ledger: Ledger | undefined;
	const guard: SendOnceGuard = async ({ sendOnce, body }, send) => {
		if (!sendOnce) return await send();
		ledger ??= new Ledger(context, sendOnce);
		const claim = await ledger.claim(sendOnce.key).catch((error: unknown) => error);
		if (claim instanceof Error) return { failure: noHistory(claim) };
		if (claim === 'historyFull') return { failure: historyFull(sendOnce) };
		if (claim !== 'new') {
			return {
				records: [
					{
						to: asText(body?.to),
						skipped: true,
						sendStatus: claim as Claim,
						sendOnceKey: sendOnce.key,
					},
				],
			};
		}
		const outcome = await send();
		if (!hasFailed(outcome)) ledger.confirm(sendOnce.key);
		else if (outcome.failure.sendStatus === 'notSent') ledger.release(sendOnce.key);
		return outcome;
	};
	return { guard, close: async () => await ledger?.flush() };
}

function historyFull({ historySize, scope }: SendOnceValues): ServiceError {
	return new ServiceError(`The history of Send Once is full with ${historySize} keys`, {
		kind: 'configuration',
		description: `Raise History Size, or clear the history of this ${scope} with the operation Clear Deduplication History of the Remove Duplicates node once the campaign is over.`,
	});
}

function noHistory(cause: Error): ServiceError {
	return new ServiceError('n8n could not note in its database that this message is sent', {
		kind: 'configuration',
		description: `Send Once sends nothing that it cannot note. (${cause.message})`,
	});
}

interface Waiting {
	key: string;
	resolve: (claim: Claim) => void;
	reject: (error: unknown) => void;
}

/** The keys in n8n's database, and what is on its way there. */
class Ledger {
	private waiting: Waiting[] = [];
	private confirmed: string[] = [];
	private released: string[] = [];
	private writing: Promise<void> | undefined;
	/** How many entries the database holds, about. */
	private entries: number | undefined;
	private readonly lockName: string;
	private readonly history: History;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly settings: SendOnceValues,
	) {
		this.history = new History(context.helpers, settings.scope);
		const { id } = context.getWorkflow();
		this.lockName = settings.scope === 'node' ? `${id} ${context.getNode().id}` : `${id}`;
	}

	async claim(key: string): Promise<Claim> {
		return await new Promise((resolve, reject) => {
			this.waiting.push({ key, resolve, reject });
			void this.write();
		});
	}

	confirm(key: string): void {
		this.confirmed.push(confirmationOf(key));
	}

	release(key: string): void {
		this.released.push(claimOf(key));
	}

	/** Writes what is left at the end of a run. */
	async flush(): Promise<void> {
		await this.write();
		if (this.confirmed.length + this.released.length > 0) await this.write();
		await withLock(this.lockName, async () => await this.history.removeMarks()).catch(
			() => undefined,
		);
		if (this.confirmed.length > 0) {
			this.context.logger.warn(
				'Send Once could not note that messages were sent; they will be shown as mayHaveBeenSent',
			);
		}
	}

	private async write(): Promise<void> {
		this.writing ??= this.collect().finally(() => {
			this.writing = undefined;
			if (this.waiting.length > 0) void this.write();
		});
		await this.writing;
	}

	/** Lets the senders that end at about the same time share a call. */
	private async collect(): Promise<void> {
		await sleep(collectMs);
		await withLock(this.lockName, async () => await this.writeBatch());
	}

	private async writeBatch(): Promise<void> {
		const { waiting, confirmed, released } = this;
		[this.waiting, this.confirmed, this.released] = [[], [], []];
		try {
			await this.history.remove(released);
			if (waiting.length + confirmed.length === 0) return;
			const claims = await this.history.add(
				waiting.map(({ key }) => claimOf(key)),
				confirmed,
			);
			const known = waiting.filter(({ key }) => !claims.has(claimOf(key))).map(({ key }) => key);
			const unconfirmed =
				known.length > 0
					? await this.history.missing(known.map(confirmationOf))
					: new Set<string>();
			const isFull = claims.size > 0 && (await this.isFull(claims.size + confirmed.length));
			if (isFull) await this.history.remove([...claims]);
			for (const { key, resolve } of waiting) {
				const isNew = claims.delete(claimOf(key)); // the same key twice in one batch: the first one has it
				resolve(
					isNew
						? isFull
							? 'historyFull'
							: 'new'
						: unconfirmed.has(confirmationOf(key))
							? 'mayHaveBeenSent'
							: 'alreadySent',
				);
			}
		} catch (error) {
			this.confirmed.push(...confirmed);
			for (const { reject } of waiting) reject(error);
		}
	}

	private async isFull(added: number): Promise<boolean> {
		// counted once a run, as it reads all keys; what was just added is in the first count
		if (this.entries === undefined) this.entries = await this.history.count();
		else this.entries += added;
		return this.entries > this.settings.historySize * entriesPerKey;
	}
}
