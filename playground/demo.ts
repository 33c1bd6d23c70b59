/** `npm run demo`: the campaign and the auto-reply of `examples/` on a real n8n, without a person, and counted. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onStop, readFlags, runMain, UserError } from '../tools/cli';
import { openPlayground } from '../tools/playground';
import { countCampaign, isPerfect, runCampaign } from './campaign';

const USAGE = `Usage: npm run demo -- [--json FILE]
Sends the campaign of examples/ to its sample contacts, lets them answer, and counts what arrived.`;

runMain(async () => {
	const { json } = readFlags({ json: 'string' }, USAGE);
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-demo-'));
	let perfect = false;
	onStop(async () => {
		if (perfect) await rm(folder, { recursive: true, force: true });
		else console.error(`n8n's data and log are kept in ${folder}.`);
	});
	const playground = await openPlayground({ folder });
	onStop(playground.close);

	const n8nVersion = await playground.n8n.client.version();
	const start = Date.now();
	// What was counted is shown in any case.
	const failure = await runCampaign(playground).catch((error: unknown) => error);
	const seconds = Math.round((Date.now() - start) / 100) / 10;
	const counted = countCampaign(playground.sandbox.state);
	const figures = { n8nVersion, ...counted, seconds };
	for (const [name, value] of Object.entries(figures))
		console.log(`  ${name.padEnd(14)}${String(value).padStart(8)}`);
	if (json) await writeFile(json, `${JSON.stringify(figures, null, 2)}\n`);
	if (failure instanceof Error) throw failure;
	perfect = isPerfect(counted);
	if (!perfect) throw new UserError('The campaign did not go as it should: see the table.');
	console.log(
		'Everybody got the campaign, wrote back and was answered, exactly once, and no webhook was left behind.',
	);
});
