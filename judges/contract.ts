/** The project's tests with Prism between each sandbox and its callers. */
import path from 'node:path';

import { CommandError, runCommand } from '../playground/runCommand';
import { openPrism } from './prism';
import type { Verdict } from './verdict';

const root = path.join(import.meta.dirname, '..');
const limit = 15 * 60_000;

/** @param document path of the OpenAPI document */
export async function askPrism(document: string): Promise<Verdict> {
	const prism = await openPrism(document);
	try {
		const complaints = await runTests(prism.url);
		const { answers, refusals, faults } = prism.tally;
		if (answers === 0) complaints.push('No call came through the proxy');
		const figures = `${answers} calls, among them ${refusals} wrong on purpose and refused, ${faults} answers spoiled on purpose`;
		return {
			judge: 'Prism, as proxy between the tests and the sandbox',
			words: `${complaints.length ? 'violations' : 'no violation'} in ${figures}`,
			complaints,
		};
	} finally {
		await prism.close();
	}
}

async function runTests(judge: string): Promise<string[]> {
	try {
		await runCommand(
			path.join(root, 'node_modules', '.bin', 'jest'),
			['--selectProjects', 'engine', 'sandbox'],
			{ cwd: root, limit, env: { CONTRACT_JUDGE: judge } },
		);
		return [];
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		return [error.message, ...error.output.trim().split('\n')];
	}
}
