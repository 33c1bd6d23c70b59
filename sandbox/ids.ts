/** Identifiers of records. */
import { createHash, randomBytes } from 'node:crypto';

const start = randomBytes(3).toString('hex');
let made = 0;

/** A new identifier. No other sandbox and no earlier state has used it, so a receiver never mistakes a new record for a known one. */
export const newId = (prefix: string) =>
	`${prefix}_${start}${(++made).toString(36).padStart(6, '0')}`;

/** The ID that a service shows instead of a hidden phone number: always the same one for a number. */
export function hiddenId(phone: string): string {
	const hash = createHash('sha256').update(phone).digest('hex');
	return `US.${BigInt(`0x${hash.slice(0, 15)}`)}`;
}
