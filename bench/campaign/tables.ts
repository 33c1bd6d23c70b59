/** The figures for people. */
import type { Cost } from './cost';
import type { Best, Row } from './rows';

/** The campaigns at the limit. */
export function rowTable(best: Best, rows: Row[]): string {
	const lines = rows.map((row) => [
		row.sender,
		row.processes,
		row.messages,
		row.seconds.toFixed(1),
		row.wireSeconds.toFixed(1),
		row.lost,
		row.doubled,
		`${row.tooManyRequests} (${((100 * row.tooManyRequests) / row.messages).toFixed(1)} %)`,
		row.ratioToBest.toFixed(2),
	]);
	const head = ['sender', 'processes', 'messages', 'seconds', 'on the wire', 'lost', 'doubled', '429', '× best'];
	return `${table([head, ...lines])}\n\n  ${best.derivation}`;
}

/** The cost without a limit, and what ours is of the other's. */
export function costTable(costs: Cost[]): string {
	const lines = costs.map((cost) => {
		const other = costs.find(({ sender, messages }) => sender !== cost.sender && messages === cost.messages);
		const with_ = (value: number, otherValue: number | undefined, digits: number) =>
			`${value.toFixed(digits)}${otherValue && cost.sender === 'business-messaging' ? ` (× ${(value / otherValue).toFixed(2)})` : ''}`;
		return [
			cost.sender,
			cost.messages,
			with_(cost.perSecond, other?.perSecond, 0),
			with_(cost.cpuSeconds, other?.cpuSeconds, 1),
			with_(cost.peakMb, other?.peakMb, 0),
		];
	});
	return table([['sender', 'messages', 'per second', 'CPU seconds', 'peak MB'], ...lines]);
}

function table(rows: Array<Array<string | number>>): string {
	const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
	const cell = (value: string | number, column: number) => (column === 0 ? String(value).padEnd(widths[0]) : String(value).padStart(widths[column]));
	return rows.map((row) => `  ${row.map(cell).join('   ')}`).join('\n');
}
