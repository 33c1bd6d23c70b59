/** JSON that users write. */
import { InputError } from './inputError';

/**
 * Reads JSON from a field, or takes the value that an expression gave.
 *
 * @param label of the field, for the error
 * @returns undefined for an empty field
 * @throws InputError if the text is not JSON
 */
export function readJson(value: unknown, label: string): unknown {
	if (typeof value !== 'string') return value ?? undefined;
	if (value.trim() === '') return undefined;
	const { json, fault } = parse(value);
	if (fault === undefined) return json;
	throw new InputError(
		`${label} is not valid JSON`,
		`${fault}. Check quotes, commas and brackets.`,
	);
}

/** Parsed JSON, or what is wrong with it. */
function parse(text: string): { json?: unknown; fault?: string } {
	try {
		return { json: JSON.parse(text) as unknown };
	} catch (error) {
		return { fault: (error as Error).message };
	}
}
