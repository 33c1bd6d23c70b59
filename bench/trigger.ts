/** `npm run bench:trigger`: what a delivery costs n8n with our trigger and with n8n's own Webhook node. Takes about ten minutes. */
import { writeFile } from 'node:fs/promises';
import { readFlags } from '../tools/flags';
import { Environment } from '../tools/environment';
import { SandboxProcess } from '../tools/sandboxProcess';
import { UserError } from '../tools/userError';
import { runMain } from '../tools/runMain';
import { compare, type Comparison } from './trigger/compare';
import { comparisonText } from './trigger/tables';

const USAGE = `Usage: npm run bench:trigger -- [--json FILE] [--quick]
Delivers 1,000 events, of which 30 % come two or three times, in bursts of 20, to our trigger and to n8n's own Webhook
node in turn; then 300 events that come once. All with n8n as it is, and with N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true.
Fails if an event was lost or started two executions. Needs Linux. --quick is too small to compare.`;

const settings = [
	{ name: 'n8n as it is', env: {} },
	{
		name: 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true',
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	},
];

runMain(async () => {
	const flags = readFlags({ json: 'string', quick: 'boolean' }, USAGE);
	const [repeatedEvents, singleEvents] = flags.quick ? [100, 60] : [1000, 300];
	const loads = [
		{ events: repeatedEvents, repeated: true },
		{ events: singleEvents, repeated: false },
	];
	const environment = await Environment.open();
	const service = await SandboxProcess.start();
	const comparisons: Comparison[] = [];
	try {
		for (const { name, env } of settings) {
			await environment.withN8ns(
				1,
				async ([n8n]) => {
					for (const load of loads)
						comparisons.push(await compare({ n8n, service, environment: name, ...load }));
				},
				env,
			);
		}
	} finally {
		await service.stop();
	}
	for (const comparison of comparisons) console.log(`\n${comparisonText(comparison)}`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(comparisons, null, 2)}\n`);
	if (comparisons.some(({ ours }) => ours.lost + ours.doubled > 0))
		throw new UserError('Events were lost or started two executions.');
});
