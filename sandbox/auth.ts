/** Who may call: API keys, stored as hashes; their rate; and a check that callers are on this machine. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import type { FastifyRequest } from 'fastify';

import { HttpError } from './errors';
import type { Settings } from './options';

/** A key as the sandbox remembers it. */
export interface ApiKey {
	id: string;
	name: string;
	hash: Buffer;
	createdAt: string;
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** A key without its hash, which may be shown. */
export function describeKey({ id, name, createdAt }: ApiKey) {
	return { id, name, createdAt };
}

/** The keys that open the sandbox. */
export class KeyRing {
	readonly keys: ApiKey[] = [];

	/** @param newId makes identifiers */
	constructor(private readonly newId: (prefix: string) => string) {}

	/** Adds a key and returns it; it is never shown again. */
	create(
		name: string,
		secret = `sandbox-key-${randomBytes(16).toString('hex')}`,
	): { key: ApiKey; secret: string } {
		const key = {
			id: this.newId('key'),
			name,
			hash: hashOf(secret),
			createdAt: new Date().toISOString(),
		};
		this.keys.push(key);
		return { key, secret };
	}

	/** The key of an `Authorization: Bearer …` header. Compares hashes in constant time. @throws HttpError 401 */
	authenticate(header: string | undefined): ApiKey {
		const secret = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
		const words = header
			? 'The API key is not valid'
			: 'An API key is required: Authorization: Bearer <API key>';
		const hash = hashOf(secret ?? '');
		const key = this.keys.find((candidate) => timingSafeEqual(candidate.hash, hash));
		if (!secret || !key)
			throw new HttpError(401, 'unauthorized', words, undefined, {
				'www-authenticate': 'Bearer',
			});
		return key;
	}
}

/**
 * Lets each key make `requestsPerWindow` requests within any `rateWindowMs`. Refused requests do not count. Source: specification,
 * "Limits"; the sliding window and the response are assumptions.
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

const loopback = /^(localhost|127(\.\d+){3}|\[?::1\]?|::ffff:127(\.\d+){3})$/;

/**
 * Hook: lets a request through that comes from this machine and was made to its loopback address. The second condition refuses calls through a tunnel, and web pages whose host name points to this machine.
 * @throws HttpError 403
 */
export async function refuseOthers({ ip, hostname }: FastifyRequest): Promise<void> {
	if (!loopback.test(ip) || !loopback.test(hostname))
		throw new HttpError(403, 'forbidden', 'Only for this machine');
}
