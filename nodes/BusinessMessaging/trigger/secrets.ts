/**
 * The secrets of a trigger's URLs. n8n stores them, this process remembers them, and the service's list shows them: a
 * secret is right if the latest of these says so.
 */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { writeLog } from '../log';
import { connect } from '../transport/connect';
import { pause } from '../transport/deadline';
import { asFailure } from '../transport/errors';
import { nodeKey, readState, writeState } from '../webhooks/nodeState';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { type RegisteredWebhook, listWebhooks } from '../webhooks/registrations';
import { isSame, isSecret, withSecret } from '../webhooks/secret';

/** What n8n remembers of a registration. */
export interface Registration {
	/** n8n's webhook URL. */
	url: string;
	secret: string;
	/** The user changes this number to get a new secret. */
	secretVersion: number;
	/** When it was made at the service, ms since 1970. */
	madeAt: number;
	/** The service's ID; absent if it gave none or nothing is registered. */
	id?: string;
}

/** A stored registration with the time at which it was written, ms since 1970. The latest one is current. */
type Saved = Registration & { savedAt: number };
type Kind = 'production' | 'test';
type All = Partial<Record<Kind, Saved>>;
type Context = IHookFunctions | IWebhookFunctions;

/** What this process has made or seen. The latest one counts: a delivery under way can write back older data. */
const seen = new BoundedMap<string, All>({ maxSize: 2_000 });

function stored(context: Context): All {
	return (readState(context, 'registrations') as All | undefined) ?? {};
}

function latest(context: Context): All {
	const own = seen.get(nodeKey(context)) ?? {};
	const other = stored(context);
	const later = (kind: Kind) =>
		(own[kind]?.savedAt ?? -1) >= (other[kind]?.savedAt ?? 0) ? own[kind] : other[kind];
	const [production, test] = [later('production'), later('test')];
	return { ...(production && { production }), ...(test && { test }) };
}

/** The registration of the URL of a delivery. */
export interface Present extends Saved {
	/** All registrations of the node, for storing. */
	all: All;
	/** Whether n8n has lost it: another trigger of the workflow may have written back older data. */
	isLost: boolean;
}

/** The registration of the URL of a delivery. */
export function presentRegistration(context: IWebhookFunctions): Present | undefined {
	const kind = kindOf(context);
	const all = latest(context);
	const one = all[kind];
	return one && { ...one, all, isLost: one.savedAt !== stored(context)[kind]?.savedAt };
}

/** The URL decides, because the context has another mode when n8n removes a webhook. */
function kindOf(context: Context, url?: string): Kind {
	const all = latest(context);
	const kinds: Kind[] = ['production', 'test'];
	const known = kinds.find((kind) => url !== undefined && all[kind]?.url === url);
	return known ?? (context.getMode() === 'manual' ? 'test' : 'production');
}

/** The registration of a URL; undefined if there is none, or if the node no longer has this URL. */
export function recall(context: Context, url: string): Registration | undefined {
	const saved = latest(context)[kindOf(context, url)];
	return saved?.url === url ? saved : undefined;
}

/** Remembers the registration of a URL, and forgets the earlier one of the same kind (production or test). */
export function remember(context: Context, registration: Registration): void {
	const saved = { ...registration, savedAt: Date.now() };
	writeState(context, 'registrations', see(context, kindOf(context, registration.url), saved));
}

function see(context: Context, kind: Kind, saved: Saved): All {
	const all = { ...latest(context), [kind]: saved };
	seen.set(nodeKey(context), all);
	return all;
}

/** The service's list, read because of an unknown secret. */
interface SecretList {
	/** Undefined if the list is not known, or not in time. */
	webhooks?: Promise<RegisteredWebhook[] | undefined>;
	/** How many deliveries wait for it. */
	waiting: number;
	/** ms of a monotonic clock. */
	expiresAt: number;
}

/**
 * By URL and registration, because an older list may contain an earlier secret. Each process reads each at most once a
 * minute, or every 5 seconds while the service fails. Using a list must not renew it.
 */
const lists = new BoundedMap<string, SecretList>({ maxSize: 2_000, maxAgeMs: 60_000 });
const failureMs = 5_000;
/** n8n keeps an isolate for expressions for each delivery that waits, and whoever knows the URL can make it wait. */
const maxWaitMs = 3_000;
const maxWaiting = 20;

function listFor(context: IWebhookFunctions, key: string): SecretList {
	const known = lists.get(key);
	if (known && performance.now() < known.expiresAt) return known;
	const read: SecretList = { waiting: 0, expiresAt: performance.now() + 60_000 };
	const fail = (error: unknown) => {
		read.expiresAt = performance.now() + failureMs;
		writeLog(
			context,
			`"${context.getNode().name}" could not check the secret of a delivery. ${asFailure(error).message}`,
		);
		return undefined;
	};
	const list = connect(context, { timeoutMs: 5_000 }).then(listWebhooks).catch(fail);
	read.webhooks = Promise.race([list, pause(maxWaitMs).then(() => undefined)]);
	void list.then(() => (read.webhooks = list));
	lists.set(key, read);
	return read;
}

/**
 * Whether a delivery has the secret of its URL; undefined if this is not known. If n8n and this process do not know the
 * secret, because another trigger has written back older static data, the service's list decides (ADR 5).
 */
export async function knowsSecret(
	context: IWebhookFunctions,
	given: string,
): Promise<boolean | undefined> {
	const kind = kindOf(context);
	const registration = latest(context)[kind];
	if (registration && isSame(registration.secret, given)) {
		see(context, kind, registration);
		return true;
	}
	// In a test, n8n gives the production URL, whose secret is another one.
	if (kind === 'test' || !isSecret(given)) return false;
	const url = webhookUrlOf(context);
	const read = listFor(context, `${url} ${registration?.savedAt}`);
	if (read.waiting >= maxWaiting) return undefined;
	read.waiting++;
	const webhooks = await read.webhooks;
	read.waiting--;
	// Meanwhile, the secret may have changed, or another delivery may have had the same one.
	if (latest(context)[kind]?.savedAt !== registration?.savedAt)
		return await knowsSecret(context, given);
	if (!webhooks) return undefined;
	const addresses = [true, false].map((keepsReplies) => withSecret(url, given, keepsReplies));
	const found = webhooks.find((webhook) => addresses.includes(webhook.url ?? ''));
	if (!found) return false;
	const secretVersion = registration?.secretVersion ?? 1;
	const saved = { url, secret: given, secretVersion, id: found.id, madeAt: 0, savedAt: Date.now() };
	see(context, kind, saved);
	// The list is as new for this secret as for the one before, which may be listed, too.
	lists.set(`${url} ${saved.savedAt}`, read);
	return true;
}
