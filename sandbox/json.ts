/** JSON with whole numbers of any size. */

/**
 * Like `JSON.stringify`, but accepts a bigint, for which `JSON.stringify` throws. A bigint becomes a number with all its digits,
 * also in a process in which bigints have a `toJSON` that makes texts of them: n8n's libraries define one.
 */
export function writeJson(value: unknown): string {
	const text = JSON.stringify(value, function (this: Record<string, unknown>, key, entry: unknown) {
		const given = this[key];
		return typeof given === 'bigint' ? `\u0000${given}` : entry;
	});
	return text.replace(/"\\u0000(\d+)"/g, '$1');
}
