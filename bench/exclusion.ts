/** `npm run bench -- exclusion`: what it costs a campaign to leave out a large segment. Takes about five minutes. */
import { writeFile } from 'node:fs/promises';
import { printTable, readFlags, runMain, UserError } from '../tools/cli';
import { Environment } from '../tools/environment';
import { noLimit, SandboxProcess } from '../tools/sandboxClient';
import { measure, type Sender } from './senders';

const USAGE = `Usage: npm run bench -- exclusion [--json FILE] [--quick]
Sends a campaign with and without Exclude Segment, without a rate limit. --quick checks in a minute that everything works.`;

/** Two of five sample contacts are in the segment; none of them is in the campaign. */
const full = { messages: 10_000, sampleContacts: 50_000, rounds: 3 };
const quick: typeof full = { messages: 1_000, sampleContacts: 5_000, rounds: 1 };
const senders = ['business-messaging', 'business-messaging-excluding'] as const;
/** A campaign that takes longer, in relation to the one without exclusion, is a defect. */
const maxRatio = 1.15;

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const { messages, sampleContacts, rounds } = flags.quick ? quick : full;
	const environment = await Environment.open();
	const rows = await environment.withN8ns(1, async (n8ns) =>
		SandboxProcess.during({ contacts: sampleContacts }, async (service) => {
			const send = async (sender: Sender) => ({
				sender,
				...(await measure(n8ns, service, { sender, messages, rate: noLimit })),
			});
			await send('business-messaging'); // warms up
			const all: Array<Awaited<ReturnType<typeof send>>> = [];
			for (let round = 0; round < rounds; round++)
				for (const sender of senders) all.push(await send(sender));
			// The fastest run of each: whatever else the machine does makes it only slower.
			return senders.map((sender) => {
				const runs = all.filter((one) => one.sender === sender);
				const least = (of: 'seconds' | 'cpuSeconds') => Math.min(...runs.map((one) => one[of]));
				return { sender, messages, seconds: least('seconds'), cpuSeconds: least('cpuSeconds') };
			});
		}),
	);
	const [without, excluding] = rows;
	const ratio = excluding.seconds / without.seconds;
	const figures = { segment: (sampleContacts * 2) / 5, rows, ratio };
	printTable(rows);
	console.log(`  Excluding ${figures.segment} contacts takes ${ratio.toFixed(2)} times as long.`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(figures, null, 2)}\n`);
	if (!flags.quick && ratio > maxRatio)
		throw new UserError(`That is more than ${maxRatio} times as long.`);
});
