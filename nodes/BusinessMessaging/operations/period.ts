/** The period of statistics. Its two parameters are an assumption. */
import { InputError } from '../transport/errors';
import { type ValuesOf, collectionField, dateField } from './fields';
import type { OperationRequest, RequestSettings } from './operation';
import { readDateTime } from './readDateTime';

const note = 'Your service may not support this parameter.';

/** The field of the period. */
export const periodField = collectionField({
	displayName: 'Period',
	name: 'period',
	placeholder: 'Add Date',
	fields: [
		dateField({
			displayName: 'From',
			name: 'from',
			description: `Only statistics from this time or later. Sent as the query parameter "from". ${note}`,
		}),
		dateField({
			displayName: 'To',
			name: 'to',
			description: `Only statistics before this time. Sent as the query parameter "to". ${note}`,
		}),
	],
});

/** @throws InputError for an invalid time, or a period that ends before it begins */
export function periodQuery(
	{ period }: ValuesOf<readonly [typeof periodField]>,
	{ timeZone }: RequestSettings,
): OperationRequest {
	const [from, to] = [toUtc('From', period.from, timeZone), toUtc('To', period.to, timeZone)];
	if (from && to && from > to)
		throw new InputError("'From' is after 'To'", 'The period ends before it begins. Swap the two.');
	return { query: { from, to } };
}

function toUtc(label: string, written: unknown, timeZone: string): string | undefined {
	return readDateTime(label, written, timeZone)?.toUTC().toISO();
}
