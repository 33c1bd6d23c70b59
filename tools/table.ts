/** Rows in columns, the first one to the left; the first row is the head. */
export function table(rows: Array<Array<string | number>>): string {
	const widths = rows[0].map((_, column) =>
		Math.max(...rows.map((row) => String(row[column]).length)),
	);
	const cell = (value: string | number, column: number) =>
		column === 0 ? String(value).padEnd(widths[0]) : String(value).padStart(widths[column]);
	return rows.map((row) => `  ${row.map(cell).join('   ')}`).join('\n');
}
