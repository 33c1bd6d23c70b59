/** The table of `npm run test:compat`, in three forms: for the terminal, for docs/compatibility.md and for the README. */
import { uniq } from 'lodash';

import { type EngineVersions, zodVersions } from './engines';
import type { Checks, RunnerResult } from './result';

/** One engine, with its own zod first and then with the others. */
export interface EngineReport extends EngineVersions {
	runs: RunnerResult[];
}

/** Rows of texts; the first one is the head. */
type Table = string[][];

/** What is not as the list of engines says, one sentence each. */
export function faultsOf(reports: EngineReport[]): string[] {
	return reports.flatMap(({ n8n, packages, lacks = {}, runs }) =>
		runs.flatMap(({ core, workflow, zod, checks }, index) => {
			const loaded = [core, workflow, zod].join(', ');
			const wanted = [
				packages['n8n-core'],
				packages['n8n-workflow'],
				[packages.zod, ...zodVersions][index],
			].join(', ');
			const faults = uniq([...Object.keys(lacks), ...Object.keys(checks)]).flatMap(
				(name) => faultOf(name, checks[name], lacks[name]) ?? [],
			);
			return [
				...(loaded === wanted ? [] : [`loaded ${loaded} instead of ${wanted}`]),
				...faults,
			].map((fault) => `n8n ${n8n} with zod ${zod}: ${fault}`);
		}),
	);
}

/** @param lacks words that the error must contain; undefined if the check has to pass */
function faultOf(
	name: string,
	result: true | string | undefined,
	lacks: string | undefined,
): string | undefined {
	if (result === undefined) return `${name} was not checked`;
	if (lacks === undefined) return result === true ? undefined : `${name}: ${result}`;
	if (result === true) return `${name} works now: correct the list of engines`;
	return result.includes(lacks) ? undefined : `${name}: "${result}" instead of "${lacks}"`;
}

const passed = (checks: Checks) => Object.values(checks).filter((result) => result === true).length;
const failed = (checks: Checks) => Object.entries(checks).filter(([, result]) => result !== true);

/** What each engine does with its own zod. */
function checkTable(reports: EngineReport[]): Table {
	const own = reports.map(({ runs }) => runs[0].checks);
	const names = uniq(own.flatMap(Object.keys));
	const cell = (result?: true | string) =>
		result === undefined ? '–' : result === true ? 'yes' : 'no';
	return [
		['n8n', ...reports.map(({ n8n }) => n8n)],
		...names.map((name) => [name, ...own.map((checks) => cell(checks[name]))]),
	];
}

/** How many checks pass with each zod. */
function zodTable(reports: EngineReport[]): Table {
	const count = ({ checks }: RunnerResult) => `${passed(checks)} of ${Object.keys(checks).length}`;
	const row = ({ n8n, packages, runs: [own, ...others] }: EngineReport) => [
		n8n,
		packages['n8n-core'],
		packages['n8n-workflow'],
		`${count(own)} (${own.zod})`,
		...others.map(count),
	];
	return [
		[
			'n8n',
			'n8n-core',
			'n8n-workflow',
			'its own zod',
			...zodVersions.map((version) => `zod ${version}`),
		],
		...reports.map(row),
	];
}

/** Why cells say no. */
function reasons(reports: EngineReport[]): string[] {
	return reports.flatMap(({ n8n, runs: [{ checks }] }) =>
		failed(checks).map(([name, error]) => `n8n ${n8n}, ${name}: ${error}`),
	);
}

function padded(table: Table): string {
	const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
	return table
		.map(
			(row) =>
				`  ${row
					.map((cell, column) => cell.padEnd(widths[column]))
					.join('  ')
					.trimEnd()}`,
		)
		.join('\n');
}

function markdown([head, ...rows]: Table): string {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** For the terminal. */
export function textReport(reports: EngineReport[]): string {
	return [
		padded(checkTable(reports)),
		padded(zodTable(reports)),
		...reasons(reports).map((reason) => `  ${reason}`),
	].join('\n\n');
}

/** The whole of docs/compatibility.md. */
export function markdownReport(reports: EngineReport[]): string {
	const nodes = uniq(reports.flatMap(({ runs }) => runs.map(({ node }) => node))).join(', ');
	return `# Compatibility

Written by \`npm run test:compat -- --markdown docs/compatibility.md\`, with Node.js ${nodes}: the packed
package, unpacked as n8n does, in the engine (n8n-core) of each of these n8n, loaded by its loader and run by its workflow engine,
against the sandbox over HTTP. Of *Send and Wait for Response* it is the half that asks and waits; answers are tested on a real n8n
(\`npm run test:e2e\`).

${reports.map(({ n8n, note }) => `- **${n8n}**: ${note}`).join('\n')}

${markdown(checkTable(reports))}

Where it says no:

${reasons(reports)
	.map((reason) => `- ${reason}`)
	.join('\n')}

## With another zod

The nodes bring no modules along. They import zod, lodash and luxon, and get what n8n has installed for itself. lodash and luxon have
been the same major version in all of these n8n; zod has changed more, so every engine was run with further versions of it. How many
checks pass:

${markdown(zodTable(reports))}
`;
}
