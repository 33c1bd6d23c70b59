/** The figures for people. */
import { table } from '../../tools/table';
import type { Comparison, Result } from './compare';

/** Both receivers side by side, and what ours is of the other. */
export function comparisonText({ environment, events, repeated, ours, plain }: Comparison): string {
	const head = [
		'',
		'deliveries',
		'executions',
		'lost',
		'doubled',
		'seconds',
		'events/s',
		'deliveries/s',
		'CPU s',
		'CPU ms/delivery',
	];
	const row = (one: Result) => [
		one.name,
		one.deliveries,
		one.executions,
		one.lost,
		one.doubled,
		one.seconds.toFixed(1),
		(events / one.seconds).toFixed(1),
		(one.deliveries / one.seconds).toFixed(1),
		one.cpuSeconds.toFixed(1),
		((1000 * one.cpuSeconds) / one.deliveries).toFixed(0),
	];
	const title = `${environment}: ${events} events, ${repeated ? '30 % of them two or three times' : 'each once'}, in bursts of 20`;
	const rate = `Rate: ${(plain.seconds / ours.seconds).toFixed(2)} of the Webhook node's; CPU: ${(ours.cpuSeconds / plain.cpuSeconds).toFixed(2)} of its.`;
	return `${title}\n${table([head, row(ours), row(plain)])}\n  ${rate}`;
}
