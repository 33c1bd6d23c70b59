/** Like `JSON.stringify`, but writes a bigint as a number, also where n8n's libraries have given it a `toJSON`. */
export function writeJson(value: unknown): string {
	const text = JSON.stringify(value, function (this: Record<string, unknown>, key, entry: unknown) {
		const given = this[key];
		return typeof given === 'bigint' ? `\u0000${given}` : entry;
	});
	return text.replace(/"\\u0000(\d+)"/g, '$1');
}
