/**
 * Random schedules in virtual time, as many as wanted: npm run test:simulation -- [--schedules N] [--seed S] [--json F]
 * With --path P, those of Send and Wait from P on, as a failure has printed it: --seed S --path 65012 --schedules 1
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { simulate } from './claims';
import { schedules } from './claimSchedules';
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
const total = { steps: 0, sent: 0, metLate: 0, askedInVain: 0 };
const details: string[] = [];
for (const processes of values.path === undefined ? [1, 2, 3] : []) {
	const property = fc.property(schedules(processes), (schedule) => {
		const { steps, sent, failures, metLate, askedInVain } = simulate(schedule);
		total.steps += steps;
		total.sent += sent;
		total.metLate += metLate.length;
		total.askedInVain += askedInVain.length;
		return failures.length === 0;
	});
	const { failed, counterexample } = fc.check(property, { numRuns: Math.ceil(wanted / 3), seed });
	if (failed && counterexample)
		details.push(JSON.stringify(counterexample), ...simulate(...counterexample).failures);
}
async function main(): Promise<void> {
	const { shortest, ...inbox } = await simulateInbox(wanted, seed, values.path);
	if (shortest !== undefined) details.push(shortest);
	const { steps, ...counts } = total;
	const report = {
		schedules: wanted,
		seed,
		steps: steps + inbox.steps,
		failures: details.length,
		invariants: { sendOnceAndCap: counts, sendAndWait: inbox.invariants },
		exceptions: inbox.exceptions,
		seconds: Math.round((performance.now() - start) / 1_000),
	};
	if (values.json) writeFileSync(values.json, JSON.stringify(report, null, '\t'));
	process.stdout.write(`${[JSON.stringify(report), ...details].join('\n')}\n`);
	process.exitCode = details.length > 0 ? 1 : 0;
}
void main();
