/** `npm run test:compat`: the packed package on engines of n8n from the oldest that works to the newest, each with several versions of zod. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { readFlags, UserError, step, onStop, runMain } from '../../tools/cli';
import { installPackage, packProject } from '../../tools/n8n/package';
import { SandboxProcess } from '../../tools/sandboxClient';
import { chosenEngines, zodVersions, type EngineVersions } from './engines';
import { installPackages } from './install';
import { faultsOf, markdownReport, textReport, type EngineReport } from './report';
import type { RunnerOrder } from './result';
import { contactCount } from './runner/actionChecks';
import { bundleRunner, tryEngine } from './tryEngine';

const USAGE = `Usage: npm run test:compat -- [--json FILE] [--markdown FILE] [--only 2.41.1,1.85.4]
Installs each engine once into your cache folder (some 150 MB each) and takes some minutes more for the checks.`;

/** What all engines are tried with. */
interface Trial {
	runner: string;
	order: Omit<RunnerOrder, 'resultFile'>;
}

runMain(async () => {
	const flags = readFlags({ json: 'string', markdown: 'string', only: 'string' }, USAGE);
	const chosen = chosenEngines(flags.only);
	const trial = await prepare();
	const reports: EngineReport[] = [];
	for (const versions of chosen) reports.push({ ...versions, runs: await runAll(versions, trial) });
	console.log(`\n${textReport(reports)}\n`);
	if (flags.json) await writeFile(flags.json, `${JSON.stringify(reports, null, '\t')}\n`);
	if (flags.markdown) await writeFile(flags.markdown, markdownReport(reports));
	const faults = faultsOf(reports);
	if (faults.length > 0)
		throw new UserError(
			`It is not as the list of engines says:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
		);
});

/** Packs the package and unpacks it as n8n would; starts the sandbox. */
async function prepare(): Promise<Trial> {
	const folder = await mkdtemp(path.join(tmpdir(), 'business-messaging-compat-'));
	onStop(async () => await rm(folder, { recursive: true, force: true }));
	const tarball = await step('Packing the package', packProject);
	onStop(async () => await rm(path.dirname(tarball), { recursive: true, force: true }));
	const packageFolder = await installPackage(tarball, folder);
	const sandbox = await SandboxProcess.start({ contacts: contactCount });
	onStop(sandbox.stop);
	return {
		runner: await bundleRunner(folder),
		order: { packageFolder, sandbox: { url: sandbox.url, key: sandbox.key } },
	};
}

/** One engine with its own zod and with each of the others, which then come before it where the package looks for modules. */
async function runAll({ n8n, packages }: EngineVersions, { runner, order }: Trial) {
	const engine = await installPackages(`engine of n8n ${n8n}`, packages);
	const runs = [
		await step(`n8n ${n8n} with its own zod`, async () => await tryEngine(runner, [engine], order)),
	];
	for (const version of zodVersions) {
		const zod = await installPackages(`zod ${version}`, { zod: version });
		runs.push(
			await step(
				`n8n ${n8n} with zod ${version}`,
				async () => await tryEngine(runner, [zod, engine], order),
			),
		);
	}
	return runs;
}
