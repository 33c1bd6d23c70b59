/** `npm run test:queue`: n8n's queue mode with three workers, all with this package. Takes about ten minutes. */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PlaygroundError } from '../../playground/playgroundError';
import { Progress } from '../../playground/progress';
import { runMain } from '../../playground/runMain';
import { measureCampaigns } from './campaign';
import { faultsOf, type Figures } from './checks';
import { Cluster } from './cluster';
import { measureCrash } from './crash';
import { measureReplies } from './reply';
import { measureSendOnce } from './sendOnce';
import { full, quick, type Stage } from './stage';
import { report } from './tables';
import { measureTrigger } from './trigger';

const USAGE = `Usage: npm run test:queue -- [--json FILE] [--quick] [--only NAME,…]
Starts PostgreSQL, Redis and n8n's queue mode, and runs: campaigns, trigger, replies, sendOnce, crash. Needs Linux.
--quick runs all with a fifth of the messages.`;

const scenarios: {
	[Name in keyof Figures]-?: (stage: Stage) => Promise<NonNullable<Figures[Name]>>;
} = {
	campaigns: measureCampaigns,
	trigger: measureTrigger,
	replies: measureReplies,
	sendOnce: measureSendOnce,
	crash: measureCrash,
};

runMain(async () => {
	const flags = readFlags();
	if (flags.help) {
		console.log(USAGE);
		return;
	}
	const progress = new Progress();
	const stage = {
		cluster: await Cluster.open(progress),
		progress,
		settings: flags.quick ? quick : full,
	};
	const names = (flags.only?.split(',') ?? Object.keys(scenarios)) as Array<keyof Figures>;
	const figures: Figures = {};
	for (const name of names) Object.assign(figures, { [name]: await scenarios[name](stage) });
	console.log(`\n${report(figures)}\n`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	const faults = faultsOf(figures);
	if (faults.length > 0)
		throw new PlaygroundError(
			`It does not hold:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
		);
});

function readFlags() {
	try {
		const options = {
			json: { type: 'string' },
			only: { type: 'string' },
			quick: { type: 'boolean' },
			help: { type: 'boolean' },
		} as const;
		const { values } = parseArgs({ options });
		const unknown = values.only?.split(',').find((name) => !(name in scenarios));
		if (unknown === undefined) return values;
		throw new Error(`There is no scenario ${unknown}.`);
	} catch (error) {
		throw new PlaygroundError(`${(error as Error).message}\n${USAGE}`);
	}
}
