/** Identifiers of records. */
import { createHash, randomBytes } from 'node:crypto';

const start = randomBytes(3).toString('hex');
let made = 0;

/** An identifier that no other sandbox or earlier state has used, so that a receiver never mistakes a new record for a known one. */
export const newId = (prefix: string) =>
	`${prefix}_${start}${(++made).toString(36).padStart(6, '0')}`;

/** What a service shows instead of the number of somebody who hides it: always the same for a number. */
export function hiddenId(phone: string): string {
	const hash = createHash('sha256').update(phone).digest('hex');
	return `US.${BigInt(`0x${hash.slice(0, 15)}`)}`;
}
