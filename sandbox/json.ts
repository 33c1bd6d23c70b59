/** JSON with whole numbers of any size. */

/** Like `JSON.stringify`, which throws at a bigint: here it becomes a number with all its digits. */
export function writeJson(value: unknown): string {
	const text = JSON.stringify(value, (_, entry: unknown) =>
		typeof entry === 'bigint' ? `\u0000${entry}` : entry,
	);
	return text.replace(/"\\u0000(\d+)"/g, '$1');
}
