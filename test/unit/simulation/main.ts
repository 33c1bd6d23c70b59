/**
 * Random schedules in virtual time, as many as wanted: npm run test:simulation -- [--schedules N] [--seed S] [--json F]
 * With --path P, those of Send and Wait from P on, as a failure has printed it: --seed S --path 65012 --schedules 1
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { sum } from 'lodash';

import { simulate } from './campaignLog';
import { simulate as simulateInbox } from './inbox/schedules';

const { values } = parseArgs({
	options: {
		schedules: { type: 'string', default: '10000' },
		seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
		json: { type: 'string' },
		path: { type: 'string' },
	},
});
const wanted = Number(values.schedules);
const seed = Number(values.seed);
const start = performance.now();
const total = { steps: 0, sent: 0, uncertain: 0, receipts: 0, excused: 0 };
const details: string[] = [];

/** Send Once, Frequency Cap and Record Events: each schedule comes from one number, beginning with the seed. */
async function simulateCampaigns(): Promise<void> {
	for (let one = seed; one < seed + wanted; one++) {
		const { failures, ...counts } = await simulate(one);
		for (const name of Object.keys(total) as Array<keyof typeof total>) total[name] += counts[name];
		if (failures.length > 0) details.push(`Schedule ${one}: ${failures.join('; ')}`);
	}
}

async function main(): Promise<void> {
	if (values.path === undefined) await simulateCampaigns();
	const { shortest, ...inbox } = await simulateInbox(wanted, seed, values.path);
	if (shortest !== undefined) details.push(shortest);
	// The exceptions are no excuse for everything. A few schedules may have more of them by chance.
	const excused = sum(Object.values(inbox.exceptions));
	if (wanted >= 1_000 && excused > 0.005 * inbox.messages)
		details.push(`Send and Wait: ${excused} of ${inbox.messages} messages are excused`);
	const { steps, ...counts } = total;
	const report = {
		schedules: wanted,
		seed,
		steps: steps + inbox.steps,
		failures: details.length,
		invariants: { sendOnceAndCap: counts, sendAndWait: inbox.invariants },
		messages: inbox.messages,
		exceptions: inbox.exceptions,
		seconds: Math.round((performance.now() - start) / 1_000),
	};
	if (values.json) writeFileSync(values.json, JSON.stringify(report, null, '\t'));
	process.stdout.write(`${[JSON.stringify(report), ...details].join('\n')}\n`);
	process.exitCode = details.length > 0 ? 1 : 0;
}
void main();
