/** The figures for people. */
import { table } from '../../tools/table';
import type { Figures } from './checks';

/** All that was measured. */
export function report({ campaigns, trigger, replies, sendOnce, crash }: Figures): string {
	const parts: string[] = [];
	if (campaigns) {
		const { best, rows, fullSpeed } = campaigns;
		const lines = rows.map((row) => [
			row.workers,
			row.messages,
			row.seconds.toFixed(1),
			row.lost,
			row.doubled,
			`${row.tooManyRequests} (${((100 * row.tooManyRequests) / row.messages).toFixed(1)} %)`,
			row.ratioToBest.toFixed(2),
		]);
		const speeds = fullSpeed
			.map(({ workers, perSecond }) => `${workers}: ${perSecond.toFixed(0)}`)
			.join(', ');
		parts.push(
			table([
				['Campaign by workers', 'messages', 'seconds', 'lost', 'doubled', '429', '× best'],
				...lines,
			]),
			`  Best possible: ${best.toFixed(2)} s. Messages per second without a limit, by workers: ${speeds}`,
		);
	}
	if (trigger) {
		const lines = trigger.map((row) => [
			row.deliveries,
			row.events,
			row.delivered,
			row.executed,
			row.doubled,
			(row.delivered / row.seconds).toFixed(1),
		]);
		parts.push(
			table([
				['Trigger, delivered', 'events', 'deliveries', 'executed', 'doubled', 'per second'],
				...lines,
			]),
		);
	}
	if (replies) {
		const { asked, answered, elsewhere, doubled, webhooksLeft } = replies;
		parts.push(
			table([
				['Send and Wait', 'answered', 'by another worker', 'asked twice', 'webhooks left'],
				[`${asked} asked`, answered, elsewhere, doubled, webhooksLeft],
			]),
		);
	}
	if (sendOnce) {
		parts.push(
			table([
				['Send Once', 'keys', 'lost', 'doubled', 'seconds'],
				...sendOnce.map((row) => [
					row.what,
					row.keys,
					row.lost,
					row.doubled,
					row.seconds.toFixed(1),
				]),
			]),
		);
	}
	if (crash) parts.push(crashReport(crash));
	return parts.join('\n\n');
}

function crashReport({
	messages,
	afterCrash,
	status,
	afterSecondRun,
}: NonNullable<Figures['crash']>): string {
	const { missing, named } = afterSecondRun;
	const head = ['A worker is killed', 'messages', 'missing', 'doubled'];
	return [
		table([
			head,
			['when the others are done', messages, afterCrash.missing, afterCrash.doubled],
			['after a second run', messages, missing.length, afterSecondRun.doubled],
		]),
		`  n8n lists the killed execution as ${status[0]}, at the end as ${status[1]}.`,
		`  Still missing: ${missing.join(', ') || 'nobody'}. Named as mayHaveBeenSent: ${named.join(', ') || 'nobody'}.`,
	].join('\n');
}
