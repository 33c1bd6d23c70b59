/** `npm run test:queue`: n8n's queue mode with three workers, all with this package. Takes about ten minutes. */
import { writeFile } from 'node:fs/promises';
import { readFlags } from '../../tools/flags';
import { UserError } from '../../tools/userError';
import { runMain } from '../../tools/runMain';
import { measureCampaigns } from './campaign';
import { faultsOf, type Figures } from './checks';
import { Cluster } from './cluster';
import { measureCrash } from './crash';
import { measureReplies } from './reply';
import { measureSendOnce } from './sendOnce';
import { full, quick, type Settings } from './settings';
import { report } from './tables';
import { measureTrigger } from './trigger';

const USAGE = `Usage: npm run test:queue -- [--json FILE] [--quick] [--only NAME,…]
Starts PostgreSQL, Redis and n8n's queue mode, and runs: campaigns, trigger, replies, sendOnce, crash. Needs Linux.
--quick runs all with a fifth of the messages.`;

const scenarios: {
	[Name in keyof Figures]-?: (
		cluster: Cluster,
		settings: Settings,
	) => Promise<NonNullable<Figures[Name]>>;
} = {
	campaigns: measureCampaigns,
	trigger: measureTrigger,
	replies: measureReplies,
	sendOnce: measureSendOnce,
	crash: measureCrash,
};

runMain(async () => {
	const flags = readFlags({ json: 'string', only: 'string', quick: 'boolean' }, USAGE);
	const names = (flags.only?.split(',') ?? Object.keys(scenarios)) as Array<keyof Figures>;
	const unknown = names.find((name) => !(name in scenarios));
	if (unknown !== undefined)
		throw new UserError(`There is no scenario ${unknown}.
${USAGE}`);
	const cluster = await Cluster.open();
	const settings = flags.quick ? quick : full;
	const figures: Figures = {};
	for (const name of names)
		Object.assign(figures, { [name]: await scenarios[name](cluster, settings) });
	console.log(`\n${report(figures)}\n`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	const faults = faultsOf(figures);
	if (faults.length > 0)
		throw new UserError(`It does not hold:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
});
