/** The inbox of a trigger in this process, and what it needs of n8n. */
import { randomBytes } from 'crypto';
import type { IWebhookFunctions } from 'n8n-workflow';

import { endpoints } from '../api/endpoints';
import { writeLog } from '../log';
import { readSend } from '../reading/readSend';
import type { Client } from '../transport/client';
import { connect } from '../transport/connect';
import { withDeadline } from '../transport/deadline';
import { ServiceError } from '../transport/errors';
import { hasSucceeded } from '../webhooks/delivery';
import type { Kept, Response } from '../webhooks/kept';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { notRepeated, repetitionOf } from './answers';
import { callRun, callsOf } from './calls';
import type { Message, Person, Run } from './core';
import { Keeper } from './keeper';
import type { InboxDelivery, KeeperPorts, Repetition } from './protocol';
import { prepareDates } from './readDate';
import { seal, unseal } from './seal';
import { isIdle, openRunsIn } from './store';

/** How long deliveries reuse a credential, ms, to spare n8n's database. Calls read it again, so a new key counts. */
const credentialMs = 5_000;
/** How long repeating a question may take, ms: services give up after ten seconds or more. Later, it counts as sent. */
const repeatMs = 7_000;
/** How long n8n may handle a call, ms. Then it counts as failed: better start a workflow twice than lose a message. */
const maxHandlingMs = 600_000;

/** Differs for each process and each trigger. */
export const newProcessName = () => randomBytes(6).toString('base64url');

interface OpenedKeeper {
	own: string;
	keeper: Keeper;
	/** Identifies the key with which the state is encrypted. */
	keyId?: string;
	/** When the credential was read, by performance.now(). */
	readAt: number;
}

/** The inbox. Its state can be read only with the API key, so it is opened when it is needed. */
export class InboxMemory implements Kept {
	private opened?: OpenedKeeper;
	private stored: unknown;
	/** What n8n has to store with deliveries that have changed something. */
	private readonly changed = new WeakMap<Response, { toJSON(): unknown }>();

	merge(stored: unknown): void {
		this.stored = stored;
		this.opened?.keeper.load({ stored });
	}

	isBehind(_stored: unknown, response: Response): boolean {
		return this.changed.has(response);
	}

	live(response?: Response): { toJSON(): unknown } | undefined {
		const changed = response && this.changed.get(response);
		return changed ?? this.opened?.keeper.live;
	}

	/** How many runs wait for replies, as far as n8n has stored it. */
	get openQuestions(): number {
		return openRunsIn(this.stored);
	}

	/** Whether no question is open and no other trigger needs to ask about a message, as far as n8n has stored it. */
	get isIdle(): boolean {
		return isIdle(this.stored, Date.now());
	}

	/** A delivery or a call as the inbox sees it. @param since when the trigger was registered, ms since 1970 */
	deliveryOf(response: Response, since: number): InboxDelivery {
		return {
			stored: this.stored,
			since,
			store: (live) => void this.changed.set(response, live),
			ended: endOf(response),
			hasSucceeded: async () => await hasSucceeded(response, maxHandlingMs),
		};
	}

	/** Opens the inbox for a delivery. @param given the client of a call @throws ServiceError for an invalid credential */
	async open(context: IWebhookFunctions, given?: Client): Promise<Keeper> {
		const own = webhookUrlOf(context);
		const known = this.opened?.own === own ? this.opened : undefined;
		const isRecent = known !== undefined && performance.now() - known.readAt < credentialMs;
		if (isRecent && !given) return known.keeper;
		const client = given ?? (await connect(context));
		return this.openWith(portsOf(context, client, own), own, client.config.keyId);
	}

	private openWith(ports: KeeperPorts, own: string, keyId: string): Keeper {
		const known = this.opened?.own === own ? this.opened : undefined;
		const keeper = known?.keeper ?? new Keeper(own, ports, newProcessName());
		void prepareDates();
		keeper.ports = ports;
		// The API key was changed, so everything is encrypted again, with the new key.
		if (known && known.keyId !== keyId) keeper.sealAgain();
		this.opened = { own, keeper, keyId, readAt: performance.now() };
		keeper.load({ stored: this.stored });
		return keeper;
	}
}

async function endOf(response: Response): Promise<'received' | 'lost' | 'failed'> {
	return await new Promise((resolve) => {
		response.once('close', () => {
			if (response.statusCode >= 300) resolve('failed');
			else resolve(response.writableFinished ? 'received' : 'lost');
		});
	});
}

function portsOf(context: IWebhookFunctions, client: Client, own: string): KeeperPorts {
	const { keyId } = client.config;
	const { helpers } = context;
	// A call may be made long after the delivery, and its receiver uses the API key of that time.
	const keyIdNow = async () => (await connect(context).catch(() => client)).config.keyId;
	const warn = (message: string) => writeLog(context, message);
	return {
		...callsOf(helpers, keyIdNow),
		seal: (text) => seal(keyId, text),
		unseal: (text) => unseal(keyId, text),
		callRun: async (run, isHandOver) =>
			await callRun(helpers, await keyIdNow(), run, own, isHandOver),
		repeat: async (run, person, message) => await repeat(client, run, person, message, warn),
		warn,
	};
}

/** Sends the text that asks a person again. @returns undefined only if it was certainly not sent */
async function repeat(
	client: Client,
	run: Run,
	person: Person,
	message: Message,
	warn: KeeperPorts['warn'],
): Promise<Repetition | undefined> {
	const replier = { phone: person.to, times: [message.respondedAt] };
	const text = repetitionOf(run.questions[person.question], message.text, replier);
	const request = {
		body: { to: person.to, text },
		idempotencyKey: `${run.id}-${message.key}`,
	};
	const call = withDeadline(client.fetch(endpoints.sendText, request), repeatMs);
	return await call.then(
		(response) => ({ messageId: readSend(response).messageId }),
		(error: unknown) => {
			if (!(error instanceof ServiceError) || error.sendStatus !== 'notSent') return {};
			warn(notRepeated(error.message));
			return undefined;
		},
	);
}
