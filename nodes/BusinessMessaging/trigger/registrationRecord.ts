/** What a trigger remembers of its registrations at the service: one for the production URL, one for the test URL. */
import { isEqual } from 'lodash';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';

import { rootOf } from '../inbox/urls';
import type { Kept } from '../webhooks/kept';
import { webhookUrlOf } from '../webhooks/publicAddress';
import { deriveSecret, hashOf, isSameHash } from '../webhooks/secret';

type Context = IHookFunctions | IWebhookFunctions;
type Kind = 'production' | 'test';

/** A registration. */
export interface Registration {
	/** n8n's webhook URL. */
	url: string;
	/** The hash of the secret in the registered URL. */
	secretHash: string;
	/** The user changes this number to get a new secret. */
	secretVersion: number;
	/** When it was made at the service, ms since 1970. */
	madeAt: number;
	/** The service's ID; absent if it gave none or nothing is registered. */
	id?: string;
}

/** A registration with the time at which it was written, ms since 1970. The latest one is current. */
type Saved = Registration & { savedAt: number };
type All = Partial<Record<Kind, Saved>>;

const kinds: Kind[] = ['production', 'test'];

/** The registrations of one trigger. */
export class RegistrationRecord implements Kept {
	private all: All = {};

	merge(stored: unknown): void {
		const others = { ...(stored as All | undefined) };
		for (const kind of kinds) {
			const other = others[kind];
			if (other && other.savedAt > (this.all[kind]?.savedAt ?? -1)) this.all[kind] = other;
		}
	}

	isBehind(stored: unknown): boolean {
		const others = { ...(stored as All | undefined) };
		return kinds.some((kind) => !isEqual(this.all[kind], others[kind]));
	}

	live(): All | undefined {
		return this.all.production || this.all.test ? { ...this.all } : undefined;
	}

	/** The registration of the URL of a delivery. */
	ofDelivery(isTest: boolean): Registration | undefined {
		return this.all[isTest ? 'test' : 'production'];
	}

	/** The registration of a URL; undefined if there is none, or if the node no longer has this URL. */
	ofUrl(url: string): Registration | undefined {
		return kinds.map((kind) => this.all[kind]).find((one) => one?.url === url);
	}

	/** Whether a URL is the one on which the editor listens for a test. */
	isOfTest(url: string): boolean {
		return this.all.test?.url === url;
	}

	/** Remembers a registration, and forgets the earlier one of the same kind. */
	set(registration: Registration, isTest: boolean): void {
		const kind = isTest ? 'test' : 'production';
		const savedAt = Math.max(Date.now(), (this.all[kind]?.savedAt ?? 0) + 1);
		this.all[kind] = { ...registration, savedAt };
	}

	/**
	 * Whether a delivery has the secret of its URL. If the hash of the secret is not known, or is an older one, the secret
	 * is derived again. @param derive reads the credential for this @throws what `derive` throws
	 */
	async knowsSecret(
		given: string,
		{ url, secretVersion, isTest }: { url: string; secretVersion: number; isTest: boolean },
		derive: () => Promise<string>,
	): Promise<boolean> {
		const known = this.ofDelivery(isTest);
		const secretHash = hashOf(given);
		const isCurrent = known?.secretVersion === secretVersion;
		if (isCurrent && isSameHash(known.secretHash, secretHash)) return true;
		if (!isSameHash(hashOf(await derive()), secretHash)) return false;
		// In a test, n8n gives the production URL.
		if (!isTest) this.set({ madeAt: 0, ...known, url, secretHash, secretVersion }, isTest);
		return true;
	}
}

/** The secret of the trigger's URL. It changes with the API key, with *Secret Version*, and with n8n's address. */
export function secretOf(
	context: Context,
	keyId: string,
	secretVersion: number,
	isTest: boolean,
): string {
	const [workflow, node] = [context.getWorkflow().id ?? '', context.getNode().id];
	// Who has a former address of n8n may still get events, with a secret that must not open the present one.
	const address = rootOf(webhookUrlOf(context));
	const kind = isTest ? 'test' : 'production';
	return deriveSecret(keyId, [address, workflow, node, kind, secretVersion]);
}
