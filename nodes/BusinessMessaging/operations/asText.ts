/**
 * A value as text, whatever an expression or a spreadsheet made of it: nothing for a missing one, JSON for lists and
 * objects.
 */
export function asText(value: unknown): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}
