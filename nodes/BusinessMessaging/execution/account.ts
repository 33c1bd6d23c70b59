/** Names the account of the service in the campaign log, without revealing its key. */
import { scrypt } from 'crypto';

import { BoundedMap } from '../boundedMap';
import type { ServiceConfig } from '../transport/serviceConfig';

/** Characters of the hash. So few keep the key secret even if it could be guessed: many guesses have the same hash. */
const hashLength = 8;

const names = new BoundedMap<string, Promise<string>>({ maxSize: 1_000 });

/** The host of the service, and a slow, short hash of host and key, e.g. `api.example.com 3f9a2c41`. */
export async function accountOf({ root, keyId }: ServiceConfig): Promise<string> {
	const { host } = new URL(root);
	const known = names.getOrSet(`${host} ${keyId}`, async () => await nameOf(host, keyId));
	known.catch(() => names.delete(`${host} ${keyId}`));
	return await known;
}

async function nameOf(host: string, keyId: string): Promise<string> {
	const hash = await new Promise<Buffer>((resolve, reject) => {
		scrypt(keyId, host, hashLength / 2, (error, key) => (error ? reject(error) : resolve(key)));
	});
	return `${host} ${hash.toString('hex')}`;
}

/** The two parts of an account's name; undefined for anything else. */
export function readAccount(written: string): { host: string; hash: string } | undefined {
	const [, host, hash] = /^(\S+) ([\da-f]{8})$/.exec(written.trim().toLowerCase()) ?? [];
	return host === undefined ? undefined : { host, hash };
}

/** Whether a row with this account counts for one: a name that cannot be read is that of every account. */
export function isSameAccount(account: string, ofRow: string): boolean {
	const [own, theirs] = [readAccount(account), readAccount(ofRow)];
	return !own || !theirs || (own.host === theirs.host && own.hash === theirs.hash);
}
