/** `npm run bench -- exclusion`: what it costs a campaign to leave out a large segment. Takes about five minutes. */
import { writeFile } from 'node:fs/promises';
import sortBy from 'lodash/sortBy';
import { printTable, readFlags, runMain, UserError } from '../tools/cli';
import { Environment } from '../tools/environment';
import { noLimit, SandboxProcess } from '../tools/sandboxClient';
import { measure, type Sender } from './senders';

const USAGE = `Usage: npm run bench -- exclusion [--json FILE] [--quick]
Sends a campaign with and without Exclude Segment, without a rate limit. --quick sees in a minute whether all works.`;

/** Two of five sample contacts are in the segment; none of them is in the campaign. */
const full = { messages: 10_000, sampleContacts: 50_000, rounds: 3 };
const quick: typeof full = { messages: 1_000, sampleContacts: 5_000, rounds: 1 };
/** More time than this for the whole campaign would be a fault. */
const maxRatio = 1.15;

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const { messages, sampleContacts, rounds } = flags.quick ? quick : full;
	const environment = await Environment.open();
	const figures = await environment.withN8ns(1, async (n8ns) =>
		SandboxProcess.during({ contacts: sampleContacts }, async (service) => {
			const send = async (sender: Sender) =>
				(await measure(n8ns, service, { sender, messages, rate: noLimit })).seconds;
			await send('business-messaging'); // warms up
			const without: number[] = [];
			const excluding: number[] = [];
			for (let round = 0; round < rounds; round++) {
				without.push(await send('business-messaging'));
				excluding.push(await send('business-messaging-excluding'));
			}
			const [secondsWithout, secondsExcluding] = [without, excluding].map(
				(seconds) => sortBy(seconds)[Math.floor(rounds / 2)],
			);
			const ratio = secondsExcluding / secondsWithout;
			const segment = (sampleContacts * 2) / 5;
			return { messages, segment, secondsWithout, secondsExcluding, ratio };
		}),
	);
	printTable([figures]);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (!flags.quick && figures.ratio > maxRatio)
		throw new UserError(`Excluding a segment takes ${figures.ratio.toFixed(2)} times as long.`);
});
