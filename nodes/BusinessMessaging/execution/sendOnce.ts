/**
 * Send Once: a campaign reaches each recipient at most once, across executions, workers and crashes. A key (recipient
 * and campaign) is claimed in n8n's database before the message is sent. Afterwards, the claim is confirmed or removed.
 * A claim without a confirmation belongs to a message that was being sent when n8n stopped. docs/adr/0004-memory.md
 */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { OperationRequest } from '../operations/operation';
import { recipientOf } from '../operations/phoneFields';
import { InputError, ServiceError } from '../transport/errors';
import { EntryStore, notWritten } from './entryStore';
import {
	type Guard,
	type Outcome,
	type Send,
	type SkipReason,
	type ValidItem,
	hasFailed,
	skip,
} from './item';

/** What is known about a key before its message is sent. */
type KeyState = 'new' | Extract<SkipReason, 'alreadySent' | 'mayHaveBeenSent' | 'historyCleared'>;

const claimPrefix = 'claimed ';
/** A message that was sent has both. A look-up that is interrupted can leave only one of them behind. */
const confirmations = ['sent ', 'confirmed '];

type KeysUnderWay = Map<string, 'alreadySent' | 'mayHaveBeenSent'>;

/** For each store, the keys that running executions of this process have claimed. No message is sent again for any of them. */
const underWay = new WeakMap<EntryStore, KeysUnderWay>();

/** Send Once for the items of a run that have a campaign. */
export class SendOnce implements Guard {
	readonly store: EntryStore;
	/** The keys that this run has claimed. */
	private readonly began = new Set<string>();
	private readonly entries = new Set<string>();
	private clearing: Promise<'historyCleared'> | undefined;

	constructor(private readonly context: IExecuteFunctions) {
		this.store = EntryStore.of(context, 'node');
	}

	/** Sends the message of an item unless its campaign has reached the recipient. */
	async guard(item: ValidItem, send: Send): Promise<Outcome> {
		const { campaign } = item.request.rules ?? {};
		const key = campaignKeyOf(item.request);
		if (!campaign || key === undefined) return await send();
		const asking = campaign.clearsHistory ? this.clear() : this.claim(key);
		const state = await asking.catch((cause) => notWritten('Send Once', cause));
		if (state instanceof InputError) return { failure: state };
		const isRepeat =
			state === 'mayHaveBeenSent' && campaign.repeatsUncertain && !this.underWay.has(key);
		if (state !== 'new' && !isRepeat) return skip(item, state, { campaign: campaign.name });
		this.hold(key);
		const outcome = isRepeat ? await repeat(item, send) : await send();
		if (!hasFailed(outcome)) {
			this.underWay.set(key, 'alreadySent');
			for (const prefix of confirmations) this.write('add', prefix + key);
		} else if (outcome.failure.sendStatus === 'notSent') {
			this.release(key);
			this.write('remove', claimPrefix + key);
		}
		return outcome;
	}

	/** Writes what is not written yet, at the end of a run. @returns a warning about what later runs will do wrong if the database fails */
	async close(): Promise<string | undefined> {
		const left = await this.store.flush(this.entries);
		for (const key of this.began) this.underWay.delete(key);
		const keysOf = (prefix: string) =>
			left.filter((entry) => entry.startsWith(prefix)).map((entry) => entry.slice(prefix.length));
		const [unsent, [unconfirmed]] = [keysOf(claimPrefix), confirmations.map(keysOf)];
		const start = "Send Once could not write to n8n's database. Later runs will";
		if (unsent.length > 0)
			return `${start} skip these people, who got no message: ${unsent.join(', ')}. Write to them with another campaign name.`;
		if (unconfirmed.length === 0) return undefined;
		return `${start} report mayHaveBeenSent for messages that were sent: ${unconfirmed.join(', ')}.`;
	}

	private async claim(key: string): Promise<KeyState> {
		const known = this.underWay.get(key);
		if (known) return known;
		this.hold(key);
		const isOurs = await this.store.claim(claimPrefix + key).catch((error: unknown) => {
			this.release(key);
			throw error;
		});
		if (isOurs) return 'new';
		this.release(key);
		for (const prefix of confirmations)
			if (!(await this.store.has(prefix + key))) return 'mayHaveBeenSent';
		return 'alreadySent';
	}

	/** Forgets all keys, only once in a run. */
	private async clear(): Promise<'historyCleared'> {
		const clear = async () => {
			await this.store.clear();
			const message =
				"The Send Once history of this node was cleared, and nothing was sent. To send, remove the option 'Clear Send Once History'.";
			this.context.addExecutionHints({ message, location: 'outputPane', type: 'warning' });
			return 'historyCleared' as const;
		};
		this.clearing ??= clear();
		return await this.clearing;
	}

	private write(method: 'add' | 'remove', entry: string): void {
		this.store[method](entry);
		this.entries.add(entry);
	}

	private get underWay(): KeysUnderWay {
		const keys = underWay.get(this.store) ?? (new Map() as KeysUnderWay);
		underWay.set(this.store, keys);
		return keys;
	}

	private hold(key: string): void {
		this.underWay.set(key, 'mayHaveBeenSent');
		this.began.add(key);
	}

	private release(key: string): void {
		this.underWay.delete(key);
		this.began.delete(key);
	}
}

/** The key of a message of a campaign to a recipient. The message that follows a failed message has another key than the first one. */
export function campaignKeyOf(request: OperationRequest): string | undefined {
	const { campaign } = request.rules ?? {};
	if (!campaign) return undefined;
	const { name, failedMessageId } = campaign;
	const key = `${recipientOf(request)} ${name}`;
	return failedMessageId ? `${key} after ${failedMessageId}` : key;
}

/**
 * Sends a message again. If the service refuses the second attempt, this says nothing about the first one, so no
 * fallback template is sent.
 */
async function repeat({ request }: ValidItem, send: Send): Promise<Outcome> {
	const outcome = await send({ ...request, rules: { ...request.rules, fallback: undefined } });
	if (!hasFailed(outcome)) return outcome;
	const { message, description = '', statusCode } = outcome.failure;
	const failure = new ServiceError(message, {
		kind: 'indeterminate',
		statusCode,
		description: `${description} An earlier run may have sent the message.`.trim(),
	});
	return { failure };
}
