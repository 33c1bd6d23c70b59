import { DateTime } from 'luxon';

import { quoted, textOrJson } from '../jsonValues';
import { InputError } from '../transport/errors';

/** Reads a field with a date and time, in the workflow's time zone; undefined if it is empty. @throws InputError */
export function readDateTime(
	label: string,
	written: unknown,
	timeZone: string,
): DateTime<true> | undefined {
	const text = textOrJson(written).trim();
	if (text === '') return undefined;
	const time = DateTime.fromISO(text, { zone: timeZone });
	if (time.isValid) return time;
	throw new InputError(
		`'${label}' cannot be "${quoted(text)}"`,
		'Enter a date such as 2030-01-31, or a time such as 2030-01-31T09:00:00.',
	);
}
