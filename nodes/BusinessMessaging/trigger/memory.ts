/**
 * What the trigger keeps in n8n's static data, which n8n stores with the workflow.
 *
 * n8n reads it when a delivery arrives and writes all of it back after the answer, if the delivery has changed it. A
 * delivery that is under way while the workflow is switched off and on can thus write back what was true before. So
 * the secret of a URL stays the same over deactivations, identifiers are never believed without the service's listing,
 * and what this process has registered itself is known here as well.
 */
import { randomBytes } from 'crypto';
import type { IDataObject, IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { nodeKey } from '../webhooks/deduplication';

/** A registration at the service, as far as n8n has to remember it. */
export interface Registration {
	/** Travels in the registered URL. */
	secret: string;
	/** Number that the user changes to have a new secret. */
	secretVersion: number;
	/** The service's identifier; absent if it gave none or nothing is registered. */
	id?: string;
	/** The kinds of event it was registered for. */
	events?: string[];
}

type Context = IHookFunctions | IWebhookFunctions;

/** Registrations that this process has made or seen, by node and URL. */
const seen = new Map<string, Registration>();

function stored(context: Context): Record<string, Registration & IDataObject> {
	const { registrations = {} } = context.getWorkflowStaticData('node');
	return registrations as Record<string, Registration & IDataObject>;
}

/** The registration of a URL. Test and production have different URLs and do not see each other's. */
export function recall(context: Context, url: string): Registration | undefined {
	return stored(context)[url];
}

/** Remembers the registration of a URL. n8n notices changes of the outermost object only, so that is set anew. */
export function remember(context: Context, url: string, registration: Registration): void {
	const registrations: Record<string, IDataObject> = {
		...stored(context),
		[url]: { ...registration },
	};
	context.getWorkflowStaticData('node').registrations = registrations;
	seen.set(`${nodeKey(context)} ${url}`, registration);
}

/**
 * Whether some registration of the node holds. If only this process knows of it, the stored data is out of date and
 * put right.
 */
export function someRegistration(
	context: IWebhookFunctions,
	holds: (registration: Registration) => boolean,
): boolean {
	if (Object.values(stored(context)).some(holds)) return true;
	const url = context.getNodeWebhookUrl('default') ?? '';
	const own = seen.get(`${nodeKey(context)} ${url}`);
	if (!own || !holds(own)) return false;
	remember(context, url, own);
	return true;
}

/** A new secret: 256 random bits, 43 characters that need no escaping in a URL. */
export function newSecret(): string {
	return randomBytes(32).toString('base64url');
}
