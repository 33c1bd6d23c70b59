/** The figures for people. */
import maxBy from 'lodash/maxBy';
import minBy from 'lodash/minBy';
import uniq from 'lodash/uniq';
import { table } from '../../tools/table';
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
	const head = [
		'sender',
		'processes',
		'messages',
		'seconds',
		'on the wire',
		'lost',
		'doubled',
		'429',
		'× best',
	];
	return `${table([head, ...lines])}\n\n  ${best.derivation}`;
}

/** The cost without a limit, what ours is of the other's, and how memory grows with the messages. */
export function costTable(costs: Cost[]): string {
	const lines = costs.map((cost) => {
		const other = costs.find(
			({ sender, messages }) => sender === 'http-request' && messages === cost.messages,
		);
		const compared = (of: (one: Cost) => number, digits: number) => {
			const ratio = other && other !== cost ? ` (× ${(of(cost) / of(other)).toFixed(2)})` : '';
			return `${of(cost).toFixed(digits)}${ratio}`;
		};
		const { sender, messages } = cost;
		return [
			sender,
			messages,
			compared((one) => one.perSecond, 0),
			compared((one) => one.cpuSeconds, 1),
			compared((one) => one.peakMb, 0),
		];
	});
	const growths = uniq(costs.map(({ sender }) => sender)).map((sender) =>
		growthOf(costs.filter((cost) => cost.sender === sender)),
	);
	return `${table([['sender', 'messages', 'per second', 'CPU seconds', 'peak MB'], ...lines])}\n\n${growths.join('\n')}`;
}

function growthOf(costs: Cost[]): string {
	const [least, most] = [minBy(costs, 'messages'), maxBy(costs, 'messages')] as [Cost, Cost];
	const thousands = (most.messages - least.messages) / 1000;
	return `  ${most.sender}: ${((most.peakMb - least.peakMb) / thousands).toFixed(1)} MB more for every 1,000 messages more`;
}
