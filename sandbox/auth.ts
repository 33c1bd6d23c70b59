/** Who may call: API keys, their rate, and a check that callers are on this machine. */
import { randomBytes } from 'node:crypto';

import type { FastifyRequest } from 'fastify';
import { omit } from 'lodash';

import { HttpError } from './errorResponses';
import { newId } from './ids';
import type { Settings } from './options';

/** An API key as the sandbox stores it. */
export interface ApiKey {
	id: string;
	name: string;
	secret: string;
	createdAt: string;
}

/** A key without its secret. */
export const describeKey = (key: ApiKey) => omit(key, 'secret');

/** The API keys that the sandbox accepts. */
export class KeyRing {
	readonly all: ApiKey[] = [];

	create(name: string, secret = `sandbox-key-${randomBytes(16).toString('hex')}`): ApiKey {
		const key = { id: newId('key'), name, secret, createdAt: new Date().toISOString() };
		this.all.push(key);
		return key;
	}

	/** The key of an `Authorization: Bearer …` header. @throws HttpError 401 */
	authenticate(header: string | undefined): ApiKey {
		const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
		const key = this.all.find(({ secret }) => secret === given);
		if (key) return key;
		const words = header
			? 'The API key is not valid'
			: 'An API key is required: Authorization: Bearer <API key>';
		const headers = { 'www-authenticate': 'Bearer' };
		throw new HttpError(401, 'unauthorized', words, undefined, headers);
	}
}

/**
 * Lets each key make `requestsPerWindow` requests within any `rateWindowMs`; refused ones do not count. Source:
 * specification, "Limits"; the sliding window and the response are assumptions.
 */
export class RateLimiter {
	/** When each key made its last requests, oldest first. */
	private readonly times = new Map<string, number[]>();

	constructor(private readonly settings: Pick<Settings, 'requestsPerWindow' | 'rateWindowMs'>) {}

	/** Counts a request of a key. @param now ms @throws HttpError 429 with `Retry-After` in whole seconds, rounded up */
	take(keyId: string, now = performance.now()): void {
		const { requestsPerWindow, rateWindowMs } = this.settings;
		if (requestsPerWindow === 0) return;
		const times = this.times.get(keyId) ?? [];
		this.times.set(keyId, times);
		while (times.length > 0 && (times[0] ?? 0) + rateWindowMs <= now) times.shift();
		if (times.length >= requestsPerWindow) {
			const waitMs = (times[0] ?? 0) + rateWindowMs - now;
			const words = `More than ${requestsPerWindow} requests in ${rateWindowMs} ms`;
			const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)) };
			throw new HttpError(429, 'rate_limited', words, undefined, headers);
		}
		times.push(now);
	}
}

/** Refuses requests of a key while too many others of this key are under way. An assumption: the specification names no such limit. */
export class SimultaneousRequests {
	private readonly underWay = new Map<string, number>();

	constructor(private readonly most: number) {}

	/** Counts a request of a key as under way. @returns a function that ends the request @throws HttpError 429 without `Retry-After` */
	begin(keyId: string): () => void {
		const count = this.underWay.get(keyId) ?? 0;
		const words = `More than ${this.most} requests at once`;
		if (this.most > 0 && count >= this.most) throw new HttpError(429, 'too_many_at_once', words);
		this.underWay.set(keyId, count + 1);
		return () => void this.underWay.set(keyId, (this.underWay.get(keyId) ?? 1) - 1);
	}
}

/**
 * Hook that accepts only requests to this machine's loopback address: no calls through a tunnel, and no web pages whose
 * host name points here. @throws HttpError 403
 */
export async function refuseOthers({ hostname }: FastifyRequest): Promise<void> {
	if (!/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
		throw new HttpError(403, 'forbidden', 'Only for this machine');
}

/**
 * Hook that refuses web pages of other origins: browsers name them in `Origin` or `Sec-Fetch-Site`; programs send
 * neither. @throws HttpError 403
 */
export async function refuseForeignPages({ headers, host }: FastifyRequest): Promise<void> {
	const { origin, 'sec-fetch-site': site = 'none' } = headers;
	const isForeign = origin !== undefined && origin !== `http://${host}`;
	if (isForeign || !['none', 'same-origin'].includes(String(site)))
		throw new HttpError(403, 'forbidden', 'Not for other web pages');
}
