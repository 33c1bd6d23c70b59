import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { N8nInstall } from './install';

/** Who logs in to a playground's n8n. */
export interface Owner {
	email: string;
	/** Random for each user folder. */
	password: string;
}

/** No characters that look like others. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** The owner of the n8n in this user folder: made at the first call, the same ever after. */
export async function ownerOf(userFolder: string): Promise<Owner> {
	const file = path.join(userFolder, 'owner.json');
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Owner;
	const password = Array.from({ length: 14 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
	const owner = { email: 'owner@example.com', password };
	await mkdir(userFolder, { recursive: true });
	await writeFile(file, `${JSON.stringify(owner, null, 2)}\n`, { mode: 0o600 });
	return owner;
}

/** The environment that makes n8n set up this owner by itself, without the form (n8n: instance settings by environment). */
export async function ownerEnvironment(
	owner: Owner,
	install: N8nInstall,
): Promise<NodeJS.ProcessEnv> {
	const n8nRequire = createRequire(path.join(install.folder, 'package.json'));
	const bcrypt = n8nRequire('bcryptjs') as { hash(text: string, rounds: number): Promise<string> };
	return {
		N8N_INSTANCE_OWNER_MANAGED_BY_ENV: 'true',
		N8N_INSTANCE_OWNER_EMAIL: owner.email,
		N8N_INSTANCE_OWNER_FIRST_NAME: 'Playground',
		N8N_INSTANCE_OWNER_LAST_NAME: 'Owner',
		N8N_INSTANCE_OWNER_PASSWORD_HASH: await bcrypt.hash(owner.password, 10),
	};
}
