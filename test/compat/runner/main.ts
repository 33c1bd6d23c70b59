/**
 * Runs in a process of its own, where NODE_PATH leads to an engine's folder, as n8n leads its community nodes to its own
 * modules: n8n-core, n8n-workflow, and what the package requires come from there. Leaves a {@link RunnerResult}.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { loadEngine } from '../../support/engine';
import { loading } from '../engines';
import { type Checks, orderVariable, type RunnerOrder, type RunnerResult } from '../result';
import { checks } from './checks';
import { Environment } from './environment';

const linesOfError = 8;

const { packageFolder, sandbox, resultFile } = JSON.parse(
	process.env[orderVariable] ?? '{}',
) as RunnerOrder;
const requireAsPackage = createRequire(path.join(packageFolder, 'package.json'));

/** The version of what the package would get, from the package.json above the file. */
function versionOf(name: string): string {
	for (
		let folder = path.dirname(requireAsPackage.resolve(name));
		folder !== path.dirname(folder);
		folder = path.dirname(folder)
	) {
		try {
			const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
				name?: string;
				version?: string;
			};
			if (manifest.name === name && manifest.version) return manifest.version;
		} catch {
			// No manifest here: it is further up.
		}
	}
	throw new Error(`${name} has no package.json`);
}

async function attempt(run: () => Promise<void>): Promise<true | string> {
	try {
		await run();
		return true;
	} catch (error) {
		const words = (error as Error).message
			.split('\n')
			.map((line) => line.trim())
			.filter((line) => line !== '');
		return words.slice(0, linesOfError).join(' ');
	}
}

/** n8n's loader says of any error in a node's constructor that the class was not found; this gives the error itself. */
function instantiate(): void {
	const { n8n } = requireAsPackage('./package.json') as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	for (const file of [...n8n.nodes, ...n8n.credentials]) {
		const [name] = path.basename(file).split('.');
		const classes = requireAsPackage(`./${file}`) as Record<string, new () => unknown>;
		new classes[name]();
	}
}

async function runChecks(): Promise<Checks> {
	let loaded: Environment | undefined;
	const load = async () => {
		instantiate();
		loaded = new Environment(await loadEngine(packageFolder), sandbox);
	};
	const results: Checks = { [loading]: await attempt(load) };
	if (!loaded) return results;
	const environment = loaded;
	for (const [name, check] of Object.entries(checks)) {
		await environment.sandbox.reset();
		results[name] = await attempt(async () => await check(environment));
	}
	return results;
}

void runChecks().then((results) => {
	const [core, workflow, zod] = ['n8n-core', 'n8n-workflow', 'zod'].map(versionOf);
	const result: RunnerResult = {
		node: process.versions.node,
		core,
		workflow,
		zod,
		checks: results,
	};
	writeFileSync(resultFile, JSON.stringify(result));
	process.exit(0); // engines keep timers and connections
});
