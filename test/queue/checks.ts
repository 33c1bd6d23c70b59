/** What has to hold, whatever the speed of the machine. */
import type { CampaignFigures } from './campaign';
import type { CrashFigures } from './crash';
import type { ReplyFigures } from './reply';
import type { SendOnceRow } from './sendOnce';
import type { TriggerRow } from './trigger';

/** What was measured; absent what was not run. */
export interface Figures {
	campaigns?: CampaignFigures;
	trigger?: TriggerRow[];
	replies?: ReplyFigures;
	sendOnce?: SendOnceRow[];
	crash?: CrashFigures;
}

/** What does not hold, in words. */
export function faultsOf({
	campaigns,
	trigger = [],
	replies,
	sendOnce = [],
	crash,
}: Figures): string[] {
	const faults: Array<[boolean, string]> = [
		...(campaigns?.rows ?? []).flatMap(
			({ workers, lost, doubled }, index): Array<[boolean, string]> => [
				[lost + doubled > 0, `Campaign by ${workers} workers: ${lost} lost, ${doubled} doubled`],
				[workers !== index + 1, `Campaign for ${index + 1} workers: n8n gave it to ${workers}`],
			],
		),
		...trigger.flatMap(
			({ deliveries, events, executed, doubled }): Array<[boolean, string]> => [
				[
					executed < events,
					`Trigger, ${deliveries}: ${events - executed} of ${events} events started no execution`,
				],
				// Each process knows only what it took itself; docs/scaling.md says what follows from that.
				[
					doubled > 0 && deliveries.includes('same process'),
					`Trigger, ${deliveries}: ${doubled} events started two executions`,
				],
			],
		),
		...sendOnce.map(({ what, lost, doubled }): [boolean, string] => [
			lost + doubled > 0,
			`Send Once, ${what}: ${lost} lost, ${doubled} doubled`,
		]),
	];
	if (replies) {
		const { asked, answered, elsewhere, doubled, webhooksLeft } = replies;
		faults.push(
			[answered < asked, `Send and Wait: ${answered} of ${asked} answers arrived`],
			[elsewhere === 0, 'Send and Wait: no execution went on at another worker'],
			[doubled > 0, `Send and Wait: ${doubled} were asked twice`],
			[webhooksLeft > 0, `Send and Wait: ${webhooksLeft} webhooks were left at the service`],
		);
	}
	if (crash) {
		const { afterCrash, afterSecondRun } = crash;
		const unnamed = afterSecondRun.missing.filter(
			(number) => !afterSecondRun.named.includes(number),
		);
		faults.push(
			[
				afterCrash.missing === 0,
				'Crash: nothing was missing, so the worker was not killed in mid-campaign',
			],
			[
				afterCrash.doubled + afterSecondRun.doubled > 0,
				`Crash: ${afterCrash.doubled} doubled, after the second run ${afterSecondRun.doubled}`,
			],
			[unnamed.length > 0, `Crash: missing and not named: ${unnamed.join(', ')}`],
		);
	}
	return faults.flatMap(([isFault, words]) => (isFault ? words : []));
}
