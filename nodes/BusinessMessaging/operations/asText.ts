/**
 * A value as text, whatever an expression or a spreadsheet made of it: nothing for a missing one, JSON for lists and
 * objects, ISO 8601 for a date.
 */
export function asText(value: unknown): string {
	if (value === undefined || value === null || Number.isNaN(value)) return '';
	if (typeof value === 'string') return value;
	const json = JSON.stringify(value) ?? '';
	return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
