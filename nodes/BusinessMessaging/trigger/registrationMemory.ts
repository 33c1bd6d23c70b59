/**
 * What the trigger keeps of its registrations in n8n's static data, which n8n stores with the workflow: one for the
 * production URL and one for the test URL.
 * A delivery that is under way while the workflow is switched off and on can thus write back what was true before. So
 * the secret of a URL stays the same over deactivations, identifiers are never believed without the service's listing,
 * and what this process has registered itself is known here as well: the later one counts.
 */
import { randomBytes } from 'crypto';
import { maxBy } from 'lodash';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

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
	/** The event types it was registered for. */
	events?: string[];
}

/** With what tells which of several is the present one. */
interface SavedRegistration extends Registration {
	/** n8n's webhook URL. */
	url: string;
	isTest: boolean;
	/** ms since 1970. */
	savedAt: number;
}

type Context = IHookFunctions | IWebhookFunctions;

/** Registrations that this process has made or seen. */
const seen = new BoundedMap<string, SavedRegistration>({
	maxSize: 2_000,
	maxAgeMs: 30 * 24 * 3_600_000,
});

const seenKey = (context: Context, isTest: boolean) => `${nodeKey(context)} ${isTest}`;

function stored(context: Context): SavedRegistration[] {
	const registrations = readState(context, 'registrations') ?? {};
	const byUrl = registrations as Record<string, Omit<SavedRegistration, 'url'>>;
	return Object.entries(byUrl).map(([url, registration]) => ({ ...registration, url }));
}

/** The present registration of the production or the test URL. */
function present(context: Context, isTest: boolean): SavedRegistration | undefined {
	const own = seen.get(seenKey(context, isTest));
	const all = [...(own ? [own] : []), ...stored(context).filter((one) => one.isTest === isTest)];
	return maxBy(all, 'savedAt');
}

/** The registration of a URL; undefined for none and for a URL that the node no longer has. */
export function recall(context: Context, url: string): Registration | undefined {
	const both = [false, true].map((isTest) => present(context, isTest));
	return both.find((registration) => registration?.url === url);
}

/** Remembers the registration of a URL, in place of the one that was for testing or production before. */
export function remember(context: Context, url: string, registration: Registration): void {
	const { secret, secretVersion, id, events } = registration;
	// n8n's mode is another one when it removes a webhook
	const known = recall(context, url) as SavedRegistration | undefined;
	const isTest = known?.isTest ?? context.getMode() === 'manual';
	save(context, { secret, secretVersion, id, events, url, isTest, savedAt: Date.now() });
}

function save(context: Context, registration: SavedRegistration): void {
	seen.set(seenKey(context, registration.isTest), registration);
	const others = stored(context).filter(({ isTest }) => isTest !== registration.isTest);
	const entries = [...others, registration].map(({ url, ...rest }): [string, IDataObject] => [
		url,
		rest,
	]);
	writeState(context, 'registrations', Object.fromEntries(entries));
}

/**
 * Whether a delivery brings the secret of the URL that it came to. If only this process knows that, the stored data is
 * out of date and put right.
 */
export function knowsSecret(context: IWebhookFunctions, given: string): boolean {
	const registration = present(context, context.getMode() === 'manual');
	if (!registration || !isSame(registration.secret, given)) return false;
	const isStored = stored(context).some(({ savedAt }) => savedAt === registration.savedAt);
	if (!isStored) save(context, registration);
	return true;
}

/** A new secret: 256 random bits, 43 characters that need no escaping in a URL. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}
