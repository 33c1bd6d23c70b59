/** `npm run test:simulation`: random schedules of Send and Wait in virtual time. */
import { writeFile } from 'node:fs/promises';

import { readFlags, runMain, UserError } from '../../harness/cli';
import { simulate } from './schedules';

const USAGE = `Usage: npm run test:simulation -- [--schedules N] [--seed S] [--json FILE]
Runs the protocol of Send and Wait through N random schedules (10,000): several processes and triggers, kills, older copies, publishing,
lost responses. Prints the seed, and the shortest schedule that fails.`;

runMain(async () => {
	const flags = readFlags({ schedules: 'string', seed: 'string', json: 'string' }, USAGE);
	const seed = Number(flags.seed ?? Date.now() % 1_000_000_000);
	const { shortest, ...result } = await simulate(Number(flags.schedules ?? 10_000), seed);
	process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(result, null, 2)}\n`);
	if (shortest !== undefined) throw new UserError(`The shortest schedule that fails:\n${shortest}`);
});
