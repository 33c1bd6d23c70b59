/** API keys. Only their hashes are kept. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { HttpError } from './errors';

/** A key as the sandbox remembers it. */
export interface ApiKey {
	id: string;
	name: string;
	hash: Buffer;
	/** ISO 8601. */
	createdAt: string;
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

/** A key as it may be shown: without its hash. */
export function describeKey({ id, name, createdAt }: ApiKey) {
	return { id, name, createdAt };
}

/** The keys that open the sandbox. */
export class KeyRing {
	readonly keys: ApiKey[] = [];

	/** @param newId makes identifiers */
	constructor(private readonly newId: (prefix: string) => string) {}

	/** Adds a key and gives it out, for the only time. */
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

	/**
	 * The key of an `Authorization: Bearer …` header. Compares hashes in constant time.
	 *
	 * @throws HttpError 401
	 */
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
