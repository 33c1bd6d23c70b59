/** Identifiers of records. */
import { randomBytes } from 'node:crypto';

const start = randomBytes(3).toString('hex');
let made = 0;

/** An identifier that no other sandbox or earlier state has used, so that a receiver never mistakes a new record for a known one. */
export const newId = (prefix: string) =>
	`${prefix}_${start}${(++made).toString(36).padStart(6, '0')}`;
