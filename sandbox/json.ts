/** JSON with whole numbers of any size. */

/** Like `JSON.stringify`, but accepts a bigint, for which `JSON.stringify` throws. A bigint becomes a number with all its digits. */
export function writeJson(value: unknown): string {
	const text = JSON.stringify(value, (_, entry: unknown) =>
		typeof entry === 'bigint' ? `\u0000${entry}` : entry,
	);
	return text.replace(/"\\u0000(\d+)"/g, '$1');
}
