/**
 * What the trigger keeps of its registrations: one for the production URL and one for the test URL. A delivery that is
 * under way can write back what was stored before, so what this process knows itself counts if it is later.
 */
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { BoundedMap } from '../boundedMap';
import { nodeKey, readState, writeState } from '../webhooks/nodeState';
import { isSame } from '../webhooks/secret';

/** A registration at the service, as far as n8n has to remember it. */
export interface Registration {
	/** Travels in the registered URL. */
	secret: string;
	/** Number that the user changes to have a new secret. */
	secretVersion: number;
	/** The service's identifier; absent if it gave none or nothing is registered. */
	id?: string;
}

/** With n8n's webhook URL, and the moment that tells which of two is the present one, ms since 1970. */
type Saved = Registration & { url: string; savedAt: number };
type Kind = 'production' | 'test';
type Context = IHookFunctions | IWebhookFunctions;

/** Registrations that this process has made or seen. */
const seen = new BoundedMap<string, Saved>({ maxSize: 2_000, maxAgeMs: 30 * 24 * 3_600_000 });

function stored(context: Context): Partial<Record<Kind, Saved>> {
	return readState(context, 'registrations') ?? {};
}

function present(context: Context, kind: Kind): Saved | undefined {
	const own = seen.get(`${nodeKey(context)} ${kind}`);
	const other = stored(context)[kind];
	return own && own.savedAt >= (other?.savedAt ?? 0) ? own : other;
}

/** n8n's mode is another one when it removes a webhook: then the URL tells. */
function kindOf(context: Context, url?: string): Kind {
	const kinds: Kind[] = ['production', 'test'];
	const known = kinds.find((kind) => url !== undefined && present(context, kind)?.url === url);
	return known ?? (context.getMode() === 'manual' ? 'test' : 'production');
}

/** The registration of a URL; undefined for none and for a URL that the node no longer has. */
export function recall(context: Context, url: string): Registration | undefined {
	const saved = present(context, kindOf(context, url));
	return saved?.url === url ? saved : undefined;
}

/** Remembers the registration of a URL, in place of the one that was for testing or production before. */
export function remember(context: Context, url: string, registration: Registration): void {
	save(context, kindOf(context, url), { ...registration, url, savedAt: Date.now() });
}

function save(context: Context, kind: Kind, registration: Saved): void {
	seen.set(`${nodeKey(context)} ${kind}`, registration);
	writeState(context, 'registrations', { ...stored(context), [kind]: registration });
}

/** Whether a delivery brings the secret of the URL that it came to. What only this process knows is stored again. */
export function knowsSecret(context: IWebhookFunctions, given: string): boolean {
	const kind = kindOf(context);
	const registration = present(context, kind);
	if (!registration || !isSame(registration.secret, given)) return false;
	if (stored(context)[kind]?.savedAt !== registration.savedAt) save(context, kind, registration);
	return true;
}
